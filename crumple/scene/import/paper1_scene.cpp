#include "crumple/scene/import/paper1_scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>

#include "crumple/geometry/tet_mesh.h"
#include "crumple/geometry/display_color.h"
#include "crumple/io/paper1_asset.h"
#include "crumple/io/paper1_pieces.h"
#include "crumple/io/files.h"
#include "crumple/scene/import/lenient_json.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

using rigid::Motion;

constexpr double kUnbreakable = 1e10;  // N s: what they write for bodies that do not break

/// Paths are relative to the authors' working directory ("inputFiles/barrel2"); the same things lie beside the scene here.
fs::path beside(const fs::path& scene, const std::string& path) {
  const fs::path given = fs::path(path).lexically_normal();
  if (given.empty()) return given;
  std::error_code ignored;
  if (fs::exists(scene.parent_path() / given, ignored)) return given;
  fs::path shorter;
  for (auto part = std::next(given.begin()); given.begin() != given.end() && part != given.end(); ++part) shorter /= *part;
  return shorter.empty() ? given : shorter;
}

class Paper1Importer {
 public:
  Paper1Importer(const Json& json, const fs::path& file) : json_(json), file_(file) {}

  Result<Scene> run() {
    scene_.file = file_;
    globals();
    list("bulletObjects", [&](LenientJson& object, size_t i) { rigid_object(object, i); });
    list("plasticBodies", [&](LenientJson& body, size_t i) { plastic_body(body, fmt::format("plastic {}", i)); });
    if (barrel_stack_) stack_of_barrels();
    if (!error_.empty()) return input_error(error_);
    for (const std::string& note : notes_) scene_.notes.push_back(note);
    return scene_;
  }

 private:
  void globals() {
    LenientJson root(json_, file_.string(), error_);
    scene_.step = root.number("dt", 1.0 / 60);
    if (!(*scene_.step > 1e-6 && *scene_.step <= 1)) root.complain("dt", "must be between 1e-6 and 1 s");
    scene_.seconds = root.number("duration", 5);
    if (!(scene_.seconds >= 0 && scene_.seconds <= 36000)) root.complain("duration", "must be between 0 and 36000 s");
    const Json* gravity = root.get("gravity");
    if (gravity) scene_.gravity = gravity->is_number() ? Vec3(0, gravity->number, 0) : root.vector("gravity");
    barrel_stack_ = root.flag("makeBarrels", false);
    scene_.second_phase = !root.flag("singleStep", true);
    if (!root.flag("ground", true)) return;
    BodyDescription ground;
    ground.name = "ground";
    ground.plane = {0, 1, 0, root.number("groundHeight", 0)};
    ground.motion = Motion::Static;
    ground.material.friction = root.number("groundFriction", 0.5);
    ground.material.restitution = root.number("groundRestitution", 0.5);
    scene_.bodies.push_back(ground);
  }

  void list(const char* key, const std::function<void(LenientJson&, size_t)>& each) {
    const Json* items = json_.find(key);
    if (!items) return;
    if (!items->is_array()) LenientJson(json_, file_.string(), error_).complain(key, "expected an array");
    for (size_t i = 0; i < items->items.size() && error_.empty(); ++i) {
      if (!items->items[i].is_object()) {
        error_ = fmt::format("{}:{}: /{}/{}: expected an object", file_.string(), items->items[i].line, key, i);
        return;
      }
      LenientJson object(items->items[i], file_.string(), error_);
      each(object, i);
    }
  }

  void rigid_object(LenientJson& object, size_t index) {
    BodyDescription body;
    const std::string shape = object.text("shape");
    const double mass = object.number("mass", 0);
    body.name = fmt::format("{} {}", shape, index);
    body.motion = mass > 0 ? Motion::Dynamic : Motion::Static;
    if (mass > 0) body.mass = mass;
    body.material.restitution = 0;
    body.material.spin_damping = 0;
    if (shape == "plane") {
      const Vec3 n = object.vector("normal", Vec3::UnitY());
      body.plane = {n.x(), n.y(), n.z(), object.number("offset", 0)};
      body.look.emplace().visible = !object.flag("dontRender", false);
    } else {
      body.at = object.vector("offset");
      body.quaternion = object.numbers("rotation", 4);
    }
    if (shape == "box") {
      const Vec3 half = object.vector("extents", Vec3::Ones());
      body.box = {2 * half.x(), 2 * half.y(), 2 * half.z()};
    } else if (shape == "sphere") {
      body.sphere = object.number("radius", 1);
    } else if (shape == "mesh") {
      if (object.text("filename").empty()) return object.complain("filename", "is missing: the file of the mesh");
      body.mesh = beside(file_, object.text("filename")).string();
      body.scale = object.number("scale", 1);
    } else if (shape != "plane") {
      object.complain("shape", fmt::format("unknown shape \"{}\"", shape));
    }
    add_script(body, object, "constantForce", "constantForceFrames", -1);
    if (body.motion == Motion::Dynamic && body.script.empty()) {
      // Their program stops every body without a script after each step.
      body.motion = Motion::Static, body.mass.reset();
      note("mass of bodies without a constantForce: they stay where they are, as they do in the authors' program");
    }
    add_colors(body, object);
    scene_.bodies.push_back(body);
  }

  /// The plain colour in a piece of Mitsuba's XML: <rgb name="diffuseReflectance" value="#1111ff"/>, or three numbers.
  void add_colors(BodyDescription& body, LenientJson& object) {
    const std::string xml = object.text("shadingXml");
    if (xml.empty()) return;
    const size_t tag = xml.find("<rgb"), value = tag == std::string::npos ? tag : xml.find("value=\"", tag), end = value == std::string::npos ? value : xml.find('"', value + 7);
    const std::optional<Vec3f> color = end == std::string::npos ? std::nullopt : parse_color(xml.substr(value + 7, end - value - 7));
    if (xml.find("<texture") != std::string::npos) {
      note("shadingXml: textures, whose pictures are not there");
    } else if (!color) {
      note("shadingXml: materials without an <rgb> colour");
    }
    if (!color) return;
    if (!body.look) body.look.emplace();
    body.look->color = *color;
  }
  /// "#rrggbb" in sRGB or "r g b" as light; linear.
  static std::optional<Vec3f> parse_color(const std::string& text) {
    Vec3f color;
    if (unsigned hex = 0; text.size() == 7 && std::sscanf(text.c_str(), "#%6x", &hex) == 1) {
      for (int c = 0; c < 3; ++c) color[c] = linear_from_display((hex >> (16 - 8 * c) & 255) / 255.0);
      return color;
    }
    if (std::sscanf(text.c_str(), "%f%*[ ,]%f%*[ ,]%f", &color[0], &color[1], &color[2]) != 3 || !(color.minCoeff() >= 0 && color.maxCoeff() <= 1)) return {};
    return color;
  }

  /// An imposed velocity.
  void add_script(BodyDescription& body, LenientJson& object, const char* velocity, const char* frames, double otherwise) {
    const auto given = object.numbers(velocity, 3);
    if (!given) return;
    ScriptStep step;
    step.velocity = Vec3((*given)[0], (*given)[1], (*given)[2]);
    const double count = object.number(frames, otherwise);
    if (count >= 0) step.until = std::max(count / 60.0, 1e-6);
    if (body.motion == Motion::Static) body.motion = Motion::Scripted;
    body.script.push_back(step);
  }

  void plastic_body(LenientJson& object, const std::string& name) {
    BodyDescription body;
    body.name = name;
    if (object.text("directory").empty()) return object.complain("directory", "is missing: the folder of the body's model");
    const fs::path folder = beside(file_, object.text("directory"));
    body.asset = folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
    // Folders of one name in different places are different models.
    for (int other = 2; scene_.assets.contains(body.asset) && scene_.assets[body.asset] != folder.string(); ++other) {
      body.asset = fmt::format("{} {}", (folder.has_filename() ? folder : folder.parent_path()).filename().string(), other);
    }
    scene_.assets[body.asset] = folder.string();
    body.scale = object.number("scaleFactor", 1);
    body.density = object.number("density", 1000);
    body.material.restitution = object.number("restitution", 0.8);
    if (!(body.scale > 0 && *body.density > 0)) object.complain("scaleFactor", "scale and density must be more than 0");
    if (!(body.material.restitution >= 0 && body.material.restitution <= 1)) object.complain("restitution", "must be between 0 and 1");
    body.of<examples::Settings>() = plasticity(object, body.scale);
    if (const Json* turn = object.get("rotation"); turn && turn->is_object()) {
      LenientJson rotation(*turn, file_.string(), error_);
      const Quat q(Eigen::AngleAxisd(rotation.number("angle", 0), rotation.vector("axis", Vec3::UnitY()).normalized()));
      body.quaternion = {q.x(), q.y(), q.z(), q.w()};
    }
    const Model* model = model_of(body.asset, folder);
    if (!model) return;
    // Their `offset` is the centre of mass, ours the origin of the model.
    body.at = object.vector("offset") - rotation_of(body) * (body.scale * model->center);
    if (const double threshold = object.number("breakingThreshold", kUnbreakable); threshold < kUnbreakable) add_strengths(body, *model, threshold, object);
    add_script(body, object, "constantVelocity", "constantVelocityFrames", 60);
    add_colors(body, object);
    leave_out(object);
    scene_.bodies.push_back(body);
  }

  /// Their yield is a displacement dt |j| / m, their rate is per step: both turn into quantities that do not depend on the step.
  examples::Settings plasticity(LenientJson& object, double scale) {
    const double dt = *scene_.step, reference = examples::kReferenceStep;
    examples::Settings s;
    s.gain = object.number("plasticityImpulseScale", 0) * dt / reference;
    s.yield = object.number("plasticityImpulseYield", 1e6) / dt / std::max(1.0, dt / reference);
    s.radius = scale / object.number("plasticityKernelScale", 1);
    s.lag = std::pow(std::max(0.0, 1 - object.number("plasticityRate", 1)), reference / dt);
    s.lag = std::min(s.lag, 0.9999);
    s.recover = object.number("restitutionAddition", 1);
    s.soften = object.number("restitutionExponent", 300);
    s.emphasis = object.numbers("perExampleScale", 0);
    if (!(s.gain >= 0 && s.yield >= 0 && s.radius > 0 && std::isfinite(s.radius))) object.complain("plasticityKernelScale", "parameters must not be negative");
    return s;
  }

  void leave_out(LenientJson& object) {
    if (object.number("localDeformationScale", 0) != 0) note("localDeformationScale: random offsets that are not in the paper");
    if (object.flag("plinkoObject", false)) note("plinkoObject: bodies that fall through the floor are not lifted up again");
  }
  void note(const char* what) { notes_.insert(fmt::format("left out: {}", what)); }

  struct Model {
    Asset asset;
    std::vector<io::Paper1Piece> pieces;
    Vec3 center;  // in units of the folder
  };
  const Model* model_of(const std::string& name, const fs::path& folder) {
    if (const auto found = models_.find(name); found != models_.end()) return &found->second;
    Result<Asset> asset = io::read_paper1_asset(file_.parent_path() / folder);
    if (!asset) return error_ = error_.empty() ? asset.error().text : error_, nullptr;
    Result<std::vector<io::Paper1Piece>> pieces = io::read_paper1_pieces(file_.parent_path() / folder, *asset);
    if (!pieces) return error_ = error_.empty() ? pieces.error().text : error_, nullptr;
    const Vec3 center = io::paper1_center(*asset, *pieces);
    return &models_.try_emplace(name, Model{std::move(*asset), std::move(*pieces), center}).first->second;
  }
  void add_strengths(BodyDescription& body, const Model& model, double threshold, LenientJson& object) {
    if (!(threshold > 0)) return object.complain("breakingThreshold", "must be more than 0 N s");
    if (!model.asset.pieces || model.pieces.empty()) return note("breakingThreshold of bodies without pieces");
    pieces::Settings settings;
    settings.link_strength = io::paper1_strengths(model.asset, model.pieces, threshold);
    for (double& strength : *settings.link_strength) {
      const bool never = strength == io::kPaper1Never;
      strength = never ? pieces::kListNeverBreaks : std::min(strength / (body.scale * body.scale), pieces::kListNeverBreaks);
    }
    settings.settle = 5.0 / 60;  // they begin to break after five frames
    body.of<pieces::Settings>() = settings;
  }

  /// Thirty barrels, 4 x 4 at the bottom to one on top.
  void stack_of_barrels() {
    const fs::path file = file_.parent_path() / "barrelStackParams.json";
    Result<std::string> text = io::read_file(file);
    if (!text) return void(error_ = text.error().text);
    Result<Json> json = parse_json(*text, file.string(), JsonDialect::Foreign);
    if (!json) return void(error_ = json.error().text);
    LenientJson parameters(*json, file.string(), error_);
    const double across = 0.68, up = 0.77;
    const Vec3 first(-3, 0.39, 0), shift(across / 2, up, across / 2);
    for (int level = 0, number = 0; level < 4 && error_.empty(); ++level) {
      const int side = 4 - level;
      for (int i = 0; i < side * side; ++i, ++number) {
        plastic_body(parameters, fmt::format("barrel {}", number));
        if (error_.empty()) scene_.bodies.back().at += first + level * shift + across * Vec3(i % side, 0, i / side);
      }
    }
  }

  const Json& json_;
  fs::path file_;
  Scene scene_;
  bool barrel_stack_ = false;
  std::string error_;
  std::set<std::string> notes_;
  std::map<std::string, Model> models_;
};

}  // namespace

bool is_paper1_scene(const Json& json) {
  return json.is_object() && !json.find("crumple") && (json.find("plasticBodies") || json.find("bulletObjects"));
}

Result<Scene> read_paper1_scene(const Json& json, const fs::path& file) {
  return Paper1Importer(json, file).run();
}

}  // namespace crumple

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/look.h"
#include "apps/cli/model.h"
#include "apps/cli/pose_request.h"
#include "crumple/core/index.h"
#include "crumple/io/paper1_asset.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/mesh_file.h"
#include "crumple/rig/certificate.h"
#include "crumple/rig/rigged_body.h"
#include "crumple/run/playback.h"
#include "crumple/run/recording_folder.h"
#include "crumple/scene/animation.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

void line(std::string_view what, const std::string& value) {
  print("  {:<12} {}\n", what, value);
}

std::string size_text(const std::vector<Vec3>& points) {
  const Bounds bounds = bounds_of(points);
  const Vec3 size = bounds.high - bounds.low;
  return fmt::format("{:.4g} x {:.4g} x {:.4g}", size.x(), size.y(), size.z());
}

/// The residual that the file states, and the one its tetrahedra and raw weights have.
void print_certificate(const Asset& asset) {
  if (!asset.certificate) return;
  const WeightCertificate& stated = *asset.certificate;
  const Result<CertificateCheck> measured = measure_certificate(asset);
  if (!measured) return line("certificate", "does not fit the asset: " + measured.error().text);
  const double off = std::abs(measured->kkt_residual - stated.kkt_residual);
  const bool holds = off <= 1e-3 * stated.kkt_residual + 10 * stated.noise_floor && measured->outside_bounds == 0 && measured->held_error == 0 &&
                     measured->weights_difference < 0.01;
  line("certificate", fmt::format("residual {:.2e} stated, {:.2e} measured: {}", stated.kkt_residual, measured->kkt_residual,
                                  holds ? "it holds" : "it DOES NOT hold; the weights were changed, make the asset again"));
  line("", fmt::format("raw weights leave [0, 1] by {:.1g} and miss held values by {:.1g}; finished ones are within {:.1g} of them", measured->outside_bounds,
                       measured->held_error, measured->weights_difference));
}

void print_pieces(const Asset& asset) {
  if (!asset.pieces) return;
  const Pieces& pieces = *asset.pieces;
  std::vector<double> volumes(static_cast<size_t>(pieces.count()), 0);
  std::vector<int> piece_of(asset.tets.positions.size(), 0);
  for (size_t t = 0; t < asset.tets.tets.size(); ++t) {
    for (const int v : asset.tets.tets[t]) piece_of[static_cast<size_t>(v)] = pieces.of_tet[t];
  }
  for (size_t v = 0; v < piece_of.size(); ++v) volumes[static_cast<size_t>(piece_of[v])] += pieces.volumes[v];
  const auto [small, large] = std::minmax_element(volumes.begin(), volumes.end());
  line("pieces", fmt::format("{}, of {:.4g} to {:.4g} m^3 of tetrahedra, held together by {} links", pieces.count(), *small, *large, pieces.links.size()));
  for (const PieceLink& link : pieces.links) {
    line("link", fmt::format("{} and {}: {:.4g} m^2 at ({:.3g}, {:.3g}, {:.3g})", link.a, link.b, link.area, link.center.x(), link.center.y(), link.center.z()));
  }
}

std::string texture_text(const char* what, const Texture& texture) {
  if (!texture) return "";
  const std::shared_ptr<const Picture>& picture = texture.image->picture;
  return fmt::format(", {} \"{}\" ({})", what, texture.image->name, picture ? fmt::format("{} x {}", picture->width, picture->height) : "cannot be decoded");
}

std::string material_text(const SurfaceMaterial& m) {
  std::string text = fmt::format("\"{}\": colour {:.3g} {:.3g} {:.3g}, metal {:.2g}, roughness {:.2g}", m.name, m.color.x(), m.color.y(), m.color.z(), m.metal, m.roughness);
  if (m.alpha_mode != AlphaMode::Opaque) text += m.alpha_mode == AlphaMode::Mask ? ", with holes" : fmt::format(", transparent ({:.2g})", m.alpha);
  if (m.emissive != Vec3f::Zero()) text += ", glows";
  for (const auto& [what, texture] : {std::pair{"texture", &m.color_texture}, std::pair{"metal and roughness", &m.metal_texture}, std::pair{"normal map", &m.normal_texture}, std::pair{"glow", &m.emissive_texture}, std::pair{"occlusion", &m.occlusion_texture}}) {
    text += texture_text(what, *texture);
  }
  return text;
}

/// What the artist gave a surface beside its shape.
void print_appearance(const TriMesh& mesh) {
  constexpr size_t kListed = 24;
  std::string has;
  const auto add = [&](bool there, const char* what) { has += there ? fmt::format("{}{}", has.empty() ? "" : ", ", what) : ""; };
  add(!mesh.uvs.empty(), "texture coordinates");
  add(!mesh.normals.empty(), "normals");
  add(!mesh.colors.empty(), "vertex colours");
  if (!has.empty()) line("has", has);
  const size_t groups = mesh.groups ? mesh.groups->size() : 0;
  for (size_t g = 0; groups > 1 && g < std::min(groups, kListed); ++g) {
    size_t count = 0;
    for (size_t t = 0; t < mesh.triangles.size(); ++t) count += at(mesh.group_of(t)) == g;
    line("object", fmt::format("\"{}\": {} triangles", (*mesh.groups)[g], count));
  }
  if (groups > kListed) line("object", fmt::format("and {} more", groups - kListed));
  for (size_t m = 0; mesh.materials && m < mesh.materials->size(); ++m) line("material", material_text((*mesh.materials)[m]));
}

void print_asset(const Asset& asset) {
  const Elements elements = asset.elements();
  double volume = 0;
  for (size_t e = 0; e < elements.size(); ++e) volume += measure_of(elements, e);
  line("size", size_text({elements.positions.begin(), elements.positions.end()}));
  line(elements.names(), fmt::format("{} with {} vertices, {} {:.5g}", elements.size(), elements.positions.size(), asset.flat ? "area" : "volume", volume));
  if (asset.flat) line("drawing", fmt::format("layers from the back: {}", fmt::join(asset.flat->layers, ", ")));
  for (const Pin& pin : asset.flat ? asset.flat->pins : std::vector<Pin>()) {
    line("pin", fmt::format("{}: {} on {}", pin.name, asset.flat->layers[at(asset.flat->layer[at(pin.vertex)])], asset.flat->layers[at(asset.flat->layer[at(pin.triangle[0])])]));
  }
  line("surface", fmt::format("{} triangles, {} vertices", asset.surface.triangles.size(), asset.surface.positions.size()));
  print_appearance(asset.surface);
  if (!asset.surface.materials) {
    SurfaceMaterial own;
    own.name = asset.material.empty() ? asset.name : asset.material, own.color = asset.color, own.metal = asset.metal, own.roughness = asset.roughness;
    line("material", material_text(own));
  }
  for (const PaintedMap& map : asset.maps) {
    const auto [low, high] = std::minmax_element(map.values.begin(), map.values.end());
    line("painted", fmt::format("{:<20} factors from {:.3g} to {:.3g}", map.name, *low, *high));
  }
  print_pieces(asset);
  print_certificate(asset);
  line("handles", fmt::format("{}", asset.handles.size()));
  for (size_t b = 0; b < asset.handles.size(); ++b) line("handle", handle_text(asset, b));
  for (const Example& example : asset.examples) {
    double farthest = 0, widest = 0;
    for (size_t b = 0; b < example.handles.size(); ++b) {
      const HandleTransform& to = example.handles[b];
      const Vec3& at = asset.handles[b].position;
      farthest = std::max(farthest, (to.rotation * (to.stretch * at) + to.translation - at).norm());
      widest = std::max(widest, Eigen::AngleAxisd(to.rotation).angle() * 180 / M_PI);
    }
    line("example", fmt::format("{:<20} handles move up to {:.3g} and turn up to {:.0f} degrees", example.name, farthest, widest));
  }
}

/// What run.json says about bodies that tear.
void print_torn(const Json& run) {
  const Json* bodies = run.find("bodies");
  for (const Json& body : bodies ? bodies->items : std::vector<Json>{}) {
    if (!body.find("splits")) continue;
    const auto number = [&](const char* key) { const Json* value = body.find(key); return value ? value->number : 0.0; };
    const Json* name = body.find("name");
    const Json* first = body.find("first_split_frame");
    const std::string when = first && first->is_number() ? fmt::format(" from frame {:g} on", first->number) : "";
    line("soft", fmt::format("{}: {:g} splits{}, {:g} pieces (the largest {:.1f} %), debris {:.2f} %, plastic strain up to {:.3g}", name ? name->text : "",
                             number("splits"), when, number("pieces"), 100 * number("largest_piece_share"), 100 * number("debris_share"), number("max_strain")));
  }
}

/// What the methods of a body say about it.
void print_methods(const BodyDescription& body) {
  for_each_method(body.methods, [&](const auto& settings) {
    if (!settings) return;
    const std::string text = summary(*settings);
    if (text.empty()) return;
    std::string from;
    if constexpr (requires { fill(*settings); }) {
      for (const ParticleFile& file : body.particles) from += (from.empty() ? "" : ", ") + file.file;
      const particles::FillSettings& filled = fill(*settings);
      if (from.empty()) from = filled.spacing ? fmt::format("particles {:g} m apart", *filled.spacing) : fmt::format("about {} particles", filled.particles);
      from += " in ";
    }
    line(info_of(settings).kind == MethodKind::Matter ? "soft" : info_of(settings).name, fmt::format("{}: {}{}", body.name, from, text));
  });
}

int print_recording(const fs::path& folder) {
  Result<Playback> playback = Playback::open(folder);
  if (!playback) return print_error(playback.error());
  print("{}: recording\n", folder.string());
  line("scene", playback->scene().title);
  const std::vector<int>& frames = playback->frames();
  line("frames", frames.empty() ? "none" : fmt::format("{} ({} to {}), {:.3f} s at {:g} a second", frames.size(), frames.front(), frames.back(), playback->time(frames.back()), playback->scene().fps));
  line("bodies", fmt::format("{}", playback->bodies().size()));
  if (!playback->warning().empty()) line("warning", playback->warning());
  Result<std::string> run = io::read_file(RecordingFolder{folder}.run());
  Result<Json> json = run ? parse_json(*run, "run.json") : Result<Json>(input_error(""));
  const Json* outcome = json ? json->find("outcome") : nullptr;
  line("outcome", outcome ? outcome->text : "not finished; continue with 'crumple run --resume'");
  if (const Json* joints = json ? json->find("joints") : nullptr; joints && !joints->items.empty()) {
    const auto number = [&](const char* key) { const Json* value = json->find(key); return value ? value->number : 0.0; };
    line("joints", fmt::format("{}, {:g} broke, {:.4g} J dissipated", joints->items.size(), number("broken_joints"), number("joint_work_J")));
  }
  if (json) print_torn(*json);
  if (const Json* fingerprint = json ? json->find("fingerprint") : nullptr) line("fingerprint", fingerprint->text);
  return kDone;
}

int print_scene(const std::string& name) {
  Result<Scene> scene = load_scene(name);
  if (!scene) return print_error(scene.error());
  print("{}: scene\n", name);
  line("title", scene->title);
  line("length", fmt::format("{:g} s, {} frames, steps of {:.4g} ms", scene->seconds, scene->frame_count(), 1e3 * scene->dt()));
  line("bodies", fmt::format("{}, {} joints", scene->bodies.size(), scene->joints.size()));
  for (const BodyDescription& body : scene->bodies) {
    print_methods(body);
  }
  for (const BodyDescription& body : scene->bodies) {
    if (body.animation) line("animation", fmt::format("{} follows \"{}\" of {}", body.name, body.animation->clip.node, body.animation->clip.file));
  }
  if (!scene->camera.clip.file.empty()) line("camera", fmt::format("of {}", scene->camera.clip.file));
  for (const auto& [asset, path] : scene->assets) line("asset", fmt::format("{}: {}", asset, path));
  for (const std::string& note : unused_animations(*scene)) line("note", note);
  return kDone;
}

int print_surface(const std::string& name, const TriMesh& mesh, const std::string& note, const std::vector<std::string>& lost) {
  print("{}: surface\n", name);
  line("size", size_text(mesh.positions));
  line("triangles", fmt::format("{}, {} vertices", mesh.triangles.size(), mesh.positions.size()));
  print_appearance(mesh);
  for (const std::string& what : lost) line("lost", what);
  for (const std::string& each : size_notes(mesh, name, false)) line("note", each);
  if (!note.empty()) line("note", note);
  return kDone;
}

/// Its handles from three sides, then all examples without them.
int show_asset(const Asset& asset, const std::string& look) {
  if (look.empty()) return kDone;
  std::vector<LookTile> tiles = handle_tiles(asset);
  for (size_t e = 1; e < asset.examples.size(); ++e) {
    tiles.push_back(asset_tile(asset, static_cast<int>(e)));
    tiles.back().marks.clear();
  }
  LookOptions options;
  options.width = 480, options.height = 360, options.columns = 3, options.samples = 3;  // it shall be there at once
  if (Result<void> drawn = draw_tiles(tiles, look, options); !drawn) return print_error(drawn.error());
  line("picture", look);
  return kDone;
}

/// What moves in a GLB, and its cameras, which scenes can use.
void print_animations(const fs::path& file) {
  constexpr size_t kListed = 12;
  const Result<io::AnimatedNodes> found = io::find_animated_nodes(file);
  if (!found) return;
  const std::string name = file.filename().string();
  for (size_t i = 0; i < std::min(found->nodes.size(), kListed); ++i) {
    const io::AnimatedNode& node = found->nodes[i];
    line("animation", fmt::format("\"{}\" moves \"{}\" for {:.3g} s; a scripted body follows it by {}", node.clip, node.node, node.seconds, use_of_animation(name, node)));
  }
  if (found->nodes.size() > kListed) line("animation", fmt::format("and {} more", found->nodes.size() - kListed));
  for (size_t i = 0; i < std::min(found->cameras.size(), kListed); ++i) line("camera", fmt::format("\"{}\"; a scene looks through it by {}", found->cameras[i], use_of_camera(name, found->cameras[i])));
}

/// A GLB or a folder: an asset if it can be one, otherwise a GLB may still be a surface.
int print_model(const std::string& name, const std::string& look) {
  std::error_code ignored;
  const bool folder = fs::is_directory(name, ignored);
  Result<Asset> asset = folder ? io::read_paper1_asset(name) : io::read_asset(name);
  if (asset) {
    print("{}: asset\n", name);
    print_asset(*asset);
    if (!folder) print_animations(name);
    return show_asset(*asset, look);
  }
  std::vector<std::string> lost;
  Result<TriMesh> mesh = folder ? Result<TriMesh>(asset.error()) : io::read_mesh(name, &lost);
  if (!mesh) {
    // A file may hold nothing but a camera and what moves.
    const Result<io::AnimatedNodes> moving = folder ? Result<io::AnimatedNodes>(asset.error()) : io::find_animated_nodes(name);
    if (!moving || (moving->nodes.empty() && moving->cameras.empty())) return print_error(asset.error());
    print("{}: nodes without a surface\n", name);
    print_animations(name);
    return kDone;
  }
  print_surface(name, *mesh, "not an asset: " + asset.error().text, lost);
  if (!folder) print_animations(name);
  return kDone;
}

int tell(const std::string& name, const std::string& look) {
  const fs::path file = name;
  std::error_code ignored;
  if (!look.empty()) {
    if (Result<void> possible = check_output(look); !possible) return print_error(possible.error());
  }
  if (!fs::exists(file, ignored)) return print_error(input_error(fmt::format("{}: no such file", name)));
  if (fs::is_directory(file, ignored) && is_recording(file)) return print_recording(file);
  const std::string extension = file.extension().string();
  if (extension == ".json") return print_scene(name);
  if (fs::is_directory(file, ignored) || extension == ".glb" || extension == ".gltf") return print_model(name, look);
  std::vector<std::string> lost;
  Result<TriMesh> mesh = io::read_mesh(file, &lost);
  return mesh ? print_surface(name, *mesh, "", lost) : print_error(mesh.error());
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto file = std::make_shared<std::string>(), look = std::make_shared<std::string>();
  Command command(app, "info", "Tell what a scene, asset, surface or recording holds");
  command.add_option("file", *file, "File or folder").required();
  command.add_option("--picture,--look", *look, "FILE.png: draw the handles of an asset from three sides, and its examples");
  command.callback([file, look, &action] { action = [file, look] { return tell(*file, *look); }; });
}

}  // namespace crumple::cli

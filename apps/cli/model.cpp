#include "apps/cli/model.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "crumple/geometry/choose.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/rigid_parts.h"
#include "crumple/io/gltf_maps.h"
#include "crumple/io/mesh_file.h"

namespace crumple::cli {
namespace {

struct Unit {
  const char* name;
  double metres;
};
constexpr Unit kUnits[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"um", 1e-6}, {"km", 1000}, {"in", 0.0254}, {"ft", 0.3048}, {"yd", 0.9144}};

bool is_gltf(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension == ".glb" || extension == ".gltf";
}

/// Parts that were chosen, with their paint.
Result<void> choose_parts(const ModelOptions& options, Model& model) {
  if (options.only.empty() && options.without.empty()) return {};
  const Result<std::vector<bool>> wanted = matching_triangles(model.mesh, options.only, "--only"), unwanted = matching_triangles(model.mesh, options.without, "--without");
  if (!wanted) return wanted.error();
  if (!unwanted) return unwanted.error();
  std::vector<int> kept, vertices;
  for (size_t t = 0; t < model.mesh.triangles.size(); ++t) {
    if ((options.only.empty() || (*wanted)[t]) && !(*unwanted)[t]) kept.push_back(static_cast<int>(t));
  }
  if (kept.empty()) return input_error(fmt::format("{}: --only and --without leave nothing of it", options.file));
  model.mesh = part_of(model.mesh, kept, &vertices);
  for (PaintedMap& map : model.maps) {
    std::vector<float> values;
    for (const int v : vertices) values.push_back(map.values[static_cast<size_t>(v)]);
    map.values = std::move(values);
  }
  return {};
}

/// Sizes that things have in one unit and look odd in another.
std::optional<std::string> unit_note(double across) {
  constexpr double kLarge = 60, kSmall = 0.01;  // metres across
  if (across == 0 || (across < kLarge && across > kSmall)) return std::nullopt;
  if (across >= 1000) return fmt::format("{:.4g} m across: millimetres ({:.3g} m)? use --unit mm", across, 0.001 * across);
  if (across >= kLarge) return fmt::format("{:.4g} m across: centimetres ({:.3g} m)? use --unit cm", across, 0.01 * across);
  return fmt::format("{:.3g} mm across: another unit? name it with --unit", 1e3 * across);
}

std::string far_note(const std::vector<FarGroup>& far, const std::string& file) {
  constexpr size_t kNamed = 6;
  std::string names, options;
  for (size_t i = 0; i < far.size(); ++i) {
    if (i < kNamed) names += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", far[i].name);
    options += " --without " + shell_word(far[i].name);
  }
  if (far.size() > kNamed) names += fmt::format(" and {} more", far.size() - kNamed);
  return fmt::format("with {} the model is {:.4g} m across, without {} {:.4g} m; leave helpers out: crumple rig {}{}", names, far[0].size,
                     far.size() == 1 ? "it" : "them", far[0].others, shell_word(file), options);
}

}  // namespace

void ModelOptions::add_to(Command& command, bool required) {
  Option model = command.add_option("model", file, "Surface to read (.obj, .ply, .stl, .glb, .gltf)");
  if (required) model.required();
  add_frame_to(command);
  command.add_option("--only", only, "Pattern of the names of objects or materials to take, such as \"body*\"; may be repeated (default: all)").single();
  command.add_option("--without", without, "Pattern of the names of objects or materials to leave out; may be repeated").single();
}

void ModelOptions::add_rigid_to(Command& command) {
  command.add_option("--rigid", rigid, "Pattern of the names of objects or materials that keep their shape and are carried along, such as \"wheel*\"; may be repeated").single();
}

void ModelOptions::add_frame_to(Command& command) {
  std::vector<std::string> names;
  for (const Unit& each : kUnits) names.emplace_back(each.name);
  command.add_option("--unit", unit, "What one unit of the model is (default m)").one_of(names);
  command.add_option("--up", up, "Which axis of the model points up (default y)").one_of({"x", "y", "z"});
}

double ModelOptions::scale() const {
  for (const Unit& each : kUnits) {
    if (unit == each.name) return each.metres;
  }
  return 1;
}

Vec3 ModelOptions::to_asset(const Vec3& point) const {
  if (up == "z") return scale() * Vec3(point.x(), point.z(), -point.y());
  if (up == "x") return scale() * Vec3(-point.y(), point.x(), point.z());
  return scale() * point;
}

Result<Model> read_model(const ModelOptions& options) {
  Model model;
  std::vector<std::string> lost;
  Result<TriMesh> mesh = io::read_model(options.file, &lost);
  if (!mesh) return mesh.error();
  model.mesh = std::move(*mesh);
  for (const std::string& what : lost) model.notes.push_back("lost: " + what);
  for (Vec3& point : model.mesh.positions) point = options.to_asset(point);
  for (Vec3f& normal : model.mesh.normals) normal = (options.to_asset(normal.cast<double>()) / options.scale()).cast<float>();
  if (is_gltf(options.file)) {
    Result<std::vector<PaintedMap>> maps = io::read_maps(options.file);
    if (!maps) return maps.error();
    model.maps = std::move(*maps);
  }
  if (const Result<void> chosen = choose_parts(options, model); !chosen) return chosen.error();
  const Result<std::vector<bool>> rigid = matching_triangles(model.mesh, options.rigid, "--rigid");
  if (!rigid) return rigid.error();
  mark_rigid_parts(*rigid, model.mesh);
  for (std::string& note : size_notes(model.mesh, options.file, options.unit_given)) model.notes.push_back(std::move(note));
  if (const std::optional<SurfaceMaterial> material = take_plain_material(model.mesh)) {
    model.has_look = true, model.material = material->name;
    model.look.color = material->color, model.look.metal = material->metal, model.look.roughness = material->roughness;
  }
  return model;
}

std::vector<std::string> size_notes(const TriMesh& mesh, const std::string& file, bool unit_given) {
  std::vector<std::string> notes;
  Bounds bounds;
  for (const Triangle& triangle : mesh.triangles) {
    for (const int v : triangle) {
      if (mesh.positions[static_cast<size_t>(v)].allFinite()) bounds.add(mesh.positions[static_cast<size_t>(v)]);
    }
  }
  const std::vector<FarGroup> far = far_groups(mesh);
  if (!far.empty()) notes.push_back(far_note(far, file));
  const std::optional<std::string> unit = unit_given ? std::nullopt : unit_note(far.empty() ? bounds.diagonal() : far[0].others);
  if (unit) notes.push_back(*unit);
  return notes;
}

std::string shell_word(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c > 127 || std::string_view("_-./=,:+").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Result<Vec3> parse_place(const std::string& text, const std::string& what) {
  Vec3 place;
  int used = 0;
  const bool good =
      std::sscanf(text.c_str(), "%lf,%lf,%lf%n", &place.x(), &place.y(), &place.z(), &used) == 3 && static_cast<size_t>(used) == text.size();
  if (good && place.allFinite()) return place;
  return input_error(fmt::format("{} {}: expected three numbers such as 0.5,0,-1", what, text));
}

}  // namespace crumple::cli

#include "apps/cli/model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "crumple/io/gltf.h"
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

double fraction(const Json* value, double otherwise) {
  return value && value->is_number() && std::isfinite(value->number) ? std::clamp(value->number, 0.0, 1.0) : otherwise;
}

/// The file's first material stands for all of it.
Result<void> read_look(Model& model, const std::string& file) {
  const Result<io::GltfDocument> document = io::read_gltf(file);
  if (!document) return document.error();
  if (io::gltf_count(*document, "materials") == 0) return {};
  const Json* values = document->json.find("materials")->items[0].find("pbrMetallicRoughness");
  model.has_look = true;
  model.look.color = Vec3f::Ones(), model.look.metal = 1, model.look.roughness = 1;  // what glTF means by leaving them out
  if (!values) return {};
  const Json* color = values->find("baseColorFactor");
  for (size_t c = 0; color && c < 3 && c < color->items.size(); ++c)
    model.look.color[static_cast<int>(c)] = static_cast<float>(fraction(&color->items[c], 1));
  model.look.metal = fraction(values->find("metallicFactor"), 1);
  model.look.roughness = fraction(values->find("roughnessFactor"), 1);
  return {};
}

}  // namespace

void ModelOptions::add_to(Command& command) {
  command.add_option("model", file, "Surface to read (.obj, .ply, .stl, .glb, .gltf)").required();
  add_frame_to(command);
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
  Result<TriMesh> mesh = io::read_model(options.file);
  if (!mesh) return mesh.error();
  model.mesh = std::move(*mesh);
  for (Vec3& point : model.mesh.positions) point = options.to_asset(point);
  if (!is_gltf(options.file)) return model;
  Result<std::vector<PaintedMap>> maps = io::read_maps(options.file);
  if (!maps) return maps.error();
  model.maps = std::move(*maps);
  if (const Result<void> looked = read_look(model, options.file); !looked) return looked.error();
  return model;
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

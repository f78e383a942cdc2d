#include "crumple/io/gltf_flat.h"

#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"

namespace crumple::io {

double layer_distance(const Asset& asset) {
  return 1e-3 * bounds_of(asset.surface.positions).diagonal();
}

Json add_flat(const Asset& asset, GltfBuilder& builder) {
  Json extension = Json::object();
  extension["weights"] = builder.add_scalars(asset.weights);
  extension["rest"] = asset.examples[0].name;
  Json layers = Json::array(), pins = Json::array(), stretches = Json::object();
  for (const std::string& name : asset.flat->layers) layers.push(name);
  for (const Pin& pin : asset.flat->pins) {
    pins.push(Json::object({{"name", pin.name}, {"vertex", pin.vertex}, {"triangle", Json::array({pin.triangle[0], pin.triangle[1], pin.triangle[2]})},
                            {"shares", Json::array({pin.shares[0], pin.shares[1], pin.shares[2]})}}));
  }
  for (const Example& example : asset.examples) {
    std::vector<Vec3f> rows;
    bool any = false;
    for (const HandleTransform& handle : example.handles) {
      any = any || handle.stretch != Mat3::Identity();
      rows.push_back(Vec3(handle.stretch(0, 0), handle.stretch(0, 1), handle.stretch(1, 1)).cast<float>());
    }
    if (any) stretches[example.name] = builder.add_vec3(rows, GltfTarget::Other);
  }
  extension["layers"] = std::move(layers);
  if (!pins.items.empty()) extension["pins"] = std::move(pins);
  if (!stretches.members.empty()) extension["stretches"] = std::move(stretches);
  return extension;
}

namespace {

Result<Pin> read_pin(const Json& json, const FlatRig& flat, const std::string& where) {
  Pin pin;
  const auto wrong = [&](const char* what) { return input_error(fmt::format("{}: {}", where, what)); };
  const Json *name = json.find("name"), *triangle = json.find("triangle"), *shares = json.find("shares");
  if (name && name->is_text()) pin.name = name->text;
  const int count = static_cast<int>(flat.layer.size());
  pin.vertex = json.whole("vertex", -1);
  if (pin.vertex < 0 || pin.vertex >= count) return wrong("its vertex does not exist");
  if (!triangle || triangle->items.size() != 3 || !shares || shares->items.size() != 3) return wrong("needs a triangle and three shares");
  for (size_t k = 0; k < 3; ++k) {
    const double corner = triangle->items[k].number, share = shares->items[k].number;
    if (!(corner >= 0 && corner < count && corner == std::floor(corner))) return wrong("its triangle has a vertex that does not exist");
    if (!(std::abs(share) <= 2)) return wrong("its shares are not barycentric");
    pin.triangle[k] = static_cast<int>(corner), pin.shares[static_cast<int>(k)] = share;
  }
  if (!(std::abs(pin.shares.sum() - 1) < 1e-3)) return wrong("its shares do not sum to 1");
  if (flat.layer[at(pin.vertex)] == flat.layer[at(pin.triangle[0])]) return wrong("joins a layer with itself");
  return pin;
}

}  // namespace

Result<FlatRig> read_flat(const GltfScene& scene, const Json& extension, size_t mesh, const TriMesh& surface, const std::string& where) {
  const std::string title = fmt::format("{}: {}", scene.document().name, where);
  FlatRig flat;
  if (const Json* layers = extension.find("layers")) {
    for (const Json& name : layers->items) flat.layers.push_back(name.text);
  }
  const Json* primitives = scene.document().json.find("meshes")->items[mesh].find("primitives");
  const size_t count = primitives ? primitives->items.size() : 0;
  if (flat.layers.size() != count || count == 0) return input_error(fmt::format("{}: names {} layers, but the mesh has {} primitives", title, flat.layers.size(), count));
  // Vertices of a primitive follow each other, and are only its own.
  for (size_t p = 0; p < count; ++p) {
    const Json* attributes = primitives->items[p].find("attributes");
    const Json* positions = attributes ? attributes->find("POSITION") : nullptr;
    if (!positions || !positions->is_number()) return input_error(fmt::format("{}: layer {} has no positions", title, p));
    const Result<size_t> rows = count_rows(scene.document(), static_cast<size_t>(positions->number));
    if (!rows) return rows.error();
    if (*rows > surface.positions.size() - flat.layer.size()) return input_error(fmt::format("{}: layer {} is not made of triangles", title, p));
    flat.layer.insert(flat.layer.end(), *rows, static_cast<int>(p));
  }
  if (flat.layer.size() != surface.positions.size()) return input_error(fmt::format("{}: only the drawing itself may be in the file", title));
  const Json* pins = extension.find("pins");
  for (size_t p = 0; pins && p < pins->items.size(); ++p) {
    Result<Pin> pin = read_pin(pins->items[p], flat, fmt::format("{}/pins/{}", title, p));
    if (!pin) return pin.error();
    flat.pins.push_back(std::move(*pin));
  }
  return flat;
}

Result<std::vector<Mat3>> read_stretches(GltfScene& scene, const Json& extension, const std::string& example, size_t handles, const std::string& where) {
  std::vector<Mat3> stretches(handles, Mat3::Identity());
  const Json* all = extension.find("stretches");
  if (!all || !all->find(example)) return stretches;
  const Result<size_t> accessor = gltf_index(scene.document(), *all, example, where + "/stretches");
  if (!accessor) return accessor.error();
  const Result<std::vector<float>> numbers = scene.floats(*accessor, 3);
  if (!numbers) return numbers.error();
  if (numbers->size() != 3 * handles) return input_error(fmt::format("{}: {}/stretches: {} do not match {} handles", scene.document().name, where, numbers->size() / 3, handles));
  for (size_t h = 0; h < handles; ++h) {
    const double xx = (*numbers)[3 * h], xy = (*numbers)[3 * h + 1], yy = (*numbers)[3 * h + 2];
    if (!(xx * yy - xy * xy > 1e-6) || !(xx > 0)) return input_error(fmt::format("{}: {}/stretches: handle {} is mirrored or crushed in \"{}\"", scene.document().name, where, h, example));
    stretches[h].topLeftCorner<2, 2>() << xx, xy, xy, yy;
  }
  return stretches;
}

}  // namespace crumple::io

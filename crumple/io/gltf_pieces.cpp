#include "crumple/io/gltf_pieces.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "crumple/core/bytes.h"
#include "crumple/core/index.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/io/gltf_materials.h"

namespace crumple::io {
namespace {

constexpr const char* kScoreAgain = "score the asset again";
constexpr double kRigid = 1e-3;  // how far a place may be from a pure turn and shift

std::vector<uint32_t> unsigned_of(const std::vector<int>& numbers) {
  return std::vector<uint32_t>(numbers.begin(), numbers.end());
}

Json exact_numbers(const Vec3& vector) {
  return Json::array({vector.x(), vector.y(), vector.z()});
}

Json piece_primitive(const TriMesh& mesh, size_t material, GltfBuilder& builder) {
  std::vector<Vec3f> positions;
  for (const Vec3& point : mesh.positions) positions.push_back(point.cast<float>());
  Json attributes = Json::object();
  attributes["POSITION"] = builder.add_positions(positions);
  attributes["NORMAL"] = builder.add_vec3(mesh.normals.empty() ? vertex_normals(positions, mesh.triangles) : mesh.normals);
  if (!mesh.uvs.empty()) attributes["TEXCOORD_0"] = builder.add_vec2(mesh.uvs);
  if (!mesh.colors.empty()) attributes["COLOR_0"] = builder.add_vec3(mesh.colors);
  return Json::object({{"attributes", std::move(attributes)}, {"indices", builder.add_triangles(mesh.triangles)}, {"material", material}});
}

Json add_surface(const PieceSurface& piece, const std::string& name, std::span<const size_t> skin_materials, size_t cut_material, GltfBuilder& builder, Json& shown) {
  Json surface = Json::object(), primitives = Json::array();
  std::vector<Json> skins;
  for (size_t m = 0; m < skin_materials.size(); ++m) {
    std::vector<int> some;
    for (size_t t = 0; t < piece.skin.triangles.size(); ++t) {
      if (at(piece.skin.material_of(t)) == m) some.push_back(static_cast<int>(t));
    }
    if (some.empty()) continue;
    skins.emplace_back(primitives.items.size());
    primitives.push(piece_primitive(skin_materials.size() == 1 ? piece.skin : part_of(piece.skin, some), skin_materials[m], builder));
  }
  if (skins.size() == 1) surface["skin"] = skins[0];
  if (skins.size() > 1) surface["skin"] = Json::array(std::move(skins));
  if (!piece.cut.triangles.empty()) {
    surface["cut"] = primitives.items.size();
    primitives.push(piece_primitive(piece.cut, cut_material, builder));
  }
  const size_t mesh = builder.add("meshes", Json::object({{"name", name}, {"primitives", std::move(primitives)}}));
  shown.push(builder.add("nodes", Json::object({{"name", name}, {"mesh", mesh}})));
  surface["mesh"] = mesh;
  return surface;
}

Json link_json(const PieceLink& link) {
  const Mat3& s = link.spread;
  return Json::object({{"pieces", Json::array({link.a, link.b})},
                       {"area", link.area},
                       {"center", exact_numbers(link.center)},
                       {"normal", exact_numbers(link.normal)},
                       {"spread", Json::array({s(0, 0), s(0, 1), s(0, 2), s(1, 1), s(1, 2), s(2, 2)})}});
}

Json add_cut(const Pieces& pieces, GltfBuilder& builder) {
  Json cut = Json::object();
  cut["tetrahedra"] = builder.add_indices(unsigned_of(pieces.cut_tets), GltfTarget::Other);
  cut["first"] = builder.add_indices(unsigned_of(pieces.first_corner), GltfTarget::Other);
  cut["corners"] = builder.add_vec4(pieces.corners, GltfTarget::Other);
  cut["inward"] = builder.add_vec3(pieces.inward, GltfTarget::Other);
  return cut;
}

class PieceReader {
 public:
  PieceReader(GltfScene& scene, const Json& json, const Eigen::Affine3d& place, const WholeSurface& whole, const std::string& where)
      : scene_(scene), document_(scene.document()), json_(json), place_(place), whole_(whole), where_(where) {}

  Result<Pieces> read() {
    if (!json_.is_object()) return wrong("", "must be an object");
    const Mat3 turn = place_.linear();
    if (!((turn.transpose() * turn - Mat3::Identity()).norm() < kRigid && turn.determinant() > 0)) {
      return wrong("", "the scene scales or mirrors the asset; pieces may only be moved and turned: apply the scale and score again");
    }
    for (const auto step :
         {&PieceReader::read_surfaces, &PieceReader::read_vertices, &PieceReader::read_cut, &PieceReader::read_links, &PieceReader::read_material}) {
      if (const Result<void> done = (this->*step)(); !done) return done.error();
    }
    return std::move(pieces_);
  }

 private:
  Error wrong(const std::string& key, std::string_view what) const {
    return input_error(fmt::format("{}: {}{}{}: {}", document_.name, where_, key.empty() ? "" : "/", key, what));
  }

  Result<void> read_surfaces() {
    const Json* surfaces = json_.find("surfaces");
    if (!surfaces || !surfaces->is_array() || surfaces->items.empty()) return wrong("surfaces", fmt::format("must be a list of pieces; {}", kScoreAgain));
    for (size_t p = 0; p < surfaces->items.size(); ++p) {
      PieceSurface surface;
      const std::string where = fmt::format("{}/surfaces/{}", where_, p);
      const Json& item = surfaces->items[p];
      const Result<size_t> mesh = gltf_index(document_, item, "mesh", where);
      if (!mesh) return mesh.error();
      for (const auto& [key, part] : {std::pair{"skin", &surface.skin}, std::pair{"cut", &surface.cut}}) {
        if (const Result<void> added = append_side(item, key, *mesh, where, *part); !added) return added.error();
      }
      take_materials(surface.skin);
      surface.cut.normals.clear();
      surface.cut.material.clear();
      pieces_.surfaces.push_back(std::move(surface));
    }
    return {};
  }

  /// One primitive, or a list of them.
  Result<void> append_side(const Json& item, const char* key, size_t mesh, const std::string& where, TriMesh& side) {
    const Json* given = item.find(key);
    if (!given) return {};
    const Json list = given->is_array() ? *given : Json::array({*given});
    for (const Json& number : list.items) {
      const Json holder = Json::object({{key, number}});
      const Result<size_t> primitive = gltf_index(document_, holder, key, where);
      if (!primitive) return primitive.error();
      if (const Result<void> added = scene_.append_primitive(mesh, *primitive, place_, side); !added) return added.error();
    }
    return {};
  }

  /// A skin has the materials of the whole surface, and normals if that has.
  void take_materials(TriMesh& skin) const {
    if (whole_.surface.normals.empty()) skin.normals.clear();
    skin.materials = whole_.surface.materials;
    if (whole_.surface.material.empty()) return skin.material.clear();
    for (uint16_t& material : skin.material) {
      const int number = whole_.numbers[std::min<size_t>(material, whole_.numbers.size() - 1)];
      material = static_cast<uint16_t>(std::max(number, 0));
    }
  }

  Result<std::vector<int>> wholes(const Json& object, std::string_view key, const std::string& where) {
    const Result<size_t> accessor = gltf_index(document_, object, key, where);
    if (!accessor) return accessor.error();
    const Result<std::vector<uint32_t>> read = scene_.indices(*accessor);
    if (!read) return read.error();
    for (const uint32_t number : *read) {
      if (number > static_cast<uint32_t>(INT_MAX)) return input_error(fmt::format("{}: {}/{}: {} names nothing", document_.name, where, key, number));
    }
    return std::vector<int>(read->begin(), read->end());
  }

  Result<void> read_vertices() {
    for (const auto& [key, part] : {std::pair{"tetrahedra", &pieces_.of_tet}, std::pair{"origins", &pieces_.origin}}) {
      Result<std::vector<int>> read = wholes(json_, key, where_);
      if (!read) return read.error();
      *part = std::move(*read);
    }
    const Result<std::span<const std::byte>> bytes = read_bytes(document_, json_, "volumes", where_);
    if (!bytes) return bytes.error();
    if (bytes->size() % sizeof(double) != 0)
      return wrong("volumes", fmt::format("{} bytes are no whole number of doubles; {}", bytes->size(), kScoreAgain));
    pieces_.volumes.resize(bytes->size() / sizeof(double));
    copy_rows(pieces_.volumes, *bytes);
    return {};
  }

  Result<void> read_cut() {
    pieces_.first_corner = {0};
    const Json* cut = json_.find("cut");
    if (!cut) return {};
    const std::string where = where_ + "/cut";
    for (const auto& [key, part] : {std::pair{"tetrahedra", &pieces_.cut_tets}, std::pair{"first", &pieces_.first_corner}}) {
      Result<std::vector<int>> read = wholes(*cut, key, where);
      if (!read) return read.error();
      *part = std::move(*read);
    }
    const Result<std::vector<float>> corners = floats(*cut, "corners", 4, where);
    if (!corners) return corners.error();
    const Result<std::vector<float>> inward = floats(*cut, "inward", 3, where);
    if (!inward) return inward.error();
    pieces_.corners.resize(corners->size() / 4);
    copy_rows(pieces_.corners, std::as_bytes(std::span(*corners)));
    const Mat3 turn = place_.linear();
    const bool turned = turn != Mat3::Identity();
    for (size_t i = 0; i + 2 < inward->size(); i += 3) {
      const Vec3f step((*inward)[i], (*inward)[i + 1], (*inward)[i + 2]);
      pieces_.inward.push_back(turned ? Vec3f((turn * step.cast<double>()).cast<float>()) : step);
    }
    return {};
  }

  Result<std::vector<float>> floats(const Json& object, std::string_view key, int components, const std::string& where) {
    const Result<size_t> accessor = gltf_index(document_, object, key, where);
    if (!accessor) return accessor.error();
    return scene_.floats(*accessor, components);
  }

  Result<void> read_links() {
    const Json* links = json_.find("links");
    if (!links || !links->is_array()) return wrong("links", fmt::format("must be a list; {}", kScoreAgain));
    for (size_t l = 0; l < links->items.size(); ++l) {
      if (const Result<void> read = read_link(links->items[l], fmt::format("links/{}", l)); !read) return read.error();
    }
    return {};
  }

  Result<void> read_link(const Json& json, const std::string& key) {
    double pieces[2], center[3], normal[3], spread[6], area[1];
    const Json* plain = json.find("area");
    if (!plain || !plain->is_number()) return wrong(key + "/area", fmt::format("must be a number; {}", kScoreAgain));
    area[0] = plain->number;
    for (const auto& [name, list] : {std::pair{"pieces", std::span<double>(pieces)}, std::pair{"center", std::span<double>(center)},
                                     std::pair{"normal", std::span<double>(normal)}, std::pair{"spread", std::span<double>(spread)}}) {
      const Json* given = json.find(name);
      if (!given || given->items.size() != list.size()) return wrong(key + "/" + name, fmt::format("must be {} numbers; {}", list.size(), kScoreAgain));
      for (size_t i = 0; i < list.size(); ++i) {
        if (!given->items[i].is_number()) return wrong(key + "/" + name, fmt::format("must be {} numbers; {}", list.size(), kScoreAgain));
        list[i] = given->items[i].number;
      }
    }
    PieceLink link;
    for (const auto& [number, part] : {std::pair{pieces[0], &link.a}, std::pair{pieces[1], &link.b}}) {
      if (!(number >= 0 && number < static_cast<double>(pieces_.surfaces.size()) && number == std::floor(number))) {
        return wrong(key + "/pieces", fmt::format("{} is not a piece; there are {}", number, pieces_.surfaces.size()));
      }
      *part = static_cast<int>(number);
    }
    link.area = area[0];
    link.center = Vec3(center[0], center[1], center[2]), link.normal = Vec3(normal[0], normal[1], normal[2]);
    link.spread << spread[0], spread[1], spread[2], spread[1], spread[3], spread[4], spread[2], spread[4], spread[5];
    if (place_.matrix() != Eigen::Affine3d::Identity().matrix()) {
      const Mat3 turn = place_.linear();
      link.center = place_ * link.center, link.normal = turn * link.normal;
      link.spread = (turn * link.spread * turn.transpose()).eval();
    }
    pieces_.links.push_back(link);
    return {};
  }

  Result<void> read_material() {
    if (!json_.find("material")) return {};
    const Result<size_t> index = gltf_index(document_, json_, "material", where_);
    if (!index) return index.error();
    const Result<const Json*> material = gltf_item(document_, "materials", *index, where_);
    if (!material) return material.error();
    const Result<Materials> all = read_materials(document_);
    if (!all) return all.error();
    pieces_.cut = (*all)[*index];
    pieces_.dress_cuts();
    return {};
  }

  GltfScene& scene_;
  const GltfDocument& document_;
  const Json& json_;
  const Eigen::Affine3d& place_;
  const WholeSurface& whole_;
  const std::string& where_;
  Pieces pieces_;
};

}  // namespace

Json add_pieces(const Pieces& pieces, std::span<const size_t> materials, GltfBuilder& builder) {
  const size_t cut_material = add_materials({pieces.cut}, builder).front();
  Json surfaces = Json::array(), links = Json::array(), shown = Json::array();
  for (size_t p = 0; p < pieces.surfaces.size(); ++p) {
    surfaces.push(add_surface(pieces.surfaces[p], fmt::format("piece {}", p), materials, cut_material, builder, shown));
  }
  for (const PieceLink& link : pieces.links) links.push(link_json(link));
  Json json = Json::object({{"surfaces", std::move(surfaces)}});
  json["tetrahedra"] = builder.add_indices(unsigned_of(pieces.of_tet), GltfTarget::Other);
  json["origins"] = builder.add_indices(unsigned_of(pieces.origin), GltfTarget::Other);
  json["volumes"] = builder.add_bytes(std::as_bytes(std::span(pieces.volumes)));
  if (!pieces.cut_tets.empty()) json["cut"] = add_cut(pieces, builder);
  json["links"] = std::move(links);
  json["material"] = cut_material;
  builder.add("scenes", Json::object({{"name", "pieces"}, {"nodes", std::move(shown)}}));
  return json;
}

Result<Pieces> read_pieces(GltfScene& scene, const Json& pieces, const Eigen::Affine3d& place, const WholeSurface& whole, const std::string& where) {
  return PieceReader(scene, pieces, place, whole, where).read();
}

}  // namespace crumple::io

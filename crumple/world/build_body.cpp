#include <algorithm>
#include <cassert>
#include <numeric>

#include <fmt/format.h>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/mesh_topology.h"
#include "crumple/geometry/triangulate.h"
#include "crumple/geometry/repaint.h"
#include "crumple/particles/cloud.h"
#include "crumple/world/body.h"

namespace crumple {
namespace {

using rigid::Motion;

constexpr double kFarthestParticle = 1e9;  // m: beyond, neither distances nor volumes can be trusted

/// "bar.json:3: /bodies/bar/clusters", for messages.
std::string where_of(const Scene& scene, const BodyDescription& body, std::string_view key) {
  return fmt::format("{}: /bodies/{}/{}", place_in_file(scene, body.line), body.name, key);
}

Error body_error(const Scene& scene, const BodyDescription& body, std::string_view what) {
  return input_error(fmt::format("{}: /bodies/{}: {}", place_in_file(scene, body.line), body.name, what));
}

/// Error message of a method. It begins with a place below the method's key, or with ": ".
Error method_error(const Scene& scene, const BodyDescription& body, const MethodInfo& method, const Error& error) {
  const bool has_place = error.text.starts_with('/') || error.text.starts_with(':');
  return has_place ? input_error(where_of(scene, body, method.key) + error.text) : body_error(scene, body, error.text);
}

/// The look of an asset, unless the scene gives one.
void take_look(const Asset& asset, Body& body) {
  if (body.description->look) return;
  body.look.color = asset.color, body.look.metal = asset.metal, body.look.roughness = asset.roughness, body.look.name = asset.material;
}

/// A mesh whose only material is plain gives it to the body, unless the scene has a look for that.
std::shared_ptr<const TriMesh> take_look(std::shared_ptr<const TriMesh> mesh, Body& body) {
  if (!mesh->materials || mesh->materials->size() != 1 || !is_plain(mesh->materials->front())) return mesh;
  TriMesh bare = *mesh;
  const std::optional<SurfaceMaterial> material = take_plain_material(bare);
  if (!body.description->look) body.look.color = material->color, body.look.metal = material->metal, body.look.roughness = material->roughness, body.look.name = material->name;
  return std::make_shared<const TriMesh>(std::move(bare));
}

void set_mass(Body& body, const rigid::MassProperties& unit) {
  const BodyDescription& d = *body.description;
  body.mass = d.mass.value_or(d.density.value_or(kWater) * unit.mass);
  Part& part = body.parts.front();
  part.mass = body.mass, part.center = unit.center, part.axes = unit.axes;
  part.inertia = unit.inertia * (unit.mass > 0 ? body.mass / unit.mass : 0);
}

/// A prism along z: what is drawn, and a hull for each of its triangles.
void build_polygon(Body& body) {
  constexpr double kDepth = 1;  // m
  const BodyDescription& d = *body.description;
  std::vector<Vec2> corners;
  Ring ring;
  for (size_t i = 0; i + 1 < d.polygon->size(); i += 2) ring.push_back(static_cast<int>(corners.size())), corners.emplace_back((*d.polygon)[i], (*d.polygon)[i + 1]);
  if (doubled_area(corners, ring) < 0) std::reverse(ring.begin(), ring.end());
  TriMesh mesh;
  const auto at_depth = [&](int corner, double z) { return Vec3(corners[static_cast<size_t>(corner)].x(), corners[static_cast<size_t>(corner)].y(), z); };
  const int count = static_cast<int>(corners.size());
  for (const double z : {-0.5 * kDepth, 0.5 * kDepth}) {
    for (int c = 0; c < count; ++c) mesh.positions.push_back(at_depth(c, z));
  }
  const std::vector<Triangle> triangles = triangulate_polygon(corners, std::vector<Ring>{ring});
  for (const Triangle& t : triangles) mesh.triangles.push_back({t[0], t[2], t[1]}), mesh.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
  for (size_t i = 0; i < ring.size(); ++i) {
    const int a = ring[i], b = ring[(i + 1) % ring.size()];
    mesh.triangles.push_back({a, b, b + count}), mesh.triangles.push_back({a, b + count, a + count});
  }
  const rigid::MassProperties unit = rigid::mass_properties(mesh, 1.0);
  set_mass(body, unit);
  rigid::Hulls hulls{{}, rigid::margin_for(bounds_of(mesh.positions).diagonal(), d.hulls.margin)};
  const bool is_one = is_convex(mesh, 1e-9);
  for (const Triangle& t : triangles) {
    if (hulls.points.empty() || !is_one) hulls.points.emplace_back();
    for (const int corner : t) {
      for (const double z : {-0.5 * kDepth, 0.5 * kDepth}) hulls.points.back().push_back(unit.axes.transpose() * (at_depth(corner, z) - unit.center));
    }
  }
  body.collision = std::move(hulls);
  body.surface = std::make_shared<const TriMesh>(std::move(mesh));
}

/// Box, sphere, cylinder, capsule, plane, polygon: the shape and its drawn surface.
void build_primitive(Body& body) {
  const BodyDescription& d = *body.description;
  TriMesh mesh;
  if (d.box) {
    const Vec3 size((*d.box)[0], (*d.box)[1], (*d.box)[2]);
    body.collision = rigid::Box{size}, mesh = make_box(size);
  } else if (d.sphere) {
    body.collision = rigid::Sphere{*d.sphere}, mesh = make_sphere(*d.sphere);
  } else if (d.cylinder) {
    body.collision = rigid::Cylinder{(*d.cylinder)[0], (*d.cylinder)[1]}, mesh = make_cylinder((*d.cylinder)[0], (*d.cylinder)[1]);
  } else if (d.polygon) {
    return build_polygon(body);
  } else if (d.capsule) {
    body.collision = rigid::Capsule{(*d.capsule)[0], (*d.capsule)[1]}, mesh = make_capsule((*d.capsule)[0], (*d.capsule)[1]);
  } else {
    const Vec3 normal((*d.plane)[0], (*d.plane)[1], (*d.plane)[2]);
    const double length = normal.norm();
    body.collision = rigid::Plane{normal / length, (*d.plane)[3] / length};
    mesh = make_plane_patch(normal / length, (*d.plane)[3] / length, 200.0);
  }
  body.surface = std::make_shared<const TriMesh>(std::move(mesh));
  if (!d.plane) set_mass(body, rigid::mass_properties(body.collision, 1.0));
}

/// How the body's bonds divide it; nothing if they do not.
Divider divider_of(const BodyDescription& d) {
  Divider divider;
  for_each_method(d.methods, [&](const auto& settings) {
    if constexpr (requires(const Asset& asset) { divide(*settings, asset); }) {
      if (!settings) return;
      divider.key = fmt::format("{} {}", info_of(settings).key, write_json(Fields::write(*settings), 0, JsonNumbers::Shortest));
      divider.divide = [&settings](const Asset& asset) { return divide(*settings, asset); };
    }
  });
  return divider;
}

/// Whether it must have an inside that can change: for its layers, or for bonds that divide it.
bool needs_inside(const BodyDescription& d) {
  return method_of(d, MethodKind::Layer) || divider_of(d).divide;
}

Result<void> build_mesh(Body& body, const Scene& scene, SceneAssets& assets) {
  const BodyDescription& d = *body.description;
  auto mesh = assets.load_mesh(scene, d.mesh, d.scale, where_of(scene, d, "mesh"));
  if (!mesh) return mesh.error();
  body.surface = take_look(*mesh, body);
  if (d.motion != Motion::Dynamic) {
    body.collision = rigid::Triangles{**mesh};
    return {};
  }
  const double diagonal = bounds_of((*mesh)->positions).diagonal();
  const bool is_solid = needs_inside(d);  // it collides by the hulls of its inside
  if (!is_solid && !is_convex(**mesh, 1e-3 * diagonal)) {
    return body_error(scene, d, "a mesh that moves freely must be convex; use an \"asset\", or \"motion\": \"static\" or \"scripted\"");
  }
  const rigid::MassProperties unit = rigid::mass_properties(**mesh, 1.0);
  if (!(unit.mass > 0)) return body_error(scene, d, "the mesh encloses no volume; are its faces turned outwards and closed?");
  set_mass(body, unit);
  std::vector<Vec3> points;
  for (const Vec3& p : (*mesh)->positions) points.push_back(unit.axes.transpose() * (p - unit.center));
  body.collision = rigid::Hulls{{std::move(points)}, rigid::margin_for(diagonal, d.hulls.margin)};
  return {};
}

Result<void> build_layers(Body& body, const Scene& scene) {
  const BodyDescription& d = *body.description;
  Result<void> built;
  LayerSeed seed{body.rig.get(), d.material.restitution, scene.dt(), scene.second_phase, {body.surface}};
  if (!body.solid) seed.drawn = {std::shared_ptr<const TriMesh>(body.rig, &body.rig->asset.surface)};  // empty: it is drawn in pieces
  for (const std::shared_ptr<const TriMesh>& skin : body.skins) seed.drawn.push_back(skin);
  for_each_method(d.methods, [&](const auto& settings) {
    using Settings = typename std::decay_t<decltype(settings)>::value_type;
    if constexpr (requires { build(seed, *settings); }) {
      if (!settings || !built) return;
      auto model = build(seed, *settings);
      if (!model) {
        built = method_error(scene, d, info_of(settings), model.error());
        return;
      }
      auto state = start(*model);
      body.layers.emplace_back(AtWork<Settings, std::decay_t<decltype(*model)>, decltype(state)>{std::move(*model), std::move(state)});
    }
  });
  if (!built) return built.error();
  const auto order = [](const Layer& layer) { return std::visit([](const auto& at_work) { return info_of(at_work).order; }, layer); };
  std::stable_sort(body.layers.begin(), body.layers.end(), [&](const Layer& a, const Layer& b) { return order(a) < order(b); });
  put_together(body);
  return {};
}

/// Builds the bonds of a body; some kinds of bonds also make its pieces.
Result<void> build_bonds(Body& body, const Scene& scene, SceneAssets& assets) {
  const BodyDescription& d = *body.description;
  Result<void> built;
  for_each_method(d.methods, [&](const auto& settings) {
    using Settings = typename std::decay_t<decltype(settings)>::value_type;
    if constexpr (requires(const BondSeed& seed) { build(seed, *settings); }) {
      if (!settings || !built) return;
      BondSeed seed;
      std::vector<std::shared_ptr<const TriMesh>> loaded;
      std::vector<const TriMesh*> meshes;
      Settings copy = *settings;
      for (const FileName& file : files(copy)) {
        auto mesh = assets.load_mesh(scene, *file.name, 1.0, where_of(scene, d, fmt::format("{}/{}", info_of(settings).key, file.where)));
        if (!mesh) {
          built = mesh.error();
          return;
        }
        loaded.push_back(*mesh), meshes.push_back(mesh->get());
      }
      seed.solid = body.rig.get(), seed.vertex_masses = body.vertex_masses;
      seed.meshes = meshes, seed.density = d.density.value_or(kWater), seed.dt = scene.dt();
      auto model = build(seed, *settings);
      if (!model) {
        built = method_error(scene, d, info_of(settings), model.error());
        return;
      }
      auto state = start(*model, scene.dt());
      body.links = links(*model);
      body.bonds.emplace(AtWork<Settings, std::decay_t<decltype(*model)>, decltype(state)>{std::move(*model), std::move(state)});
    }
  });
  return built;
}

/// The moments about other axes than the principal ones. Of a box they are principal too, though perhaps named in another order.
Vec3 inertia_about(const rigid::MassProperties& mass, const Mat3& axes) {
  const Mat3 turn = axes.transpose() * mass.axes;
  return (turn * mass.inertia.asDiagonal() * turn.transpose()).diagonal();
}

Part part_of_piece(const BondPiece& piece, int number) {
  Part part;
  part.pieces = {number};
  part.mass = piece.mass.mass, part.center = piece.mass.center;
  part.axes = piece.box ? piece.place.rotation : piece.mass.axes;  // the engine's boxes lie along the axes of their part
  part.inertia = inertia_about(piece.mass, part.axes);
  return part;
}

/// A body with pieces made by its bonds.
Result<void> build_own_shape(Body& body, const Scene& scene, SceneAssets& assets) {
  if (Result<void> built = build_bonds(body, scene, assets); !built) return built.error();
  body.parts.clear();
  const std::span<const BondPiece> pieces = own_pieces(body);
  for (size_t i = 0; i < pieces.size(); ++i) {
    body.parts.push_back(part_of_piece(pieces[i], static_cast<int>(i)));
    body.skins.push_back(std::make_shared<const TriMesh>(pieces[i].surface));
    body.mass += pieces[i].mass.mass;
  }
  body.surface = body.skins.front();
  if (!method_of(*body.description, MethodKind::Layer)) return {};
  Result<std::shared_ptr<const RiggedBody>> rig = rig_of_pieces(pieces);
  if (!rig) return body_error(scene, *body.description, rig.error().text);
  body.rig = *rig;
  return build_layers(body, scene);
}

void add_skins(Body& body) {
  const BodyDescription& d = *body.description;
  const RiggedBody& rig = *body.rig;
  if (!rig.asset.pieces) return;
  for (const PieceSurface& piece : rig.asset.pieces->surfaces) {
    body.skins.emplace_back(body.solid->rig, &piece.skin), body.cuts.emplace_back(body.solid->rig, &piece.cut);
    if (d.look && d.look->paint) body.skins.back() = std::make_shared<const TriMesh>(repainted(piece.skin, main_color(rig.asset.surface), *d.look->paint));
  }
  body.cut_look.color = rig.asset.pieces->cut.color, body.cut_look.roughness = 0.85, body.cut_look.visible = body.look.visible;
}

/// Parts, masses and methods of a solid body.
Result<void> build_solid(Body& body, const Scene& scene, SceneAssets& assets, double density) {
  const RiggedBody& rig = *body.rig;
  body.vertex_masses.clear();
  for (const double unit : rig.unit_masses) body.vertex_masses.push_back(density * unit);
  if (Result<void> bonds = build_bonds(body, scene, assets); !bonds) return bonds.error();
  add_skins(body);
  if (body.bonds) {
    regroup(body);
  } else {
    Part& all = body.parts.front();
    all.pieces.resize(static_cast<size_t>(body.piece_count())), all.hulls.resize(body.solid->hulls.vertices.size());
    std::iota(all.pieces.begin(), all.pieces.end(), 0), std::iota(all.hulls.begin(), all.hulls.end(), 0);
  }
  body.mass = 0;
  for (Part& part : body.parts) {
    const PartMass mass = mass_of_part(body, part.pieces, Mat3::Identity());
    part.mass = mass.mass, part.center = mass.center, part.axes = mass.axes, part.inertia = mass.inertia;
    body.mass += part.mass;
  }
  // After the mass: bodies start with that of the exact rest shape, not of the skinned one, a nanometre off.
  return build_layers(body, scene);
}

/// An error in making a body's solid: that of its file, or of what divides it.
Error solid_error(const Scene& scene, const BodyDescription& d, const Error& error) {
  const MethodInfo* bonds = method_of(d, MethodKind::Bonds);
  return bonds && error.text.starts_with('/') ? method_error(scene, d, *bonds, error) : error;
}

Result<void> build_asset(Body& body, const Scene& scene, SceneAssets& assets, Detail detail) {
  const BodyDescription& d = *body.description;
  if (const auto original = assets.original(scene, d.asset); original && (*original)->flat) {
    std::string keys;
    for_each_method(d.methods, [&](const auto& settings) {
      if (info_of(settings).need == BodyNeed::Drawing) keys += fmt::format("{}\"{}\"", keys.empty() ? "" : " or ", info_of(settings).key);
    });
    return body_error(scene, d, fmt::format("\"{}\" is a drawing, which has no inside; give the body {}", d.asset, keys));
  }
  auto solid = assets.load(scene, d, divider_of(d), detail == Detail::Simulation);
  if (!solid) return solid_error(scene, d, solid.error());
  body.solid = *solid, body.rig = body.solid->rig;
  const RiggedBody& rig = *body.rig;
  body.surface = std::shared_ptr<const TriMesh>(body.solid->rig, &rig.asset.surface);
  if (d.look && d.look->paint) body.surface = std::make_shared<const TriMesh>(repainted(*body.surface, main_color(*body.surface), *d.look->paint));
  if (Result<void> built = build_solid(body, scene, assets, d.mass ? *d.mass / rig.volume : d.density.value_or(kWater)); !built) return built.error();
  take_look(rig.asset, body);
  return {};
}

/// Edges that only one triangle has, by places.
size_t open_edges(const TriMesh& mesh) {
  const std::vector<int> same = first_in_place(mesh.positions, 1e-6 * bounds_of(mesh.positions).diagonal(), std::vector<bool>(mesh.positions.size(), false));
  size_t open = 0;
  for_each_edge(sorted_edge_uses(mesh.triangles, same), [&](const EdgeUse* edge, size_t uses) { open += uses == 1 && edge->low != edge->high; });
  return open;
}

/// Fills a primitive or a mesh with tetrahedra, for its layers.
Result<void> fill_inside(Body& body, const Scene& scene, SceneAssets& assets, Detail detail) {
  const BodyDescription& d = *body.description;
  if (!needs_inside(d)) return {};
  if (const size_t open = d.mesh.empty() ? 0 : open_edges(*body.surface); open > 0) {
    return body_error(scene, d, fmt::format("the mesh has {} open {}, so it has no inside; close it (crumple doctor FILE -o CLOSED.obj), or rig it as an asset", open, open == 1 ? "edge" : "edges"));
  }
  auto solid = assets.fill(*body.surface, d, divider_of(d), detail == Detail::Simulation);
  if (!solid) return solid.error().text.starts_with('/') ? solid_error(scene, d, solid.error()) : body_error(scene, d, solid.error().text);
  body.solid = *solid, body.rig = body.solid->rig;
  if (body.is_divided()) body.surface = std::shared_ptr<const TriMesh>(body.solid->rig, &body.solid->rig->asset.surface);
  const double mass = body.mass;
  return build_solid(body, scene, assets, mass / body.solid->rig->volume);
}

/// A surface and its paint.
struct Painted {
  std::shared_ptr<const TriMesh> surface;
  std::vector<PaintedMap> maps;
};

Result<Painted> surface_of(Body& body, const Scene& scene, SceneAssets& assets) {
  const BodyDescription& d = *body.description;
  if (!d.asset.empty()) {
    const Result<std::shared_ptr<const Asset>> asset = assets.original(scene, d.asset);
    if (!asset) return asset.error();
    TriMesh surface = (*asset)->surface;
    for (Vec3& p : surface.positions) p *= d.scale;
    if (d.look && d.look->paint) surface = repainted(surface, main_color(surface), *d.look->paint);
    take_look(**asset, body);
    return Painted{std::make_shared<const TriMesh>(std::move(surface)), (*asset)->maps};
  }
  if (d.mesh.empty()) {
    build_primitive(body);
    return Painted{body.surface, {}};
  }
  const std::string where = where_of(scene, d, "mesh");
  auto mesh = assets.load_mesh(scene, d.mesh, d.scale, where);
  if (!mesh) return mesh.error();
  Result<std::vector<PaintedMap>> maps = assets.load_maps(scene, d.mesh, (*mesh)->positions.size(), where);
  if (!maps) return maps.error();
  return Painted{take_look(*mesh, body), std::move(*maps)};
}

Result<particles::Cloud> read_cloud(const Scene& scene, const BodyDescription& d, SceneAssets& assets, const particles::FillSettings& fill) {
  particles::Cloud cloud;
  for (size_t i = 0; i < d.particles.size(); ++i) {
    const ParticleFile& file = d.particles[i];
    const auto points = assets.load_particles(scene, file.file, where_of(scene, d, fmt::format("particles/{}/file", i)));
    if (!points) return points.error();
    for (const Vec3& p : **points) {
      cloud.points.push_back(d.scale * (file.scale * p + file.at)), cloud.velocities.push_back(file.velocity);
      if (!(cloud.points.back().cwiseAbs().maxCoeff() <= kFarthestParticle)) {
        return input_error(
            fmt::format("{}: a particle is farther than {:g} m away", where_of(scene, d, fmt::format("particles/{}/file", i)), kFarthestParticle));
      }
    }
  }
  if (Result<void> wrapped = particles::wrap_points(cloud, fill, where_of(scene, d, "particles")); !wrapped) return wrapped.error();
  return cloud;
}

/// The particles of a body, and the surface around them. The look of an asset becomes that of the body.
Result<particles::Cloud> make_cloud(Body& body, const Scene& scene, SceneAssets& assets, const particles::FillSettings& fill, const std::string& where) {
  const BodyDescription& d = *body.description;
  const auto filled = [&]() -> Result<particles::Cloud> {
    Result<Painted> painted = surface_of(body, scene, assets);
    if (!painted) return painted.error();
    return particles::fill_surface(painted->surface, painted->maps, fill, where);
  };
  Result<particles::Cloud> cloud = d.particles.empty() ? filled() : read_cloud(scene, d, assets, fill);
  if (!cloud) return cloud;
  if (const Result<void> painted = particles::paint(fill, where, *cloud); !painted) return painted.error();
  return cloud;
}

SavedArrays saved_in(const io::ArrayStore& store) {
  SavedArrays saved;
  saved.rows = [&store](std::string_view name, size_t row_bytes) { return io::row_count(store, std::string(name), row_bytes); };
  saved.read = [&store](const StateArray& array) {
    const auto found = store.find(std::string(array.name));
    if (found == store.end() || found->second.data.size() != array.data.size() || !array.all_finite(found->second.data)) return false;
    if (!array.data.empty()) std::copy(found->second.data.begin(), found->second.data.end(), array.data.begin());
    return true;
  };
  return saved;
}

/// A drawing in the size that a body has it.
Result<std::shared_ptr<const Asset>> drawing_of(Body& body, const Scene& scene, SceneAssets& assets) {
  const BodyDescription& d = *body.description;
  const Result<std::shared_ptr<const Asset>> asset = assets.original(scene, d.asset);
  if (!asset) return asset.error();
  if (!(*asset)->flat) return input_error(fmt::format("{}: \"{}\" is no drawing; make one with 'crumple sprite'", where_of(scene, d, "asset"), d.asset));
  if (d.scale == 1) return *asset;
  auto scaled = std::make_shared<Asset>(**asset);
  scale_asset(*scaled, d.scale);
  return std::shared_ptr<const Asset>(std::move(scaled));
}

/// What a body of matter is made from: particles in a surface, or a drawing. Sets the mass and the surface of the body.
template <class Settings>
Result<void> seed_matter(Body& body, const Scene& scene, SceneAssets& assets, const Settings& settings, particles::Cloud& cloud, MatterSeed& seed) {
  const BodyDescription& d = *body.description;
  double volume = 0;
  if constexpr (requires { fill(settings); }) {
    Result<particles::Cloud> made = make_cloud(body, scene, assets, fill(settings), where_of(scene, d, info(settings).key));
    if (!made) return made.error();
    cloud = std::move(*made);
    seed.cloud = &cloud, volume = cloud.volume, body.surface = cloud.surface;
  } else {
    const Result<std::shared_ptr<const Asset>> drawing = drawing_of(body, scene, assets);
    if (!drawing) return drawing.error();
    seed.drawing = *drawing, body.surface = std::shared_ptr<const TriMesh>(*drawing, &(*drawing)->surface);
    const Elements elements = (*drawing)->elements();
    for (size_t e = 0; e < elements.size(); ++e) volume += measure_of(elements, e);  // a metre deep
  }
  body.mass = d.mass.value_or(d.density.value_or(kWater) * volume);
  seed.place = {rotation_of(d), d.at}, seed.mass = body.mass;
  seed.velocity = d.velocity, seed.spin = d.spin, seed.start = d.start, seed.look = body.look;
  return {};
}

Result<void> build_matter(Body& body, const Scene& scene, SceneAssets& assets) {
  const BodyDescription& d = *body.description;
  Result<void> built;
  for_each_method(d.methods, [&](const auto& settings) {
    using Settings = typename std::decay_t<decltype(settings)>::value_type;
    if constexpr (requires(const MatterSeed& seed) { build(seed, *settings); }) {
      if (!settings || !built) return;
      const MethodInfo& method = info_of(settings);
      particles::Cloud cloud;
      MatterSeed seed;
      built = seed_matter(body, scene, assets, *settings, cloud, seed);
      if (!built) return;
      SavedArrays saved;
      if (const auto found = assets.saved_models.find(d.name); found != assets.saved_models.end()) {
        saved = saved_in(found->second), seed.saved = &saved;
      }
      auto model = build(seed, *settings);
      if (!model) {
        built = method_error(scene, d, method, model.error());
        return;
      }
      auto state = start(*model, seed, *settings);
      if (!state) {
        built = method_error(scene, d, method, state.error());
        return;
      }
      body.matter.emplace(AtWork<Settings, std::decay_t<decltype(*model)>, std::decay_t<decltype(*state)>>{std::move(*model), std::move(*state)});
    }
  });
  if (!built) return built.error();
  Part& part = body.parts.front();
  part = {}, part.pieces = {0}, part.mass = body.mass;
  return {};
}

}  // namespace

Result<Body> build_body(const Scene& scene, const BodyDescription& description, SceneAssets& assets, Detail detail) {
  Body body;
  body.description = &description;
  body.parts.resize(1), body.parts.front().pieces = {0};
  if (description.look) body.look = *description.look;
  Result<void> built;
  if (method_of(description, MethodKind::Matter)) {
    built = build_matter(body, scene, assets);
  } else if (shape_method(description)) {
    built = build_own_shape(body, scene, assets);
  } else if (!description.asset.empty()) {
    built = build_asset(body, scene, assets, detail);
  } else {
    if (description.mesh.empty()) {
      build_primitive(body);
    } else {
      built = build_mesh(body, scene, assets);
    }
    if (built) built = fill_inside(body, scene, assets, detail);
  }
  if (!built) return built.error();
  if (description.animation && detail == Detail::Simulation) {
    auto motion = assets.load_animation(scene, description);
    if (!motion) return motion.error();
    body.animation = std::move(*motion);
  }
  return body;
}

double volume_of(const Body& body) {
  const BodyDescription& d = *body.description;
  if (body.solid) return body.solid->rig->volume;
  if (shape_method(d) || d.plane || !d.particles.empty()) return 0;
  if (method_of(d, MethodKind::Matter) && method_of(d, MethodKind::Matter)->need == BodyNeed::Drawing) {
    double area = 0;
    for (size_t t = 0; t < body.surface->triangles.size(); ++t) area += measure_of(Elements::flat(*body.surface), t);
    return area;  // a metre deep
  }
  if (body.matter || std::holds_alternative<rigid::Triangles>(body.collision)) return rigid::mass_properties(*body.surface, 1.0).mass;
  return d.mesh.empty() ? rigid::mass_properties(body.collision, 1.0).mass : rigid::mass_properties(*body.surface, 1.0).mass;
}

}  // namespace crumple

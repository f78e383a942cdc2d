#include "crumple/world/body.h"

#include <numeric>

#include <fmt/format.h>

#include "crumple/geometry/repaint.h"

namespace crumple {
namespace {

using rigid::Motion;

Error body_error(const Scene& scene, const BodyDescription& body, std::string_view what) {
  return input_error(fmt::format("{}: /bodies/{}: {}", place_in_file(scene, body.line), body.name, what));
}

void set_mass(Body& body, const rigid::MassProperties& unit) {
  const BodyDescription& d = *body.description;
  body.mass = d.mass.value_or(d.density.value_or(kWater) * unit.mass);
  BodyPart& part = body.parts.front();
  part.mass = body.mass, part.center = unit.center, part.axes = unit.axes;
  part.inertia = unit.inertia * (unit.mass > 0 ? body.mass / unit.mass : 0);
}

}  // namespace

void build_primitive(Body& body) {
  const BodyDescription& d = *body.description;
  TriMesh mesh;
  if (d.box) {
    const Vec3 size((*d.box)[0], (*d.box)[1], (*d.box)[2]);
    body.shape = rigid::Box{size}, mesh = make_box(size);
  } else if (d.sphere) {
    body.shape = rigid::Sphere{*d.sphere}, mesh = make_sphere(*d.sphere);
  } else if (d.cylinder) {
    body.shape = rigid::Cylinder{(*d.cylinder)[0], (*d.cylinder)[1]}, mesh = make_cylinder((*d.cylinder)[0], (*d.cylinder)[1]);
  } else if (d.capsule) {
    body.shape = rigid::Capsule{(*d.capsule)[0], (*d.capsule)[1]}, mesh = make_capsule((*d.capsule)[0], (*d.capsule)[1]);
  } else {
    const Vec3 normal((*d.plane)[0], (*d.plane)[1], (*d.plane)[2]);
    const double length = normal.norm();
    body.shape = rigid::Plane{normal / length, (*d.plane)[3] / length};
    mesh = make_plane_patch(normal / length, (*d.plane)[3] / length, 200.0);
  }
  body.surface = std::make_shared<const TriMesh>(std::move(mesh));
  if (!d.plane) set_mass(body, rigid::mass_properties(body.shape, 1.0));
}

namespace {

Result<void> build_mesh(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  auto mesh = library.load_mesh(scene, d.mesh, d.scale, fmt::format("{}: /bodies/{}/mesh", place_in_file(scene, d.line), d.name));
  if (!mesh) return mesh.error();
  body.surface = *mesh;
  if (d.motion != Motion::Dynamic) {
    body.shape = rigid::Triangles{**mesh};
    return {};
  }
  const double diagonal = bounds_of((*mesh)->positions).diagonal();
  if (!is_convex(**mesh, 1e-3 * diagonal)) {
    return body_error(scene, d, "a mesh that moves freely must be convex; use an \"asset\", or \"motion\": \"static\" or \"scripted\"");
  }
  const rigid::MassProperties unit = rigid::mass_properties(**mesh, 1.0);
  if (!(unit.mass > 0)) return body_error(scene, d, "the mesh encloses no volume; are its faces turned outwards and closed?");
  set_mass(body, unit);
  std::vector<Vec3> points;
  for (const Vec3& p : (*mesh)->positions) points.push_back(unit.axes.transpose() * (p - unit.center));
  body.shape = rigid::Hulls{{std::move(points)}, d.hulls.margin};
  return {};
}

Result<void> build_layers(Body& body, const Scene& scene) {
  const BodyDescription& d = *body.description;
  if (!d.examples) return {};
  Result<examples::Model> model = examples::build(*body.loaded->rig, *d.examples, d.material.restitution);
  if (!model) return body_error(scene, d, model.error().text);
  examples::State state = examples::start(*model);
  body.layers.emplace_back(ExampleLayer{std::move(*model), std::move(state)});
  return {};
}

Result<void> build_pieces(Body& body, const Scene& scene) {
  const BodyDescription& d = *body.description;
  const RiggedBody& rig = *body.loaded->rig;
  if (d.pieces) {
    Result<pieces::Model> model = pieces::build(rig, *d.pieces, body.vertex_masses);
    if (!model) return body_error(scene, d, model.error().text);
    pieces::State state = pieces::start(*model, scene.dt());
    body.pieces = PieceLayer{std::move(*model), std::move(state)};
  }
  if (!rig.asset.pieces) return {};
  for (const PieceSurface& piece : rig.asset.pieces->surfaces) {
    body.skins.emplace_back(body.loaded->rig, &piece.skin), body.cuts.emplace_back(body.loaded->rig, &piece.cut);
    if (d.look && d.look->paint) body.skins.back() = std::make_shared<const TriMesh>(repainted(piece.skin, main_color(rig.asset.surface), *d.look->paint));
  }
  body.cut_look.color = rig.asset.pieces->cut_color, body.cut_look.roughness = 0.85, body.cut_look.visible = body.look.visible;
  return {};
}

Result<void> build_asset(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  auto loaded = library.load(scene, d);
  if (!loaded) return loaded.error();
  body.loaded = *loaded;
  const RiggedBody& rig = *body.loaded->rig;
  body.surface = std::shared_ptr<const TriMesh>(body.loaded->rig, &rig.asset.surface);
  if (d.look && d.look->paint) body.surface = std::make_shared<const TriMesh>(repainted(*body.surface, main_color(*body.surface), *d.look->paint));
  const double density = d.mass ? *d.mass / rig.volume : d.density.value_or(kWater);
  for (const double unit : rig.unit_masses) body.vertex_masses.push_back(density * unit);
  if (Result<void> pieces = build_pieces(body, scene); !pieces) return pieces.error();
  if (body.pieces) {
    regroup(body);
  } else {
    BodyPart& all = body.parts.front();
    all.pieces.resize(body.piece_count()), all.hulls.resize(body.loaded->hulls.vertices.size());
    std::iota(all.pieces.begin(), all.pieces.end(), 0), std::iota(all.hulls.begin(), all.hulls.end(), 0);
  }
  for (BodyPart& part : body.parts) {
    const PartMass mass = mass_of_part(body, part.pieces, Mat3::Identity());
    part.mass = mass.mass, part.center = mass.center, part.axes = mass.axes, part.inertia = mass.inertia;
    body.mass += part.mass;
  }
  // After the mass: bodies start with that of the exact rest shape, not of the skinned one, a nanometre off.
  if (Result<void> layers = build_layers(body, scene); !layers) return layers.error();
  if (!d.look) body.look.color = rig.asset.color, body.look.metal = rig.asset.metal, body.look.roughness = rig.asset.roughness;
  return {};
}

}  // namespace

double volume_of(const Body& body) {
  const BodyDescription& d = *body.description;
  if (body.loaded) return body.loaded->rig->volume;
  if (body.structure || d.plane || !d.particles.empty()) return 0;
  if (body.clusters || std::holds_alternative<rigid::Triangles>(body.shape)) return rigid::mass_properties(*body.surface, 1.0).mass;
  return d.mesh.empty() ? rigid::mass_properties(body.shape, 1.0).mass : rigid::mass_properties(*body.surface, 1.0).mass;
}

Result<Body> build_body(const Scene& scene, const BodyDescription& description, AssetLibrary& library) {
  Body body;
  body.description = &description;
  body.parts.resize(1), body.parts.front().pieces = {0};
  if (description.look) body.look = *description.look;
  Result<void> built;
  if (description.clusters) {
    built = build_clusters(body, scene, library);
  } else if (description.structure) {
    built = build_structure(body, scene, library);
  } else if (!description.asset.empty()) {
    built = build_asset(body, scene, library);
  } else if (!description.mesh.empty()) {
    built = build_mesh(body, scene, library);
  } else {
    build_primitive(body);
  }
  if (!built) return built.error();
  return body;
}

}  // namespace crumple

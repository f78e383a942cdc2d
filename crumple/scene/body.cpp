#include "crumple/scene/body.h"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "crumple/geometry/mass.h"
#include "crumple/geometry/repaint.h"

namespace crumple {
namespace {

using rigid::Motion;

constexpr double kWater = 1000;  // kg/m^3

Error body_error(const Scene& scene, const BodyDescription& body, std::string_view what) {
  return input_error(fmt::format("{}: /bodies/{}: {}", place_in_file(scene, body.line), body.name, what));
}

void set_mass(Body& body, const rigid::MassProperties& unit) {
  const BodyDescription& d = *body.description;
  body.mass = d.mass.value_or(d.density.value_or(kWater) * unit.mass);
  body.start_center = unit.center;
  body.start_axes = unit.axes;
  body.start_inertia = unit.inertia * (unit.mass > 0 ? body.mass / unit.mass : 0);
}

/// Box, sphere, cylinder, capsule, plane: the shape and the surface that stands for it.
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

Result<void> build_mesh(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  auto mesh = library.load_mesh(scene, d);
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

void build_hulls(Body& body) {
  const auto& shape = body.loaded->rig->asset.tets.positions;
  rigid::Hulls hulls;
  hulls.margin = body.description->hulls.margin;
  for (const std::vector<int>& vertices : body.loaded->hulls.vertices) {
    std::vector<Vec3>& points = hulls.points.emplace_back();
    for (const int v : vertices) {
      body.hull_vertices.push_back(v);
      points.push_back(body.start_axes.transpose() * (shape[v] - body.start_center));
    }
  }
  body.shape = std::move(hulls);
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

Result<void> build_asset(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  auto loaded = library.load(scene, d);
  if (!loaded) return loaded.error();
  body.loaded = *loaded;
  const RiggedBody& rig = *body.loaded->rig;
  body.surface = std::shared_ptr<const TriMesh>(body.loaded->rig, &rig.asset.surface);
  if (d.look && d.look->paint) body.surface = std::make_shared<const TriMesh>(repainted(*body.surface, *d.look->paint));
  const double density = d.mass ? *d.mass / rig.volume : d.density.value_or(kWater);
  std::vector<Vec3f> positions;
  for (const Vec3& p : rig.asset.tets.positions) positions.push_back(p.cast<float>());
  for (const double unit : rig.unit_masses) body.vertex_masses.push_back(density * unit);
  const PointMassProperties points = mass_of_points(positions, body.vertex_masses);
  const PrincipalFrame frame = principal_frame(points.inertia, Mat3::Identity());
  body.mass = points.mass;
  body.start_center = points.center, body.start_axes = frame.axes, body.start_inertia = frame.moments;
  build_hulls(body);
  if (Result<void> layers = build_layers(body, scene); !layers) return layers.error();
  if (!d.look) body.look.color = rig.asset.color, body.look.metal = rig.asset.metal, body.look.roughness = rig.asset.roughness;
  return {};
}

}  // namespace

Result<Body> build_body(const Scene& scene, const BodyDescription& description, AssetLibrary& library) {
  Body body;
  body.description = &description;
  if (description.look) body.look = *description.look;
  Result<void> built;
  if (!description.asset.empty()) {
    built = build_asset(body, scene, library);
  } else if (!description.mesh.empty()) {
    built = build_mesh(body, scene, library);
  } else {
    build_primitive(body);
  }
  if (!built) return built.error();
  body.axes = body.start_axes, body.center = body.start_center, body.inertia = body.start_inertia;
  return body;
}

const std::vector<Vec3f>* current_shape(const Body& body) {
  if (body.layers.empty()) return nullptr;
  return std::visit([](const auto& layer) { return &view(layer.model, layer.state); }, body.layers.back());
}

std::vector<io::ArrayView> layer_arrays(Body& body, Need need) {
  std::vector<io::ArrayView> views;
  for (Layer& layer : body.layers) {
    std::visit(
        [&](auto& at_work) {
          for (const StateArray& array : need == Need::Everything ? arrays(at_work.state) : shown_arrays(at_work.state)) {
            views.push_back({fmt::format("{}/{}/{}", body.description->name, method_name(at_work), array.name), array.row_bytes, array.data});
          }
        },
        layer);
  }
  return views;
}

Result<void> restore_layers(Body& body, const io::ArrayStore& store, Need need) {
  for (Layer& layer : body.layers) {
    Result<void> done = std::visit(
        [&](auto& at_work) -> Result<void> {
          for (const StateArray& array : need == Need::Everything ? arrays(at_work.state) : shown_arrays(at_work.state)) {
            const std::string name = fmt::format("{}/{}/{}", body.description->name, method_name(at_work), array.name);
            const auto found = store.find(name);
            if (found == store.end() || found->second.data.size() != array.data.size()) {
              return input_error(fmt::format("the recording does not fit its scene: \"{}\" is missing or of another size", name));
            }
            if (!array.all_finite(found->second.data)) return input_error(fmt::format("the recording is damaged: \"{}\" is not finite", name));
            std::memcpy(array.data.data(), found->second.data.data(), array.data.size());
          }
          need == Need::Everything ? restored(at_work.model, at_work.state) : shown_restored(at_work.model, at_work.state);
          return {};
        },
        layer);
    if (!done) return done.error();
  }
  return {};
}

FrameItem draw_body(const Body& body, int index, const Transform& place, bool weight_colors) {
  FrameItem item;
  item.name = body.description->name;
  item.body = index;
  item.surface = body.surface;
  item.place = place;
  item.look = body.look;
  item.backdrop = body.description->plane.has_value();
  if (const std::vector<Vec3f>* shape = current_shape(body)) item.positions = carried_surface(*body.loaded->rig, *shape);
  if (weight_colors && !body.layers.empty()) {
    item.colors = std::visit([](const auto& layer) { return examples::weight_colors(layer.model, layer.state); }, body.layers.back());
  }
  return item;
}

Damage damage_of(const Body& body) {
  Damage damage;
  const std::vector<Vec3f>* shape = current_shape(body);
  if (!shape || shape->empty()) return damage;
  const std::vector<Vec3>& rest = body.loaded->rig->asset.tets.positions;
  double squared = 0;
  for (size_t v = 0; v < shape->size(); ++v) {
    const double distance = ((*shape)[v].cast<double>() - rest[v]).norm();
    damage.max_displacement = std::max(damage.max_displacement, distance);
    squared += distance * distance;
  }
  damage.rms_displacement = std::sqrt(squared / static_cast<double>(shape->size()));
  const auto& layer = std::get<ExampleLayer>(body.layers.back());
  const size_t examples = static_cast<size_t>(layer.model.body->skin.examples);
  size_t deformed = 0;
  for (size_t i = 0; i < layer.state.weights.size(); i += examples) {
    const double rest_weight = layer.state.weights[i];
    damage.min_rest_weight = std::min(damage.min_rest_weight, rest_weight);
    if (rest_weight < 0.99) ++deformed;
  }
  damage.deformed_share = static_cast<double>(deformed) / static_cast<double>(shape->size());
  return damage;
}

}  // namespace crumple

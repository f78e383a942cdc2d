#include "assets/generator/sedan.h"
#include "assets/generator/sedan_parts.h"

namespace crumple::generator {

TriMesh sedan_surface() {
  TriMesh mesh;
  sedan::add_body(mesh);
  sedan::add_bumpers(mesh);
  sedan::add_lamps(mesh);
  sedan::add_trim(mesh);
  sedan::add_wheels(mesh);
  move_since(mesh, Mark{}, {Mat3::Identity(), Vec3(0, -sedan::kHeight / 2, 0)});
  return mesh;
}

}  // namespace crumple::generator

#include "assets/generator/crate.h"
#include "assets/generator/surface.h"

#include <array>
#include <cmath>

namespace crumple::generator {
namespace {

constexpr double kFrame = 0.020;   // thickness of the battens
constexpr double kBatten = 0.068;  // their width
constexpr double kPlank = 0.016;   // thickness of the planks behind them
constexpr double kBevel = 0.004;
constexpr double kCell = 0.10;

// A beam between two corners of a box that stands in the frame of a face: x along it, y up it, z out of the crate.
struct Face {
  TriMesh& mesh;
  Transform place;
  double width, height;  // of the whole face

  void beam(const Vec3& low, const Vec3& high) const {
    Transform at = place;
    at.translation = place * Vec3((low + high) / 2);
    add_beam(mesh, at, high - low, kBevel, kCell);
  }
};

// Two long rails, and stiles between them.
void add_frame(const Face& face) {
  const double x = face.width / 2, y = face.height / 2, inner = y - kBatten;
  face.beam({-x, inner, -kFrame}, {x, y, 0});
  face.beam({-x, -y, -kFrame}, {x, -inner, 0});
  face.beam({-x, -inner, -kFrame}, {-x + kBatten, inner, 0});
  face.beam({x - kBatten, -inner, -kFrame}, {x, inner, 0});
}

// Planks lie along x and touch; their bevels show as grooves.
void add_planks(const Face& face, int count, double margin) {
  const double x = face.width / 2 - margin, y = face.height / 2 - margin;
  for (int i = 0; i < count; ++i) face.beam({-x, -y + 2 * y * i / count, -kFrame - kPlank}, {x, -y + 2 * y * (i + 1) / count, -kFrame + 0.001});
}

// From the lower left to the upper right of the panel, a little thinner than the frame that hides its ends.
void add_brace(const Face& face) {
  const double x = face.width / 2 - kBatten, y = face.height / 2 - kBatten, reach = 0.01;
  Transform at = face.place;
  at.rotation = at.rotation * Eigen::AngleAxisd(std::atan2(y, x), Vec3::UnitZ()).toRotationMatrix();
  at.translation = face.place * Vec3(0, 0, -kFrame * 0.62);
  add_beam(face.mesh, at, {2 * std::hypot(x, y) - 2 * reach, kBatten, kFrame * 0.76}, kBevel, kCell);
}

Transform facing(const Vec3& along, const Vec3& up, double distance) {
  Transform place;
  place.rotation.col(0) = along;
  place.rotation.col(1) = up;
  place.rotation.col(2) = along.cross(up);
  place.translation = place.rotation.col(2) * distance;
  return place;
}

}  // namespace

// Front and back cover the whole face; the ends fit between them, and top and bottom between all four.
TriMesh crate_surface() {
  TriMesh mesh;
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ(), size = kCrateSize;
  for (const double side : {1.0, -1.0}) {
    const Face wide{mesh, facing(side * x, y, size.z() / 2), size.x(), size.y()};
    add_frame(wide), add_planks(wide, 4, kFrame), add_brace(wide);
    const Face end{mesh, facing(-side * z, y, size.x() / 2), size.z() - 2 * kFrame, size.y()};
    add_frame(end), add_planks(end, 4, kFrame);
    const Face lid{mesh, facing(x, -side * z, size.y() / 2), size.x() - 2 * kFrame, size.z() - 2 * kFrame};
    add_frame(lid), add_planks(lid, 4, kFrame);
  }
  return mesh;
}

}  // namespace crumple::generator

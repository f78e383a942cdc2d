#include "assets/generator/facets.h"
#include "assets/generator/fighter.h"
#include "assets/generator/spaceship.h"

#include <array>

namespace crumple::generator {
namespace {

const std::array<Section, 12> kHull{{{-3.45, 0, 0.40, 0.36},
                                     {-2.9, 0, 0.49, 0.43},
                                     {-2.0, 0, 0.58, 0.50},
                                     {-1.0, 0, 0.62, 0.53},
                                     {0.0, 0, 0.62, 0.52},
                                     {0.8, -0.01, 0.58, 0.48},
                                     {1.5, -0.03, 0.50, 0.42},
                                     {2.2, -0.06, 0.40, 0.34},
                                     {2.9, -0.10, 0.29, 0.25},
                                     {3.5, -0.13, 0.18, 0.16},
                                     {3.85, -0.15, 0.09, 0.08},
                                     {4.0, -0.16, 0.02, 0.02}}};
constexpr double kPodZ = 2.3, kPodY = -0.22, kTipZ = 3.6;

// The colour that covers most of it is the squadron's.
const Vec3f kSquadron = kPaleGrey;

struct WingLine {
  double z, y, leading, chord, thickness;
};
constexpr std::array<WingLine, 7> kWing{{{0.4, -0.06, 1.05, 2.95, 0.36},
                                         {0.68, -0.08, 0.80, 2.68, 0.33},
                                         {1.2, -0.12, 0.35, 2.22, 0.28},
                                         {1.75, -0.16, -0.12, 1.90, 0.24},
                                         {2.3, -0.20, -0.55, 1.65, 0.21},
                                         {2.95, -0.25, -0.98, 1.42, 0.17},
                                         {kTipZ, -0.30, -1.40, 1.20, 0.12}}};

std::vector<Ring> wing_rings(double least_thickness) {
  std::vector<Ring> rings;
  for (const WingLine& line : kWing)
    rings.push_back(wing_ring(Vec3(line.leading, line.y, line.z), line.chord, std::max(least_thickness, line.thickness), Vec3::UnitY()));
  return rings;
}

std::vector<Ring> fin_rings(double least_thickness) {
  const auto thick = [&](double thickness) { return std::max(least_thickness, thickness); };
  return {wing_ring(Vec3(-1.5, 0.35, 0), 1.9, thick(0.26), -Vec3::UnitZ()), wing_ring(Vec3(-1.95, 0.7, 0), 1.62, thick(0.22), -Vec3::UnitZ()),
          wing_ring(Vec3(-2.45, 1.25, 0), 1.3, thick(0.17), -Vec3::UnitZ()), wing_ring(Vec3(-2.95, 1.85, 0), 0.95, thick(0.11), -Vec3::UnitZ())};
}

void add_hull(TriMesh& mesh) {
  const auto rings = hull_rings(kHull, round_outline(20, 2.6), 0.45);
  const auto color = [&](int row, int column) {
    const double x = row == 0 ? -4.0 : rings[std::min<size_t>(size_t(row) - 1, rings.size() - 1)][0].x();
    const bool top = column < 3 || column >= 17, belly = column >= 7 && column < 13;
    if (x < -3.1) return kShadowGrey;
    if (x > 3.2) return kShadowGrey;
    if (x > 1.9 && x < 2.35) return kSignalOrange;
    if (belly) return kPlateGrey;
    if (top && x > -2.8 && x < -0.6) return kHullGrey;
    return kSquadron;
  };
  add_loft(mesh, rings, color);
  const std::array<Section, 5> spine{
      {{-2.7, 0.48, 0.12, 0.16}, {-1.6, 0.54, 0.2, 0.2}, {-0.3, 0.58, 0.26, 0.24}, {0.25, 0.52, 0.26, 0.2}, {0.45, 0.45, 0.2, 0.12}}};
  add_loft(mesh, hull_rings(spine, round_outline(12, 2.4), 0.6), plain(kHullGrey));
  add_spindle(mesh, Vec3(0.1, 0.46, 0), Vec3(2.15, 0.26, 0), 0.34, 0.30, 1.15, kSmokedGlass, 10, 14);
  add_nozzle(mesh, Vec3(-3.4, 0, 0), 0.6, 0.34, 0.36, 14);
}

void add_wing(TriMesh& mesh) {
  const Mark before = mark(mesh);
  const auto color = [](int row, int column) {
    if (row >= 6) return kSignalOrange;
    const bool edge = column == 0 || column == 5, flap = column == 2 || column == 3;
    if (edge) return kHullGrey;
    return flap && row >= 2 ? kPlateGrey : kSquadron;
  };
  add_loft(mesh, wing_rings(0), color, {1, 2, 3, 4, 5});
  const Vec3 pod(0, kPodY, kPodZ);
  const std::array<Section, 6> engine{
      {{-2.65, 0, 0.24, 0.24}, {-2.1, 0, 0.30, 0.30}, {-1.0, 0, 0.33, 0.33}, {-0.2, 0, 0.31, 0.31}, {0.25, 0, 0.25, 0.25}, {0.4, 0, 0.21, 0.21}}};
  const Mark at_pod = mark(mesh);
  add_loft(mesh, hull_rings(engine, round_outline(14, 2.0), 0.6), [](int row, int) {
    return row == 0 || row >= 6 ? kSoot : row == 1 ? kShadowGrey : row == 4 ? kSignalOrange : kSquadron;
  });
  add_nozzle(mesh, Vec3(-2.6, 0, 0), 0.35, 0.2, 0.22, 12);
  move_since(mesh, at_pod, {Mat3::Identity(), pod});
  add_bar(mesh, Vec3(-2.5, -0.30, kTipZ), Vec3(-0.9, -0.30, kTipZ), 0.12, 8, kShadowGrey);  // gun
  add_bar(mesh, Vec3(-0.9, -0.30, kTipZ), Vec3(0.1, -0.30, kTipZ), 0.06, 8, kSoot);
  mirror_since(mesh, before);
}

}  // namespace

TriMesh fighter_surface() {
  TriMesh mesh;
  add_hull(mesh);
  add_wing(mesh);
  add_loft(mesh, fin_rings(0), [](int row, int column) { return row >= 3                     ? kSignalOrange
                                                                : column == 2 || column == 3 ? kPlateGrey
                                                                                             : kSquadron; },
           {1, 2, 3, 4, 5});
  return mesh;
}

TriMesh fighter_solid() {
  TriMesh mesh;
  constexpr double kThick = 0.36;
  add_loft(mesh, hull_rings(kHull, round_outline(16, 2.6), 0.8), plain(kSquadron));
  add_cone(mesh, Vec3(-4.0, 0, 0), Vec3(-3.3, 0, 0), 0.36, 0.38, 12, kSquadron);
  add_block(mesh, Vec3(-2.4, 0.2, -0.26), Vec3(1.5, 0.74, 0.26), 1, kSquadron);
  add_loft(mesh, fin_rings(kThick), plain(kSquadron));
  const Mark before = mark(mesh);
  add_loft(mesh, wing_rings(kThick), plain(kSquadron));
  add_cone(mesh, Vec3(-2.5, -0.3, kTipZ), Vec3(0.1, -0.3, kTipZ), 0.18, 0.18, 8, kSquadron);
  add_cone(mesh, Vec3(-2.9, kPodY, kPodZ), Vec3(0.4, kPodY, kPodZ), 0.34, 0.32, 10, kSquadron);
  mirror_since(mesh, before);
  return mesh;
}

}  // namespace crumple::generator

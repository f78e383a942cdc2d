#include "assets/generator/sedan.h"

#include "assets/generator/sedan_parts.h"
#include "assets/generator/spaceship.h"
#include "crumple/rig/score.h"

#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace crumple::generator {
namespace {

/// What holds a panel: a flat strip, given by its middle and its extent.
struct Holder {
  Vec3 center, extent;  // one of the extents is 0: across it
};

/// A panel: what lies in a convex block is cut out of the body, and holds by some strips only. Ground at y = 0.
struct Panel {
  std::string_view name;
  std::array<Vec3, 8> corners;  // of a block: x low and high, y low and high, z low and high, the last fastest
  std::vector<Holder> holders;
};

/// A block between two places along x, with its lower and upper side at each of them.
std::array<Vec3, 8> block(double x0, std::array<double, 2> y0, double x1, std::array<double, 2> y1, double z0, double z1) {
  return {Vec3(x0, y0[0], z0), Vec3(x0, y0[0], z1), Vec3(x0, y0[1], z0), Vec3(x0, y0[1], z1),
          Vec3(x1, y1[0], z0), Vec3(x1, y1[0], z1), Vec3(x1, y1[1], z0), Vec3(x1, y1[1], z1)};
}

Panel mirrored(Panel panel, std::string_view name) {
  const Vec3 flip(1, 1, -1);
  panel.name = name;
  for (Vec3& corner : panel.corners) corner = corner.cwiseProduct(flip);
  for (size_t i = 0; i < 8; i += 2) std::swap(panel.corners[i], panel.corners[i + 1]);
  for (Holder& holder : panel.holders) holder.center = holder.center.cwiseProduct(flip);
  return panel;
}

std::vector<Panel> panels() {
  constexpr double kDoor = 0.80, kOut = 1.1;  // z: inner side of the doors, and beyond the car
  const Panel front_door{"right front door", block(-0.14, {0.255, 0.90}, 0.84, {0.255, 0.90}, kDoor, kOut),
                         {{{0.84, 0.55, 0.85}, {0, 0.45, 0.05}}, {{-0.14, 0.70, 0.86}, {0, 0.08, 0.05}}}};
  const Panel rear_door{"right rear door", block(-0.93, {0.255, 0.90}, -0.24, {0.255, 0.90}, kDoor, kOut),
                        {{{-0.24, 0.55, 0.85}, {0, 0.45, 0.05}}, {{-0.93, 0.70, 0.86}, {0, 0.08, 0.05}}}};
  return {
      // Hinges along the windscreen, a lock in front.
      {"bonnet", block(1.06, {0.845, 1.3}, 2.31, {0.655, 1.1}, -0.70, 0.70), {{{1.06, 0.87, 0}, {0, 0.03, 1.2}}, {{2.25, 0.66, 0}, {0.03, 0, 0.25}}}},
      {"boot lid", block(-2.345, {0.86, 1.2}, -1.70, {0.925, 1.3}, -0.70, 0.70), {{{-1.70, 0.95, 0}, {0, 0.03, 1.1}}, {{-2.30, 0.865, 0}, {0.03, 0, 0.25}}}},
      front_door, mirrored(front_door, "left front door"), rear_door, mirrored(rear_door, "left rear door"),
      {"front bumper", block(2.25, {0.26, 0.57}, 2.65, {0.26, 0.57}, -kOut, kOut), {{{2.25, 0.42, -0.55}, {0, 0.12, 0.12}}, {{2.25, 0.42, 0.55}, {0, 0.12, 0.12}}}},
      {"rear bumper", block(-2.65, {0.26, 0.60}, -2.26, {0.26, 0.60}, -kOut, kOut), {{{-2.26, 0.42, -0.55}, {0, 0.12, 0.12}}, {{-2.26, 0.42, 0.55}, {0, 0.12, 0.12}}}},
  };
}

constexpr double kDown = sedan::kHeight / 2;  // the asset's origin is this far above the ground

TriMesh shell_of(const Panel& panel) {
  TriMesh shell;
  for (const Vec3& corner : panel.corners) shell.positions.push_back(corner - Vec3(0, kDown, 0));
  for (const auto& [a, b, c, d] : {std::array{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}}) {
    shell.triangles.push_back({a, b, c}), shell.triangles.push_back({a, c, d});
  }
  return shell;
}

PieceLink link_of(int a, int b, const Holder& holder) {
  PieceLink link;
  link.a = std::min(a, b), link.b = std::max(a, b);
  link.center = holder.center - Vec3(0, kDown, 0);
  link.area = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (holder.extent[axis] > 0) {
      link.area *= holder.extent[axis];
    } else {
      link.normal = Vec3::Unit(axis);
    }
    link.spread(axis, axis) = holder.extent[axis] * holder.extent[axis] / 12;
  }
  return link;
}

/// The piece whose tetrahedra lie around a place.
int piece_around(const Asset& asset, const Vec3& place) {
  const Pieces& pieces = *asset.pieces;
  std::vector<double> nearest(static_cast<size_t>(pieces.count()), std::numeric_limits<double>::max());
  for (int k = 0; k < pieces.count(); ++k) {
    for (const Vec3& p : pieces.surfaces[k].skin.positions) nearest[k] = std::min(nearest[k], (p - place).norm());
  }
  return static_cast<int>(std::min_element(nearest.begin(), nearest.end()) - nearest.begin());
}

/// Panels hang on the body alone, by their strips; what else they touch does not hold them.
void hang_panels(Asset& asset, const std::vector<Panel>& all) {
  Pieces& pieces = *asset.pieces;
  const int body = piece_around(asset, Vec3(-0.4, sedan::kHeight - kDown, 0));  // the roof
  std::vector<int> panel_of(static_cast<size_t>(pieces.count()), -1);
  std::vector<PieceLink> links;
  for (size_t i = 0; i < all.size(); ++i) {
    Vec3 middle = Vec3::Zero();
    for (const Vec3& corner : all[i].corners) middle += corner / 8;
    // On the surface of the panel: what is drawn of other pieces is farther away there.
    Vec3 place = middle - Vec3(0, kDown, 0);
    if (all[i].name.ends_with("door")) place.z() = std::copysign(0.91, place.z());
    if (all[i].name.ends_with("bumper")) place.x() = std::copysign(2.45, place.x());
    const int piece = piece_around(asset, place);
    panel_of[piece] = static_cast<int>(i);
    for (const Holder& holder : all[i].holders) links.push_back(link_of(piece, body, holder));
  }
  // Splinters that a cut has left stay where they touch most.
  for (const PieceLink& link : pieces.links) {
    const bool known_a = link.a == body || panel_of[link.a] >= 0, known_b = link.b == body || panel_of[link.b] >= 0;
    if (!known_a || !known_b) links.push_back(link);
  }
  pieces.links = std::move(links);
}

}  // namespace

Result<Asset> make_sedan_scored() {
  Result<Asset> asset = make_sedan();
  if (!asset) return asset;
  asset->name = "sedan_scored";
  const std::vector<Panel> all = panels();
  std::vector<TriMesh> shells;
  std::vector<int> labels;
  for (const Panel& panel : all) {
    shells.push_back(shell_of(panel));
    labels.push_back(static_cast<int>(labels.size()));
  }
  const Result<std::vector<ConvexCell>> cells = cells_of_shells(shells, labels, room_around(*asset));
  if (!cells) return cells.error();
  ScoreSettings settings;
  settings.sliver = 2e-3;
  settings.cut = cut_material(Vec3f(0.05f, 0.05f, 0.055f));
  const Result<ScoreReport> report = score_asset(*asset, *cells, settings);
  if (!report) return report.error();
  hang_panels(*asset, all);
  return asset;
}

}  // namespace crumple::generator

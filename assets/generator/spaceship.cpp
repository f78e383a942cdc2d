#include "assets/generator/spaceship.h"

#include "crumple/rig/score.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crumple::generator {

Outline round_outline(int count, double exponent) {
  Outline outline;
  const auto bulged = [&](double share) { return std::copysign(std::pow(std::abs(share), 2 / exponent), share); };
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    outline.push_back({bulged(std::sin(angle)), bulged(std::cos(angle))});
  }
  return outline;
}

namespace {

Ring ring_of(const Section& section, const Outline& outline) {
  Ring ring;
  for (const auto& [z, y] : outline) ring.emplace_back(section.x, section.y + section.half_height * y, section.half_width * z);
  return ring;
}

Section between(const Section& a, const Section& b, double t) {
  const auto mix = [t](double from, double to) { return from + t * (to - from); };
  return {mix(a.x, b.x), mix(a.y, b.y), mix(a.half_width, b.half_width), mix(a.half_height, b.half_height)};
}

Vec3 middle_of(const Ring& ring) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& point : ring) sum += point;
  return sum / double(ring.size());
}

}  // namespace

std::vector<Ring> hull_rings(std::span<const Section> sections, const Outline& outline, double step) {
  std::vector<Ring> rings{ring_of(sections[0], outline)};
  for (size_t s = 0; s + 1 < sections.size(); ++s) {
    const auto shares = even_shares(std::abs(sections[s + 1].x - sections[s].x), step);
    for (size_t i = 1; i < shares.size(); ++i) rings.push_back(ring_of(between(sections[s], sections[s + 1], shares[i]), outline));
  }
  return rings;
}

Ring wing_ring(const Vec3& leading, double chord, double thickness, const Vec3& across) {
  constexpr double kFront = 0.28, kBack = 0.7;  // of the chord: where it is thick
  const auto at = [&](double along, double up) { return Vec3(leading - Vec3(along * chord, 0, 0) + up * thickness / 2 * across); };
  return {at(0, 0), at(kFront, 1), at(kBack, 1), at(1, 0), at(kBack, -1), at(kFront, -1)};
}

void add_loft(TriMesh& mesh, std::span<const Ring> rings, const CellColor& color, std::vector<int> creases) {
  const int around = int(rings[0].size()), rows = int(rings.size()) + 2;
  Grid grid(rows, around + 1);
  for (int column = 0; column <= around; ++column) {
    grid.at(0, column) = middle_of(rings.front());
    grid.at(rows - 1, column) = middle_of(rings.back());
    for (int row = 1; row + 1 < rows; ++row) grid.at(row, column) = rings[row - 1][column % around];
  }
  add_sheet(mesh, grid, color, {{1, rows - 2}, std::move(creases)});
}

void add_nozzle(TriMesh& mesh, const Vec3& root, double length, double root_radius, double rim_radius, int sides) {
  const Vec3 back(-length, 0, 0);
  add_cone(mesh, root + 0.75 * back, root, rim_radius, root_radius, sides, kShadowGrey);
  add_cone(mesh, root + back, root + 0.75 * back, 0.97 * rim_radius, 1.06 * rim_radius, sides, kSoot);
  add_cone(mesh, root + 1.03 * back, root + 0.95 * back, 0.72 * rim_radius, 0.72 * rim_radius, sides, kEngineGlow);
}

Bounds room_around(const Asset& asset) {
  Bounds box = bounds_of(asset.tets.positions);
  for (const Vec3& point : asset.surface.positions) box.add(point);
  const Vec3 room = Vec3::Constant(0.01 * box.diagonal());
  return {box.low - room, box.high + room};
}

Result<Asset> scored(Result<Asset> asset, const std::function<std::vector<ConvexCell>(const Bounds&)>& cells) {
  if (!asset) return asset;
  ScoreSettings settings;
  settings.cut = cut_material(kTornMetal);
  const Result<ScoreReport> report = score_asset(*asset, cells(room_around(*asset)), settings);
  if (!report) return report.error();
  return asset;
}

}  // namespace crumple::generator

#include "crumple/rig/division_links.h"

#include <algorithm>
#include <array>
#include <map>

#include "crumple/core/index.h"
#include "crumple/math/union_find.h"

namespace crumple {
namespace {

// Of the square of the thickness: a section that is found to be smaller is not trusted.
constexpr double kMinArea = 0.1;

/// A face between two pieces, turned from the one with the lower number to the other.
struct SectionFace {
  std::array<Vec3, 3> corners;
  Vec3 middle, area;
};
using Sections = std::map<std::pair<int, int>, std::vector<SectionFace>>;

Sections sections_of(const TetMesh& mesh, std::span<const InnerFace> faces, const Division& division) {
  Sections sections;
  for (const InnerFace& face : faces) {
    const int a = division.of_tet[at(face.a)], b = division.of_tet[at(face.b)];
    if (a == b) continue;
    const Vec3 &p = mesh.positions[at(face.corners[0])], &q = mesh.positions[at(face.corners[1])], &r = mesh.positions[at(face.corners[2])];
    const Vec3 area = 0.5 * (q - p).cross(r - p);  // out of face.a
    sections[std::minmax(a, b)].push_back({{p, q, r}, (p + q + r) / 3, a < b ? area : Vec3(-area)});
  }
  return sections;
}

/// Along the link as it is.
void measure(std::span<const SectionFace> faces, double thickness, DivisionLink& link) {
  const double sign = link.a < link.b ? 1 : -1;
  Vec3 middle = Vec3::Zero();
  for (const SectionFace& face : faces) {
    const double area = sign * face.area.dot(link.along);
    link.area += area, middle += area * (face.middle - link.at);
  }
  const auto across = [&](const Vec3& v) { return Vec3(v - v.dot(link.along) * link.along); };
  if (!(link.area > kMinArea * thickness * thickness)) {
    link.area = thickness * thickness;
    link.spread = thickness * thickness / 12 * (Mat3::Identity() - link.along * link.along.transpose());
    return;
  }
  link.at += across(middle / link.area);
  for (const SectionFace& face : faces) {
    const Vec3 middle = across(face.middle - link.at);
    Mat3 sum = 9 * middle * middle.transpose();  // the mean of d d^T over a triangle is (9 m m^T + the sum over its corners) / 12
    for (const Vec3& corner : face.corners) {
      const Vec3 d = across(corner - link.at);
      sum += d * d.transpose();
    }
    link.spread += sign * face.area.dot(link.along) / (12 * link.area) * sum;
  }
}

}  // namespace

void measure_sections(const TetMesh& mesh, std::span<const InnerFace> faces, Division& division) {
  const Sections sections = sections_of(mesh, faces, division);
  for (DivisionLink& link : division.links) {
    const auto found = sections.find(std::minmax(link.a, link.b));
    const double thickness = std::min(division.thickness[at(link.a)], division.thickness[at(link.b)]);
    measure(found == sections.end() ? std::span<const SectionFace>() : std::span<const SectionFace>(found->second), thickness, link);
  }
}

std::vector<DivisionLink> widest_sections(const TetMesh& mesh, std::span<const InnerFace> faces, const Division& division) {
  std::vector<std::pair<double, DivisionLink>> all;
  for (const auto& [pieces, section] : sections_of(mesh, faces, division)) {
    DivisionLink link{pieces.first, pieces.second};
    Vec3 sum = Vec3::Zero(), middle = Vec3::Zero();
    double total = 0;
    for (const SectionFace& face : section) sum += face.area, middle += face.area.norm() * face.middle, total += face.area.norm();
    if (!(sum.norm() > 0)) continue;
    link.along = sum.normalized(), link.at = middle / total;
    measure(section, std::min(division.thickness[at(link.a)], division.thickness[at(link.b)]), link);
    all.emplace_back(sum.norm(), link);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  UnionFind joined(division.bone.size());
  std::vector<DivisionLink> links;
  for (const auto& [area, link] : all) {
    if (joined.of(link.a) == joined.of(link.b)) continue;
    joined.merge(link.a, link.b);
    links.push_back(link);
  }
  return links;
}

}  // namespace crumple

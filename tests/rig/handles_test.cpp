#include "crumple/rig/handles.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/geometry/lattice.h"
#include "crumple/geometry/tet_quality.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

TetMesh filled(const TriMesh& surface, int cells) {
  LatticeSettings settings;
  settings.cells = cells;
  LatticeReport report;
  Result<TetMesh> mesh = fill_with_tets(surface, settings, report);
  EXPECT_TRUE(mesh) << (mesh ? "" : mesh.error().text);
  return mesh ? std::move(*mesh) : TetMesh{};
}

/// The rule itself, with all pairs looked at every time.
std::vector<int> choose_slowly(const TetMesh& mesh, size_t count) {
  std::set<int> left;
  for (const Triangle& face : boundary_faces(mesh)) left.insert(face.begin(), face.end());
  const Bounds box = bounds_of(mesh.positions);
  const auto inward = [&](int v) {
    const Vec3& p = mesh.positions[v];
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) sum += std::sqrt(std::max(0.0, std::min(p[axis] - box.low[axis], box.high[axis] - p[axis])));
    return sum;
  };
  while (left.size() > count) {
    double least = 1e300;
    int first = -1, second = -1;
    for (const int a : left) {
      for (const int b : left) {
        const double distance = (mesh.positions[a] - mesh.positions[b]).squaredNorm();
        if (a < b && distance < least) least = distance, first = a, second = b;
      }
    }
    left.erase(inward(first) > inward(second) ? first : second);
  }
  return {left.begin(), left.end()};
}

/// Lattices have many distances that are equal; a little noise makes the rule unambiguous.
void jitter(TetMesh& mesh, uint64_t seed) {
  Random random(seed);
  for (Vec3& p : mesh.positions) p += 1e-3 * Vec3(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
}

TEST(Handles, are_those_the_rule_of_the_paper_leaves) {
  for (const uint64_t seed : {1, 2, 3}) {
    TetMesh mesh = filled(make_lump(seed), 5);
    jitter(mesh, seed);
    EXPECT_EQ(choose_handles(mesh, 12), choose_slowly(mesh, 12));
  }
}

TEST(Handles, eight_of_a_box_are_its_corners) {
  const Vec3 size(1, 0.8, 0.6);
  const TetMesh mesh = filled(make_box(size), 8);
  const Bounds box = bounds_of(mesh.positions);
  std::set<int> corners;
  for (const int v : choose_handles(mesh, 8)) {
    const Vec3 unit = (mesh.positions[v] - box.low).cwiseQuotient(box.high - box.low);
    int corner = 0;
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LT(std::min(unit[axis], 1 - unit[axis]), 0.07);
      corner |= (unit[axis] > 0.5) << axis;
    }
    corners.insert(corner);
  }
  EXPECT_EQ(corners.size(), 8u);
}

TEST(Handles, keep_away_from_fixed_places_and_from_each_other) {
  const TetMesh mesh = filled(make_sphere(1), 10);
  const std::vector<Vec3> fixed = {{0, 1, 0}, {1, 0, 0}};
  std::vector<Vec3> all = fixed;
  for (const int v : choose_handles(mesh, 10, fixed)) all.push_back(mesh.positions[v]);
  ASSERT_EQ(all.size(), 12u);
  // Twelve points spread evenly over a ball are 1.05 apart; dropping one of the closest pair comes within half of that.
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_GT((all[i] - all[j]).norm(), 0.5);
  }
}

TEST(Handles, every_part_of_a_body_keeps_one) {
  TriMesh two = make_sphere(1);
  append(two, make_sphere(0.4), {4, 0, 0});
  const TetMesh mesh = filled(two, 16);
  ASSERT_EQ(connected_parts(mesh), 2);
  const auto on_the_right = [&](int v) { return mesh.positions[v].x() > 2; };
  for (const int count : {1, 2, 5}) {
    const std::vector<int> chosen = choose_handles(mesh, count);
    EXPECT_EQ(chosen.size(), static_cast<size_t>(std::max(count, 2)));
    const auto right = std::count_if(chosen.begin(), chosen.end(), on_the_right);
    EXPECT_GE(right, 1);
    EXPECT_LT(static_cast<size_t>(right), chosen.size());
  }
  const std::vector<int> rest = choose_handles(mesh, 1, {{4, 0.4, 0}});  // the artist's handle holds the small ball already
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_FALSE(on_the_right(rest[0]));
}

TEST(Handles, are_the_same_for_any_number_of_threads_and_no_more_than_there_are) {
  const TetMesh mesh = filled(make_lump(4), 6);
  const int before = thread_count();
  set_thread_count(1);
  const std::vector<int> one = choose_handles(mesh, 20);
  set_thread_count(3);
  EXPECT_EQ(choose_handles(mesh, 20), one);
  set_thread_count(before);
  std::set<int> surface;
  for (const Triangle& face : boundary_faces(mesh)) surface.insert(face.begin(), face.end());
  EXPECT_EQ(choose_handles(mesh, 1000000).size(), surface.size());
  EXPECT_TRUE(choose_handles(mesh, 0).empty());
  EXPECT_TRUE(choose_handles({}, 5).empty());
}

TEST(Handles, placed_anywhere_inside_find_a_vertex_within_half_a_cell) {
  TetMesh mesh = filled(make_sphere(1), 10);
  const double cell = 0.2;
  Random random(7);
  for (int i = 0; i < 80; ++i) {
    TetMesh own = mesh;
    HandleBinding binding(own, cell);
    const Vec3 place = 0.95 * random.range(0, 1) * Vec3(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)).normalized();
    const Result<int> vertex = binding.bind({"", place});
    ASSERT_TRUE(vertex) << vertex.error().text;
    EXPECT_LE((own.positions[*vertex] - place).norm(), 0.5 * cell);
    const DihedralRange angles = dihedral_range(own);
    EXPECT_GE(angles.smallest, 8);
    EXPECT_LE(angles.largest, 165);
  }
}

TEST(Handles, outside_or_at_one_vertex_are_refused_with_what_to_do) {
  TetMesh mesh = filled(make_sphere(1), 10);
  HandleBinding binding(mesh, 0.2);
  const Result<int> far = binding.bind({"hook", {0, 2, 0}});
  ASSERT_FALSE(far);
  EXPECT_NE(far.error().text.find("handle \"hook\" at 0 2 0"), std::string::npos) << far.error().text;
  EXPECT_NE(far.error().text.find("move it"), std::string::npos);
  ASSERT_TRUE(binding.bind({"one", {0, 1, 0}}));
  const Result<int> twice = binding.bind({"two", {0, 1.001, 0}});
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().text.find("\"one\""), std::string::npos) << twice.error().text;
}

TEST(Handles, get_names_that_are_not_taken) {
  std::vector<Handle> handles = {{"h2", {}}, {"", {}}, {"nose", {}}, {"", {}}};
  name_handles(handles);
  std::set<std::string> names;
  for (const Handle& handle : handles) names.insert(handle.name);
  EXPECT_EQ(names.size(), 4u);
  EXPECT_EQ(handles[0].name, "h2");
  EXPECT_EQ(handles[3].name.front(), 'h');
}

}  // namespace
}  // namespace crumple

#include <cmath>

#include "crumple/core/random.h"
#include "crumple/geometry/bvh.h"
#include "crumple/io/files.h"
#include "tests/sanitized.h"
#include "tests/scene/scenes.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

constexpr double kRadius = 0.33;  // of the drum, m

/// The deformed tetrahedra of one body in the world, sorted into a grid, to ask whether points are inside.
class DeformedSolid {
 public:
  DeformedSolid(const World& world, int index) : rig_(*world.bodies()[static_cast<size_t>(index)].solid->rig) {
    const Transform place = world.place(index);
    for (const Vec3f& p : world.bodies()[static_cast<size_t>(index)].shape.vertices) points_.push_back(place * p.cast<double>());
    low_ = high_ = points_[0];
    for (const Vec3& p : points_) low_ = low_.cwiseMin(p), high_ = high_.cwiseMax(p);
    cells_.resize(kCells * kCells * kCells);
    for (size_t t = 0; t < rig_.asset.tets.tets.size(); ++t) sort_in(static_cast<int>(t));
  }

  /// How deep the other's boundary vertices are in this solid, at most.
  double deepest(const DeformedSolid& other) const {
    if ((low_.array() > other.high_.array()).any() || (other.low_.array() > high_.array()).any()) return 0;
    std::vector<bool> seen(other.points_.size());
    double deepest = 0;
    for (const Triangle& face : other.rig_.faces) {
      for (const int v : face) {
        if (seen[static_cast<size_t>(v)]) continue;
        seen[static_cast<size_t>(v)] = true;
        const Vec3& point = other.points_[static_cast<size_t>(v)];
        if (contains(point)) deepest = std::max(deepest, depth(point));
      }
    }
    return deepest;
  }

 private:
  static constexpr int kCells = 10;
  std::array<int, 3> cell(const Vec3& p) const {
    std::array<int, 3> at;
    for (int k = 0; k < 3; ++k)
      at[static_cast<size_t>(k)] = std::clamp(static_cast<int>(kCells * (p[k] - low_[k]) / (high_[k] - low_[k])), 0, kCells - 1);
    return at;
  }
  std::vector<int>& at(int x, int y, int z) { return cells_[static_cast<size_t>((z * kCells + y) * kCells + x)]; }

  void sort_in(int t) {
    const Tetrahedron& tet = rig_.asset.tets.tets[static_cast<size_t>(t)];
    Vec3 low = points_[static_cast<size_t>(tet[0])], high = low;
    for (const int v : tet) low = low.cwiseMin(points_[static_cast<size_t>(v)]), high = high.cwiseMax(points_[static_cast<size_t>(v)]);
    const auto first = cell(low), last = cell(high);
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        for (int x = first[0]; x <= last[0]; ++x) at(x, y, z).push_back(t);
  }

  bool contains(const Vec3& p) const {
    if ((p.array() < low_.array()).any() || (p.array() > high_.array()).any()) return false;
    const auto [x, y, z] = cell(p);
    for (const int t : cells_[static_cast<size_t>((z * kCells + y) * kCells + x)]) {
      const Tetrahedron& tet = rig_.asset.tets.tets[static_cast<size_t>(t)];
      const Vec3& a = points_[static_cast<size_t>(tet[0])];
      Mat3 edges;
      for (int k = 0; k < 3; ++k) edges.col(k) = points_[static_cast<size_t>(tet[static_cast<size_t>(k) + 1])] - a;
      const double volume = edges.determinant();
      if (std::abs(volume) < 1e-15) continue;
      const Vec3 w = edges.inverse() * (p - a);
      if (w.minCoeff() >= 0 && w.sum() <= 1) return true;
    }
    return false;
  }

  double depth(const Vec3& p) const {
    double nearest = 1e300;
    for (const auto& [a, b, c] : rig_.faces) {
      const Vec3 &pa = points_[static_cast<size_t>(a)], &pb = points_[static_cast<size_t>(b)], &pc = points_[static_cast<size_t>(c)];
      const Vec3 w = closest_barycentric(p, pa, pb, pc);
      nearest = std::min(nearest, (w[0] * pa + w[1] * pb + w[2] * pc - p).squaredNorm());
    }
    return std::sqrt(nearest);
  }

  const RiggedBody& rig_;
  std::vector<Vec3> points_;
  Vec3 low_, high_;
  std::vector<std::vector<int>> cells_;
};

double deepest_penetration(const World& world) {
  std::vector<DeformedSolid> solids;
  for (const int body : crumpling_bodies(world)) solids.emplace_back(world, body);
  double deepest = 0;
  for (size_t a = 0; a < solids.size(); ++a) {
    for (size_t b = 0; b < solids.size(); ++b) {
      if (a != b) deepest = std::max(deepest, solids[a].deepest(solids[b]));
    }
  }
  return deepest;
}

Scene pen(int drums, double gain) {
  Random random(17);
  std::string places;
  for (int i = 0; i < drums; ++i) {
    const double turn_x = random.range(0, 360), turn_y = random.range(0, 360), turn_z = random.range(0, 360);
    places += fmt::format(R"({}{{"at": [{}, {}, {}], "turn": [{}, {}, {}]}})", i ? ", " : "", 1.15 * (i % 2) - 0.575, 0.65 + 1.15 * (i / 4),
                          1.15 * (i / 2 % 2) - 0.575, turn_x, turn_y, turn_z);
  }
  return drum_scene(
      fmt::format(R"("checkpoint": 60, "bodies": [{{"plane": [0, 1, 0, 0]}}, {{"plane": [1, 0, 0, -1.15]}}, {{"plane": [-1, 0, 0, -1.15]}},
      {{"plane": [0, 0, 1, -1.15]}}, {{"plane": [0, 0, -1, -1.15]}}, {{"name": "drum", "asset": "drum", "velocity": [0, -5, 0], "examples": {{"gain": {}}}, "places": [{}]}}])",
                  gain, places));
}

TEST(Collision, penetration_is_measured_where_there_is_some) {
  const auto overlapping = [](double by) {  // two standing drums, side by side
    return built(drum_scene(
        fmt::format(R"("bodies": [{{"name": "drum", "asset": "drum", "examples": {{}}, "places": [{{"at": [0, 1, 0]}}, {{"at": [{}, 1.02, 0]}}]}}])",
                    2 * kRadius - by)));
  };
  EXPECT_NEAR(deepest_penetration(overlapping(0.05)), 0.05, 0.01);
  EXPECT_NEAR(deepest_penetration(overlapping(0.10)), 0.10, 0.02);
  EXPECT_EQ(deepest_penetration(overlapping(-0.02)), 0);
}

TEST(Collision, drums_in_a_heap_never_tangle) {
  World world = built(pen(24, 200));
  double nearest = 1e300, deepest = 0;
  for (int frame = 1; frame <= 1200; ++frame) {
    world.step_frame();
    if (frame % 3 == 0) nearest = std::min(nearest, nearest_centers(world));
    if (frame % (frame < 300 ? 20 : 120) == 0) deepest = std::max(deepest, deepest_penetration(world));
  }
  fmt::print("nearest centres {:.3f} m, deepest penetration {:.4f} m, {} awake, {:.3g} J\n", nearest, deepest, world.awake_count(),
             world.kinetic_energy());
  EXPECT_TRUE(world.report().frozen.empty());
  EXPECT_GT(nearest, 0.8 * kRadius);
  EXPECT_LT(deepest, 0.03);
}

Scene pyramid_without_ball() {
  Scene scene = scene_file("drum_pyramid.json");
  std::erase_if(scene.bodies, [](const BodyDescription& body) { return body.name == "ball"; });
  for (BodyDescription& body : scene.bodies) body.asleep = false;
  scene.checkpoint = 60;
  return scene;
}

TEST(Collision, a_pyramid_that_may_not_sleep_is_quiet) {
  Scene scene = pyramid_without_ball();
  scene.sleeping = false;
  World world = built(scene);
  double most_energy = 0;
  for (int frame = 1; frame <= 240; ++frame) {
    world.step_frame();
    if (frame > 150) most_energy = std::max(most_energy, world.kinetic_energy());
  }
  fmt::print("kinetic energy after settling {:.3g} J at most\n", most_energy);
  EXPECT_LT(most_energy, 0.05);
  EXPECT_EQ(world.timings().hits, 0);
}

TEST(Collision, a_pyramid_comes_to_rest_and_sleeps_across_barriers) {
  World world = built(pyramid_without_ball());
  EXPECT_GT(world.awake_count(), 0);
  run_frames(world, 150);
  for (int frame = 150; frame < 300; ++frame) {
    world.step_frame();
    EXPECT_LT(world.kinetic_energy(), 0.05) << frame;
  }
  ASSERT_EQ(world.awake_count(), 0);
  const uint64_t asleep = state_hash(world);
  const StepTimings before = world.timings();
  for (int frame = 0; frame < 130; ++frame) {  // over two barriers
    world.step_frame();
    ASSERT_EQ(world.awake_count(), 0) << frame;
    ASSERT_TRUE(world.loads().contacts.empty()) << frame;
  }
  EXPECT_EQ(state_hash(world), asleep);
  EXPECT_EQ(world.timings().hits, before.hits);
  const double per_step = (world.timings().deform - before.deform) / static_cast<double>(world.timings().steps - before.steps);
  EXPECT_LT(per_step, 200e-6);  // of 30 bodies, one of which alone takes longer when its layers step
}

}  // namespace
}  // namespace crumple

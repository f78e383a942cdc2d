// The ways of the authors' program, one by one.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "crumple/methods/clusters/stages.h"
#include "tests/methods/clusters_bodies.h"

namespace crumple::clusters {
namespace {

struct Way {
  const char* name;
  bool AuthorsWays::*way;
};
constexpr Way kWays[] = {{"mirrored_goals", &AuthorsWays::mirrored_goals}, {"twisting_goals", &AuthorsWays::twisting_goals},
                         {"lone_pulls", &AuthorsWays::lone_pulls},         {"overlaps", &AuthorsWays::overlaps},
                         {"right_normals", &AuthorsWays::right_normals},   {"smallest_first", &AuthorsWays::smallest_first},
                         {"near_outliers", &AuthorsWays::near_outliers},   {"free_flow", &AuthorsWays::free_flow},
                         {"kin_halves", &AuthorsWays::kin_halves}};

/// A bar that is turned, pulled, and folded over at one end, so that all happens to it at once: it tears, flows, collides with itself and is inside
/// out.
struct Battered {
  Model model;
  State state;

  explicit Battered(const Settings& settings) : model(built(box_particles(Vec3(1, 0.2, 0.2), 0.04), settings)), state(start(model)) {
    const Mat3 turned = Eigen::AngleAxisd(1.2, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    place(model, state, [&](const Vec3& p) {
      const double x = p.x() > 0.3 ? 0.6 - p.x() : 1.4 * p.x();
      return Vec3(turned * Vec3(x, p.y() + 0.2 * p.x() * p.x(), (p.x() < -0.3 ? 0.5 : 1) * p.z()));
    });
    Context now = weightless();
    run(model, state, now, 20);
  }
};

Settings fragile() {
  Settings settings;
  settings.clusters = 20, settings.radius = 0.15, settings.toughness = 0.15, settings.tears_per_step = 1, settings.yield = 0.01, settings.flow = 0.5,
  settings.stretch = 0.1, settings.outlier = 1, settings.bridge = 0;  // the program has no bridges
  return settings;
}

bool are_equal(const State& a, const State& b) {
  return a.positions.size() == b.positions.size() &&
         std::equal(a.positions.begin(), a.positions.end(), b.positions.begin(), [](const Vec4f& x, const Vec4f& y) { return x == y; });
}

TEST(ClusterWays, each_of_them_makes_a_difference) {
  const Battered ours(fragile());
  ASSERT_GE(ours.state.totals.splits, 3);
  for (const Way& each : kWays) {
    Settings settings = fragile();
    settings.ways.emplace().*each.way = true;
    EXPECT_FALSE(are_equal(Battered(settings).state, ours.state)) << each.name;
  }
}

TEST(ClusterWays, published_is_all_of_them) {
  Settings all = fragile(), published = fragile(), none = fragile();
  published.published = true;
  all.ways.emplace(), none.ways.emplace();
  for (const Way& each : kWays) *all.ways.*each.way = true;
  const Battered theirs(published);
  EXPECT_TRUE(are_equal(Battered(all).state, theirs.state));
  EXPECT_TRUE(are_equal(Battered(none).state, Battered(fragile()).state));
  EXPECT_FALSE(are_equal(Battered(none).state, theirs.state));
}

/// Three blocks apart from each other, of one cluster each, stretched by 20, 40 and 30 %.
TEST(ClusterWays, of_many_splits_the_greatest_or_the_smallest_comes_first) {
  for (const bool smallest : {false, true}) {
    const Particles block = box_particles(Vec3(0.3, 0.3, 0.3), 0.05);
    Particles all = block;
    all.positions.clear();
    for (int k = 0; k < 3; ++k) {
      for (const Vec3& p : block.positions) all.positions.push_back(p + Vec3(0, 2.0 * k, 0));
    }
    Settings settings = one_cluster();
    settings.clusters = 3, settings.radius = 0.6, settings.toughness = 0.1, settings.stretch = 10, settings.tears_per_step = 1;
    settings.ways.emplace().smallest_first = smallest;
    const Model model = built(all, settings);
    State state = start(model);
    ASSERT_EQ(state.clusters(), 3);
    place(model, state, [](const Vec3& p) { return Vec3(p.x() * (p.y() < 1 ? 1.2 : p.y() < 3 ? 1.4 : 1.3), p.y(), p.z()); });
    Context now = weightless(1e-4);
    step(model, state, now);
    ASSERT_EQ(state.totals.splits, 1);
    const double height = model.origin.y() + double{state.center[3].y()};  // of the new half
    EXPECT_NEAR(height, smallest ? 0 : 2, 0.2);
  }
}

TEST(ClusterWays, halves_are_neighbors_only_if_asked) {
  for (const bool kin : {false, true}) {
    Settings settings = one_cluster();
    settings.toughness = 0.1, settings.stretch = 10;
    settings.ways.emplace().kin_halves = kin;
    const Model model = built(box_particles(Vec3(0.5, 0.4, 0.4), 0.05), settings);
    State state = start(model);
    place(model, state, [](const Vec3& p) { return Vec3(1.2 * p.x(), p.y(), p.z()); });
    Context now = weightless(1e-4);
    step(model, state, now);
    ASSERT_EQ(state.clusters(), 2);
    for (const int c : {0, 1}) EXPECT_EQ(state.neighbors[static_cast<size_t>(c)], kin ? std::vector<int32_t>{1 - c} : std::vector<int32_t>());
  }
}

}  // namespace
}  // namespace crumple::clusters

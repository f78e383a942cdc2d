#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "crumple/methods/clusters/clusters.h"
#include "tests/authors_data.h"
#include "tests/methods/authors_clusters.h"

namespace crumple::clusters {
using namespace particles;
namespace {

/// A scene of the authors at work.
struct Played {
  Paper2Body scene;
  Model model;
  State state;
  int first_split = -1;  // frame

  Played(
      const std::string& name, const std::function<void(Settings&)>& change = [](Settings&) {}) {
    Result<Paper2Body> read = read_authors_clusters(*authors_data() / "clusters", name);
    EXPECT_TRUE(read) << read.error().text;
    scene = *read;
    change(scene.settings);
    Result<Model> made = build(scene.particles, scene.settings);
    EXPECT_TRUE(made) << made.error().text;
    model = std::move(*made);
    state = start(model);
    EXPECT_TRUE(check_boundary(starts(model), scene.boundary));
  }
  void run(int frames) {
    Context now;
    now.dt = scene.dt, now.gravity = scene.gravity, now.boundary = &scene.boundary;
    for (int k = 0; k < frames; ++k) {
      step(model, state, now);
      if (now.splits > 0 && first_split < 0) first_split = static_cast<int>(std::lround(state.time / scene.dt)) - 1;
    }
  }
  /// Share of particles in pieces of fewer than 50.
  double debris() const {
    double small = 0;
    for (const int size : pieces(state).sizes) small += size < 50 ? size : 0;
    return small / state.particles();
  }
  int big_pieces() const {
    int big = 0;
    for (const int size : pieces(state).sizes) big += size >= 50;
    return big;
  }
};

#define NEEDS_AUTHORS_DATA \
  if (!authors_data()) GTEST_SKIP() << kNoAuthorsData

TEST(Paper2Body, the_bar_is_clustered_as_by_their_program) {
  NEEDS_AUTHORS_DATA;
  const Played bar("cubeTwistPlasticFracture");
  EXPECT_EQ(bar.model.rest.size(), 5317u);
  EXPECT_EQ(bar.state.clusters(), 50);
  EXPECT_NEAR(static_cast<double>(bar.model.particle.size()) / 50, 319, 3);
  size_t neighbors = 0;
  for (const auto& list : bar.state.neighbors) neighbors += list.size();
  EXPECT_NEAR(static_cast<double>(neighbors) / 50, 13, 0.5);
}

TEST(Paper2Body, the_twisted_bar_tears_after_eight_seconds_and_before_the_clamps_let_go) {
  NEEDS_AUTHORS_DATA;
  Played bar("cubeTwistPlasticFracture");
  const double mass = total_mass(bar.model, bar.state);
  bar.run(480);
  EXPECT_EQ(bar.state.totals.splits, 0);
  bar.run(120);
  EXPECT_GE(bar.first_split, 480);
  EXPECT_LT(bar.first_split, 540);
  bar.run(300);
  EXPECT_GE(bar.state.totals.splits, 5);
  EXPECT_LE(bar.state.totals.splits, 50);
  EXPECT_LT(bar.debris(), 0.05);
  EXPECT_EQ(total_mass(bar.model, bar.state), mass);
  // It breaks near a clamp: the first crack is in the last third of one side.
  for (const CutPlane& plane : bar.state.planes) {
    if (plane.crack == 0 && plane.cluster < 50) {
      EXPECT_GT(std::abs(bar.model.ball[static_cast<size_t>(plane.cluster)].x()), 0.3);
    }
  }
}

TEST(Paper2Body, without_the_boost_at_the_start_it_tears_earlier) {
  NEEDS_AUTHORS_DATA;
  Played bar("cubeTwistPlasticFracture", [](Settings& settings) { settings.boosted_at_start = false; });
  bar.run(400);
  EXPECT_NEAR(bar.first_split, 333, 15);
}

TEST(Paper2Body, ten_seeds_leave_less_than_five_percent_debris) {
  NEEDS_AUTHORS_DATA;
  for (int seed = 1; seed <= 10; ++seed) {
    Played bar("cubeTwistPlasticFracture", [&](Settings& settings) { settings.seeding = Seeding::Spread, settings.seed = seed; });
    bar.run(720);
    EXPECT_GE(bar.first_split, 480) << seed;
    EXPECT_LT(bar.first_split, 600) << seed;
    EXPECT_LT(bar.debris(), 0.05) << seed;
  }
}

TEST(Paper2Body, the_tough_bar_keeps_a_quarter_turn) {
  NEEDS_AUTHORS_DATA;
  Played bar("cubeTwistPlastic2");
  EXPECT_EQ(bar.state.clusters(), 50);  // their retry, too
  EXPECT_NEAR(bar.model.settings.radius, 0.1875, 1e-9);
  const auto twist = [&](double side) {
    double c = 0, s = 0;
    for (size_t i = 0; i < bar.model.rest.size(); ++i) {
      const Vec3 r = bar.model.origin + bar.model.rest[i].head<3>().cast<double>(), x = position(bar.model, bar.state, static_cast<int>(i));
      if (side * r.x() > 0.75) c += r.y() * x.y() + r.z() * x.z(), s += r.y() * x.z() - r.z() * x.y();
    }
    return std::atan2(s, c) * 180 / 3.14159265358979;
  };
  bar.run(300);
  EXPECT_NEAR(twist(1) - twist(-1), 300 * 0.573, 1);
  bar.run(600);
  EXPECT_EQ(bar.state.totals.splits, 0);
  EXPECT_GT(twist(1) - twist(-1), 60);
  EXPECT_LT(twist(1) - twist(-1), 110);
}

TEST(Paper2Body, the_shell_bursts_with_their_shortcuts) {
  NEEDS_AUTHORS_DATA;
  Played ball("fracturingBall", [](Settings& settings) { settings.published = true, settings.flat = 0; });
  ball.run(30);
  // Free fall until it touches the floor; a step of 1/60 s falls a little farther than the parabola.
  EXPECT_NEAR(center_of_mass(ball.model, ball.state).y(), center_of_mass(ball.model, start(ball.model)).y() - 5 * 0.5 * (0.5 + 1 / 60.0), 1e-3);
  ball.run(270);
  EXPECT_GE(ball.first_split, 55);
  EXPECT_LE(ball.first_split, 95);
  EXPECT_GT(pieces(ball.state).sizes[0], 0.85 * ball.state.particles());
  EXPECT_GE(ball.big_pieces(), 2);
  EXPECT_LE(ball.big_pieces(), 8);
}

TEST(Paper2Body, the_ball_makes_a_hole_in_the_plate_whose_frame_stays) {
  NEEDS_AUTHORS_DATA;
  Played plate("projectilePlateDuctileStrong");
  plate.run(120);
  EXPECT_GE(plate.first_split, 10);
  EXPECT_LE(plate.first_split, 60);
  EXPECT_GE(plate.state.totals.splits, 40);
  EXPECT_LE(plate.state.totals.splits, 160);
  const Pieces found = pieces(plate.state);
  EXPECT_GT(found.sizes[0], 20000);
  EXPECT_LT(found.sizes.size(), 100u);
  EXPECT_GT(plate.state.particles(), 1.4 * 20335);
  // Both clamped borders belong to the greatest piece.
  int held[2] = {0, 0}, whole[2] = {0, 0};
  for (size_t i = 0; i < plate.state.held.size(); ++i) {
    if (plate.state.held[i] < 0) continue;
    ++held[plate.state.held[i]];
    whole[plate.state.held[i]] += found.of_particle[i] == 0;
  }
  for (int side = 0; side < 2; ++side) EXPECT_GT(whole[side], 0.95 * held[side]);
}

TEST(Paper2Body, weak_brittle_plates_shatter_and_strong_ones_break_into_few) {
  NEEDS_AUTHORS_DATA;
  Played weak("projectilePlateBrittleWeak"), strong("projectilePlateBrittleStrong");
  for (Played* plate : {&weak, &strong}) {
    plate->run(60);
    EXPECT_GE(plate->first_split, 4);  // the ball touches at frame 4
    for (const Vec4f& x : plate->state.positions) ASSERT_TRUE(x.allFinite());
  }
  const Pieces many = pieces(weak.state), few = pieces(strong.state);
  EXPECT_GT(many.sizes.size(), 300u);
  EXPECT_GE(few.sizes.size(), 3u);
  EXPECT_LT(few.sizes.size(), 60u);
  EXPECT_GT(few.sizes[1], 50);  // shards, not crumbs
  EXPECT_LT(strong.debris(), 0.02);
}

/// What the recoil of strain limiting is worth: their program tears into 29 358 particles by frame 119.
TEST(Paper2Body, without_recoil_the_armadillo_tears_as_little_as_theirs) {
  NEEDS_AUTHORS_DATA;
  Played figure("armadilloTorture", [](Settings& settings) { settings.ways.emplace().lone_pulls = true; });
  figure.run(120);
  EXPECT_LT(figure.state.totals.splits, 100);
  EXPECT_NEAR(figure.state.particles(), 29358, 1500);
}

/// Theirs parts at frame 516 into 4299 and 1301 particles, with 8 splits and 5932 particles at frame 700.
TEST(Paper2Body, the_bar_parts_in_two_where_overlaps_leave_velocities) {
  NEEDS_AUTHORS_DATA;
  Played bar("cubeTwistPlasticFracture", [](Settings& settings) { settings.ways.emplace().overlaps = true; });
  bar.run(700);
  EXPECT_NEAR(static_cast<double>(bar.state.totals.splits), 8, 4);
  EXPECT_NEAR(bar.state.particles(), 5932, 100);
  ASSERT_EQ(bar.big_pieces(), 2);
  EXPECT_NEAR(pieces(bar.state).sizes[0], 4299, 400);
}

TEST(Paper2Body, the_armadillo_loses_both_arms_after_the_hit_and_nothing_else) {
  NEEDS_AUTHORS_DATA;
  Played figure("armadilloTorture");
  const double mass = total_mass(figure.model, figure.state);
  figure.run(54);  // balls arrive at frame 54
  EXPECT_EQ(figure.state.totals.splits, 0);
  figure.run(56);
  EXPECT_GE(figure.first_split, 54);
  EXPECT_LE(figure.first_split, 75);
  EXPECT_LE(figure.state.totals.splits, 200);
  EXPECT_EQ(total_mass(figure.model, figure.state), mass);
  // By mass, since halves of particles are particles, too: hands are gone from the greatest piece, and all that is far from the arms is in it.
  const Pieces found = pieces(figure.state);
  double hands[2] = {0, 0}, lost[2] = {0, 0}, middle = 0, kept = 0;
  for (size_t i = 0; i < figure.state.held.size(); ++i) {
    const double m = double(figure.state.mass[i]);
    const bool main = found.of_particle[i] == 0;
    if (figure.state.held[i] >= 0) hands[figure.state.held[i]] += m, lost[figure.state.held[i]] += main ? 0 : m;
    if (std::abs(figure.model.rest[static_cast<size_t>(figure.state.original[i])][0]) < 0.12) middle += m, kept += main ? m : 0;
  }
  for (int side = 0; side < 2; ++side) EXPECT_GT(lost[side], 0.95 * hands[side]) << side;
  EXPECT_GT(kept, 0.95 * middle);
}

}  // namespace
}  // namespace crumple::clusters

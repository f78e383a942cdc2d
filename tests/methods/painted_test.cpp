#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/methods/examples/kernels.h"
#include "tests/methods/victim.h"

namespace crumple::examples {
namespace {

using Factor = std::function<double(const Vec3&)>;

struct Paint {
  std::string knob;
  Factor factor;
};

std::shared_ptr<const RiggedBody> painted_bar(const std::vector<Paint>& paints) {
  Asset asset = bar_asset(3);
  for (const Paint& paint : paints) {
    PaintedMap map{paint.knob, {}};
    for (const Vec3& p : asset.surface.positions) map.values.push_back(static_cast<float>(paint.factor(p)));
    asset.maps.push_back(std::move(map));
  }
  return rig_body(std::move(asset));
}

Factor everywhere(double factor) {
  return [=](const Vec3&) { return factor; };
}

Factor halves(double left, double right) {
  return [=](const Vec3& p) { return p.x() < 0 ? left : right; };
}

/// Many hits, small and large, some of which stay below a yield.
std::string after_many_hits(const std::shared_ptr<const RiggedBody>& body, const Settings& settings) {
  Victim victim(body, settings);
  Random random(8);
  for (int i = 0; i < 40; ++i) victim.take({random_hit(*body, random, random.range(0.1, 3)), random_hit(*body, random, random.range(0.1, 1))});
  return bytes_of(victim.state);
}

/// How far vertices moved, at most, on either side of the middle.
struct Moved {
  double left = 0, right = 0;
};

Moved moved(const Victim& victim) {
  Moved most;
  const std::vector<Vec3>& rest = victim.body->asset.tets.positions;
  for (size_t v = 0; v < rest.size(); ++v) {
    double& side = rest[v].x() < 0 ? most.left : most.right;
    side = std::max(side, (victim.state.positions[v].cast<double>() - rest[v]).norm());
  }
  return most;
}

Hit blow(const RiggedBody& body, double side) {
  return hit_at(body, Vec3(side, 0.1, 0), kMass * 3 * Vec3(-side, -0.3, 0));
}

Moved moved_by_blow(const std::shared_ptr<const RiggedBody>& body, double side, const Settings& settings) {
  Victim victim(body, settings);
  victim.take({blow(*body, side)});
  victim.settle();
  return moved(victim);
}

TEST(PaintedExamples, a_factor_of_one_everywhere_changes_not_a_bit) {
  const std::string plain = after_many_hits(bar(), {});
  EXPECT_EQ(after_many_hits(painted_bar({{"yield", everywhere(1)}, {"gain", everywhere(1)}, {"radius", everywhere(1)}}), {}), plain);
}

TEST(PaintedExamples, one_factor_everywhere_is_the_same_as_turning_the_knob) {
  Settings settings, turned = settings;
  turned.yield = 2 * settings.yield;
  EXPECT_EQ(after_many_hits(painted_bar({{"yield", everywhere(2)}}), settings), after_many_hits(bar(), turned));
  turned = settings, turned.gain = 2 * settings.gain;
  EXPECT_EQ(after_many_hits(painted_bar({{"gain", everywhere(2)}}), settings), after_many_hits(bar(), turned));
  turned = settings, turned.radius = 0.5 * settings.radius;
  EXPECT_EQ(after_many_hits(painted_bar({{"radius", everywhere(0.5)}}), settings), after_many_hits(bar(), turned));
  EXPECT_NE(after_many_hits(bar(), turned), after_many_hits(bar(), settings));
}

TEST(PaintedExamples, a_hit_meets_the_yield_painted_where_it_lands) {
  const auto body = painted_bar({{"yield", halves(1, 10)}});
  Settings settings;
  settings.yield = 0.5, settings.radius = 0.5;  // 0.5 m/s to the left, 5 to the right; the blow is 3
  const Moved weak = moved_by_blow(body, -1, settings), strong = moved_by_blow(body, 1, settings), plain = moved_by_blow(bar(), -1, settings);
  EXPECT_GT(weak.left, 0.01);
  EXPECT_EQ(weak.left, plain.left);
  EXPECT_EQ(std::max(strong.left, strong.right), std::max(moved(Victim(body, settings)).left, moved(Victim(body, settings)).right));  // at rest
}

TEST(PaintedExamples, the_excess_over_a_painted_yield_has_its_closed_form_inside_a_triangle) {
  const auto body = painted_bar({{"yield", [](const Vec3& p) { return 3 + 2 * p.x(); }}});
  Settings settings;
  settings.yield = 0.25, settings.lag = 0.5, settings.gain = 50;
  Hit inside = blow(*body, 1);
  inside.barycentric = Vec3(0.2, 0.5, 0.3);
  Vec3 place = Vec3::Zero();
  const Triangle& face = body->faces[static_cast<size_t>(inside.face)];
  for (int k = 0; k < 3; ++k) place += inside.barycentric[k] * body->asset.tets.positions[static_cast<size_t>(face[static_cast<size_t>(k)])];
  // Changes are proportional to what exceeds the yield; without a yield all of the speed does.
  Settings none = settings;
  none.yield = 0;
  Victim yielding(body, settings), all(body, none);
  yielding.take({inside}), all.take({inside});
  const double speed = inside.impulse.norm() / kMass, expected = (speed - 0.25 * (3 + 2 * place.x())) / speed;
  int compared = 0;
  for (size_t i = 0; i < all.state.pending.size(); ++i) {
    if (std::abs(all.state.pending[i]) < 1e-3f) continue;
    EXPECT_NEAR(yielding.state.pending[i] / all.state.pending[i], expected, 1e-5);
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(PaintedExamples, hits_of_one_pair_are_pooled_and_then_meet_each_its_own_yield) {
  const auto body = painted_bar({{"yield", halves(1, 10)}});
  Settings settings;
  settings.yield = 0.5, settings.radius = 0.4;
  Hit left = blow(*body, -1), right = blow(*body, 1);
  left.impulse *= 0.4 / 3, right.impulse *= 0.4 / 3;  // 0.42 m/s each: alone, neither would pass 0.5
  Victim alone(body, settings), together(body, settings);
  alone.take({left});
  EXPECT_FALSE(alone.effects.reshaped);
  together.take({left, right});
  together.settle();
  EXPECT_GT(moved(together).left, 1e-4);
  EXPECT_LT(moved(together).right, 1e-6);
}

TEST(PaintedExamples, a_part_without_gain_keeps_its_shape_however_near_the_hit) {
  const auto body = painted_bar({{"gain", halves(1, 0)}});
  Settings settings;
  settings.radius = 10, settings.gain = 1000;
  const double rest = moved(Victim(body, settings)).right;
  EXPECT_LT(rest, 1e-6);
  for (const double side : {-1.0, 1.0}) {
    const Moved most = moved_by_blow(body, side, settings);
    EXPECT_EQ(most.right, rest) << "hit on side " << side;
    EXPECT_GT(most.left, 0.05) << "hit on side " << side;  // a strong part hands the load on to the weak one
  }
  settings.radius = 0.5;  // from the right end this does not reach the left half
  EXPECT_EQ(moved_by_blow(body, 1, settings).right, rest);
  EXPECT_LT(moved_by_blow(body, 1, settings).left, 1e-6);
  EXPECT_GT(moved_by_blow(body, -1, settings).left, 0.05);
}

TEST(PaintedExamples, gain_acts_at_each_vertex_that_is_reached_by_its_own_factor) {
  const Factor slope = [](const Vec3& p) { return 1.2 + p.x(); };
  const auto body = painted_bar({{"gain", slope}});
  Settings settings;
  settings.lag = 0.5, settings.gain = 1, settings.radius = 1.5;
  Victim painted(body, settings), plain(bar(), settings);
  const Hit hit = blow(*body, -1);
  painted.take({hit}), plain.take({hit});
  int compared = 0;
  for (size_t i = 0; i < plain.state.pending.size(); ++i) {
    if (plain.state.pending[i] == 0) continue;
    EXPECT_NEAR(painted.state.pending[i] / plain.state.pending[i], body->paint.gain[i / 3], 1e-5);
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(PaintedExamples, the_radius_is_that_of_the_vertex_that_is_hit) {
  const auto body = painted_bar({{"radius", halves(0.25, 1)}});
  Settings settings;
  settings.radius = 1;
  for (const double side : {-1.0, 1.0}) {
    Victim victim(body, settings);
    const Hit hit = blow(*body, side);
    victim.take({hit});
    std::vector<bool> within(body->asset.tets.positions.size(), false);
    for (const Reached& reached : reach(body->graph, vertex_of(*body, hit), side < 0 ? 0.25 : 1.0))
      within[static_cast<size_t>(reached.vertex)] = true;
    for (size_t v = 0; v < within.size(); ++v) {
      const bool pending = victim.state.pending[v * 3 + 1] != 0 || victim.state.pending[v * 3 + 2] != 0;
      EXPECT_EQ(pending, within[v]) << v;
    }
  }
}

TEST(PaintedExamples, without_a_radius_only_the_vertex_itself_gives_way) {
  const auto body = painted_bar({{"radius", everywhere(0)}});
  Victim victim(body, {});
  const Hit hit = blow(*body, 1);
  victim.take({hit});
  victim.settle();
  for (int v = 0; v < body->skin.vertices; ++v) EXPECT_EQ(victim.row(v)[0] < 1, v == vertex_of(*body, hit)) << v;
}

TEST(PaintedExamples, hits_are_of_interest_from_the_least_yield_on) {
  Settings settings;
  settings.yield = 0.4;
  const auto interest_of = [&](const std::vector<Paint>& paints) {
    const auto body = painted_bar(paints);
    const Result<Model> model = build(LayerSeed{body.get(), 0.5}, settings);
    return hit_threshold(*model, 2 * kReferenceStep);
  };
  EXPECT_DOUBLE_EQ(interest_of({}), 0.8);
  EXPECT_DOUBLE_EQ(interest_of({{"yield", halves(0.25, 3)}}), 0.2);
  EXPECT_EQ(interest_of({{"yield", halves(0, 3)}}), 0);
  EXPECT_EQ(interest_of({{"gain", everywhere(0)}}), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(interest_of({{"gain", halves(0, 1)}}), 0.8);
}

TEST(PaintedExamples, no_hit_below_the_interest_leaves_a_mark) {
  const auto body = painted_bar({{"yield", [](const Vec3& p) { return 1 + 0.8 * std::sin(7 * p.x()); }}});
  Victim victim(body, {});
  const std::string before = bytes_of(victim.state);
  Random random(9);
  for (int i = 0; i < 300; ++i) victim.take({random_hit(*body, random, hit_threshold(victim.model, kReferenceStep) * 0.9999)});
  EXPECT_EQ(bytes_of(victim.state), before);
}

TEST(PaintedExamples, extreme_factors_stay_within_the_examples) {
  const auto wild = [](double most) { return [=](const Vec3& p) { return most * (0.5 + 0.5 * std::sin(40 * p.x() + 30 * p.y() + 20 * p.z())); }; };
  const auto body = painted_bar({{"yield", wild(1)}, {"gain", wild(kMaxPainted)}, {"radius", wild(kMaxPainted)}});
  Victim victim(body, {});
  Random random(10);
  for (int i = 0; i < 40; ++i) victim.take({random_hit(*body, random, std::pow(10.0, random.range(-1, 6)))});
  for (int v = 0; v < body->skin.vertices; ++v) {
    const std::vector<double> row = victim.row(v);
    EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-5);
    for (const double weight : row) EXPECT_GE(weight, 0);
    EXPECT_TRUE(victim.position(v).allFinite());
  }
}

TEST(PaintedExamples, two_runs_are_identical) {
  const std::vector<Paint> paints = {{"yield", halves(0.5, 2)}, {"gain", halves(2, 0.5)}, {"radius", halves(0.7, 1.3)}};
  EXPECT_EQ(after_many_hits(painted_bar(paints), {}), after_many_hits(painted_bar(paints), {}));
}

}  // namespace
}  // namespace crumple::examples

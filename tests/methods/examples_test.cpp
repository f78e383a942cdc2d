#include "crumple/methods/examples/examples.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "crumple/io/gltf_asset.h"
#include "crumple/methods/examples/kernels.h"
#include "tests/methods/victim.h"

namespace crumple::examples {
namespace {

std::shared_ptr<const RiggedBody> drum() {
  static const std::shared_ptr<const RiggedBody> body = [] {
    Result<Asset> asset = io::read_asset(std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / "drum.glb");
    EXPECT_TRUE(asset) << asset.error().text;
    return rig_body(std::move(*asset));
  }();
  return body;
}

class ExamplesOn : public testing::TestWithParam<std::shared_ptr<const RiggedBody> (*)()> {};
INSTANTIATE_TEST_SUITE_P(all, ExamplesOn, testing::Values(&bar, &drum), [](const auto& info) { return info.param == &bar ? "bar" : "drum"; });

TEST_P(ExamplesOn, rest_stays_at_rest) {
  Victim victim(GetParam()(), {});
  const std::string before = bytes_of(victim.state);
  for (int i = 0; i < 101; ++i) {
    victim.take({});
    EXPECT_FALSE(victim.effects.reshaped);
    EXPECT_EQ(victim.effects.restitution, 0.5);
  }
  EXPECT_EQ(bytes_of(victim.state), before);
  for (int v = 0; v < victim.body->skin.vertices; ++v) {
    EXPECT_LT((victim.position(v).cast<double>() - victim.body->asset.tets.positions[static_cast<size_t>(v)]).norm(), 1e-6);
  }
}

TEST_P(ExamplesOn, rigid_motion_brings_no_hits_and_so_changes_nothing_in_a_damaged_body_either) {
  Victim victim(GetParam()(), {});
  Random random(1);
  for (int i = 0; i < 20; ++i) victim.take({random_hit(*victim.body, random, 3)});
  victim.settle();
  const std::string before = bytes_of(victim.state);
  for (int i = 0; i < 21; ++i) victim.take({});
  EXPECT_EQ(bytes_of(victim.state), before);
}

TEST_P(ExamplesOn, below_yield_nothing_changes_at_all) {
  Settings settings;
  settings.yield = 0.4;
  Victim victim(GetParam()(), settings);
  const std::string before = bytes_of(victim.state);
  Random random(2);
  for (int i = 0; i < 201; ++i) {
    victim.take({random_hit(*victim.body, random, 0.399)});
    EXPECT_FALSE(victim.effects.reshaped);
  }
  EXPECT_EQ(bytes_of(victim.state), before);
}

TEST_P(ExamplesOn, above_yield_the_hit_vertex_moves_along_the_impulse) {
  const std::shared_ptr<const RiggedBody> body = GetParam()();
  Settings settings;
  settings.lag = 0, settings.gain = 1;
  Random random(3);
  int moved = 0;
  for (int i = 0; i < 400; ++i) {
    const Hit hit = hit_on_corner(random.below(static_cast<int>(body->faces.size())), random.below(3), kMass * 2 * random_direction(random));
    const int vertex = vertex_of(*body, hit);
    Victim victim(body, settings);
    std::vector<Vec3> jacobian(static_cast<size_t>(body->skin.examples));
    skin_vertex(body->skin, vertex, victim.row(vertex), jacobian);
    double most = 0;  // how readily the most willing example goes that way
    for (const Vec3& column : jacobian) most = std::max(most, column.dot(hit.impulse.normalized()));
    const Vec3f before = victim.position(vertex);
    victim.take({hit});
    const double along = (victim.position(vertex) - before).cast<double>().dot(hit.impulse.normalized());
    if (most > 0.02) {
      EXPECT_GT(along, 0) << "vertex " << vertex;
      ++moved;
    } else {
      EXPECT_GT(along, -1e-5) << "vertex " << vertex;
    }
  }
  EXPECT_GT(moved, 100);
}

TEST_P(ExamplesOn, rows_stay_barycentric_and_positions_finite_under_random_hits) {
  for (const Rule rule : {Rule::Direction, Rule::Gradient, Rule::PseudoInverse}) {
    Settings settings;
    settings.rule = rule, settings.friction = true;
    Victim victim(GetParam()(), settings);
    Random random(4);
    for (int i = 0; i < 60; ++i) victim.take({random_hit(*victim.body, random, std::pow(10.0, random.range(-1, 8)))});
    const size_t examples = static_cast<size_t>(victim.body->skin.examples);
    for (size_t v = 0; v < victim.state.positions.size(); ++v) {
      float sum = 0;
      for (size_t e = 0; e < examples; ++e) {
        const float weight = victim.state.weights[v * examples + e];
        ASSERT_TRUE(weight >= 0 && weight <= 1 + 1e-6f) << weight;
        sum += weight;
      }
      ASSERT_NEAR(sum, 1, 1e-5);
      ASSERT_TRUE(victim.state.positions[v].allFinite());
    }
  }
}

TEST_P(ExamplesOn, vertices_beyond_the_radius_do_not_move_at_all) {
  const std::shared_ptr<const RiggedBody> body = GetParam()();
  Settings settings;
  settings.radius = 0.25, settings.gain = 1e4;
  Victim victim(body, settings);
  const std::vector<Vec3f> before = victim.state.positions;
  const Hit hit = hit_at(*body, Vec3::UnitX(), kMass * 5 * Vec3(-1, -0.2, 0));
  victim.take({hit});
  victim.settle();
  std::vector<bool> within(before.size(), false);
  for (const Reached& reached : reach(body->graph, vertex_of(*body, hit), settings.radius)) within[static_cast<size_t>(reached.vertex)] = true;
  int moved = 0, still = 0;
  for (size_t v = 0; v < before.size(); ++v) {
    moved += within[v] && victim.state.positions[v] != before[v];
    if (within[v]) continue;
    EXPECT_EQ(victim.state.positions[v], before[v]);
    ++still;
  }
  EXPECT_GT(moved, 0);
  EXPECT_GT(still, 0);
}

TEST_P(ExamplesOn, restored_arrays_give_the_same_shape_and_the_same_future_to_the_last_bit) {
  Victim victim(GetParam()(), {});
  Random random(5);
  for (int i = 0; i < 15; ++i) victim.take({random_hit(*victim.body, random, 2)});
  Victim copy(GetParam()(), {});
  const std::vector<StateArray> from = arrays(victim.state), to = arrays(copy.state);
  ASSERT_EQ(from.size(), to.size());
  for (size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(from[i].name, to[i].name);
    ASSERT_EQ(from[i].data.size(), to[i].data.size());
    EXPECT_EQ(from[i].data.size() % from[i].row_bytes, 0u);
    std::memcpy(to[i].data.data(), from[i].data.data(), from[i].data.size());
  }
  ASSERT_TRUE(rebuilt(copy.model, copy.state));
  EXPECT_EQ(bytes_of(copy.state), bytes_of(victim.state));
  EXPECT_EQ(is_busy(copy.state), is_busy(victim.state));
  for (int i = 0; i < 15; ++i) {
    const Hit hit = random_hit(*victim.body, random, 2);
    victim.take({hit}), copy.take({hit});
  }
  EXPECT_EQ(bytes_of(copy.state), bytes_of(victim.state));
}

TEST_P(ExamplesOn, recorded_frames_show_the_shape_to_a_small_share_of_a_pose) {
  Victim victim(GetParam()(), {}), seen(GetParam()(), {});
  Random random(7);
  for (int i = 0; i < 15; ++i) victim.take({random_hit(*victim.body, random, 2)});
  record(victim.model, victim.state), record(seen.model, seen.state);
  const std::vector<StateArray> from = recorded(victim.state), to = recorded(seen.state);
  ASSERT_EQ(from.size(), to.size());
  for (size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(from[i].data.size(), to[i].data.size());
    std::memcpy(to[i].data.data(), from[i].data.data(), from[i].data.size());
  }
  ASSERT_TRUE(replayed(seen.model, seen.state));
  for (size_t i = 0; i < victim.state.weights.size(); ++i) ASSERT_NEAR(seen.state.weights[i], victim.state.weights[i], 5e-4);
  for (size_t v = 0; v < victim.state.positions.size(); ++v) ASSERT_LT((seen.state.positions[v] - victim.state.positions[v]).norm(), 5e-4f);
}

TEST_P(ExamplesOn, two_runs_are_identical) {
  std::string first;
  for (int run = 0; run < 2; ++run) {
    Victim victim(GetParam()(), {});
    Random random(6);
    for (int i = 0; i < 25; ++i) victim.take({random_hit(*victim.body, random, 2), random_hit(*victim.body, random, 1)});
    if (run == 0) first = bytes_of(victim.state);
    EXPECT_EQ(bytes_of(victim.state), first);
  }
}

TEST(Examples, hits_of_one_pair_of_bodies_are_pooled_before_they_meet_the_yield) {
  Settings settings;
  settings.yield = 0.4;
  Hit hit = hit_at(*bar(), Vec3::UnitX(), kMass * 0.3 * -Vec3::UnitX()), other = hit;
  Victim apart(bar(), settings), together(bar(), settings);
  const std::string before = bytes_of(apart.state);
  other.other = 1;
  apart.take({hit, other});
  EXPECT_EQ(bytes_of(apart.state), before);
  other.other = hit.other;
  together.take({hit, other});
  EXPECT_TRUE(together.effects.reshaped);
}

TEST(Examples, how_many_points_share_a_load_does_not_matter) {
  Settings settings;
  settings.lag = 0;
  Hit whole = hit_at(*bar(), Vec3::UnitX(), kMass * 2 * -Vec3::UnitX()), half = whole;
  half.impulse *= 0.5;
  Victim one(bar(), settings), two(bar(), settings);
  one.take({whole}), two.take({half, half});
  for (size_t i = 0; i < one.state.weights.size(); ++i) EXPECT_NEAR(one.state.weights[i], two.state.weights[i], 1e-6);
}

TEST(Examples, the_weights_of_a_hit_vertex_change_by_the_closed_form) {
  Settings settings;
  settings.gain = 30, settings.yield = 0.5, settings.lag = 0;
  settings.emphasis = {1, 1, 0};  // only squeezing: its column of J at the right end is (-0.4, 0, 0)
  Victim victim(bar(), settings);
  const Hit hit = hit_at(*bar(), Vec3::UnitX(), kMass * 2 * -Vec3::UnitX());
  std::vector<Vec3> jacobian(3);
  skin_vertex(bar()->skin, vertex_of(*bar(), hit), victim.row(vertex_of(*bar(), hit)), jacobian);
  victim.take({hit});
  const double dx = kReferenceStep * (2 - 0.5);  // eq. 4
  const Vec3 slopes(jacobian[0].x(), jacobian[1].x(), jacobian[2].x());
  const double change = settings.gain * dx * -jacobian[1].x() / slopes.norm();  // eq. 8
  EXPECT_NEAR(jacobian[1].x(), -0.4, 1e-6);
  EXPECT_NEAR(victim.row(vertex_of(*bar(), hit))[1], change / (1 + change), 1e-6);
}

TEST(Examples, a_strong_hit_that_one_example_answers_ends_at_that_example) {
  Settings settings;
  settings.gain = 1e9, settings.radius = 100;
  settings.emphasis = {1, 1, 0};
  Victim victim(bar(), settings);
  victim.take({hit_at(*bar(), Vec3::UnitX(), kMass * 2 * -Vec3::UnitX())});
  victim.settle();
  const std::vector<Vec3> squeezed = example_shape(bar()->skin, 1);
  for (int v = 0; v < bar()->skin.vertices; ++v) {
    EXPECT_NEAR(victim.row(v)[1], 1, 1e-5);
    EXPECT_LT((victim.position(v).cast<double>() - squeezed[static_cast<size_t>(v)]).norm(), 1e-5);
  }
}

TEST(Examples, hits_from_above_and_from_the_ends_choose_different_examples) {
  Settings settings;
  settings.gain = 1e5, settings.lag = 0;
  Victim squeezed(bar(), settings), bent(bar(), settings);
  const Hit end = hit_at(*bar(), Vec3::UnitX(), kMass * 2 * -Vec3::UnitX());
  const Hit top = hit_at(*bar(), Vec3(1, 0.1, 0), kMass * 2 * -Vec3::UnitY());
  squeezed.take({end}), bent.take({top});
  EXPECT_GT(squeezed.row(vertex_of(*bar(), end))[1], 0.5);
  EXPECT_GT(bent.row(vertex_of(*bar(), top))[2], 0.99);
}

TEST(Examples, emphasis_scales_how_readily_an_example_is_taken_up) {
  const Hit hit = hit_at(*bar(), Vec3::UnitX(), kMass * 2 * Vec3(-1, -0.5, 0));
  std::vector<double> changes[2];
  for (const int i : {0, 1}) {
    Settings settings;
    settings.lag = 0.5;
    settings.emphasis = i == 0 ? std::vector<double>{1, 1, 1} : std::vector<double>{1, 3, 0.5};
    Victim victim(bar(), settings);
    victim.take({hit});
    const size_t first = static_cast<size_t>(vertex_of(*bar(), hit)) * 3;
    changes[i].assign(victim.state.pending.begin() + static_cast<long>(first), victim.state.pending.begin() + static_cast<long>(first) + 3);
  }
  EXPECT_NE(changes[0][1], 0);
  EXPECT_NEAR(changes[1][1], 3 * changes[0][1], 1e-6);
  EXPECT_NEAR(changes[1][2], 0.5 * changes[0][2], 1e-6);
}

TEST(Examples, emphasis_must_name_every_example) {
  Settings settings;
  settings.emphasis = {1, 2};
  const Result<Model> model = build(LayerSeed{bar().get(), 0.5}, settings);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().text, "emphasis has 2 numbers, but the asset \"bar\" has 3 examples (the rest pose is the first)");
}

TEST(Examples, friction_deforms_only_if_asked_to) {
  Settings settings;
  settings.yield = 0;
  Hit plain = hit_at(*bar(), Vec3(1, 0.1, 0), kMass * -Vec3::UnitX()), rubbing = plain, sum = plain;
  rubbing.friction = kMass * 0.5 * -Vec3::UnitY();
  sum.impulse = rubbing.impulse + rubbing.friction;
  Victim without(bar(), settings), ignored(bar(), settings);
  without.take({plain}), ignored.take({rubbing});
  EXPECT_EQ(bytes_of(without.state), bytes_of(ignored.state));
  Victim oblique(bar(), settings);
  oblique.take({sum});
  settings.friction = true;
  Victim counted(bar(), settings);
  counted.take({rubbing});
  EXPECT_EQ(bytes_of(counted.state), bytes_of(oblique.state));
  EXPECT_NE(bytes_of(counted.state), bytes_of(without.state));
}

TEST(Examples, total_deformation_does_not_depend_on_the_lag_or_on_the_step) {
  const Hit hit = hit_at(*bar(), Vec3::UnitX(), kMass * 2 * Vec3(-1, -0.5, 0));
  std::vector<float> first;
  for (const auto& [lag, dt] : {std::pair{0.0, kReferenceStep}, {0.5, kReferenceStep}, {0.92, kReferenceStep}, {0.99, kReferenceStep}, {0.92, kReferenceStep / 4}}) {
    Settings settings;
    settings.lag = lag, settings.gain = 0.5;  // so small that a change of normalisation on the way does not matter
    Victim victim(bar(), settings);
    victim.take({hit}, dt);
    victim.settle(dt);
    if (first.empty()) first = victim.state.weights;
    for (size_t i = 0; i < first.size(); ++i) ASSERT_NEAR(victim.state.weights[i], first[i], 1e-4) << "lag " << lag << ", step " << dt;
  }
}

TEST(Examples, a_hit_fades_in_alike_whether_or_not_an_older_one_is_still_fading_in) {
  const Hit left = hit_at(*bar(), -Vec3::UnitX(), kMass * Vec3::UnitX()), right = hit_at(*bar(), Vec3::UnitX(), kMass * -Vec3::UnitX());
  Settings settings;
  settings.radius = 0.5, settings.gain = 10;  // so that the two do not meet and are small enough to be applied now and then only
  Victim fresh(bar(), settings), fading(bar(), settings);
  fading.take({left});
  for (int i = 0; i < 3; ++i) fading.take({}), fresh.take({});
  fading.take({right}), fresh.take({right});
  const int vertex = vertex_of(*bar(), right);
  for (size_t e = 0; e < 3; ++e) EXPECT_NEAR(fading.row(vertex)[e], fresh.row(vertex)[e], 1e-7);
}

TEST(Examples, damage_takes_bounce_and_gives_it_back_linearly) {
  Settings settings;
  settings.recover = 2, settings.lag = 0.5, settings.gain = 100;
  Victim victim(bar(), settings, 0.5);
  victim.take({hit_at(*bar(), Vec3::UnitX(), kMass * 2 * -Vec3::UnitX())});
  const double low = *victim.effects.restitution;
  EXPECT_LT(low, 0.4);
  for (int i = 0; i < 300; ++i) {
    const double before = *victim.effects.restitution;
    victim.take({});
    EXPECT_LE(*victim.effects.restitution, before + 2 * kReferenceStep + 1e-12);
    EXPECT_LE(*victim.effects.restitution, 0.5);
  }
  EXPECT_EQ(victim.effects.restitution, 0.5);
  EXPECT_FALSE(is_busy(victim.state));
}

TEST(Examples, without_gain_a_body_is_rigid_and_looks_at_no_hit) {
  Settings settings;
  settings.gain = 0;
  Victim victim(bar(), settings);
  EXPECT_TRUE(std::isinf(hit_threshold(victim.model, kReferenceStep)));
  const std::string before = bytes_of(victim.state);
  victim.take({hit_at(*bar(), Vec3::UnitX(), Vec3(-1e6, 0, 0))});
  EXPECT_EQ(bytes_of(victim.state), before);
}

TEST(Examples, interest_is_the_yield_at_that_step) {
  Settings settings;
  settings.yield = 0.3;
  Victim victim(bar(), settings);
  EXPECT_DOUBLE_EQ(hit_threshold(victim.model, kReferenceStep), 0.3);
  EXPECT_DOUBLE_EQ(hit_threshold(victim.model, 2 * kReferenceStep), 0.6);
}

TEST(Examples, weight_colors_are_the_rest_colour_at_rest_and_change_where_damage_is) {
  Settings settings;
  settings.gain = 1e6, settings.lag = 0, settings.radius = 0.5;
  Victim victim(bar(), settings);
  const std::vector<Vec3f> before = colors(victim.model, victim.state, "weights", victim.body->embedding);
  for (const Vec3f& color : before) EXPECT_LT((color - before[0]).norm(), 1e-5);
  const Hit hit = hit_at(*bar(), Vec3::UnitX(), kMass * 2 * -Vec3::UnitX());
  victim.take({hit});
  const std::vector<Vec3f> after = colors(victim.model, victim.state, "weights", victim.body->embedding);
  EXPECT_GT((after[static_cast<size_t>(vertex_of(*bar(), hit))] - before[0]).norm(), 0.3);
  for (const Vec3f& color : after) EXPECT_TRUE((color.array() >= 0).all() && (color.array() <= 1).all());
}

}  // namespace
}  // namespace crumple::examples

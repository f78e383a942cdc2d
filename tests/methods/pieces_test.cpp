#include "crumple/methods/pieces/pieces.h"

#include <cmath>
#include <deque>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "crumple/geometry/mass.h"
#include "tests/methods/blocks.h"

namespace crumple::pieces {
namespace {

using namespace testing;

constexpr double kStep = 1.0 / 240;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A body and what happened to it.
struct Breaker {
  explicit Breaker(Model of, double step = kStep) : model(std::move(of)), dt(step), state(start(model, dt)) {}

  std::vector<Break> take(const std::vector<Load>& loads, const Vec3& spin = Vec3::Zero()) {
    const std::vector<Vec3> spins(static_cast<size_t>(state.groups.count), spin);
    const std::vector<Break> now = pieces::step(model, state, dt, loads, spins);
    breaks.insert(breaks.end(), now.begin(), now.end());
    return now;
  }

  Model model;
  double dt;
  State state;
  std::vector<Break> breaks;
};

std::string bytes_of(State& state) {
  std::string bytes;
  for (const StateArray& array : arrays(state)) bytes.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return bytes;
}

Load push(double impulse) {
  return {0, Vec3(-0.5, 0, 0), Vec3(impulse, 0, 0)};
}

/// Two blocks whose link carries half of a push on the first, and breaks if that is more than 10 N s.
Model two_blocks() {
  return chain({2, 2}, 10 / 0.25);
}

TEST(Pieces, part_when_their_link_carries_more_than_strength_times_area) {
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
    Breaker below(two_blocks(), dt), above(two_blocks(), dt);
    EXPECT_TRUE(below.take({push(19.999)}).empty());
    const std::vector<Break> breaks = above.take({push(20.001)});
    ASSERT_EQ(breaks.size(), 1u) << dt;
    EXPECT_EQ(breaks[0].link, 0);
    EXPECT_NEAR(breaks[0].impulse, 10.0005, 1e-9);
    EXPECT_NEAR(breaks[0].limit, 10, 1e-12);
    EXPECT_EQ(above.state.groups.count, 2);
    EXPECT_EQ(above.state.groups.of_piece, (std::vector<int>{0, 1}));
  }
}

TEST(Pieces, break_the_same_whether_an_impulse_comes_at_once_or_in_parts_within_the_window) {
  for (const int parts : {1, 2, 4, 8}) {
    for (const double dt : {1.0 / 480, 1.0 / 240, 1.0 / 60}) {
      if (parts * dt > kWindow + 1e-9) continue;
      Breaker below(two_blocks(), dt), above(two_blocks(), dt);
      for (int i = 0; i < parts; ++i) below.take({push(19.999 / parts)}), above.take({push(20.001 / parts)});
      EXPECT_TRUE(below.breaks.empty());
      EXPECT_EQ(above.breaks.size(), 1u) << parts << " parts, steps of " << dt;
    }
  }
}

TEST(Pieces, hold_if_the_same_impulse_takes_longer_than_the_window) {
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
    Breaker slow(two_blocks(), dt);
    const int steps = static_cast<int>(std::lround(2 * kWindow / dt));  // half of it, and a step more, within one
    for (int i = 0; i < steps; ++i) slow.take({push(38.0 / steps)});
    EXPECT_TRUE(slow.breaks.empty()) << dt;
    // It is not forgotten before its time either.
    for (int i = 0; i < static_cast<int>(std::lround(kWindow / dt)) - 1; ++i) slow.take({});
    EXPECT_FALSE(slow.take({push(20.001)}).empty());
  }
}

TEST(Pieces, forget_what_lies_farther_back_than_the_window) {
  const int steps = 4;
  for (int pause = 0; pause < 8; ++pause) {
    Breaker body(two_blocks());
    body.take({push(11)});
    for (int i = 0; i < pause; ++i) body.take({});
    EXPECT_EQ(body.take({push(11)}).size(), pause + 1 < steps ? 1u : 0u) << pause;
  }
}

TEST(Pieces, keep_their_window_where_steps_are_longer_than_it_or_very_short) {
  EXPECT_EQ(window_of(0.1).places, 1);
  EXPECT_EQ(window_of(1.0 / 240).places, 4);
  EXPECT_EQ(window_of(1.0 / 1000).places, 17);
  const double dt = 1e-6;  // 16667 steps in 64 places
  EXPECT_LE(window_of(dt).places, kMaxPlaces);
  EXPECT_NEAR(window_of(dt).places * window_of(dt).steps * dt, kWindow, 0.02 * kWindow);
  Breaker body(two_blocks(), dt);
  for (int i = 0; i < 15000 && body.breaks.empty(); ++i) body.take({push(20.0 / 14999)});
  EXPECT_EQ(body.breaks.size(), 1u);
  Breaker gentle(two_blocks(), dt);
  for (int i = 0; i < 40000; ++i) gentle.take({push(19.0 / 16667)});
  EXPECT_TRUE(gentle.breaks.empty());
}

TEST(Pieces, do_not_break_while_they_settle_and_do_not_remember_it) {
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
    Model model = two_blocks();
    model.settings.settle = 0.1;
    Breaker body(model, dt);
    const int settling = static_cast<int>(std::ceil(0.1 / dt - 1e-6));
    for (int i = 0; i < settling; ++i) EXPECT_TRUE(body.take({push(1000)}).empty());
    EXPECT_TRUE(body.take({push(19)}).empty()) << dt;
    EXPECT_EQ(body.take({push(100)}).size(), 1u);
  }
}

TEST(Pieces, weighed_down_evenly_carry_nothing) {
  // A free body feels neither gravity nor drag that acts on all alike: there is no load, and nothing is booked.
  Breaker body(two_blocks());
  for (int i = 0; i < 10; ++i) body.take({});
  EXPECT_EQ(std::count(body.state.window.begin(), body.state.window.end(), 0.0), static_cast<long>(body.state.window.size()));
  // On its feet, each block by its own: the link carries nothing, however heavy they are.
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(body.take({{0, Vec3(0, -0.25, 0), Vec3(0, 1e6, 0)}, {1, Vec3(1, -0.25, 0), Vec3(0, 1e6, 0)}}).empty());
}

TEST(Pieces, fly_apart_when_turned_fast_enough) {
  // Each block of 2 kg at half a metre: the link carries m r w^2 within the window.
  const double limit = std::sqrt(10 / (2 * 0.5 * kWindow));
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1200}) {
    Breaker slow(two_blocks(), dt), fast(two_blocks(), dt);
    for (int i = 0; i < 40; ++i) slow.take({}, Vec3(0, 0, 0.999 * limit)), fast.take({}, Vec3(0, 0, 1.001 * limit));
    EXPECT_TRUE(slow.breaks.empty()) << dt;
    EXPECT_EQ(fast.breaks.size(), 1u) << dt;
    // About the line that joins them nothing pulls.
    Breaker drill(two_blocks(), dt);
    for (int i = 0; i < 40; ++i) EXPECT_TRUE(drill.take({}, Vec3(100 * limit, 0, 0)).empty());
  }
}

TEST(Pieces, give_way_one_after_another_from_the_most_overloaded_on) {
  // Three patches side by side between two blocks; together they hold what each alone would not.
  Model model = two_blocks();
  model.links.clear();
  for (const double z : {-0.2, 0.0, 0.2}) model.links.push_back(patch(0, 1, Vec3(0.5, 0, z), Vec3::UnitY(), 0.1, Vec3::UnitZ(), 0.1, 0));
  for (Weld& link : model.links) link.limit = 4;
  model.weakest = 4;
  Breaker holds(model), breaks(model);
  EXPECT_TRUE(holds.take({push(23.9)}).empty());  // 12 N s over three links
  const std::vector<Break> all = breaks.take({push(24.1)});
  ASSERT_EQ(all.size(), 3u);  // the first of equals, then what is left
  EXPECT_EQ(all[0].link, 0);
  EXPECT_NEAR(all[0].impulse, 24.1 / 6, 1e-9);
  EXPECT_EQ(breaks.state.groups.count, 2);
  // A weaker one goes first wherever it stands, and at its own limit.
  model.links[1].limit = model.weakest = 1;
  Breaker one(model);
  const std::vector<Break> first = one.take({push(12)});
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].link, 1);
  EXPECT_EQ(one.state.groups.count, 1);  // two links of 4 hold the 6 N s
}

TEST(Pieces, share_what_still_acts_anew_after_each_break) {
  // A chain pushed from one end: the first link carries most and goes; what is left then moves on its own and holds.
  Breaker body(chain({1, 1, 1, 1}, 10 / 0.25));
  const std::vector<Break> breaks = body.take({push(13.5)});  // 10.1, 6.75, 3.4 N s
  ASSERT_EQ(breaks.size(), 1u);
  EXPECT_EQ(breaks[0].link, 0);
  EXPECT_EQ(body.state.groups.of_piece, (std::vector<int>{0, 1, 1, 1}));
  // The push stays with the block that was pushed: within the same window the others feel only their own.
  EXPECT_TRUE(body.take({{3, Vec3(3.5, 0, 0), Vec3(-14.9, 0, 0)}}).empty());
  EXPECT_EQ(body.take({{3, Vec3(3.5, 0, 0), Vec3(-0.2, 0, 0)}}).size(), 1u);
}

/// The same rules with no shortcut: every group is solved in every step.
struct Reference {
  const Model& model;
  std::vector<uint8_t> broken = all_hold(model);
  std::deque<std::vector<Wrench>> window = {};

  std::vector<int> take(const std::vector<Load>& loads, const Vec3& spin) {
    std::vector<Wrench> now(model.pieces.size(), Wrench::Zero()), sums = now;
    for (const Load& load : loads) now[static_cast<size_t>(load.piece)] += wrench_of(load);
    std::shared_ptr<const Factors> factors = make_factors(model, broken, connected(model, broken));
    for (const auto& group : factors->groups) add_spin_loads(model, *group, spin, kStep, now);
    window.push_back(now);
    if (window.size() > 4) window.pop_front();
    for (const auto& step : window) {
      for (size_t k = 0; k < sums.size(); ++k) sums[k] += step[k];
    }
    std::vector<int> breaks;
    for (;;) {
      double most = 1;
      int worst = -1;
      for (const auto& group : factors->groups) {
        const std::vector<Carried> links = solve(model, *group, wanted_from_links(model, *group, sums));
        for (size_t i = 0; i < links.size(); ++i) {
          const double share = links[i].size / model.links[static_cast<size_t>(group->links[i])].limit;
          if (share > most) most = share, worst = group->links[i];
        }
      }
      if (worst < 0) return breaks;
      breaks.push_back(worst);
      broken[static_cast<size_t>(worst)] = 1;
      factors = make_factors(model, broken, connected(model, broken));
    }
  }
};

TEST(Pieces, break_the_same_as_if_every_step_were_solved) {
  Random random(11);
  int broken = 0, held = 0;
  for (int i = 0; i < 40; ++i) {
    const Model model = random_model(random, 2 + random.below(14), random.below(16), 1);
    Breaker body(model);
    Reference reference{model};
    const double size = std::pow(10, random.range(-3, 0.5));
    for (int s = 0; s < 12; ++s) {
      const std::vector<Load> loads = random_loads(random, model, random.below(4), size);
      const Vec3 spin = random_vector(random, std::sqrt(size));
      const std::vector<int> expected = reference.take(loads, spin);
      const std::vector<Break> breaks = body.take(loads, spin);
      ASSERT_EQ(breaks.size(), expected.size());
      for (size_t b = 0; b < breaks.size(); ++b) EXPECT_EQ(breaks[b].link, expected[b]);
      EXPECT_EQ(body.state.broken, reference.broken);
      broken += static_cast<int>(breaks.size()), held += breaks.empty();
    }
  }
  EXPECT_GT(broken, 100);
  EXPECT_GT(held, 100);
}

TEST(Pieces, never_part_if_their_strength_is_infinite_and_keep_no_books) {
  Model model = two_blocks();
  model.links[0].limit = model.weakest = kInfinite;
  Breaker body(model);
  const std::string before = bytes_of(body.state);
  EXPECT_TRUE(body.take({push(1e30)}, Vec3(1e6, 0, 1e6)).empty());
  EXPECT_EQ(bytes_of(body.state), before);
  EXPECT_TRUE(body.state.window.empty());
}

TEST(Pieces, spare_a_link_that_never_breaks_beside_one_that_does) {
  Model model = chain({2, 2, 2}, 10 / 0.25);
  model.links[0].limit = kInfinite;
  Breaker body(model);
  const std::vector<Break> breaks = body.take({push(1e4)});
  ASSERT_EQ(breaks.size(), 1u);
  EXPECT_EQ(breaks[0].link, 1);
}

TEST(Pieces, survive_loads_that_are_not_finite) {
  Breaker body(two_blocks());
  EXPECT_TRUE(body.take({{0, Vec3::Zero(), Vec3(std::nan(""), 0, 0)}}).empty());
  EXPECT_TRUE(body.take({push(kInfinite)}).empty());
  for (int i = 0; i < 4; ++i) body.take({});
  EXPECT_EQ(body.take({push(21)}).size(), 1u);  // and forget them
}

TEST(Pieces, go_on_bit_for_bit_from_a_checkpoint) {
  Random random(12);
  const Model model = random_model(random, 12, 14, 1);
  Breaker straight(model), resumed(model);
  for (int s = 0; s < 60; ++s) {
    const std::vector<Load> loads = random_loads(random, model, 2, s < 30 ? 0.1 : 0.3);
    const Vec3 spin = random_vector(random, 0.3);
    State copy = start(model, kStep);
    const std::vector<StateArray> from = arrays(resumed.state), to = arrays(copy);
    for (size_t a = 0; a < from.size(); ++a) {
      ASSERT_EQ(from[a].data.size(), to[a].data.size());
      std::copy(from[a].data.begin(), from[a].data.end(), to[a].data.begin());
    }
    ASSERT_TRUE(rebuilt(model, copy));
    resumed.state = std::move(copy);
    straight.take(loads, spin);
    resumed.take(loads, spin);
    ASSERT_EQ(bytes_of(straight.state), bytes_of(resumed.state)) << s;
    EXPECT_EQ(straight.state.groups.of_piece, resumed.state.groups.of_piece);
  }
  ASSERT_EQ(straight.breaks.size(), resumed.breaks.size());
  for (size_t b = 0; b < straight.breaks.size(); ++b) EXPECT_EQ(straight.breaks[b].impulse, resumed.breaks[b].impulse);
  EXPECT_GT(straight.breaks.size(), 3u);
}

TEST(Pieces, number_their_groups_by_the_lowest_piece) {
  const Model model = chain({1, 1, 1, 1, 1});
  EXPECT_EQ(connected(model, std::vector<uint8_t>{0, 0, 0, 0}).of_piece, (std::vector<int>{0, 0, 0, 0, 0}));
  const Groups groups = connected(model, std::vector<uint8_t>{0, 1, 0, 1});
  EXPECT_EQ(groups.of_piece, (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_EQ(groups.count, 3);
  Model crossed = model;
  crossed.links = {{4, 1, 1, 1, Vec3::Zero(), Mat3::Identity()}, {3, 0, 1, 1, Vec3::Zero(), Mat3::Identity()}};
  EXPECT_EQ(connected(crossed, std::vector<uint8_t>{0, 0}).of_piece, (std::vector<int>{0, 1, 2, 0, 1}));
}

TEST(Pieces, by_the_thousand_break_and_end) {
  Breaker body(grid(10, 10, 10, 1));
  EXPECT_TRUE(body.take({{0, Vec3(-0.5, 0, 0), Vec3(0.1, 0, 0)}}).empty());
  const std::vector<Break> breaks = body.take({{0, Vec3(-0.5, 0, 0), Vec3(3, 2, 1)}});
  EXPECT_GE(breaks.size(), 3u);  // at least its own corner
  EXPECT_GT(body.state.groups.count, 1);
}

}  // namespace
}  // namespace crumple::pieces

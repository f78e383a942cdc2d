#pragma once

#include <map>

#include "tests/scene/scenes.h"

/// What scenes must show at their ends. The goldens run all scenes, and check this.
namespace crumple {

/// A body that is meant to be hit, or all whose names begin alike, and what it must show at the end at least.
struct Mark {
  std::string_view body;  // "" for all that can crumple
  double displacement;    // m
};

/// What each scene of the project is meant to do to its bodies.
inline const std::map<std::string, std::vector<Mark>> kMarks = {
    {"bridge.json",
     {{"deck", 0.5}, {"orange container", 0.2}, {"red container", 0.2}, {"green container", 0.2}, {"blue container", 0.2}, {"grey container", 0.2}}},
    {"car_barrels.json", {{"sedan", 0.25}, {"blue drum", 0.03}, {"red drum", 0.03}, {"yellow drum", 0.03}}},
    {"car_hail.json", {{"sedan", 0.2}, {"heavy sedan", 0.1}}},
    {"car_hail_plain.json", {{"sedan", 0.2}, {"heavy sedan", 0.1}}},
    {"blast.json", {{"drum", 0.03}}},
    {"bunny_block.json", {{"block", 0.05}, {"hare", 0.005}}},
    {"dent_angles.json", {{"", 0.03}}},
    {"dent_softness.json", {{"", 0.015}}},
    {"drum_pyramid.json", {{"", 0.01}}},
    {"hailstorm.json", {{"sedan", 0.01}, {"container", 0.01}, {"standing drum", 0.005}, {"lying drum", 0.005}, {"large ball", 0.001}}},
    {"loading_dock.json", {{"", 0.1}}},
    {"pachinko.json", {{"", 0.08}}},
    {"painted_drum.json", {{"", 0.1}}},
    {"pileup.json", {{"", 0.2}}},
    {"radius_dent.json", {{"", 0.2}}},
    {"radius_medium.json", {{"", 0.2}}},
    {"radius_narrow.json", {{"", 0.2}}},
    {"radius_whole.json", {{"", 0.15}}},
    {"radius_wide.json", {{"", 0.15}}},
    {"sedan_wall.json", {{"", 0.4}}},
    {"shipyard.json", {{"ship", 0.5}, {"first crane", 1}, {"second crane", 1}, {"third crane", 1}}},
    {"space_battle.json", {{"cruiser", 1}, {"red", 0.2}, {"blue", 0.2}}},
    {"study_examples.json", {{"all", 0.1}, {"without the sides", 0.1}, {"only bent", 0.1}}},
    {"study_friction.json", {{"", 0.1}}},
    {"study_gain.json", {{"gain 50", 0.05}, {"gain 150", 0.1}, {"gain 400", 0.15}, {"gain 1000", 0.2}}},
    {"study_lag.json", {{"", 0.15}}},
    {"study_rule.json", {{"", 0.05}}},
    {"study_soften.json", {{"soften", 0.15}, {"recover", 0.15}}},
    {"steel_door.json", {{"door", 0.09}, {"hare", 0.0005}}},
    {"wall_ball.json", {{"wall", 0.03}}},
    {"study_yield.json", {{"yield 0.2", 0.15}, {"yield 1", 0.08}, {"yield 2.6", 0.02}}},
};

/// Bodies, or all whose names begin so, that are meant to break.
inline const std::map<std::string, std::vector<std::string_view>> kBreaks = {
    {"bridge.json", {"deck"}},
    {"pileup.json", {""}},
    {"shipyard.json", {"first crane", "second crane"}},
    {"space_battle.json", {"cruiser", "red", "blue"}},
    {"wall_ball.json", {"wall"}},
};

/// What was seen along the way.
struct SceneWatch {
  double nearest = 1e300;  // m, centres of two bodies that crumple
  size_t most_parts = 1;   // of a body

  void look(const World& world) {
    if (crumpling_bodies(world).size() > 1) nearest = std::min(nearest, nearest_centers(world));
    for (const Body& body : world.bodies()) most_parts = std::max(most_parts, body.parts.size());
  }
};

inline void expect_finite(const World& world) {
  for (const FrameItem& item : world.frame().items) {
    ASSERT_TRUE(item.place.translation.allFinite()) << item.name;
    for (const Vec3f& p : item.positions) ASSERT_TRUE(p.allFinite()) << item.name;
  }
}

inline void expect_marks(const World& world, const std::vector<Mark>& marks) {
  for (const Mark& mark : marks) {
    int found = 0;
    for (const int body : crumpling_bodies(world)) {
      const std::string& called = world.bodies()[static_cast<size_t>(body)].description->name;
      if (!called.starts_with(mark.body)) continue;
      ++found;
      EXPECT_GT(damage_of(world.bodies()[static_cast<size_t>(body)]).max_displacement, mark.displacement) << called;
    }
    EXPECT_GT(found, 0) << mark.body;
  }
}

inline void expect_breaks(const World& world, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    EXPECT_TRUE(std::ranges::any_of(world.report().breaks, [&](const StepReport::Break& broken) { return broken.body.starts_with(name); })) << name;
  }
}

inline double most_turn(const World& world, std::string_view name) {
  double most = 0;
  for (const rigid::JointHistory& history : bends_of(world, name).state.histories) most = std::max(most, history.turn);
  return most;
}

/// One joint, where the ball falls.
inline void expect_bent_plank(const World& world, const SceneWatch&) {
  const Bends& plank = bends_of(world, "plank");
  int bent = 0;
  for (size_t l = 0; l < plank.model.links.size(); ++l) {
    if (plank.state.histories[l].turn < 0.05) continue;
    ++bent;
    EXPECT_NEAR(plank.model.links[l].center.x(), 0.1, 0.16);
  }
  EXPECT_EQ(bent, 1);
  EXPECT_GT(most_turn(world, "plank"), 0.8);
  EXPECT_LT(most_turn(world, "plank"), 1.8);
}

/// All but the arm stays one part, and in the end all of it is one again.
inline void expect_bent_arm(const World& world, const SceneWatch& watch) {
  EXPECT_LE(watch.most_parts, 5u) << "four joints";
  const Bends& figure = bends_of(world, "figure");
  double arm = 0;
  for (size_t l = 0; l < figure.model.links.size(); ++l) {
    const Vec3& center = figure.model.links[l].center;
    if (center.x() > 0.1 && center.y() > 0.2) arm += figure.state.histories[l].turn;
    if (center.y() < 0.1) {
      EXPECT_LT(figure.state.histories[l].turn, 0.02) << "legs";
    }
  }
  EXPECT_GT(arm, 0.5);
  EXPECT_EQ(world.bodies()[static_cast<size_t>(body_named(world, "figure"))].parts.size(), 1u);
}

/// The sign, 2.6 m high before, lies under the car.
inline void expect_flat_sign(const World& world, const SceneWatch&) {
  double highest = -1;
  for (const FrameItem& item : world.frame().items) {
    if (item.body != body_named(world, "sign")) continue;
    for (const Vec3f& p : item.positions) highest = std::max(highest, (item.place * p.cast<double>()).y());
  }
  EXPECT_LT(highest, 1.2);
  EXPECT_GT(most_turn(world, "sign"), 0.7);
}

/// Both sag, and neither goes wild.
inline void expect_sagging_cages(const World& world, const SceneWatch&) {
  for (const char* name : {"cage 1", "cage 2"}) {
    EXPECT_GT(most_turn(world, name), 0.3) << name;
    EXPECT_LT(most_turn(world, name), 3.2) << name;
  }
}

inline const std::map<std::string, void (*)(const World&, const SceneWatch&)> kBent = {
    {"plank_ball.json", expect_bent_plank},
    {"arm_hit.json", expect_bent_arm},
    {"street_sign.json", expect_flat_sign},
    {"rebar_cage.json", expect_sagging_cages},
};

/// Bodies of points: how far each must have flowed at most somewhere, and how low it must lie in the end.
struct Flowed {
  std::string_view body;
  double strain;    // at least
  double highest;   // m: of its points, at most
};
inline const std::map<std::string, std::vector<Flowed>> kFlowed = {
    {"plastic_bar_drop.json", {{"fixed", 1, 0.25}, {"updated", 1, 0.2}, {"resampled", 1, 0.2}}},
    {"twist_shear_bar.json", {{"elastic", 0, 10}, {"slightly plastic", 0.05, 10}, {"highly plastic", 0.3, 10}, {"varying", 0.5, 10}}},
    {"drop_on_bar.json", {{"hare", 1, 0.9}}},
    {"drop_on_spheres.json", {{"hare", 1, 0.5}}},
    {"mixed_density.json", {{"block", 0.5, 0.45}}},
    {"crushed_bird.json", {{"bird", 1, 0.42}}},
    {"hot_ingot.json", {{"ingot", 1, 0.6}}},
};
inline void expect_flowed(const World& world, const std::vector<Flowed>& all) {
  for (const Flowed& flowed : all) {
    const PointsAtWork& body = points_of_body(world.bodies()[static_cast<size_t>(body_named(world, flowed.body))]);
    const auto& [model, state] = body;
    EXPECT_GE(*std::max_element(state.strain.begin(), state.strain.end()), flowed.strain) << flowed.body;
    double highest = -1e300;
    for (const Vec3& x : state.x) highest = std::max(highest, x.y() + model.origin.y());
    EXPECT_LT(highest, flowed.highest) << flowed.body;
    EXPECT_LT(state.counts[points::kStrays], 0.01 * static_cast<double>(state.size())) << flowed.body;
  }
}

/// Of a scene that has run to its end. Structures and soft bodies have tests of their own.
inline void expect_what_it_is_meant_to_show(const World& world, const std::string& name, const SceneWatch& watch) {
  for (const StepReport::Frozen& frozen : world.report().frozen) ADD_FAILURE() << frozen.body << ": " << frozen.why;
  if (kFlowed.contains(name)) return expect_flowed(world, kFlowed.at(name));
  if (has_structure(world.scene()) && kMarks.contains(name)) return expect_marks(world, kMarks.at(name));
  if (has_structure(world.scene()) || is_soft(world.scene())) return;
  expect_finite(world);
  const EnergyLedger& energy = world.report().energy;
  if (has_bends(world.scene())) {
    EXPECT_LT(std::abs(energy.unaccounted()) / energy.scale(), 0.03);
    if (kBent.contains(name)) return kBent.at(name)(world, watch);
    ADD_FAILURE() << "say in kBent what it is meant to do";
  } else {
    EXPECT_GT(watch.nearest, 0.26) << "bodies have gone into each other";
    ASSERT_TRUE(kMarks.contains(name)) << "say in kMarks what it is meant to do";
    expect_marks(world, kMarks.at(name));
    if (kBreaks.contains(name)) expect_breaks(world, kBreaks.at(name));
  }
}

}  // namespace crumple

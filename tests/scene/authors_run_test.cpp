#include <cmath>

#include <gtest/gtest.h>

#include "crumple/world/world.h"
#include "tests/authors_data.h"

namespace crumple {
namespace {

struct FirstImpact {
  double max_displacement[5] = {}, rms_displacement[5] = {};
};

/// Five drums that differ in their radius only, just after they hit the dock, dropped `lift` metres higher.
FirstImpact first_impact(const Scene& published, double lift) {
  Scene scene = published;
  for (BodyDescription& body : scene.bodies) {
    if (body.of<examples::Settings>()) body.at.y() += lift;
  }
  Result<World> world = World::build(scene);
  FirstImpact impact;
  if (!world) return ADD_FAILURE() << world.error().text, impact;
  while (world->time() < 0.55) world->step();
  int drum = 0;
  for (const Body& body : world->bodies()) {
    if (body.layers.empty()) continue;
    const Damage damage = damage_of(body);
    impact.max_displacement[drum] = damage.max_displacement;
    impact.rms_displacement[drum++] = damage.rms_displacement;
  }
  return impact;
}

// Which points touch in the one or two steps of the impact decides a single drop, so the mean of slightly shifted ones is compared.
TEST(AuthorsRun, varying_radius_deforms_like_the_published_program) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  Result<Scene> scene = load_scene(*data / "examples/varyingRadius.json");
  ASSERT_TRUE(scene) << scene.error().text;
  const double published[5] = {0.0048767, 0.050332, 0.12175, 0.13196, 0.15478};
  double mean[5] = {};
  for (int i = 0; i < 5; ++i) {
    const FirstImpact impact = first_impact(*scene, 0.004 * i);
    for (int drum = 0; drum < 5; ++drum) mean[drum] += impact.max_displacement[drum] / 5;
  }
  std::string told;
  for (const double value : mean) told += std::to_string(value) + " ";
  RecordProperty("mean_max_displacement", told);
  for (int drum = 0; drum < 2; ++drum) {
    EXPECT_GT(mean[drum], 0.5 * published[drum]);
    EXPECT_LT(mean[drum], 2.0 * published[drum]);
  }
  for (int drum = 2; drum < 5; ++drum) EXPECT_NEAR(mean[drum], published[drum], 0.25 * published[drum]);
}

}  // namespace
}  // namespace crumple

#include "crumple/material/map.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace crumple {
namespace {

std::string complaint(const std::vector<PaintedMap>& maps, size_t vertices = 3) {
  const Result<void> fine = check_maps(maps, vertices);
  return fine ? "" : fine.error().text;
}

TEST(PaintedMap, is_found_by_the_name_of_its_knob) {
  const std::vector<PaintedMap> maps = {{"gain", {1}}, {"yield", {2}}};
  ASSERT_NE(find_map(maps, "yield"), nullptr);
  EXPECT_EQ(find_map(maps, "yield")->values[0], 2);
  EXPECT_EQ(find_map(maps, "radius"), nullptr);
}

TEST(PaintedMap, may_hold_anything_from_nothing_to_a_thousandfold) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(complaint({{"yield", {0, 1, kMaxPainted}}, {"gain", {0, 0, 0}}, {"radius", {0.5f, 1, 2}}}), "");
}

TEST(PaintedMap, says_what_is_wrong_with_it) {
  EXPECT_EQ(complaint({{"yield", {1, -0.5f, 1}}}), "yield is painted -0.5 at vertex 1; factors lie between 0 and 1000");
  EXPECT_EQ(complaint({{"gain", {1, 1, 1001}}}), "gain is painted 1001 at vertex 2; factors lie between 0 and 1000");
  EXPECT_NE(complaint({{"radius", {std::nanf(""), 1, 1}}}), "");
  EXPECT_NE(complaint({{"radius", {1, std::numeric_limits<float>::infinity(), 1}}}), "");
  EXPECT_EQ(complaint({{"yield", {1, 1}}}), "yield is painted on 2 vertices, but the surface has 3");
  EXPECT_EQ(complaint({{"lag", {1, 1, 1}}}), "\"lag\" cannot be painted; the knobs that can are yield, gain, radius, strength, toughness, stiffness, flow");
  EXPECT_EQ(complaint({{"yield", {1, 1, 1}}, {"yield", {1, 1, 1}}}), "yield is painted twice");
}

}  // namespace
}  // namespace crumple

#include <gtest/gtest.h>

#include "crumple/io/particles.h"

namespace crumple::io {
namespace {

TEST(ParticleFile, reads_three_numbers_for_each_particle) {
  const auto read = parse_particles("0 1 2 \n# a remark\n-3.5 4e-2 5\n6\n7 8", "p.txt");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[1], Vec3(-3.5, 0.04, 5));
  EXPECT_EQ((*read)[2], Vec3(6, 7, 8));
}

TEST(ParticleFile, says_where_it_is_wrong) {
  EXPECT_FALSE(parse_particles("", "p.txt"));
  EXPECT_FALSE(parse_particles("1 2", "p.txt"));
  EXPECT_FALSE(parse_particles("1 2 nan", "p.txt"));
  const auto read = parse_particles("1 2 3\n4 five 6", "p.txt");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text.find("p.txt:2"), std::string::npos);
}

}  // namespace
}  // namespace crumple::io

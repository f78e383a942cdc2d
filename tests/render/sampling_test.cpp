#include "crumple/render/sampling.h"

#include <set>

#include <gtest/gtest.h>

#include "crumple/render/film.h"
#include "crumple/render/shading.h"

namespace crumple::render {
namespace {

TEST(Sampling, every_aligned_run_of_sixteen_fills_all_cells_of_four_by_four) {
  for (const uint32_t use : {0u, 1u, 5u}) {
    for (uint32_t start = 0; start < 1024; start += 16) {
      std::set<int> cells, columns, rows;
      for (uint32_t i = 0; i < 16; ++i) {
        const Vec2f at = sample_square(start + i, use);
        ASSERT_TRUE(at.minCoeff() >= 0 && at.maxCoeff() < 1);
        cells.insert(static_cast<int>(4 * at.x()) + 4 * static_cast<int>(4 * at.y()));
        columns.insert(static_cast<int>(16 * at.x())), rows.insert(static_cast<int>(16 * at.y()));
      }
      EXPECT_EQ(cells.size(), 16u);
      EXPECT_EQ(columns.size(), 16u);
      EXPECT_EQ(rows.size(), 16u);
    }
  }
}

TEST(Sampling, tangents_are_orthonormal_everywhere) {
  for (uint32_t i = 0; i < 200; ++i) {
    const Vec3f n = sample_cosine(i % 2 ? Vec3f(0, 0, -1) : Vec3f(0, 0, 1), sample_square(i, 0)).normalized();
    const Tangents t = tangents_of(n);
    EXPECT_NEAR(t.u.norm(), 1, 1e-5);
    EXPECT_NEAR(t.u.dot(t.v), 0, 1e-5);
    EXPECT_NEAR(t.u.cross(t.v).dot(n), 1, 1e-5);
  }
}

TEST(Shading, a_white_mirror_of_any_roughness_never_gives_more_than_it_gets) {
  for (const float roughness : {0.1f, 0.3f, 0.6f, 1.0f}) {
    const Material material = make_material(Vec3f::Ones(), 1, roughness);
    for (const float cosine : {0.05f, 0.3f, 0.8f, 1.0f}) {
      const Vec3f to_eye(std::sqrt(1 - cosine * cosine), 0, cosine);
      float sum = 0;
      for (uint32_t i = 0; i < 1024; ++i) sum += sample_glossy(material, Vec3f::UnitZ(), to_eye, sample_square(i, 3)).weight.x();
      EXPECT_LE(sum / 1024, 1.001f);
      EXPECT_GE(sum / 1024, 0.3f);
    }
  }
}

TEST(Shading, the_roughest_white_mirror_seen_straight_on_returns_one_minus_log_two) {
  const Material material = make_material(Vec3f::Ones(), 1, 1);
  double sum = 0;
  for (uint32_t i = 0; i < 4096; ++i) sum += sample_glossy(material, Vec3f::UnitZ(), Vec3f::UnitZ(), sample_square(i, 3)).weight.x();
  EXPECT_NEAR(sum / 4096, 1 - std::log(2.0), 1e-3);
}

TEST(Shading, sampled_and_evaluated_highlights_agree) {
  const Material material = make_material(Vec3f::Ones(), 1, 0.6f);
  const Vec3f to_eye = Vec3f(0.5f, 0, 0.8f).normalized();
  double sampled = 0, evaluated = 0;
  constexpr int kCount = 1 << 16;
  for (uint32_t i = 0; i < kCount; ++i) {
    sampled += sample_glossy(material, Vec3f::UnitZ(), to_eye, sample_square(i, 3)).weight.x();
    const Vec2f square = sample_square(i, 4);
    const float z = square.x(), across = std::sqrt(1 - z * z), angle = 6.2831853f * square.y();
    evaluated += 6.2831853 * glossy(material, Vec3f::UnitZ(), to_eye, Vec3f(across * std::cos(angle), across * std::sin(angle), z), 0).x();
  }
  EXPECT_NEAR(sampled / kCount, evaluated / kCount, 0.01);
}

TEST(Film, the_filmic_curve_rises_from_black_to_white) {
  float before = -1;
  for (float light = 0; light < 20; light += 0.05f) {
    const float shown = filmic(Vec3f::Constant(light)).x();
    EXPECT_GE(shown, before);
    EXPECT_LE(shown, 1);
    before = shown;
  }
  EXPECT_EQ(filmic(Vec3f::Zero()).x(), 0);
  EXPECT_GT(before, 0.99f);
}

}  // namespace
}  // namespace crumple::render

#include "assets/generator/models.h"

#include "crumple/geometry/doctor.h"
#include "crumple/geometry/sample.h"
#include "crumple/geometry/winding.h"
#include "crumple/io/mesh_file.h"
#include "crumple/methods/clusters/surface.h"
#include "tests/geometry/closed_checks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <numbers>
#include <string>

using namespace crumple;
using namespace crumple::generator;

namespace {

/// What is known of each from its measures.
struct Expected {
  std::string_view name;
  Vec3 size;
  double volume, volume_within;
  int euler;          // 0: not looked at
  size_t shells = 0;  // likewise
};
const Expected kExpected[] = {
    {"bar", {1.6, 0.4, 0.4}, 1.6 * 0.4 * 0.4, 0.002, 2},
    {"plate", {1, 1, 0.04}, 0.04, 0.0002, 2},
    {"shell", {0.6, 0.6, 0.6}, 4 * std::numbers::pi / 3 * (0.027 - 0.019683), 0.0003, 4},
    {"heart", {0.5, 0.475, 0.297}, 0.035, 0.002, 2},
    {"figure", {0.91, 1, 0.37}, 0.074, 0.004, 2},
    {"bird", {0.47, 0.515, 0.6}, 0.0404, 0.0005, 2},
    {"hare", {0.26, 0.471, 0.422}, 0.012, 0.0005, 0},
    {"cheese", {0.505, 0.22, 0.355}, 0.0176, 0.001, 0},
};

/// Rods, balls and discs that go through each other; a solid is made of them where they are filled.
const Expected kOfParts[] = {
    {"jack", {0.4776, 0.4744, 0.4744}, 6 * 0.0016 * 0.5 + 4 * 0.00097, 0.0009, 0, 10},
    {"sign", {0.72, 2.6, 0.6}, 2.58 * 0.0043 + 0.034 + 0.0163 + 0.0113, 0.004, 0, 4},
    {"cage", {0.544, 1.8, 0.544}, 4 * 1.8 * 0.00137 + 12 * 0.5 * 0.00092, 0.001, 0, 16},
    {"mannequin", {1.301, 1.238, 0.476}, 0.03, 0.004, 0, 1},
};

const TriMesh& model_file(std::string_view name) {
  static std::map<std::string_view, TriMesh> read;
  if (const auto found = read.find(name); found != read.end()) return found->second;
  const auto file = std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets/models" / (std::string(name) + ".glb");
  const Result<TriMesh> mesh = io::read_mesh(file);
  EXPECT_TRUE(mesh) << mesh.error().text;
  return read[name] = mesh ? *mesh : TriMesh();
}

TEST(Models, are_the_files_among_the_assets) {
  ASSERT_EQ(models().size(), std::size(kExpected) + std::size(kOfParts));
  for (const Model& model : models()) {
    const Result<TriMesh> made = model.make();
    ASSERT_TRUE(made) << made.error().text;
    const TriMesh& file = model_file(model.name);
    ASSERT_EQ(made->triangles, file.triangles) << model.name;
    ASSERT_EQ(made->positions.size(), file.positions.size());
    ASSERT_EQ(made->colors.size(), file.colors.size());
    for (size_t i = 0; i < file.positions.size(); ++i) EXPECT_LT((made->positions[i] - file.positions[i]).norm(), 1e-6);
    for (size_t i = 0; i < file.colors.size(); ++i) EXPECT_LT((made->colors[i] - file.colors[i]).norm(), 1e-3f);
  }
}

TEST(Models, are_closed_face_outward_and_have_the_size_they_are_said_to_have) {
  for (const Expected& e : kExpected) {
    const TriMesh& mesh = model_file(e.name);
    EXPECT_TRUE(is_closed_manifold(mesh)) << e.name;
    EXPECT_GT(smallest_angle(mesh), 5) << e.name;
    EXPECT_NEAR(signed_volume(mesh.positions, mesh.triangles), e.volume, e.volume_within) << e.name;
    const Bounds box = bounds_of(mesh.positions);
    EXPECT_LT((box.high - box.low - e.size).cwiseAbs().maxCoeff(), 0.012) << e.name;
    EXPECT_LT((box.high + box.low).cwiseAbs().maxCoeff(), 0.02) << e.name;
    if (e.euler != 0) {
      EXPECT_EQ(euler_number(mesh), e.euler) << e.name;
    }
  }
}

TEST(Models, those_that_bend_are_closed_and_have_the_size_they_are_said_to_have) {
  for (const Expected& e : kOfParts) {
    const TriMesh& mesh = model_file(e.name);
    const MeshReport report = examine(mesh);
    EXPECT_EQ(report.find(MeshFinding::Kind::Hole), nullptr) << e.name;
    EXPECT_EQ(report.find(MeshFinding::Kind::InsideOut), nullptr) << e.name;
    if (e.shells > 0) {
      EXPECT_EQ(report.shells, e.shells) << e.name;
    }
    EXPECT_NEAR(signed_volume(mesh.positions, mesh.triangles), e.volume, e.volume_within) << e.name;
    const Bounds box = bounds_of(mesh.positions);
    EXPECT_LT((box.high - box.low - e.size).cwiseAbs().maxCoeff(), 0.005) << e.name;
  }
}

TEST(Models, living_things_and_the_heart_are_the_same_on_both_sides) {
  for (const std::string_view name : {"heart", "figure", "bird", "hare"}) {
    const TriMesh& mesh = model_file(name);
    const WindingTree winding(mesh.positions, mesh.triangles);
    for (size_t i = 0; i < mesh.positions.size(); i += 7) {
      const Vec3 p = mesh.positions[i], mirrored(-p.x(), p.y(), p.z());
      EXPECT_NEAR(winding.winding(0.98 * p), winding.winding(0.98 * mirrored), 0.02) << name;
    }
  }
}

TEST(Models, cheese_has_holes_inside) {
  const MeshReport report = examine(model_file("cheese"));
  EXPECT_GT(report.shells, 5u);
  EXPECT_EQ(report.find(MeshFinding::Kind::InsideOut), nullptr);
}

TEST(Models, can_be_filled_with_particles_and_seen_as_clusters) {
  for (const Expected& e : kExpected) {
    const TriMesh& mesh = model_file(e.name);
    SampleSettings sample;
    sample.spacing = spacing_for(3000, signed_volume(mesh.positions, mesh.triangles), area_of(mesh));
    const auto points = sample_inside(mesh, sample);
    ASSERT_TRUE(points) << points.error().text;
    EXPECT_NEAR(static_cast<double>(points->size()), 3000, 600) << e.name;
    clusters::Particles particles;
    particles.positions = *points, particles.masses = {0.01};
    clusters::Settings settings;
    const auto model = clusters::build(particles, settings);
    ASSERT_TRUE(model) << e.name << ": " << model.error().text;
    const auto surface = clusters::build_surface(*model, std::make_shared<TriMesh>(mesh));
    ASSERT_TRUE(surface) << e.name << ": " << surface.error().text;
  }
}

}  // namespace

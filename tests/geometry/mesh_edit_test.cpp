// Changes of a surface keep what the artist gave it.
#include "crumple/geometry/mesh_edit.h"

#include <gtest/gtest.h>

#include <set>

#include "crumple/core/pattern.h"
#include "crumple/geometry/choose.h"
#include "crumple/geometry/refine.h"
#include "crumple/geometry/rigid_parts.h"
#include "tests/painted_model.h"

namespace crumple {
namespace {

TEST(MeshEdit, a_part_keeps_all_that_its_vertices_and_triangles_have) {
  const TriMesh box = painted_box();
  std::vector<int> vertices;
  const std::vector<int> some = {4, 5, 7};
  const TriMesh part = part_of(box, some, &vertices);
  ASSERT_EQ(part.triangles.size(), 3u);
  ASSERT_EQ(part.positions.size(), vertices.size());
  for (size_t v = 0; v < vertices.size(); ++v) {
    const auto was = static_cast<size_t>(vertices[v]);
    EXPECT_EQ(part.positions[v], box.positions[was]);
    EXPECT_EQ(part.uvs[v], box.uvs[was]);
    EXPECT_EQ(part.normals[v], box.normals[was]);
  }
  for (size_t t = 0; t < some.size(); ++t) {
    EXPECT_EQ(part.material_of(t), box.material_of(static_cast<size_t>(some[t])));
    EXPECT_EQ(part.group_of(t), box.group_of(static_cast<size_t>(some[t])));
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(part.positions[static_cast<size_t>(part.triangles[t][k])], box.positions[static_cast<size_t>(box.triangles[static_cast<size_t>(some[t])][k])]);
  }
}

TEST(MeshEdit, surfaces_are_put_together_with_materials_names_and_rigid_parts) {
  TriMesh whole = painted_box();
  whole.rigid.assign(whole.triangles.size(), 0);
  whole.rigid[3] = 2;
  TriMesh plain = make_box(Vec3(1, 1, 1));
  plain.rigid.assign(plain.triangles.size(), 1);
  const size_t vertices = whole.positions.size(), triangles = whole.triangles.size();
  append_mesh(plain, whole);
  EXPECT_EQ(whole.positions.size(), vertices + plain.positions.size());
  EXPECT_EQ(whole.uvs.size(), whole.positions.size());
  EXPECT_EQ(whole.normals.size(), whole.positions.size());
  ASSERT_EQ(whole.materials->size(), 3u);
  EXPECT_EQ(whole.material_of(triangles), 2);
  EXPECT_EQ(whole.group_of(triangles), 2);
  EXPECT_EQ(whole.rigid[3], 2);
  EXPECT_EQ(whole.rigid[triangles], 3) << "parts of both stay apart";
  append_mesh(painted_box(), whole);
  EXPECT_EQ(whole.rigid.back(), 0);
}

TEST(MeshEdit, refined_triangles_have_the_material_and_group_of_the_one_they_come_from) {
  const TriMesh fine = refined(painted_box(), 0.3, 100000, nullptr);
  ASSERT_GT(fine.triangles.size(), 100u);
  ASSERT_EQ(fine.material.size(), fine.triangles.size());
  for (size_t t = 0; t < fine.triangles.size(); ++t) {
    Vec3 middle = Vec3::Zero();
    for (const int v : fine.triangles[t]) middle += fine.positions[static_cast<size_t>(v)] / 3;
    EXPECT_EQ(fine.material_of(t), middle.y() > 0.499 ? 1 : 0);
    EXPECT_EQ(fine.group_of(t), fine.material_of(t));
    for (const int v : fine.triangles[t]) EXPECT_NEAR(fine.normals[static_cast<size_t>(v)].norm(), 1, 1e-6);
  }
}

TEST(MeshEdit, lists_of_the_wrong_length_and_normals_without_direction_go) {
  TriMesh box = painted_box();
  box.uvs.pop_back();
  box.normals[3] = Vec3f::Zero();
  box.material.pop_back();
  drop_unfit_attributes(box);
  EXPECT_TRUE(box.uvs.empty());
  EXPECT_TRUE(box.normals.empty());
  EXPECT_TRUE(box.material.empty());
  EXPECT_EQ(box.group.size(), box.triangles.size());
}

TEST(MeshEdit, the_only_plain_material_can_be_taken_off) {
  TriMesh box = painted_box();
  EXPECT_FALSE(take_plain_material(box)) << "there are two";
  Materials one(1);
  one[0].name = "steel", one[0].color = Vec3f(0.1f, 0.2f, 0.3f);
  box.materials = std::make_shared<const Materials>(one), box.material.clear();
  const auto taken = take_plain_material(box);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->name, "steel");
  EXPECT_FALSE(box.materials);
}

TEST(Pattern, stars_marks_and_parts_of_paths) {
  EXPECT_TRUE(matches_pattern("wheel*", "wheel_front_left"));
  EXPECT_TRUE(matches_pattern("*left", "car/wheel_left"));
  EXPECT_TRUE(matches_pattern("wheel?", "car/wheel3/tyre")) << "any part of a path";
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_FALSE(matches_pattern("wheel", "wheels"));
  EXPECT_FALSE(matches_pattern("w?l", "wl"));
  EXPECT_FALSE(matches_pattern("", "x"));
  EXPECT_FALSE(matches_pattern(std::string(5000, '*') + "b", std::string(5000, 'a'))) << "in no time";
}

TEST(Choose, triangles_by_names_of_objects_and_materials) {
  const TriMesh box = painted_box();
  const std::vector<std::string> lid = {"lid"}, body = {"box/b*"}, both = {"lid", "painted"}, none = {"wheel*"}, nearly = {"lit"};
  const auto count = [&](const std::vector<std::string>& patterns) {
    const auto marked = matching_triangles(box, patterns, "--only");
    EXPECT_TRUE(marked) << marked.error().text;
    return std::count(marked->begin(), marked->end(), true);
  };
  EXPECT_EQ(count(lid), 2);
  EXPECT_EQ(count(body), 10);
  EXPECT_EQ(count(both), 12);
  EXPECT_EQ(count({}), 0);
  EXPECT_EQ(matching_triangles(box, none, "--only").error().text, "--only \"wheel*\": matches no object or material; there are \"box/body\", \"box/lid\", \"painted\", \"lid\"");
  EXPECT_NE(matching_triangles(box, nearly, "--only").error().text.find("did you mean \"lid\""), std::string::npos);
}

TEST(Choose, a_helper_that_is_far_larger_is_named) {
  TriMesh scene = painted_box(Vec3(1, 1, 1), 2);
  EXPECT_TRUE(far_groups(scene).empty());
  TriMesh cone = make_box(Vec3(200, 1, 1));
  cone.groups = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"light cone"});
  append_mesh(cone, scene);
  const std::vector<FarGroup> far = far_groups(scene);
  ASSERT_EQ(far.size(), 1u);
  EXPECT_EQ(far[0].name, "light cone");
  EXPECT_NEAR(far[0].others, std::sqrt(3.0), 1e-9);
  EXPECT_GT(far[0].size, 199);
}

TEST(Choose, several_helpers_are_named_together_and_materials_where_objects_tell_nothing) {
  TriMesh scene = make_sphere(1);
  const auto with_material = [](TriMesh mesh, const std::string& name) {
    Materials materials(1);
    materials[0].name = name;
    mesh.materials = std::make_shared<const Materials>(materials);
    return mesh;
  };
  scene = with_material(scene, "hull");
  for (const auto& [name, length] : {std::pair{"beam left", 150.0}, std::pair{"beam right", 200.0}})
    append_mesh(with_material(make_box(Vec3(length, 1, 1)), name), scene);
  const std::vector<FarGroup> far = far_groups(scene);
  ASSERT_EQ(far.size(), 2u);
  EXPECT_EQ(std::set<std::string>({far[0].name, far[1].name}), (std::set<std::string>{"beam left", "beam right"}));
  EXPECT_NEAR(far[0].others, 2 * std::sqrt(3.0), 0.1);
  EXPECT_TRUE(far_groups(with_material(make_box(Vec3(200, 1, 1)), "all there is")).empty());
}

TEST(RigidParts, keep_their_shape_while_the_rest_is_bent) {
  TriMesh both = painted_box();
  TriMesh wheel = make_sphere(0.2);
  for (Vec3& p : wheel.positions) p += Vec3(1, 0, 0);
  wheel.groups = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"wheel"});
  append_mesh(wheel, both);
  std::vector<bool> marked(both.triangles.size(), false);
  for (size_t t = 12; t < marked.size(); ++t) marked[t] = true;
  mark_rigid_parts(marked, both);
  EXPECT_EQ(std::set<uint16_t>(both.rigid.begin(), both.rigid.end()), (std::set<uint16_t>{0, 1}));
  // Sheared, stretched and turned.
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3(1, 1, 0).normalized()).toRotationMatrix();
  std::vector<Vec3f> moved;
  for (const Vec3& p : both.positions) moved.push_back((turn * Vec3(1.5 * p.x() + 0.2 * p.y(), p.y(), 0.7 * p.z()) + Vec3(3, 2, 1)).cast<float>());
  const std::vector<Vec3f> bent = moved;
  keep_rigid_parts(both, moved);
  const size_t first = painted_box().positions.size();
  for (size_t v = 0; v < first; ++v) EXPECT_EQ(moved[v], bent[v]);
  Vec3 before = Vec3::Zero(), after = Vec3::Zero();
  std::set<size_t> corners;
  for (size_t t = 12; t < both.triangles.size(); ++t) {
    for (const int v : both.triangles[t]) corners.insert(static_cast<size_t>(v));
  }
  for (const size_t v : corners) {
    before += bent[v].cast<double>(), after += moved[v].cast<double>();
    EXPECT_NEAR(double{(moved[v] - moved[*corners.begin()]).norm()}, (both.positions[v] - both.positions[*corners.begin()]).norm(), 1e-6);
    EXPECT_NEAR(double{(moved[v] - moved[*corners.rbegin()]).norm()}, (both.positions[v] - both.positions[*corners.rbegin()]).norm(), 1e-6);
  }
  EXPECT_LT((before - after).norm() / static_cast<double>(corners.size()), 1e-6) << "its middle stays where it was carried";
}

TEST(RigidParts, loose_parts_move_on_their_own) {
  TriMesh two = make_box(Vec3(1, 1, 1));
  TriMesh other = make_box(Vec3(1, 1, 1));
  for (Vec3& p : other.positions) p.x() += 3;
  append_mesh(other, two);
  mark_rigid_parts(std::vector<bool>(two.triangles.size(), true), two);
  EXPECT_EQ(std::set<uint16_t>(two.rigid.begin(), two.rigid.end()), (std::set<uint16_t>{1, 2}));
  mark_rigid_parts(std::vector<bool>(two.triangles.size(), false), two);
  EXPECT_TRUE(two.rigid.empty());
}

}  // namespace
}  // namespace crumple

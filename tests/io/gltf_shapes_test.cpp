#include "crumple/io/gltf_shapes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <numbers>

#include "crumple/io/files.h"
#include "crumple/io/gltf.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/shape_files.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

using io::GltfBuilder;
using io::GltfDocument;
using io::ShapeSet;

/// As a file would hold it.
GltfDocument document_of(GltfBuilder builder) {
  GltfDocument built = std::move(builder).finish();
  Result<std::string> bytes = io::write_glb(built);
  EXPECT_TRUE(bytes) << bytes.error().text;
  Result<GltfDocument> read = io::parse_glb(*bytes, "test.glb");
  EXPECT_TRUE(read) << read.error().text;
  return std::move(*read);
}

std::vector<Vec3f> floats_of(const std::vector<Vec3>& points) {
  std::vector<Vec3f> result;
  for (const Vec3& p : points) result.push_back(p.cast<float>());
  return result;
}

/// A box as a primitive; each vertex is moved by shift(position) in each morph target.
using Shift = Vec3 (*)(const Vec3&);
Json box_primitive(GltfBuilder& builder, const TriMesh& box, const std::vector<Shift>& targets) {
  Json primitive = Json::object({{"attributes", Json::object({{"POSITION", builder.add_positions(floats_of(box.positions))}})},
                                 {"indices", builder.add_triangles(box.triangles)}});
  Json list = Json::array();
  for (const Shift shift : targets) {
    std::vector<Vec3> shifts;
    for (const Vec3& p : box.positions) shifts.push_back(shift(p));
    list.push(Json::object({{"POSITION", builder.add_positions(floats_of(shifts))}}));
  }
  if (!targets.empty()) primitive["targets"] = std::move(list);
  return primitive;
}

Vec3 widened(const Vec3& p) {
  return {0.5 * p.x(), 0, 0};
}
Vec3 lifted(const Vec3& p) {
  return {0, p.x() > 0 ? 0.25 : 0, 0};
}

/// Two boxes in two meshes; both are "wide" in a shape key, only the first is "up" in another.
GltfBuilder two_boxes() {
  GltfBuilder builder("test");
  const TriMesh box = make_box({1, 1, 1});
  Json first = Json::object({{"primitives", Json::array({box_primitive(builder, box, {widened, lifted})})}});
  first["extras"] = Json::object({{"targetNames", Json::array({"wide", "up"})}});
  Json second = Json::object({{"primitives", Json::array({box_primitive(builder, box, {widened})})}});
  second["extras"] = Json::object({{"targetNames", Json::array({"wide"})}});
  builder.add("meshes", first);
  builder.add("meshes", second);
  builder.add("nodes", Json::object({{"mesh", 0}}));
  builder.add("nodes", Json::object({{"mesh", 1}, {"translation", Json::array({0, 5, 0})}, {"scale", Json::array({2, 2, 2})}}));
  builder.add("scenes", Json::object({{"nodes", Json::array({0, 1})}}));
  return builder;
}

TEST(GltfShapes, every_shape_key_is_a_shape_and_names_join_meshes) {
  const Result<ShapeSet> set = io::read_gltf_shapes(document_of(two_boxes()));
  ASSERT_TRUE(set) << set.error().text;
  const TriMesh box = make_box({1, 1, 1});
  const size_t count = box.positions.size();
  ASSERT_EQ(set->rest.positions.size(), 2 * count);
  ASSERT_EQ(set->shapes.size(), 2u);
  EXPECT_EQ(set->shapes[0].name, "wide");
  EXPECT_EQ(set->shapes[1].name, "up");
  for (size_t v = 0; v < count; ++v) {
    const Vec3& p = box.positions[v];
    EXPECT_LT((set->rest.positions[v] - p).norm(), 1e-6);
    EXPECT_LT((set->rest.positions[count + v] - (2 * p + Vec3(0, 5, 0))).norm(), 1e-6);
    EXPECT_LT((set->shapes[0].positions[v] - (p + widened(p))).norm(), 1e-6);
    EXPECT_LT((set->shapes[0].positions[count + v] - (2 * (p + widened(p)) + Vec3(0, 5, 0))).norm(), 1e-6);
    EXPECT_LT((set->shapes[1].positions[v] - (p + lifted(p))).norm(), 1e-6);
    EXPECT_LT((set->shapes[1].positions[count + v] - set->rest.positions[count + v]).norm(), 1e-9);
  }
}

TEST(GltfShapes, only_the_shapes_that_are_named_are_read) {
  const GltfDocument document = document_of(two_boxes());
  io::ShapeSettings settings;
  settings.only = {"up"};
  const Result<ShapeSet> one = io::read_gltf_shapes(document, settings);
  ASSERT_TRUE(one) << one.error().text;
  ASSERT_EQ(one->shapes.size(), 1u);
  EXPECT_EQ(one->shapes[0].name, "up");
  settings.only = {"upp"};
  const Result<ShapeSet> none = io::read_gltf_shapes(document, settings);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("no shape \"upp\"; its shapes are \"wide\", \"up\""), std::string::npos) << none.error().text;
  settings.only.clear(), settings.most_shapes = 1;
  EXPECT_FALSE(io::read_gltf_shapes(document, settings));
}

/// A box along x that two joints hold, the right half by the second.
struct Arm {
  GltfBuilder builder{"test"};
  TriMesh box = make_box({2, 0.5, 0.5});
  Arm(const Json& right_rotation = Json::array({0, 0, 0, 1})) {
    Json primitive = box_primitive(builder, box, {});
    std::vector<std::array<uint16_t, 4>> joints;
    std::vector<std::array<float, 4>> weights;
    for (const Vec3& p : box.positions)
      joints.push_back({0, 1, 0, 0}), weights.push_back(p.x() > 0 ? std::array<float, 4>{0.25f, 0.75f, 0, 0} : std::array<float, 4>{1, 0, 0, 0});
    primitive.find("attributes")->members.emplace_back("JOINTS_0", Json(builder.add_joints(joints)));
    primitive.find("attributes")->members.emplace_back("WEIGHTS_0", Json(builder.add_vec4(weights)));
    builder.add("meshes", Json::object({{"primitives", Json::array({primitive})}}));
    std::vector<Eigen::Matrix4f> to_joint(2, Eigen::Matrix4f::Identity());
    to_joint[1](0, 3) = -0.5f;
    builder.add("skins", Json::object({{"joints", Json::array({0, 1})}, {"inverseBindMatrices", builder.add_matrices(to_joint)}}));
    builder.add("nodes", Json::object({{"name", "left"}, {"children", Json::array({1})}}));
    builder.add("nodes", Json::object({{"name", "right"}, {"translation", Json::array({0.5, 0, 0})}, {"rotation", right_rotation}}));
    builder.add("nodes", Json::object({{"mesh", 0}, {"skin", 0}}));
    builder.add("scenes", Json::object({{"nodes", Json::array({0, 2})}}));
  }
  /// Turns the right joint about z, by these degrees at these times.
  void animate(const std::string& name, const std::vector<float>& times, const std::vector<double>& angles, const char* interpolation = "LINEAR") {
    std::vector<std::array<float, 4>> turns;
    for (const double angle : angles) {
      const Quat q(Eigen::AngleAxisd(angle * std::numbers::pi / 180, Vec3::UnitZ()));
      turns.push_back({0, 0, static_cast<float>(q.z()), static_cast<float>(q.w())});
    }
    Json sampler = Json::object(
        {{"input", builder.add_scalars(times)}, {"output", builder.add_vec4(turns, io::GltfTarget::Other)}, {"interpolation", interpolation}});
    Json channel = Json::object({{"sampler", 0}, {"target", Json::object({{"node", 1}, {"path", "rotation"}})}});
    builder.add("animations", Json::object({{"name", name}, {"samplers", Json::array({sampler})}, {"channels", Json::array({channel})}}));
  }
  /// By hand: a quarter stays with the left joint, three quarters turn about (0.5, 0, 0).
  Vec3 turned(const Vec3& p, double degrees) const {
    if (p.x() <= 0) return p;
    const Vec3 pivot(0.5, 0, 0);
    return 0.25 * p + 0.75 * (Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitZ()) * (p - pivot) + pivot);
  }
  void expect_turned(const std::vector<Vec3>& positions, double degrees) const {
    ASSERT_EQ(positions.size(), box.positions.size());
    for (size_t v = 0; v < positions.size(); ++v) EXPECT_LT((positions[v] - turned(box.positions[v], degrees)).norm(), 1e-6) << degrees;
  }
};

TEST(GltfShapes, animations_of_an_armature_end_in_shapes) {
  Arm arm;
  arm.animate("raise", {0, 1}, {0, 60});
  arm.animate("lower", {0, 1, 2}, {0, 10, -90});
  const Result<ShapeSet> set = io::read_gltf_shapes(document_of(std::move(arm.builder)));
  ASSERT_TRUE(set) << set.error().text;
  arm.expect_turned(set->rest.positions, 0);
  ASSERT_EQ(set->shapes.size(), 2u);
  EXPECT_EQ(set->shapes[0].name, "raise");
  arm.expect_turned(set->shapes[0].positions, 60);
  EXPECT_EQ(set->shapes[1].name, "lower");
  arm.expect_turned(set->shapes[1].positions, -90);
}

TEST(GltfShapes, keys_of_an_only_animation_are_shapes_and_those_alike_are_left_out) {
  Arm arm;
  arm.animate("moves", {0, 1, 2, 3, 4, 5}, {0, 40, 40.1, 80, 40, -30});
  const Result<ShapeSet> set = io::read_gltf_shapes(document_of(std::move(arm.builder)));
  ASSERT_TRUE(set) << set.error().text;
  ASSERT_EQ(set->shapes.size(), 3u);  // 0 is rest, and of the three at 40 one is enough
  EXPECT_EQ(set->shapes[0].name, "moves 3 s");
  arm.expect_turned(set->shapes[0].positions, 80);
  EXPECT_EQ(set->shapes[1].name, "moves 4 s");
  arm.expect_turned(set->shapes[1].positions, 40);
  EXPECT_EQ(set->shapes[2].name, "moves 5 s");
  arm.expect_turned(set->shapes[2].positions, -30);
}

TEST(GltfShapes, an_armature_posed_in_the_scene_is_a_shape) {
  const Quat turn(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitZ()));
  Arm arm(Json::array({0, 0, turn.z(), turn.w()}));
  const Result<ShapeSet> set = io::read_gltf_shapes(document_of(std::move(arm.builder)));
  ASSERT_TRUE(set) << set.error().text;
  arm.expect_turned(set->rest.positions, 0);
  ASSERT_EQ(set->shapes.size(), 1u);
  EXPECT_EQ(set->shapes[0].name, "pose");
  arm.expect_turned(set->shapes[0].positions, 90);
}

TEST(GltfShapes, poses_between_keys_are_where_their_interpolation_puts_them) {
  for (const auto& [interpolation, wanted] : {std::pair{"LINEAR", 15.0}, {"STEP", 0.0}}) {
    Arm arm;
    arm.animate("raise", {1, 3}, {0, 60}, interpolation);
    const GltfDocument document = document_of(std::move(arm.builder));
    Result<io::GltfScene> scene = io::GltfScene::open(document);
    ASSERT_TRUE(scene);
    const auto angle_at = [&](double time) {
      const Result<io::GltfScene::Posed> pose = scene->pose_at(0, time);
      return pose ? Eigen::AngleAxisd(pose->nodes[1].rotation).angle() * 180 / std::numbers::pi : -1;
    };
    EXPECT_NEAR(angle_at(0), 0, 1e-4);
    EXPECT_NEAR(angle_at(1.5), wanted, 1e-4);
    EXPECT_NEAR(angle_at(9), 60, 1e-4);
    const Result<std::vector<double>> times = scene->key_times(0);
    ASSERT_TRUE(times);
    EXPECT_EQ(*times, (std::vector<double>{1, 3}));
  }
}

TEST(GltfShapes, refuses_files_without_shapes_and_broken_ones) {
  const auto error_of = [](GltfBuilder builder) {
    const Result<ShapeSet> set = io::read_gltf_shapes(document_of(std::move(builder)));
    EXPECT_FALSE(set);
    return set ? "" : set.error().text;
  };
  EXPECT_NE(error_of(Arm().builder).find("one shape only"), std::string::npos);
  GltfBuilder short_target = two_boxes();
  Json& target = short_target.json().find("meshes")->items[0].find("primitives")->items[0].find("targets")->items[1];
  target["POSITION"] = short_target.add_positions(std::vector<Vec3f>(3, Vec3f::Zero()));
  EXPECT_NE(error_of(std::move(short_target)).find("\"up\" does not match"), std::string::npos);
  Arm stray;
  stray.animate("raise", {0, 1}, {0, 60});
  stray.builder.json().find("skins")->items[0]["joints"] = Json::array({0});
  EXPECT_NE(error_of(std::move(stray.builder)).find("follows joint 1, but its skin has 1"), std::string::npos);
  Arm lost;
  lost.builder.json().find("skins")->items[0]["joints"] = Json::array({0, 99});
  EXPECT_NE(error_of(std::move(lost.builder)).find("names a node that does not exist"), std::string::npos);
  Arm uneven;
  uneven.animate("raise", {0, 1, 2}, {0, 60});
  EXPECT_NE(error_of(std::move(uneven.builder)).find("3 keys do not match 2 values"), std::string::npos);
}

// A square in the plane x, y as two quads; normals and texture coordinates differ from file to file.
constexpr const char* kRest = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nvn 0 0 1\nvt 0 0\nvt 1 0\nvt 0.5 1\n";

Result<ShapeSet> read_two(const Scratch& scratch, const std::string& rest, const std::string& example) {
  write_text(scratch / "rest.obj", rest);
  write_text(scratch / "bent.obj", example);
  const std::filesystem::path files[] = {scratch / "rest.obj", scratch / "bent.obj"};
  return io::read_shape_files(files);
}

TEST(ShapeFiles, vertices_of_obj_files_belong_together_by_number_whatever_their_normals) {
  const Scratch scratch;
  // At rest the quads share a normal; bent they do not, so the same vertices would be doubled in one file only. A seam doubles two at rest.
  const std::string rest = std::string(kRest) + "f 1/1/1 2/2/1 5/3/1 4/1/1\nf 2/1/1 3/2/1 6/3/1 5/1/1\n";
  const std::string bent =
      "v 0 0 0\nv 1 0 0\nv 1.5 0 1\nv 0 1 0\nv 1 1 0\nv 1.5 1 1\nvn 0 0 1\nvn -0.9 0 0.4\nf 1//1 2//1 5//1 4//1\nf 2//2 3//2 6//2 5//2\n";
  const Result<ShapeSet> set = read_two(scratch, rest, bent);
  ASSERT_TRUE(set) << set.error().text;
  EXPECT_EQ(set->rest.positions.size(), 8u);  // two on the seam
  ASSERT_EQ(set->shapes.size(), 1u);
  EXPECT_EQ(set->shapes[0].name, "bent");
  EXPECT_TRUE(set->warnings.empty());
  for (size_t v = 0; v < 8; ++v) {
    const Vec3& p = set->rest.positions[v];
    const Vec3 wanted = p.x() < 1.5 ? p : Vec3(1.5, p.y(), 1);
    EXPECT_EQ(set->shapes[0].positions[v], wanted);
  }
}

TEST(ShapeFiles, other_counts_are_refused_and_both_are_named) {
  const Scratch scratch;
  const std::string rest = std::string(kRest) + "f 1 2 5 4\nf 2 3 6 5\n";
  const Result<ShapeSet> set = read_two(scratch, rest, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().text.find("bent.obj: has 3 vertices"), std::string::npos) << set.error().text;
  EXPECT_NE(set.error().text.find("rest.obj has 6"), std::string::npos);
}

/// A ladder of ten quads; rung i has vertices number(2 i) and number(2 i + 1), and quads begin at corner `first`.
std::string ladder(const std::function<int(int)>& number, int first) {
  std::string text;
  for (int i = 0; i < 22; ++i) text += "v " + std::to_string(i / 2) + " " + std::to_string(i % 2) + " 0\n";
  for (int i = 0; i < 10; ++i) {
    const int corners[] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1};
    text += "f";
    for (int k = 0; k < 4; ++k) text += " " + std::to_string(number(corners[(k + first) % 4]) + 1);
    text += "\n";
  }
  return text;
}

TEST(ShapeFiles, renumbered_vertices_are_noticed_and_other_diagonals_forgiven) {
  const Scratch scratch;
  const auto same = [](int i) { return i; };
  const std::string rest = ladder(same, 0);
  const Result<ShapeSet> renumbered = read_two(scratch, rest, ladder([](int i) { return i * 7 % 22; }, 0));
  ASSERT_FALSE(renumbered);
  EXPECT_NE(renumbered.error().text.find("renumbered"), std::string::npos) << renumbered.error().text;
  const Result<ShapeSet> other = read_two(scratch, rest, ladder(same, 1));
  ASSERT_TRUE(other) << other.error().text;
  EXPECT_EQ(other->warnings.size(), 1u);
  const Result<ShapeSet> begun_elsewhere = read_two(scratch, rest, ladder(same, 2));  // the same diagonals
  ASSERT_TRUE(begun_elsewhere) << begun_elsewhere.error().text;
  EXPECT_TRUE(begun_elsewhere->warnings.empty());
}

/// A box, sheared, as facets that know nothing of each other.
std::string stl_box(double shear, bool backwards) {
  const TriMesh box = make_box({1, 1, 1});
  std::string text = "solid box\n";
  for (size_t t = 0; t < box.triangles.size(); ++t) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int v : box.triangles[backwards ? box.triangles.size() - 1 - t : t]) {
      const Vec3& p = box.positions[static_cast<size_t>(v)];
      text += "vertex " + std::to_string(p.x() + shear * p.y()) + " " + std::to_string(p.y()) + " " + std::to_string(p.z()) + "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid\n";
}

TEST(ShapeFiles, facets_of_stl_files_belong_together_by_their_order) {
  const Scratch scratch;
  write_text(scratch / "rest.stl", stl_box(0, false));
  write_text(scratch / "sheared.stl", stl_box(0.8, false));
  write_text(scratch / "backwards.stl", stl_box(0.8, true));
  const std::filesystem::path good[] = {scratch / "rest.stl", scratch / "sheared.stl"}, bad[] = {scratch / "rest.stl", scratch / "backwards.stl"};
  const Result<ShapeSet> set = io::read_shape_files(good);
  ASSERT_TRUE(set) << set.error().text;
  for (size_t v = 0; v < set->rest.positions.size(); ++v) {
    const Vec3& p = set->rest.positions[v];
    EXPECT_LT((set->shapes[0].positions[v] - (p + Vec3(0.8 * p.y(), 0, 0))).norm(), 1e-5);
  }
  const Result<ShapeSet> mixed = io::read_shape_files(bad);
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().text.find("another order"), std::string::npos) << mixed.error().text;
}

TEST(ShapeFiles, one_file_must_hold_several_shapes) {
  const Scratch scratch;
  write_text(scratch / "rest.obj", std::string(kRest) + "f 1 2 5 4\n");
  const std::filesystem::path obj[] = {scratch / "rest.obj"};
  const Result<ShapeSet> lonely = io::read_shape_files(obj);
  ASSERT_FALSE(lonely);
  EXPECT_NE(lonely.error().text.find("give the example shapes"), std::string::npos);
  const Result<std::string> bytes = io::write_glb(std::move(two_boxes()).finish());
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(io::write_file(scratch / "keys.glb", *bytes));
  const std::filesystem::path glb[] = {scratch / "keys.glb"};
  const Result<ShapeSet> keys = io::read_shape_files(glb);
  ASSERT_TRUE(keys) << keys.error().text;
  EXPECT_EQ(keys->shapes.size(), 2u);
  const std::filesystem::path missing[] = {scratch / "rest.obj", scratch / "nowhere.obj"};
  EXPECT_FALSE(io::read_shape_files(missing));
}

}  // namespace
}  // namespace crumple

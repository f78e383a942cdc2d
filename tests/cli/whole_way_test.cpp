// From the artist's file through rig, pose, score and run into every export: materials, pictures, texture coordinates, normals and names come through.
#include <gtest/gtest.h>

#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/gltf_materials.h"
#include "crumple/io/image.h"
#include "crumple/io/mesh_file.h"
#include "tests/cli/program.h"
#include "tests/io/players.h"
#include "tests/painted_model.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

class WholeWay : public testing::Test {
 protected:
  Scratch scratch;

  void SetUp() override { ASSERT_TRUE(io::write_mesh(painted_box(Vec3(0.6, 0.9, 0.6), 6), scratch / "box.glb")); }
  std::string run(const std::vector<std::string>& arguments) {
    const Answer answer = run_program(arguments, scratch.path(), scratch);
    EXPECT_EQ(answer.code, 0) << arguments[0] << ": " << answer.err;
    return answer.out + answer.err;
  }
  void make_asset() {
    run({"rig", "box.glb", "-o", "asset.glb", "--handle", "top=0,0.45,0", "--handle", "bottom=0,-0.45,0", "--handles", "8", "--cells", "6", "--quiet"});
    run({"pose", "asset.glb", "--name", "crushed", "--move", "top=0.1,-0.3,0", "--no-look"});
  }
  /// A fall from a height that crushes it.
  void make_recording(const std::string& asset) {
    write_text(scratch / "scene.json", R"({"crumple": 1, "title": "painted", "fps": 30, "substeps": 8, "seconds": 0.5, "assets": {"box": ")" + asset + R"("}, "bodies": [
      {"name": "ground", "plane": [0, 1, 0, 0]},
      {"name": "box", "asset": "box", "at": [0, 0.6, 0], "turn": [180, 0, 20], "velocity": [0, -6, 0], "density": 300, "examples": {"yield": 0.1, "gain": 400}}]})");
    run({"run", "scene.json", "-o", "rec", "--force", "--quiet"});
  }
};

/// Pixels in which one colour is clearly stronger than both others.
std::array<int, 3> pixels_by_hue(const io::Image& image) {
  std::array<int, 3> counts{};
  for (size_t i = 0; i < image.rgb.size(); i += 3) {
    for (size_t c = 0; c < 3; ++c) {
      const int own = image.rgb[i + c], most = std::max(image.rgb[i + (c + 1) % 3], image.rgb[i + (c + 2) % 3]);
      counts[c] += own > 60 && own > 1.6 * most;
    }
  }
  return counts;
}

TEST_F(WholeWay, an_asset_holds_what_the_model_had) {
  make_asset();
  const Result<Asset> asset = io::read_asset(scratch / "asset.glb");
  ASSERT_TRUE(asset) << asset.error().text;
  const TriMesh given = painted_box(Vec3(0.6, 0.9, 0.6), 6);
  ASSERT_TRUE(asset->surface.materials);
  ASSERT_EQ(asset->surface.materials->size(), 2u);
  EXPECT_EQ((*asset->surface.materials)[0].name, "painted");
  EXPECT_EQ((*asset->surface.materials)[0].color_texture.image->bytes, four_fields()->bytes);
  ASSERT_EQ(asset->surface.normals.size(), asset->surface.positions.size());
  EXPECT_EQ(asset->surface.positions.size(), given.positions.size()) << "seams and creases stay as they are";
  EXPECT_EQ(*asset->surface.groups, *given.groups);
  const std::string told = run({"info", "asset.glb"});
  for (const char* what : {"\"painted\"", "texture \"four fields\" (16 x 16)", "texture coordinates, normals", "\"box/lid\": 72 triangles"}) EXPECT_NE(told.find(what), std::string::npos) << what << "\n" << told;
}

TEST_F(WholeWay, pictures_and_exports_show_the_paint_on_the_crushed_box) {
  make_asset();
  make_recording("asset.glb");
  run({"render", "rec", "-o", "last.png", "--frame", "15", "--camera", "1.6,1.5,1.9:0,0.3,0", "--size", "200x150", "--quiet"});
  const Result<io::Image> picture = io::read_png(scratch / "last.png");
  ASSERT_TRUE(picture) << picture.error().text;
  const std::array<int, 3> hues = pixels_by_hue(*picture);
  for (const int count : hues) EXPECT_GT(count, 60) << "red, green and blue fields are seen: " << hues[0] << " " << hues[1] << " " << hues[2];
  for (const char* file : {"box.glb", "box.usda", "box.pc2", "box.mdd", "box.exr"}) run({"export", "rec", "-o", std::string("out_") + file, "--quiet"});
  run({"export", "rec", "-o", "out_box_last.obj", "--frame", "15", "--quiet"});
  run({"export", "rec", "-o", "out_box_last.ply", "--frame", "15", "--quiet"});

  const Result<io::GltfDocument> glb = io::read_gltf(scratch / "out_box.glb");
  ASSERT_TRUE(glb) << glb.error().text;
  const Result<Materials> materials = io::read_materials(*glb);
  ASSERT_TRUE(materials) << materials.error().text;
  const auto painted = std::ranges::find(*materials, "painted", &SurfaceMaterial::name);
  ASSERT_NE(painted, materials->end());
  EXPECT_EQ(painted->color_texture.image->bytes, four_fields()->bytes) << "the artist's very file";
  EXPECT_EQ(io::gltf_count(*glb, "images"), 1u);
  const std::string usd = text_of(scratch / "out_box.usda");
  for (const char* line : {"asset inputs:file = @./out_box_textures/four_fields.png@", "def GeomSubset \"lid\"", "normal3f[] normals", "texCoord2f[] primvars:st"}) EXPECT_NE(usd.find(line), std::string::npos) << line;
  EXPECT_EQ(text_of(scratch / "out_box_textures/four_fields.png"), four_fields()->bytes);
  const Result<TriMesh> obj = io::read_mesh(scratch / "out_box_last.obj");
  ASSERT_TRUE(obj) << obj.error().text;
  const auto in_obj = std::ranges::find(*obj->materials, "painted", &SurfaceMaterial::name);
  ASSERT_NE(in_obj, obj->materials->end());
  EXPECT_EQ(in_obj->color_texture.image->bytes, four_fields()->bytes);
  write_text(scratch / "out_box.limit", "0.0012");
  keep_exports(scratch.path(), "painted_box");
}

TEST_F(WholeWay, normals_of_the_artist_turn_with_the_surface_and_rest_where_it_does) {
  make_asset();
  make_recording("asset.glb");
  run({"export", "rec", "-o", "first.obj", "--frame", "0", "--quiet"});
  const Result<TriMesh> first = io::read_mesh(scratch / "first.obj");
  ASSERT_TRUE(first) << first.error().text;
  // Turned by 180 degrees about x and 20 about z: flat sides have normals along the turned axes, within a degree.
  const Mat3 turn = (Eigen::AngleAxisd(20 * M_PI / 180, Vec3::UnitZ()) * Eigen::AngleAxisd(M_PI, Vec3::UnitX())).toRotationMatrix();
  size_t checked = 0;
  for (size_t t = 0; t < first->triangles.size(); ++t) {
    if ((*first->groups)[static_cast<size_t>(first->group_of(t))] != "box") continue;
    for (const int v : first->triangles[t]) {
      const Vec3 own = turn.transpose() * first->normals[static_cast<size_t>(v)].cast<double>();
      EXPECT_GT(own.cwiseAbs().maxCoeff(), std::cos(M_PI / 180));
      ++checked;
    }
  }
  EXPECT_EQ(checked, 3u * 432u);
}

TEST_F(WholeWay, pieces_keep_the_paint_and_have_their_own_cut_faces) {
  make_asset();
  ASSERT_TRUE(io::write_file(scratch / "rust.png", four_fields(4)->bytes));
  run({"score", "asset.glb", "-o", "scored.glb", "--plane", "1,0,0,0.01", "--rigid", "lid", "--cut-texture", "rust.png"});
  const Result<Asset> scored = io::read_asset(scratch / "scored.glb");
  ASSERT_TRUE(scored) << scored.error().text;
  ASSERT_EQ(scored->pieces->count(), 2);
  int with_lid = 0;
  for (const PieceSurface& surface : scored->pieces->surfaces) {
    ASSERT_TRUE(surface.skin.materials);
    EXPECT_EQ(surface.skin.uvs.size(), surface.skin.positions.size());
    EXPECT_EQ(surface.skin.normals.size(), surface.skin.positions.size());
    size_t lid = 0;
    for (size_t t = 0; t < surface.skin.triangles.size(); ++t) lid += (*surface.skin.materials)[static_cast<size_t>(surface.skin.material_of(t))].name == "lid";
    EXPECT_TRUE(lid == 0 || lid == 72) << "the lid is in one piece, uncut: " << lid;
    with_lid += lid > 0;
    ASSERT_TRUE(surface.cut.materials);
    EXPECT_TRUE(surface.cut.materials->front().color_texture);
    EXPECT_EQ(surface.cut.uvs.size(), surface.cut.positions.size());
  }
  EXPECT_EQ(with_lid, 1);
  const Answer wrong = run_program({"score", "asset.glb", "-o", "b.glb", "--plane", "1,0,0,0", "--rigid", "ldi"}, scratch.path(), scratch);
  expect_refusal(wrong, "--rigid \"ldi\": matches no object or material; did you mean \"lid\"?");
  const Answer nothing = run_program({"score", "asset.glb", "-o", "b.glb", "--plane", "1,0,0,0", "--rigid", "*"}, scratch.path(), scratch);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.err.find("nothing to cut"), std::string::npos) << nothing.err;
}

TEST_F(WholeWay, parts_are_left_out_or_keep_their_shape) {
  run({"rig", "box.glb", "-o", "bare.glb", "--handles", "4", "--cells", "5", "--without", "lid", "--quiet"});
  const Result<Asset> bare = io::read_asset(scratch / "bare.glb");
  ASSERT_TRUE(bare) << bare.error().text;
  EXPECT_EQ(bare->surface.triangles.size(), 360u);
  run({"rig", "box.glb", "-o", "stiff.glb", "--handle", "top=0,0.45,0", "--handle", "bottom=0,-0.45,0", "--handles", "8", "--cells", "6", "--rigid", "lid", "--quiet"});
  run({"pose", "stiff.glb", "--name", "crushed", "--move", "top=0.1,-0.3,0", "--no-look"});
  const Result<Asset> stiff = io::read_asset(scratch / "stiff.glb");
  ASSERT_TRUE(stiff) << stiff.error().text;
  ASSERT_EQ(stiff->surface.rigid.size(), stiff->surface.triangles.size());
  EXPECT_EQ(std::count(stiff->surface.rigid.begin(), stiff->surface.rigid.end(), 1), 72);
  make_recording("stiff.glb");
  run({"export", "rec", "-o", "last.obj", "--quiet"});
  const Result<TriMesh> last = io::read_mesh(scratch / "last.obj");
  ASSERT_TRUE(last) << last.error().text;
  // The lid is a flat square of 0.6 m still, whatever became of the rest.
  Bounds lid;
  std::vector<Vec3> corners;
  for (size_t t = 0; t < last->triangles.size(); ++t) {
    if ((*last->materials)[static_cast<size_t>(last->material_of(t))].name != "lid") continue;
    for (const int v : last->triangles[t]) corners.push_back(last->positions[static_cast<size_t>(v)]);
  }
  double longest = 0;
  for (const Vec3& a : corners) {
    for (const Vec3& b : corners) longest = std::max(longest, (a - b).norm());
  }
  EXPECT_NEAR(longest, 0.6 * std::sqrt(2.0), 1e-4);
}

TEST_F(WholeWay, doctor_and_units_tell_what_they_found) {
  TriMesh large = painted_box(Vec3(427, 100, 100), 2);
  ASSERT_TRUE(io::write_mesh(large, scratch / "large.glb"));
  const std::string told = run({"doctor", "large.glb", "-o", "fixed.glb"});
  EXPECT_NE(told.find("m across: centimetres"), std::string::npos) << told;
  EXPECT_NE(told.find("use --unit cm"), std::string::npos) << told;
  const Result<TriMesh> fixed = io::read_mesh(scratch / "fixed.glb");
  ASSERT_TRUE(fixed) << fixed.error().text;
  EXPECT_EQ(fixed->materials->size(), 2u);
  EXPECT_EQ(fixed->positions.size(), large.positions.size()) << "creases are not welded";
}

}  // namespace
}  // namespace crumple

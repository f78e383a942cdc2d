#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/io/asset_check.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/io/mesh_file.h"
#include "crumple/io/shell_file.h"
#include "crumple/rig/score.h"
#include "tests/io/asset_samples.h"
#include "tests/shapes.h"

namespace crumple::io {
namespace {

namespace fs = std::filesystem;

/// A bar in three pieces, painted and coloured.
Asset scored_bar() {
  Asset asset = bar_asset(2);
  for (Vec3& point : asset.tets.positions) point = point.cast<float>().cast<double>();
  asset.surface.positions = asset.tets.positions;
  asset.surface.uvs.assign(asset.surface.positions.size(), Vec2f(0.25f, 0.5f));
  asset.surface.colors.assign(asset.surface.positions.size(), Vec3f(0.1f, 0.2f, 0.3f));
  asset.maps = {{"yield", std::vector<float>(asset.surface.positions.size(), 2.0f)}};
  const CutPlane planes[] = {{Vec3(1, 0.2, 0.1).normalized(), 0.31}, {Vec3::UnitX(), -0.4}};
  Bounds box = bounds_of(asset.tets.positions);
  box.low.array() -= 0.1, box.high.array() += 0.1;
  const Result<ScoreReport> report = score_asset(asset, cells_between_planes(planes, box), {.cut = cut_material(Vec3f(0.5f, 0.25f, 0.125f))});
  EXPECT_TRUE(report) << report.error().text;
  EXPECT_EQ(asset.pieces->count(), 3);
  return asset;
}

Json& pieces_in(GltfDocument& document) {
  return *document.json.find("meshes")->items[0].find("extensions")->find(kTetrahedraExtension)->find("pieces");
}

void expect_equal(const TriMesh& a, const TriMesh& b) {
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.triangles, b.triangles);
  EXPECT_EQ(a.uvs, b.uvs);
  EXPECT_EQ(a.colors, b.colors);
}

TEST(Pieces, are_read_as_they_were_written_bit_for_bit) {
  const Asset asset = scored_bar();
  const Result<Asset> read = asset_from_gltf(document_of(asset));
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_TRUE(read->pieces);
  const Pieces &a = *asset.pieces, &b = *read->pieces;
  EXPECT_EQ(read->tets.positions, asset.tets.positions);
  EXPECT_EQ(read->tets.tets, asset.tets.tets);
  EXPECT_EQ(read->weights, asset.weights);
  expect_equal(read->surface, asset.surface);
  ASSERT_EQ(read->maps.size(), 1u);
  EXPECT_EQ(a.of_tet, b.of_tet);
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.volumes, b.volumes);
  EXPECT_EQ(a.cut_tets, b.cut_tets);
  EXPECT_EQ(a.first_corner, b.first_corner);
  EXPECT_EQ(a.corners, b.corners);
  EXPECT_EQ(a.inward, b.inward);
  EXPECT_EQ(a.cut.color, b.cut.color);
  ASSERT_EQ(a.surfaces.size(), b.surfaces.size());
  for (size_t p = 0; p < a.surfaces.size(); ++p) {
    expect_equal(a.surfaces[p].skin, b.surfaces[p].skin);
    expect_equal(a.surfaces[p].cut, b.surfaces[p].cut);
  }
  ASSERT_EQ(a.links.size(), b.links.size());
  for (size_t l = 0; l < a.links.size(); ++l) {
    EXPECT_EQ(a.links[l].a, b.links[l].a);
    EXPECT_EQ(a.links[l].b, b.links[l].b);
    EXPECT_EQ(a.links[l].area, b.links[l].area);
    EXPECT_EQ(a.links[l].center, b.links[l].center);
    EXPECT_EQ(a.links[l].normal, b.links[l].normal);
    EXPECT_EQ(a.links[l].spread, b.links[l].spread);
  }
  // From then on files are equal byte for byte.
  const Result<Asset> again = asset_from_gltf(document_of(*read));
  ASSERT_TRUE(again);
  EXPECT_TRUE(*asset_to_glb(*again) == *asset_to_glb(*read));
}

TEST(Pieces, are_shown_by_a_second_scene_and_the_first_shows_the_whole) {
  const Asset asset = scored_bar();
  const GltfDocument document = document_of(asset);
  const std::vector<Json>& scenes = document.json.find("scenes")->items;
  ASSERT_EQ(scenes.size(), 2u);
  EXPECT_EQ(document.json.find("scene")->number, 0);
  EXPECT_EQ(scenes[1].find("name")->text, "pieces");
  EXPECT_EQ(scenes[1].find("nodes")->items.size(), 3u);
  Result<GltfScene> scene = GltfScene::open(document);
  ASSERT_TRUE(scene);
  const Result<TriMesh> whole = gather_surface(*scene, Eigen::Affine3d::Identity());
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->triangles.size(), asset.surface.triangles.size());
  // A file whose default scene is the other one shows the pieces.
  GltfDocument other = document;
  other.json["scene"] = 1;
  Result<GltfScene> pieces = GltfScene::open(other);
  ASSERT_TRUE(pieces);
  size_t triangles = 0;
  for (const PieceSurface& surface : asset.pieces->surfaces) triangles += surface.skin.triangles.size() + surface.cut.triangles.size();
  EXPECT_EQ(gather_surface(*pieces, Eigen::Affine3d::Identity())->triangles.size(), triangles);
}

TEST(Pieces, turn_with_the_scene_that_turns_their_asset) {
  const Asset asset = scored_bar();
  GltfDocument document = document_of(asset);
  // The node above all joints stands on its side: x goes up.
  const double half = std::sqrt(0.5);
  for (Json& node : document.json.find("nodes")->items) {
    if (node.find("children")) node["rotation"] = Json::array({0.0, 0.0, half, half}), node["translation"] = Json::array({0.0, 2.0, 0.0});
  }
  const Result<Asset> turned = asset_from_gltf(document);
  ASSERT_TRUE(turned) << turned.error().text;
  const Eigen::Affine3d place = Eigen::Translation3d(0, 2, 0) * Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ());
  const PieceLink &was = asset.pieces->links[0], &is = turned->pieces->links[0];
  EXPECT_LT((is.center - place * was.center).norm(), 1e-6);
  EXPECT_LT((is.normal - place.linear() * was.normal).norm(), 1e-6);
  EXPECT_LT((is.spread - place.linear() * was.spread * place.linear().transpose()).norm(), 1e-6);
  EXPECT_LT((turned->pieces->surfaces[1].cut.positions[0] - place * asset.pieces->surfaces[1].cut.positions[0]).norm(), 1e-6);
  EXPECT_LT((turned->pieces->inward[0].cast<double>() - place.linear() * asset.pieces->inward[0].cast<double>()).norm(), 1e-5);
}

struct Damage {
  const char* says;
  std::function<void(GltfDocument&)> apply;
};

template <class T>
void overwrite(GltfDocument& document, const Json& accessor_or_view, bool is_accessor, size_t row, T value) {
  size_t view = static_cast<size_t>(accessor_or_view.number);
  if (is_accessor) view = static_cast<size_t>(document.json.find("accessors")->items[view].find("bufferView")->number);
  const size_t offset = static_cast<size_t>(document.json.find("bufferViews")->items[view].find("byteOffset")->number);
  std::memcpy(document.buffer.data() + offset + row * sizeof value, &value, sizeof value);
}

TEST(Pieces, that_are_damaged_are_refused_with_what_is_wrong) {
  const GltfDocument whole = document_of(scored_bar());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto link = [](GltfDocument& d) -> Json& { return pieces_in(d)["links"].items[0]; };
  const std::vector<Damage> damages = {
      {"must be an object", [](GltfDocument& d) { pieces_in(d) = Json(3); }},
      {"surfaces", [](GltfDocument& d) { pieces_in(d)["surfaces"] = Json(); }},
      {"surfaces", [](GltfDocument& d) { pieces_in(d)["surfaces"].items.clear(); }},
      {"mesh", [](GltfDocument& d) { pieces_in(d)["surfaces"].items[0]["mesh"] = Json(1e6); }},
      {"has no primitive", [](GltfDocument& d) { pieces_in(d)["surfaces"].items[0]["cut"] = Json(7); }},
      {"nothing is drawn of piece 2",
       [](GltfDocument& d) {
         pieces_in(d)["surfaces"].items[2] = Json::object({{"mesh", *pieces_in(d)["surfaces"].items[2].find("mesh")}});
       }},
      {"piece 3, but there are 3", [](GltfDocument& d) { overwrite<uint16_t>(d, *pieces_in(d).find("tetrahedra"), true, 0, 3); }},
      {"share vertex", [](GltfDocument& d) { overwrite<uint16_t>(d, *pieces_in(d).find("tetrahedra"), true, 0, 1); }},
      {"no tetrahedra", [](GltfDocument& d) { pieces_in(d)["surfaces"].push(pieces_in(d)["surfaces"].items[0]); }},
      {"tetrahedra are in pieces", [](GltfDocument& d) { pieces_in(d)["tetrahedra"] = *pieces_in(d).find("origins"); }},
      {"do not match", [](GltfDocument& d) { pieces_in(d)["origins"] = *pieces_in(d).find("tetrahedra"); }},
      {"has origin 60000", [](GltfDocument& d) { overwrite<uint16_t>(d, *pieces_in(d).find("origins"), true, 0, 60000); }},
      {"differ in place or weights", [](GltfDocument& d) { overwrite<uint16_t>(d, *pieces_in(d).find("origins"), true, 1, 0); }},
      {"cannot have a volume", [](GltfDocument& d) { overwrite<double>(d, *pieces_in(d).find("volumes"), false, 0, -1.0); }},
      {"cannot have a volume", [](GltfDocument& d) { overwrite<double>(d, *pieces_in(d).find("volumes"), false, 0, 1e9); }},
      {"cannot have a volume", [&](GltfDocument& d) { overwrite<double>(d, *pieces_in(d).find("volumes"), false, 0, nan); }},
      {"bufferViews", [](GltfDocument& d) { pieces_in(d)["volumes"] = Json(99999); }},
      {"must ascend", [](GltfDocument& d) { overwrite<uint16_t>(d, *pieces_in(d)["cut"].find("tetrahedra"), true, 0, 60000); }},
      {"must ascend", [](GltfDocument& d) { overwrite<uint16_t>(d, *pieces_in(d)["cut"].find("tetrahedra"), true, 1, 0); }},
      {"fewer than 4 corners", [](GltfDocument& d) { overwrite<uint16_t>(d, *pieces_in(d)["cut"].find("first"), true, 1, 2); }},
      {"are named",
       [](GltfDocument& d) {
         const Json& first = *pieces_in(d)["cut"].find("first");
         const size_t last = static_cast<size_t>(d.json.find("accessors")->items[static_cast<size_t>(first.number)].find("count")->number) - 1;
         overwrite<uint16_t>(d, first, true, last, 60000);
       }},
      {"need one more number", [](GltfDocument& d) { pieces_in(d)["cut"]["first"] = *pieces_in(d)["cut"].find("tetrahedra"); }},
      {"does not lie in its tetrahedron", [](GltfDocument& d) { overwrite<float>(d, *pieces_in(d)["cut"].find("corners"), true, 0, 5.0f); }},
      {"not a finite number",
       [](GltfDocument& d) { overwrite<float>(d, *pieces_in(d)["cut"].find("corners"), true, 0, std::numeric_limits<float>::quiet_NaN()); }},
      {"no sane step", [](GltfDocument& d) { overwrite<float>(d, *pieces_in(d)["cut"].find("inward"), true, 0, 1e30f); }},
      {"links", [](GltfDocument& d) { pieces_in(d)["links"] = Json("none"); }},
      {"is not a piece", [&](GltfDocument& d) { link(d)["pieces"].items[1] = Json(77); }},
      {"is not a piece", [&](GltfDocument& d) { link(d)["pieces"].items[1] = Json(0.5); }},
      {"the lower first", [&](GltfDocument& d) { std::swap(link(d)["pieces"].items[0], link(d)["pieces"].items[1]); }},
      {"an area of", [&](GltfDocument& d) { link(d)["area"] = Json(0.0); }},
      {"an area of", [&](GltfDocument& d) { link(d)["area"] = Json(1e300); }},
      {"must be a number", [&](GltfDocument& d) { link(d)["area"] = Json("large"); }},
      {"must be 3 numbers", [&](GltfDocument& d) { link(d)["center"].items.pop_back(); }},
      {"is nowhere", [&](GltfDocument& d) { link(d)["center"].items[0] = Json(1e20); }},
      {"no valid normal", [&](GltfDocument& d) { link(d)["normal"].items[0] = Json(3.0); }},
      {"no valid spread", [&](GltfDocument& d) { link(d)["spread"].items[0] = Json(-1.0); }},
      {"material", [](GltfDocument& d) { pieces_in(d)["material"] = Json(50); }},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.says);
    GltfDocument document = whole;
    damage.apply(document);
    const Result<Asset> read = asset_from_gltf(document);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, Error::Kind::Input);
    EXPECT_NE(read.error().text.find(damage.says), std::string::npos) << read.error().text;
    EXPECT_TRUE(read.error().text.starts_with("bar.glb: ")) << read.error().text;
  }
}

TEST(Pieces, a_file_with_any_byte_changed_is_read_or_refused) {
  const std::string bytes = *asset_to_glb(scored_bar());
  Random random(5);
  int read_well = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = bytes;
    // Half of the changes fall into the JSON, which is the smaller part of the file.
    const size_t json = 20 + *reinterpret_cast<const uint32_t*>(bytes.data() + 12);
    for (int i = 0; i < 3; ++i)
      damaged[static_cast<size_t>(random.below(static_cast<int>(round % 2 ? json : bytes.size())))] = static_cast<char>(random.below(256));
    const Result<GltfDocument> document = parse_glb(damaged, "damaged.glb");
    if (!document) continue;
    const Result<Asset> asset = asset_from_gltf(*document);
    if (!asset) continue;
    ++read_well;
    Asset copy = *asset;
    EXPECT_TRUE(check_asset(copy, "damaged.glb"));
  }
  EXPECT_GT(read_well, 20);  // most of the buffer holds numbers, any of which will do
}

TEST(Pieces, an_asset_that_its_pieces_do_not_fit_is_not_written) {
  Asset asset = scored_bar();
  asset.pieces->volumes.pop_back();
  EXPECT_FALSE(asset_to_glb(asset));
  asset = scored_bar();
  std::swap(asset.tets.tets[0][2], asset.tets.tets[0][3]);
  const Result<std::string> turned = asset_to_glb(asset);
  ASSERT_FALSE(turned);
  EXPECT_NE(turned.error().text.find("inside out"), std::string::npos);
}

// -- files of shells --

class ShellFiles : public testing::Test {
 protected:
  ShellFiles() { fs::create_directories(folder); }
  ~ShellFiles() override { fs::remove_all(folder); }
  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }
  fs::path folder = fs::path(testing::TempDir()) / "crumple_shell_files";
};

constexpr const char* kTetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n";
std::string tetra(const char* name, double x) {
  std::string text = std::string(name);
  for (const auto& [a, b, c] : {std::array{0, 0, 0}, std::array{1, 0, 0}, std::array{0, 1, 0}, std::array{0, 0, 1}})
    text += "v " + std::to_string(x + a) + " " + std::to_string(b) + " " + std::to_string(c) + "\n";
  return text + "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n";
}

TEST_F(ShellFiles, groups_of_one_name_have_one_label) {
  const Result<ShellFile> file = read_shells(write("a.obj", tetra("g wing left\n", 0) + tetra("o tail\n", 3) + tetra("g wing left\n", 6)));
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->labels, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(file->names, (std::vector<std::string>{"wing left", "tail"}));
  for (const TriMesh& shell : file->shells) {
    EXPECT_EQ(shell.positions.size(), 4u);
    EXPECT_EQ(shell.triangles.size(), 4u);
  }
  EXPECT_EQ(file->shells[1].positions[0].x(), 3);
}

TEST_F(ShellFiles, shells_without_a_name_have_labels_of_their_own) {
  const Result<ShellFile> file = read_shells(write("a.obj", std::string(kTetra) + tetra("", 3)));
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->labels, (std::vector<int>{0, 1}));
}

TEST_F(ShellFiles, nodes_of_a_gltf_file_are_groups) {
  GltfBuilder builder("test");
  const TriMesh box = make_box({1, 1, 1});
  std::vector<Vec3f> positions;
  for (const Vec3& point : box.positions) positions.push_back(point.cast<float>());
  const Json primitive = Json::object(
      {{"attributes", Json::object({{"POSITION", builder.add_positions(positions)}})}, {"indices", builder.add_triangles(box.triangles)}});
  builder.add("meshes", Json::object({{"primitives", Json::array({primitive})}}));
  builder.add("nodes", Json::object({{"name", "left"}, {"mesh", 0}}));
  builder.add("nodes", Json::object({{"name", "right"}, {"mesh", 0}, {"translation", Json::array({3.0, 0.0, 0.0})}}));
  GltfDocument document = std::move(builder).finish();
  const Result<ShellFile> file = read_shells(write("a.glb", *write_glb(document)));
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->names, (std::vector<std::string>{"left", "right"}));
  ASSERT_EQ(file->shells.size(), 2u);
  EXPECT_NEAR(bounds_of(file->shells[1].positions).low.x(), 2.5, 1e-6);
  EXPECT_EQ(file->shells[0].triangles.size(), 12u);  // doubled vertices of its edges do not take it apart
}

TEST_F(ShellFiles, what_holds_no_shells_is_refused) {
  EXPECT_FALSE(read_shells(folder / "missing.obj"));
  EXPECT_FALSE(read_shells(write("empty.obj", "# nothing\n")));
  EXPECT_FALSE(read_shells(write("a.txt", "text")));
  EXPECT_FALSE(read_shells(write("broken.obj", "v 0 0 0\nf 1 2 3\n")));
}

}  // namespace
}  // namespace crumple::io

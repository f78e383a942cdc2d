// USD text: what is written is where the things were, in every frame.
#include <cmath>

#include <gtest/gtest.h>
#include <unistd.h>

#include "crumple/io/export.h"
#include "crumple/io/files.h"
#include "tests/io/players.h"
#include "tests/kept_exports.h"

namespace crumple::io {
namespace {
namespace fs = std::filesystem;

constexpr int kUsdFrames = 6;

std::shared_ptr<const TriMesh> quad(bool painted) {
  auto mesh = std::make_shared<TriMesh>();
  mesh->positions = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}};
  mesh->triangles = {{0, 1, 2}, {0, 2, 3}};
  mesh->uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  if (!painted) return mesh;
  auto image = std::make_shared<TextureImage>();
  image->name = "a face", image->mime = "image/png", image->bytes = "bytes of a picture";
  Materials materials(2);
  materials[0].name = "skin", materials[0].color_texture.image = image, materials[0].alpha_mode = AlphaMode::Blend;
  materials[1].name = "9 lives", materials[1].color = Vec3f(0.25f, 0.5f, 0.75f);
  mesh->materials = std::make_shared<const Materials>(materials), mesh->material = {0, 1};
  return mesh;
}

/// A card that turns from frame 1 to 3 and is bent in frame 3 alone; another one of the same name that is there in frames 2 and 3.
Result<Frame> usd_frame(int index) {
  static const auto plain = quad(false), painted = quad(true);
  Frame frame{index, index / 30.0, {}};
  FrameItem card;
  card.name = "card \"one\"", card.surface = plain, card.look.color = Vec3f(0.5f, 0.25f, 0.125f);
  card.place.translation = Vec3(0.1 * std::clamp(index, 1, 3), 0, 2), card.place.rotation = Eigen::AngleAxisd(0.2 * std::clamp(index, 1, 3), Vec3::UnitY()).toRotationMatrix();
  if (index == 3) {
    for (const Vec3& p : plain->positions) card.positions.emplace_back(static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(0.25 * p.y()));
  }
  frame.items.push_back(card);
  if (index == 2 || index == 3) {
    FrameItem other = card;
    other.surface = painted, other.positions.clear();
    frame.items.push_back(other);
  }
  return frame;
}

class ExportUsd : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("crumple_usd_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override {
    keep_animations(folder, std::string("Usd_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder);
  }
  std::string exported() {
    ExportSettings settings;
    settings.name = "cards", settings.fps = 30;
    const auto report = export_usd(usd_frame, kUsdFrames, settings, folder / "cards.usda");
    EXPECT_TRUE(report) << report.error().text;
    return *read_file(folder / "cards.usda");
  }
};

TEST_F(ExportUsd, every_vertex_is_where_it_was_in_every_frame) {
  const std::string text = exported();
  const size_t first = text.find("def Xform \"card__one_\"");
  ASSERT_NE(first, std::string::npos);
  const auto places = samples_of(text, "xformOp:transform", first), points = samples_of(text, "points", first);
  ASSERT_FALSE(places.empty());
  ASSERT_FALSE(points.empty());
  for (int f = 0; f < kUsdFrames; ++f) {
    const FrameItem card = usd_frame(f)->items[0];
    const std::vector<double> m = at_frame(places, f), p = at_frame(points, f);
    ASSERT_EQ(m.size(), 16u);
    ASSERT_EQ(p.size(), 12u);
    for (size_t i = 0; i < 4; ++i) {
      Vec3 played;  // a row times the matrix
      for (int c = 0; c < 3; ++c) played[c] = p[3 * i] * m[static_cast<size_t>(c)] + p[3 * i + 1] * m[static_cast<size_t>(4 + c)] + p[3 * i + 2] * m[static_cast<size_t>(8 + c)] + m[static_cast<size_t>(12 + c)];
      const Vec3 there = card.place * (card.positions.empty() ? card.surface->positions[i] : card.positions[i].cast<double>());
      EXPECT_LT((played - there).norm(), 1e-6) << f << " " << i;
    }
  }
  EXPECT_EQ(points.size(), 5u) << "at rest in 0 and 2, bent in 3, back in 4, and still in 5";
}

TEST_F(ExportUsd, has_units_times_names_and_what_comes_and_goes) {
  const std::string text = exported();
  EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
  for (const char* line : {"upAxis = \"Y\"", "metersPerUnit = 1", "timeCodesPerSecond = 30", "endTimeCode = 5", "displayName = \"card \\\"one\\\"\"", "def Xform \"card__one__2\""}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  const size_t second = text.find("def Xform \"card__one__2\"");
  const std::string rest = text.substr(second);
  EXPECT_LT(rest.find("0: \"invisible\""), rest.find("2: \"inherited\""));
  EXPECT_LT(rest.find("2: \"inherited\""), rest.find("4: \"invisible\""));
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(std::count(text.begin(), text.end(), '['), std::count(text.begin(), text.end(), ']'));
}

TEST_F(ExportUsd, materials_come_with_their_pictures) {
  const std::string text = exported();
  EXPECT_EQ(*read_file(folder / "cards_textures" / "a_face.png"), "bytes of a picture");
  for (const char* line : {"asset inputs:file = @./cards_textures/a_face.png@", "def GeomSubset \"skin\"", "def GeomSubset \"_9_lives\"", "int[] indices = [1]", "float inputs:opacity.connect = </World/Materials/skin/color.outputs:a>",
                           "color3f inputs:diffuseColor = (0.25, 0.5, 0.75)", "color3f inputs:diffuseColor = (0.5, 0.25, 0.125)", "texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)]"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST_F(ExportUsd, says_what_is_wrong_and_leaves_nothing_behind) {
  EXPECT_FALSE(export_usd(usd_frame, 0, {}, folder / "a.usda"));
  EXPECT_FALSE(export_usd(usd_frame, 2, {}, folder / "nowhere" / "a.usda"));
  EXPECT_FALSE(export_usd([](int index) -> Result<Frame> { return index < 2 ? usd_frame(index) : input_error("torn"); }, 4, {}, folder / "a.usda"));
  const auto broken = [](int index) -> Result<Frame> {
    Frame frame = *usd_frame(index);
    if (index == 3) frame.items[0].positions[1].x() = std::numeric_limits<float>::infinity();
    return frame;
  };
  EXPECT_FALSE(export_usd(broken, kUsdFrames, {}, folder / "a.usda"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 0);
}

}  // namespace
}  // namespace crumple::io

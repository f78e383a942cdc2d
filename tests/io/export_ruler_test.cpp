// A cube of 1 m with its corners along the axes, and a ruler of frames: in every format each corner is where it was, in metres, with y up, in the frame it was in.
#include <gtest/gtest.h>

#include "crumple/io/exr.h"
#include "crumple/io/image.h"
#include "crumple/io/mesh_file.h"
#include "tests/cli/program.h"
#include "tests/io/players.h"

namespace crumple::io {
namespace {

constexpr int kRulerFrames = 8;
constexpr double kRulerFps = 24;

std::shared_ptr<const TriMesh> axis_cube() {
  TriMesh cube = make_box(Vec3(1, 1, 1));
  for (Vec3& p : cube.positions) p += Vec3(0.5, 0.5, 0.5);  // from the origin along the axes
  Materials materials(3);
  for (size_t m = 0; m < 3; ++m) {
    materials[m].name = std::string("axis ") + "xyz"[m], materials[m].metal = 0;
    materials[m].color = Vec3f(m == 0, m == 1, m == 2);
  }
  for (const auto& [a, b, c] : cube.triangles) {
    const Vec3 normal = (cube.positions[static_cast<size_t>(b)] - cube.positions[static_cast<size_t>(a)]).cross(cube.positions[static_cast<size_t>(c)] - cube.positions[static_cast<size_t>(a)]);
    Eigen::Index axis = 0;
    normal.cwiseAbs().maxCoeff(&axis);
    cube.material.push_back(static_cast<uint16_t>(axis));
  }
  cube.materials = std::make_shared<const Materials>(std::move(materials));
  return std::make_shared<const TriMesh>(std::move(cube));
}

/// In frame f the cube has gone f metres along x, is turned by f times ten degrees about y, and its top is f centimetres higher.
Result<Frame> ruler_frame(int index) {
  static const auto cube = axis_cube();
  Frame frame{index, index / kRulerFps, {}};
  FrameItem item;
  item.name = "axis cube", item.body = 0, item.surface = cube;
  item.place.translation = Vec3(index, 0, 0);
  item.place.rotation = Eigen::AngleAxisd(index * M_PI / 18, Vec3::UnitY()).toRotationMatrix();
  for (const Vec3& p : cube->positions) item.positions.push_back(Vec3(p.x(), p.y() * (1 + 0.01 * index), p.z()).cast<float>());
  frame.items.push_back(std::move(item));
  return frame;
}

ExportSettings ruler_settings() {
  ExportSettings settings;
  settings.name = "ruler", settings.fps = kRulerFps, settings.tolerance = 1e-4;
  ExportCamera camera;
  camera.place.translation = Vec3(0, 1, 10);
  settings.cameras = {camera};
  settings.sun = ExportSun();
  return settings;
}

/// Where the cube's corners are in a frame.
std::vector<Vec3> corners_at(int index) {
  return positions_of(ruler_frame(index)->items[0]);
}

class Ruler : public testing::Test {
 protected:
  Scratch scratch;
  /// Of files for programs of others to judge.
  void TearDown() override { keep_exports(scratch.path(), "ruler"); }
};

std::vector<Vec3> as_points(const std::vector<Vec3f>& points) {
  std::vector<Vec3> all;
  for (const Vec3f& p : points) all.push_back(p.cast<double>());
  return all;
}

TEST_F(Ruler, glb) {
  const auto report = export_glb(ruler_frame, kRulerFrames, ruler_settings(), scratch / "ruler.glb");
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_LE(report->worst, 1e-4);
  const Player player(scratch / "ruler.glb");
  for (int f = 0; f < kRulerFrames; ++f) EXPECT_LT(furthest(player.positions("axis cube", f / kRulerFps), corners_at(f)), 1.1e-4) << f;
  EXPECT_EQ(player.json().find("scenes")->items[0].find("extras")->find("fps")->number, kRulerFps);
  EXPECT_EQ(player.json().find("cameras")->items.size(), 1u);
  EXPECT_NE(player.json().find("extensions")->find("KHR_lights_punctual"), nullptr);
  EXPECT_EQ(player.node("camera").find("translation")->items[2].number, 10);
  ASSERT_EQ(player.json().find("materials")->items.size(), 3u);
  EXPECT_EQ(player.json().find("materials")->items[0].find("name")->text, "axis x");
}

TEST_F(Ruler, point_caches) {
  for (const CacheKind kind : {CacheKind::Mdd, CacheKind::Pc2}) {
    const std::filesystem::path file = scratch / (kind == CacheKind::Mdd ? "ruler.mdd" : "ruler.pc2");
    ASSERT_TRUE(export_cache(ruler_frame, kRulerFrames, kind, file));
    const Cache cache = read_cache(file, kind);
    ASSERT_EQ(cache.frames.size(), static_cast<size_t>(kRulerFrames));
    for (int f = 0; f < kRulerFrames; ++f) EXPECT_LT(furthest(as_points(cache.frames[static_cast<size_t>(f)]), corners_at(f)), 1e-6) << f;
  }
  write_text(scratch / "ruler.limit", "0.0002");  // of the .glb that another test writes to the same place
}

TEST_F(Ruler, usd) {
  ASSERT_TRUE(export_usd(ruler_frame, kRulerFrames, ruler_settings(), scratch / "ruler.usda"));
  const std::string text = *read_file(scratch / "ruler.usda");
  const size_t from = text.find("def Xform \"axis_cube\"");
  const auto places = samples_of(text, "xformOp:transform", from), points = samples_of(text, "points", from), velocities = samples_of(text, "velocities", from);
  for (int f = 0; f < kRulerFrames; ++f) {
    const std::vector<double> m = at_frame(places, f), p = at_frame(points, f), v = at_frame(velocities, f);
    std::vector<Vec3> played;
    for (size_t i = 0; i < p.size(); i += 3) {
      Vec3 there;
      for (size_t c = 0; c < 3; ++c) there[static_cast<int>(c)] = p[i] * m[c] + p[i + 1] * m[4 + c] + p[i + 2] * m[8 + c] + m[12 + c];
      played.push_back(there);
      EXPECT_NEAR(v[i + 1], p[i + 1] > 0.5 ? 0.01 * kRulerFps : 0.0, 1e-3) << "the top rises by a centimetre a frame";
    }
    EXPECT_LT(furthest(played, corners_at(f)), 1e-6) << f;
  }
  for (const char* line : {"metersPerUnit = 1", "upAxis = \"Y\"", "timeCodesPerSecond = 24", "def Camera \"camera\"", "def DistantLight \"sun\"", "def GeomSubset \"axis_x\"", "displayName = \"axis z\""}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST_F(Ruler, textures) {
  for (const VatKind kind : {VatKind::Exr, VatKind::Png}) {
    const std::filesystem::path file = scratch / (kind == VatKind::Exr ? "ruler.exr" : "ruler_small.png");
    const auto report = export_vat(ruler_frame, kRulerFrames, ruler_settings(), kind, file);
    ASSERT_TRUE(report) << report.error().text;
    const std::string stem = (scratch.path() / file.stem()).string();
    const Json json = *parse_json(*read_file(stem + "_vat.json"), "vat.json", JsonDialect::Strict);
    const auto number = [&](const char* key) { return static_cast<size_t>(json.find(key)->number); };
    ASSERT_EQ(number("frames"), static_cast<size_t>(kRulerFrames));
    const Result<TriMesh> mesh = read_mesh(stem + "_vat.glb");
    ASSERT_TRUE(mesh) << mesh.error().text;
    EXPECT_EQ(mesh->materials->size(), 3u);
    std::vector<Vec3> pixels;
    if (kind == VatKind::Exr) {
      const Result<ExrPicture> picture = read_exr(file);
      ASSERT_TRUE(picture) << picture.error().text;
      EXPECT_EQ(static_cast<size_t>(picture->height), number("height"));
      pixels = as_points(picture->pixels);
    } else {
      const Json& positions = *json.find("positions");
      const auto values = decode_png16(*read_file(file), "a.png");
      ASSERT_TRUE(values) << values.error().text;
      for (size_t i = 0; i < values->size(); i += 3) {
        Vec3 p;
        for (size_t c = 0; c < 3; ++c) {
          const double low = positions.find("min")->items[c].number, high = positions.find("max")->items[c].number;
          p[static_cast<int>(c)] = low + (high - low) * (*values)[i + c] / 65535;
        }
        pixels.push_back(p);
      }
    }
    const double limit = kind == VatKind::Exr ? 1e-6 : report->worst + 1e-6;
    EXPECT_LT(limit, 1e-3);
    for (size_t f = 0; f < static_cast<size_t>(kRulerFrames); ++f) {
      const auto first = pixels.begin() + static_cast<std::ptrdiff_t>(f * number("rows_per_frame") * number("width"));
      const std::vector<Vec3> there(first, first + static_cast<std::ptrdiff_t>(number("vertices")));
      EXPECT_LT(furthest(there, corners_at(static_cast<int>(f))), limit) << f;
    }
    const Result<Image> normals = read_png(stem + "_normals.png");
    ASSERT_TRUE(normals) << normals.error().text;
    EXPECT_EQ(static_cast<size_t>(normals->width), number("width"));
  }
}

TEST_F(Ruler, frames_as_meshes) {
  const Frame last = *ruler_frame(kRulerFrames - 1), before = *ruler_frame(kRulerFrames - 2);
  ASSERT_TRUE(export_obj(last, scratch / "ruler_last.obj"));
  ASSERT_TRUE(export_ply(last, scratch / "ruler_last.ply", &before));
  for (const char* name : {"ruler_last.obj", "ruler_last.ply"}) {
    const Result<TriMesh> mesh = read_mesh(scratch / name);
    ASSERT_TRUE(mesh) << mesh.error().text;
    const Bounds there = bounds_of(mesh->positions), was = bounds_of(corners_at(kRulerFrames - 1));
    EXPECT_LT((there.low - was.low).norm() + (there.high - was.high).norm(), 1e-5) << name;
    EXPECT_EQ(mesh->normals.size(), mesh->positions.size()) << name;
  }
  const std::string ply = *read_file(scratch / "ruler_last.ply");
  for (const char* property : {"float vx", "int body", "int piece", "int material", "uchar red"}) EXPECT_NE(ply.find(property), std::string::npos) << property;
  EXPECT_NE(read_file(scratch / "ruler_last.mtl")->find("newmtl axis_x"), std::string::npos);
}

TEST_F(Ruler, velocities_of_a_ply_are_differences) {
  const Frame now = *ruler_frame(3), before = *ruler_frame(2);
  ASSERT_TRUE(export_ply(now, scratch / "a.ply", &before));
  const std::string bytes = *read_file(scratch / "a.ply");
  const size_t body = bytes.find("end_header\n") + 11, row = 12 + 12 + 3 + 12 + 8;  // place, normal, colour, velocity, two numbers
  for (size_t v = 0; v < 8; ++v) {
    Vec3f velocity;
    std::memcpy(velocity.data(), bytes.data() + body + v * row + 27, 12);
    const Vec3 expected = kRulerFps * (corners_at(3)[v] - corners_at(2)[v]);
    EXPECT_LT((velocity.cast<double>() - expected).norm(), 1e-3) << v;
  }
}

TEST_F(Ruler, triangles_that_change_stay_one_thing_in_usd) {
  TriMesh fewer = *axis_cube();
  fewer.triangles.pop_back(), fewer.material.pop_back();
  const auto torn_cube = std::make_shared<const TriMesh>(fewer);
  const auto torn = [&](int index) -> Result<Frame> {
    Frame frame = *ruler_frame(index);
    if (index >= 4) frame.items[0].surface = torn_cube;
    return frame;
  };
  const auto report = export_usd(torn, kRulerFrames, ruler_settings(), scratch / "torn.usda");
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->nodes, 1);
  const std::string text = *read_file(scratch / "torn.usda");
  EXPECT_NE(text.find("int[] faceVertexIndices.timeSamples"), std::string::npos);
  EXPECT_NE(text.find("int[] indices.timeSamples"), std::string::npos) << "materials by faces change, too";
}

TEST_F(Ruler, textures_say_what_does_not_fit) {
  const auto large = [](int index) -> Result<Frame> {
    static const auto sphere = [] {
      TriMesh fine = make_sphere(1);
      for (int k = 0; k < 5; ++k) {
        const TriMesh once = fine;
        const int count = static_cast<int>(once.positions.size());
        fine.positions.insert(fine.positions.end(), once.positions.begin(), once.positions.end());
        for (const auto& [a, b, c] : once.triangles) fine.triangles.push_back({a + count, b + count, c + count});
      }
      return std::make_shared<const TriMesh>(fine);
    }();
    Frame frame{index, index / kRulerFps, {}};
    FrameItem item;
    item.name = "sphere", item.surface = sphere;
    frame.items.push_back(item);
    return frame;
  };
  const auto report = export_vat(large, 9000, ruler_settings(), VatKind::Exr, scratch / "large.exr");
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().text.find("--every"), std::string::npos) << report.error().text;
  EXPECT_FALSE(export_vat(ruler_frame, 0, ruler_settings(), VatKind::Exr, scratch / "none.exr"));
}

}  // namespace
}  // namespace crumple::io

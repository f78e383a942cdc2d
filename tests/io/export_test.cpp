#include "crumple/io/export.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "crumple/io/files.h"
#include "crumple/io/gltf.h"
#include "crumple/io/obj.h"
#include "crumple/io/ply.h"
#include "tests/io/players.h"
#include "tests/kept_exports.h"

namespace crumple::io {
namespace {
namespace fs = std::filesystem;

constexpr int kFrames = 96;
constexpr double kFps = 24;

/// A folder that is gone after the test.
class Export : public testing::Test {
 protected:
  Export() : folder_(fs::temp_directory_path() / ("crumple_export_" + std::to_string(getpid()))) { fs::create_directories(folder_); }
  ~Export() override {
    keep_animations(folder_, std::string("Export_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  fs::path path(const char* name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

/// 0 before `from`, 1 after `to`, smooth between.
double ease(double time, double from, double to) {
  const double share = std::clamp((time - from) / (to - from), 0.0, 1.0);
  return share * share * (3 - 2 * share);
}

using Points3f = std::vector<Vec3f>;

std::shared_ptr<const TriMesh> shared_sphere() {
  static const auto sphere = std::make_shared<const TriMesh>(make_sphere(0.5));
  return sphere;
}

Points3f rest_of(const TriMesh& mesh) {
  Points3f points;
  for (const Vec3& position : mesh.positions) points.push_back(position.cast<float>());
  return points;
}

/// Pushes in what lies near the unit direction.
void dent(Points3f& points, const Vec3f& direction, double depth) {
  for (Vec3f& point : points) {
    const float height = point.normalized().dot(direction);
    if (height > 0.8f) point -= direction * static_cast<float>(depth) * (height - 0.8f) / 0.2f;
  }
}

/// Dented from above around 1 s, and from the side from 2 to 2.5 s.
FrameItem dented_sphere(double time) {
  FrameItem item;
  item.name = "sphere";
  item.surface = shared_sphere();
  item.place.translation = Vec3(3, 0.5, 0);
  if (time > 1.0) {
    item.positions = rest_of(*item.surface);
    dent(item.positions, Vec3f::UnitY(), 0.2 * ease(time, 1.0, 1.2));
    dent(item.positions, Vec3f::UnitX(), 0.15 * ease(time, 2.0, 2.5));
  }
  return item;
}

/// Falls in a parabola while it turns, and lies still from 2 s on.
FrameItem tumbling_box(double time) {
  static const auto box = std::make_shared<const TriMesh>(make_box(Vec3(0.4, 0.6, 0.8)));
  const double t = std::min(time, 2.0);
  FrameItem item;
  item.name = "box";
  item.surface = box;
  item.place.translation = Vec3(t, 20 - 4.905 * t * t, 0);
  item.place.rotation = Eigen::AngleAxisd(7 * t, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  item.look.color = Vec3f(0.8f, 0.1f, 0.1f);
  return item;
}

FrameItem ground() {
  static const auto patch = std::make_shared<const TriMesh>(make_plane_patch(Vec3::UnitY(), 0, 10));
  FrameItem item;
  item.name = "ground";
  item.surface = patch;
  item.backdrop = true;
  return item;
}

Frame frame_at(int index) {
  const double time = 5 + index / kFps;  // a recording need not start at 0
  Frame frame{index, time, {ground(), tumbling_box(time - 5), dented_sphere(time - 5)}};
  return frame;
}

Result<Frame> source(int index) {
  return frame_at(index);
}

/// Farthest that any vertex of an item is from its place in any frame, as a reader of the file finds it.
double worst_of(const Player& player, const std::string& name, int frames, const std::function<Frame(int)>& frame_of) {
  double worst = 0;
  for (int index = 0; index < frames; ++index) {
    const Frame frame = frame_of(index);
    for (const FrameItem& item : frame.items) {
      if (item.name == name) worst = std::max(worst, furthest(player.positions(name, index / kFps), positions_of(item)));
    }
  }
  return worst;
}

TEST_F(Export, gives_back_every_frame_within_the_tolerances) {
  const auto report = export_glb(source, kFrames, {}, path("a.glb"));
  ASSERT_TRUE(report) << report.error().text;
  const Player player(path("a.glb"));
  const double sphere = worst_of(player, "sphere", kFrames, frame_at), box = worst_of(player, "box", kFrames, frame_at);
  EXPECT_LT(sphere, 0.001 * bounds_of(shared_sphere()->positions).diagonal());
  EXPECT_LT(box, 0.00108) << "a thousandth of its size";
  EXPECT_LT(worst_of(player, "ground", kFrames, frame_at), 1e-6);
  EXPECT_NEAR(report->worst, std::max(sphere, box), 2e-6) << "what is said is what was measured";
  EXPECT_EQ(report->worst_item, sphere > box ? "sphere" : "box");
  EXPECT_EQ(report->frames, kFrames);
  EXPECT_EQ(report->nodes, 3);
  EXPECT_EQ(report->bytes, fs::file_size(path("a.glb")));
  EXPECT_FALSE(report->compact);
}

TEST_F(Export, keeps_a_tolerance_that_is_asked_for) {
  for (const double tolerance : {1e-4, 0.01}) {
    ExportSettings settings;
    settings.tolerance = tolerance;
    const auto report = export_glb(source, kFrames, settings, path("a.glb"));
    ASSERT_TRUE(report);
    EXPECT_LT(report->worst, tolerance);
    const Player player(path("a.glb"));
    EXPECT_LE(worst_of(player, "sphere", kFrames, frame_at), report->worst + 2e-6);
  }
}

TEST_F(Export, has_keys_only_where_they_are_needed) {
  ASSERT_TRUE(export_glb(source, kFrames, {}, path("a.glb")));
  const Player player(path("a.glb"));
  EXPECT_TRUE(player.times("ground", "translation").empty());
  EXPECT_TRUE(player.times("ground", "rotation").empty());
  EXPECT_TRUE(player.times("sphere", "translation").empty());
  EXPECT_TRUE(player.times("box", "scale").empty());
  EXPECT_LE(player.times("box", "translation").size(), 50u) << "none while it lies still";
  EXPECT_LE(player.times("sphere", "weights").size(), 22u) << "a dent takes few frames, and a pause two keys";
}

TEST_F(Export, few_shapes_and_weights_from_zero_to_one) {
  const auto report = export_glb(source, kFrames, {}, path("a.glb"));
  ASSERT_TRUE(report);
  EXPECT_LE(report->shapes, 3) << "two dents, however they are pressed in, and one that lets weights be positive";
  const Player player(path("a.glb"));
  for (double time = 0; time < kFrames / kFps; time += 0.01) {
    for (const double weight : player.weights("sphere", time)) {
      EXPECT_GE(weight, 0) << "sliders of other programs begin at 0";
      EXPECT_LE(weight, 1) << "and end at 1";
    }
  }
  EXPECT_EQ(player.weights("sphere", 1.4), player.weights("sphere", 1.9)) << "the first dent does not creep while nothing hits";
  for (const Json& target : player.primitive("sphere").find("targets")->items) {
    const auto accessor = static_cast<size_t>(target.find("POSITION")->number);
    EXPECT_TRUE(player.json().find("accessors")->items[accessor].find("sparse"));
  }
}

TEST_F(Export, shares_surfaces_and_looks_between_instances) {
  const auto many = [](int index) -> Result<Frame> {
    Frame frame{index, index / kFps, {}};
    for (int i = 0; i < 10; ++i) {
      FrameItem box = tumbling_box(index / kFps), sphere = dented_sphere(index / kFps);
      box.name = "box " + std::to_string(i), sphere.name = "sphere " + std::to_string(i);
      box.place.translation.z() = sphere.place.translation.z() = i;
      box.surface = std::make_shared<const TriMesh>(*box.surface);  // equal is as good as the same
      frame.items.push_back(box), frame.items.push_back(sphere);
    }
    return frame;
  };
  const auto report = export_glb(many, kFrames, {}, path("a.glb"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->nodes, 20);
  EXPECT_EQ(report->meshes, 11) << "one for all boxes, one each for what is dented";
  const Player player(path("a.glb"));
  EXPECT_EQ(gltf_count(player.document(), "materials"), 2u);
  EXPECT_EQ(player.primitive("sphere 0").find("attributes")->find("POSITION")->number,
            player.primitive("sphere 9").find("attributes")->find("POSITION")->number);
}

TEST_F(Export, hides_items_while_they_are_away) {
  const auto blinking = [](int index) -> Result<Frame> {
    Frame frame = frame_at(index);
    if (index < 10 || (index >= 20 && index < 30)) frame.items.erase(frame.items.begin() + 1);
    if (index >= 40) frame.items[1].look.visible = false;
    return frame;
  };
  ASSERT_TRUE(export_glb(blinking, kFrames, {}, path("a.glb")));
  const Player player(path("a.glb"));
  for (int index = 0; index < kFrames; ++index) {
    const bool away = index < 10 || (index >= 20 && index < 30) || index >= 40;
    EXPECT_EQ(player.value("box", "scale", index / kFps, 3)[0], away ? 0 : 1) << index;
    if (away) continue;
    EXPECT_LT(furthest(player.positions("box", index / kFps), positions_of(tumbling_box(index / kFps))), 5e-4) << index;
  }
  EXPECT_LT(furthest(player.positions("box", 19.9 / kFps), positions_of(tumbling_box(19 / kFps))), 5e-4) << "does not set off before it is gone";
}

TEST_F(Export, gives_a_broken_item_a_node_for_each_surface) {
  const auto breaking = [](int index) -> Result<Frame> {
    Frame frame{index, index / kFps, {tumbling_box(0), dented_sphere(0)}};
    if (index >= 5) frame.items[0].surface = shared_sphere();
    frame.items[1].name = "box";
    return frame;
  };
  const auto report = export_glb(breaking, 10, {}, path("a.glb"));
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->nodes, 3);
}

/// Hit by forty blows, one after another; 130 frames.
Frame restless_frame(int index) {
  FrameItem item = dented_sphere(0);
  item.positions = rest_of(*item.surface);
  for (int hit = 0; hit < 40; ++hit) {
    const Vec3f direction(std::sin(hit * 2.4f), std::cos(hit * 1.7f), std::sin(hit * 0.9f + 1));
    dent(item.positions, direction.normalized(), 0.05 * ease(index, hit * 3, hit * 3 + 3));
  }
  return Frame{index, index / kFps, {item}};
}

TEST_F(Export, the_number_of_shapes_follows_from_the_tolerance) {
  const auto restless = [](int index) -> Result<Frame> { return restless_frame(index); };
  int before = 1000;
  for (const double tolerance : {0.0003, 0.003, 0.03}) {
    ExportSettings settings;
    settings.tolerance = tolerance;
    const auto report = export_glb(restless, 130, settings, path("a.glb"));
    ASSERT_TRUE(report);
    EXPECT_LE(report->shapes, 42) << "a blow moves along one shape";
    EXPECT_LT(report->shapes, before);
    before = report->shapes;
    EXPECT_NEAR(worst_of(Player(path("a.glb")), "sphere", 130, restless_frame), report->worst, 2e-6);
    EXPECT_LT(report->worst, tolerance);
  }
}

TEST_F(Export, a_size_that_is_asked_for_is_kept_and_its_price_told) {
  const auto restless = [](int index) -> Result<Frame> { return restless_frame(index); };
  const auto plain = export_glb(restless, 130, {}, path("a.glb"));
  ASSERT_TRUE(plain);
  ExportSettings settings;
  settings.max_bytes = plain->bytes * 2 / 3;
  const auto compact = export_glb(restless, 130, settings, path("b.glb"));
  ASSERT_TRUE(compact) << compact.error().text;
  EXPECT_LE(compact->bytes, settings.max_bytes);
  EXPECT_TRUE(compact->compact);
  EXPECT_EQ(compact->scale, 1) << "small numbers are enough";
  EXPECT_LT(compact->worst, 0.00174);
  EXPECT_NEAR(worst_of(Player(path("b.glb")), "sphere", 130, restless_frame), compact->worst, 2e-6);
  settings.max_bytes = plain->bytes / 6;
  const auto coarse = export_glb(restless, 130, settings, path("c.glb"));
  ASSERT_TRUE(coarse) << coarse.error().text;
  EXPECT_LE(coarse->bytes, settings.max_bytes);
  EXPECT_GT(coarse->scale, 1);
  EXPECT_GT(coarse->worst, compact->worst);
  EXPECT_NEAR(worst_of(Player(path("c.glb")), "sphere", 130, restless_frame), coarse->worst, 2e-6);
  settings.max_bytes = 1000;
  const auto impossible = export_glb(restless, 130, settings, path("d.glb"));
  ASSERT_FALSE(impossible);
  EXPECT_NE(impossible.error().text.find("--max-size: the file cannot be made smaller than"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("d.glb")));
}

TEST_F(Export, what_moves_by_its_shape_alone_gets_a_frame_that_moves_along) {
  const auto thrown = [](int index) {
    FrameItem item = dented_sphere(0);
    item.place = Transform();
    const double time = index / kFps;
    const Eigen::AngleAxisf turn(static_cast<float>(3 * time), Vec3f(1, 2, 0.5).normalized());
    for (const Vec3f& p : rest_of(*item.surface)) {
      const Vec3f squeezed(p.x(), p.y() * (1 - 0.1f * static_cast<float>(std::sin(9 * time))), p.z());
      item.positions.push_back(turn * squeezed + Vec3f(static_cast<float>(5 * time), static_cast<float>(8 * time - 4.9 * time * time), 0));
    }
    return Frame{index, time, {item}};
  };
  const auto report = export_glb([&](int index) -> Result<Frame> { return thrown(index); }, 48, {}, path("a.glb"));
  ASSERT_TRUE(report);
  EXPECT_LE(report->shapes, 2) << "one squeeze; twelve more would be needed for the motion";
  const Player player(path("a.glb"));
  EXPECT_GT(player.times("sphere", "rotation").size(), 4u);
  EXPECT_LT(worst_of(player, "sphere", 48, thrown), 0.00174);
}

TEST_F(Export, bakes_a_shape_that_never_changes) {
  const auto still = [](int index) -> Result<Frame> {
    FrameItem item = dented_sphere(3);
    item.colors.assign(item.positions.size(), Vec3f(1, 0.5f, 0));
    return Frame{index, index / kFps, {item}};
  };
  ExportSettings settings;
  settings.colors = true;
  const auto report = export_glb(still, 3, settings, path("a.glb"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->shapes, 0);
  const Player player(path("a.glb"));
  EXPECT_FALSE(player.json().find("animations"));
  EXPECT_LT(furthest(player.positions("sphere", 0), positions_of(dented_sphere(3))), 1e-5);
  EXPECT_TRUE(player.primitive("sphere").find("attributes")->find("COLOR_0"));
}

TEST_F(Export, a_surface_that_trembles_within_the_tolerance_rests) {
  const auto trembling = [](int index) -> Result<Frame> {
    FrameItem item = dented_sphere(0);
    item.positions = rest_of(*item.surface);
    if (index == 1) item.positions[0] += Vec3f(0.0001f, 0, 0);
    return Frame{index, index / kFps, {item}};
  };
  const auto report = export_glb(trembling, 3, {}, path("a.glb"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->shapes, 0);
  const Player player(path("a.glb"));
  EXPECT_FALSE(player.json().find("animations"));
  EXPECT_LT(furthest(player.positions("sphere", 0.04), positions_of(dented_sphere(0))), 2e-4);
}

TEST_F(Export, refuses_frames_it_cannot_write) {
  const auto broken = [](const std::function<void(Frame&)>& change) {
    return [change](int index) -> Result<Frame> {
      Frame frame = frame_at(index);
      if (index == 50) change(frame);
      return frame;
    };
  };
  const auto error_of = [&](const std::function<void(Frame&)>& change) {
    const auto report = export_glb(broken(change), kFrames, {}, path("a.glb"));
    return report ? std::string() : report.error().text;
  };
  EXPECT_NE(error_of([](Frame& f) { f.items[2].positions[7].x() = NAN; }).find("frame 50: \"sphere\""), std::string::npos);
  EXPECT_NE(error_of([](Frame& f) { f.items[2].positions.pop_back(); }), "");
  EXPECT_NE(error_of([](Frame& f) { f.items[1].place.translation.y() = INFINITY; }), "");
  EXPECT_NE(error_of([](Frame& f) { f.time = 5; }), "");
  EXPECT_NE(error_of([](Frame& f) {
              TriMesh bad = make_box(Vec3::Ones());
              bad.triangles[3][1] = 1000;
              f.items[1].surface = std::make_shared<const TriMesh>(bad);
            }),
            "");
  EXPECT_FALSE(fs::exists(path("a.glb")));
  EXPECT_FALSE(export_glb(source, 0, {}, path("a.glb")));
  EXPECT_FALSE(export_glb(source, 2, {}, path("no such folder/a.glb")));
  EXPECT_FALSE(export_glb([](int) -> Result<Frame> { return input_error("no more"); }, 2, {}, path("a.glb")));
}

TEST_F(Export, writes_a_frame_as_obj_and_ply_in_world_coordinates) {
  Frame frame = frame_at(80);
  frame.items[2].colors.assign(frame.items[2].positions.size(), Vec3f(0, 1, 0));
  ASSERT_TRUE(export_obj(frame, path("a.obj")));
  ASSERT_TRUE(export_ply(frame, path("a.ply")));
  std::vector<Vec3> all;
  for (const FrameItem& item : frame.items) {
    const auto positions = positions_of(item);
    all.insert(all.end(), positions.begin(), positions.end());
  }
  const std::string text = *read_file(path("a.obj"));
  EXPECT_NE(text.find("g sphere\n"), std::string::npos);
  const auto obj = parse_obj(text, "a.obj");
  ASSERT_TRUE(obj) << obj.error().text;
  const auto ply = parse_ply(*read_file(path("a.ply")), "a.ply");
  ASSERT_TRUE(ply) << ply.error().text;
  EXPECT_LT(furthest(ply->positions, all), 1e-5);
  EXPECT_EQ(ply->colors.size(), all.size());
  EXPECT_LT((ply->colors.back() - Vec3f(0, 1, 0)).norm(), 0.01);
  const Bounds bounds = bounds_of(obj->positions);
  EXPECT_LT((bounds.low - bounds_of(all).low).norm() + (bounds.high - bounds_of(all).high).norm(), 1e-5);
  frame.items[0].surface = nullptr;
  EXPECT_TRUE(export_obj(frame, path("a.obj"))) << "nothing to draw is nothing to complain about";
}

TEST_F(Export, writes_many_dented_drums_quickly_and_small) {
  constexpr int kDrums = 10, kManyFrames = 300;
  TriMesh fine = make_sphere(0.5);
  while (fine.positions.size() < 3000) {  // more copies of its vertices stand for a finer surface
    const auto count = static_cast<int>(fine.positions.size());
    const TriMesh copy = fine;
    for (const Vec3& position : copy.positions) fine.positions.push_back(position * 0.9);
    for (const Triangle& t : copy.triangles) fine.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
    fine.uvs.clear();
  }
  const auto surface = std::make_shared<const TriMesh>(fine);
  const Points3f rest = rest_of(fine);
  double making = 0;
  const auto drums = [&](int index) -> Result<Frame> {
    const auto begin = std::chrono::steady_clock::now();
    Frame frame{index, index / kFps, {}};
    for (int drum = 0; drum < kDrums; ++drum) {
      FrameItem item;
      item.name = "drum " + std::to_string(drum);
      item.surface = surface;
      item.positions = rest;
      const auto squeeze = static_cast<float>(0.3 * ease(index, drum * 10, drum * 10 + 700) + 0.01 * std::sin(index * 0.05));
      for (Vec3f& point : item.positions) point.y() *= 1 - squeeze, point.x() += squeeze * point.z() * point.z();
      item.place.translation = Vec3(drum, std::abs(std::sin(index * 0.1)), 0);
      item.place.rotation = Eigen::AngleAxisd(std::sin(index * 0.07), Vec3::UnitX()).toRotationMatrix();
      frame.items.push_back(std::move(item));
    }
    making += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return frame;
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto report = export_glb(drums, kManyFrames, {}, path("a.glb"));
  ASSERT_TRUE(report);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() - making;
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  RecordProperty("megabytes", static_cast<int>(report->bytes >> 20));
  EXPECT_LT(report->bytes, 3u << 20);
  EXPECT_LE(report->shapes, kDrums * 4);
  EXPECT_LT(report->worst, 0.00174);
}

}  // namespace
}  // namespace crumple::io

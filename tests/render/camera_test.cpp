#include "crumple/render/camera.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/render/test_frames.h"

namespace crumple::render {
namespace {

void expect_in_view(const Camera& camera, const Bounds& bounds, int width, int height) {
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 point(corner & 1 ? bounds.high.x() : bounds.low.x(), corner & 2 ? bounds.high.y() : bounds.low.y(),
                     corner & 4 ? bounds.high.z() : bounds.low.z());
    const Vec2f seen = project(camera, point, width, height);
    EXPECT_GE(seen.x(), 0);
    EXPECT_LE(seen.x(), width);
    EXPECT_GE(seen.y(), 0);
    EXPECT_LE(seen.y(), height);
    EXPECT_GT((point - camera.eye).dot(axes_of(camera).forward), 0);
  }
}

Bounds cube(const Vec3& middle, double half) {
  return {middle - Vec3::Constant(half), middle + Vec3::Constant(half)};
}

Frame frame_with(std::vector<FrameItem> items) {
  Frame frame;
  frame.items = std::move(items);
  return frame;
}

TEST(Camera, fitted_sees_every_corner) {
  const std::vector<Bounds> bounds = {cube(Vec3(0, 0, 0), 1), cube(Vec3(5, 2, -7), 0.3), cube(Vec3(-3, 9, 1), 2)};
  for (const double aspect : {0.4, 1.0, 16.0 / 9, 4.0}) {
    for (const Vec3& direction : {kPleasantDirection, Vec3(-1, 0.1, 0), Vec3(0, 1, 0), Vec3(1, -1, 1)}) {
      FitSettings settings;
      settings.aspect = aspect;
      settings.direction = direction;
      const Camera camera = fit_camera(bounds, settings);
      for (const Bounds& each : bounds) expect_in_view(camera, each, static_cast<int>(1000 * aspect), 1000);
    }
  }
}

TEST(Camera, fitted_is_as_near_as_it_can_be) {
  const std::vector<Bounds> bounds = {cube(Vec3(3, 4, 5), 1)};
  FitSettings settings;
  settings.margin = 0;
  settings.aspect = 1;
  const Camera camera = fit_camera(bounds, settings);
  double highest = 1e9, lowest = -1e9;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 point = Vec3(3, 4, 5) + Vec3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    const Vec2f seen = project(camera, point, 1000, 1000);
    highest = std::min<double>({highest, seen.y(), seen.x()}), lowest = std::max<double>({lowest, seen.y(), seen.x()});
  }
  EXPECT_NEAR(highest, 0, 1);
  EXPECT_NEAR(lowest, 1000, 1);
}

TEST(Camera, fits_what_moves_and_neither_docks_nor_backdrops) {
  const FrameItem dock = make_item("dock", make_box(Vec3(100, 1, 100)), Vec3(0, -0.5, 0));
  const std::vector<Frame> frames = {frame_with({make_floor(), dock, make_item("drum 1", make_sphere(0.5), Vec3(0, 1, 0))}),
                                     frame_with({make_floor(), dock, make_item("drum 1", make_sphere(0.5), Vec3(3, 1, 0))})};
  const std::vector<Bounds> bounds = bounds_to_fit(frames, {});
  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_NEAR(bounds[1].high.x(), 3.5, 1e-6);
  EXPECT_LT((fit_camera(frames, FitSettings{}).eye).norm(), 20);
}

TEST(Camera, fits_the_bodies_it_is_told_and_their_parts) {
  const std::vector<Frame> frames = {
      frame_with({make_item("car", make_sphere(1), Vec3(0, 0, 0)), make_item("car/wheel", make_sphere(1), Vec3(2, 0, 0)),
                  make_item("cart", make_sphere(1), Vec3(90, 0, 0))})};
  const std::vector<std::string> names = {"car"};
  EXPECT_EQ(bounds_to_fit(frames, names).size(), 2u);
}

TEST(Camera, ignores_the_one_body_flung_away_and_the_broken_one) {
  std::vector<Frame> frames(20);
  for (int i = 0; i < 20; ++i) {
    for (int body = 0; body < 12; ++body) {
      frames[i].items.push_back(make_item("drum " + std::to_string(body), make_box(Vec3::Ones()), Vec3(body, 0.5 + 0.01 * i, 0)));
    }
    frames[i].items.push_back(make_item("flung", make_box(Vec3::Ones()), Vec3(i * i, 1, 0)));
    frames[i].items.push_back(make_item("broken", make_box(Vec3::Ones()), Vec3(std::numeric_limits<double>::quiet_NaN(), 1, 0)));
  }
  Bounds all;
  for (const Bounds& each : bounds_to_fit(frames, {})) all.add(each.low), all.add(each.high);
  EXPECT_LE(all.low.x(), -0.49);
  EXPECT_GE(all.high.x(), 11.49);
  EXPECT_LT(all.high.x(), 40);
}

TEST(Camera, of_nothing_is_still_a_camera) {
  const Camera camera = fit_camera(std::span<const Frame>(), FitSettings{});
  EXPECT_TRUE(camera.eye.allFinite());
  EXPECT_GT((camera.eye - camera.target).norm(), 1);
  const Camera point = fit_camera(std::vector<Bounds>{cube(Vec3(1, 2, 3), 0)}, FitSettings{});
  EXPECT_GT((point.eye - point.target).norm(), 0.01);
}

TEST(Camera, text_may_give_eye_target_and_angle) {
  Camera fitted;
  fitted.target = Vec3(7, 8, 9);
  EXPECT_EQ(parse_camera("1,2,-3.5", fitted)->eye, Vec3(1, 2, -3.5));
  EXPECT_EQ(parse_camera("1,2,3", fitted)->target, Vec3(7, 8, 9));
  EXPECT_EQ(parse_camera("1,2,3:4,5,6")->target, Vec3(4, 5, 6));
  EXPECT_EQ(parse_camera("1, 2, 3 : 4,5,6 : 50")->fov_degrees, 50);
  EXPECT_EQ(parse_camera("1e1,2,3:28.5")->fov_degrees, 28.5);
}

TEST(Camera, text_that_means_nothing_is_an_error_that_shows_how) {
  for (const char* text : {"", "1,2", "1,2,3,4", "a,b,c", "1,2,nan", "1,2,inf", "1,2,3:", "1,2,3:4,5", "1,2,3:4,5,6:x", "1,2,3:4,5,6:7,8,9",
                           "1,2,3:1,2,3", "1,2,3:0", "1,2,3:200", "1,2,1e300", ":", "40"}) {
    const Result<Camera> camera = parse_camera(text, front_camera());
    ASSERT_FALSE(camera) << text;
    EXPECT_EQ(camera.error().kind, Error::Kind::Input);
    EXPECT_NE(camera.error().text.find(text), std::string::npos);
  }
}

TEST(Camera, looking_straight_down_has_sound_axes) {
  Camera camera;
  camera.eye = Vec3(0, 5, 0);
  const CameraAxes axes = axes_of(camera);
  EXPECT_NEAR(axes.right.norm(), 1, 1e-12);
  EXPECT_NEAR(axes.up.norm(), 1, 1e-12);
  EXPECT_NEAR(axes.up.dot(axes.forward), 0, 1e-12);
}

}  // namespace
}  // namespace crumple::render

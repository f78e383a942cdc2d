#include "crumple/render/preview.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "tests/render/test_frames.h"

namespace crumple::render {
namespace {

struct RestoreThreads {
  int before = thread_count();
  ~RestoreThreads() { set_thread_count(before); }
};

Image rendered(const Frame& frame, const Camera& camera, const RenderSettings& settings) {
  Result<Image> image = render_frame(frame, camera, settings);
  EXPECT_TRUE(image) << image.error().text;
  return image ? std::move(*image) : Image(settings.width, settings.height);
}

TEST(Preview, gives_the_same_bytes_for_any_number_of_threads) {
  const RestoreThreads restore;
  Frame frame = ball_on_floor();
  frame.items.push_back(make_item("box", make_box(Vec3(0.6, 0.4, 0.5)), Vec3(0.9, 0.2, 0.3), Vec3f(0.6f, 0.1f, 0.1f)));
  frame.items.back().look.metal = 0.7;
  set_thread_count(1);
  const Image one = rendered(frame, front_camera(), small_picture());
  for (const int threads : {2, 7}) {
    set_thread_count(threads);
    EXPECT_EQ(rendered(frame, front_camera(), small_picture()), one) << threads << " threads";
  }
}

TEST(Preview, a_ball_casts_a_shadow_away_from_the_sun) {
  const Camera camera = front_camera();
  RenderSettings settings = small_picture();
  settings.sun = Vec3(-1, 1, 0);
  const Image image = rendered(ball_on_floor(), camera, settings);
  // At 45 degrees the shadow of the ball's middle falls half a metre beside it.
  const double shadow = brightness_at(image, project(camera, Vec3(0.7, 0, 0), 120, 80));
  const double lit = brightness_at(image, project(camera, Vec3(-0.9, 0, 0), 120, 80));
  EXPECT_LT(shadow, 0.75 * lit);
  EXPECT_GT(shadow, 10);
}

TEST(Preview, a_white_ball_is_brightest_towards_the_sun) {
  RenderSettings settings = small_picture();
  settings.sun = Vec3(-1, 0.5, 1);
  const Camera camera = front_camera();
  const Image image = rendered(ball_on_floor(), camera, settings);
  const Vec2f middle = project(camera, Vec3(0, 0.5, 0), 120, 80);
  EXPECT_GT(brightness_at(image, middle - Vec2f(8, 2)), 1.2 * brightness_at(image, middle + Vec2f(9, 3)));
}

TEST(Preview, a_black_ball_hides_exactly_what_it_covers) {
  Frame frame;
  frame.items = {make_item("ball", make_sphere(0.5), Vec3(0, 0.5, 0), Vec3f::Zero())};
  frame.items[0].look.roughness = 0.9;
  RenderSettings settings = small_picture();
  Camera camera = front_camera();
  camera.eye = Vec3(0, 0.5, 5);
  const Image image = rendered(frame, camera, settings);
  int covered = 0;
  for (int i = 0; i < image.width * image.height; ++i) covered += image.rgb[3 * i] < 100;
  // A ball of radius r at distance d shows as a disc of radius r / sqrt(d^2 - r^2), of tan(fov / 2) half a picture.
  const double radius = 0.5 / std::sqrt(25 - 0.25) / std::tan(16 * 3.14159265 / 180) * 40;
  EXPECT_NEAR(covered, 3.14159265 * radius * radius, 0.05 * 3.14159265 * radius * radius);
}

TEST(Preview, the_floor_fades_into_the_background_without_a_horizon) {
  Frame frame;
  frame.items = {make_floor()};
  const Image image = rendered(frame, front_camera(), small_picture());
  for (int y = 1; y < image.height; ++y) {
    EXPECT_LT(std::abs(brightness_at(image, Vec2f(60, static_cast<float>(y)), 0) - brightness_at(image, Vec2f(60, static_cast<float>(y - 1)), 0)), 14)
        << "row " << y;
  }
}

TEST(Preview, a_frame_without_items_shows_the_background) {
  RenderSettings settings = small_picture();
  const Image bright = rendered(Frame{}, front_camera(), settings);
  settings.background = Vec3f::Zero();
  const Image black = rendered(Frame{}, front_camera(), settings);
  EXPECT_GT(brightness_at(bright, Vec2f(60, 40)), 150);
  EXPECT_LT(brightness_at(black, Vec2f(60, 40)), 3);
}

TEST(Preview, hidden_items_are_not_drawn) {
  Frame frame = ball_on_floor();
  frame.items[1].look.visible = false;
  Frame empty = frame;
  empty.items.pop_back();
  EXPECT_EQ(rendered(frame, front_camera(), small_picture()), rendered(empty, front_camera(), small_picture()));
}

TEST(Preview, broken_geometry_is_left_out) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Frame frame = ball_on_floor();
  const Image sound = rendered(frame, front_camera(), small_picture());
  FrameItem bad_positions = make_item("nan", make_box(Vec3::Ones()), Vec3(0, 0.5, 0));
  bad_positions.positions.assign(bad_positions.surface->positions.size(), Vec3f::Constant(nan));
  FrameItem bad_place = make_item("nowhere", make_box(Vec3::Ones()), Vec3(0, std::numeric_limits<double>::infinity(), 0));
  TriMesh wrong;
  wrong.positions = {Vec3::Zero(), Vec3::UnitX()};
  wrong.triangles = {{0, 1, 2}, {-1, 0, 1}, {0, 1, 1000000000}};
  FrameItem nothing;
  nothing.name = "no surface";
  FrameItem bad_backdrop = make_floor();
  bad_backdrop.place.translation.y() = nan;
  frame.items.insert(frame.items.end(), {bad_positions, bad_place, make_item("wrong", wrong, Vec3::Zero()),
                                         make_item("empty", TriMesh{}, Vec3::Zero()), nothing, bad_backdrop});
  EXPECT_EQ(rendered(frame, front_camera(), small_picture()), sound);
}

TEST(Preview, one_broken_vertex_does_not_spoil_the_rest) {
  Frame frame = ball_on_floor();
  FrameItem& ball = frame.items[1];
  for (const Vec3& point : ball.surface->positions) ball.positions.push_back(point.cast<float>());
  const Image sound = rendered(frame, front_camera(), small_picture());
  ball.positions[0].x() = std::numeric_limits<float>::quiet_NaN();
  const Image torn = rendered(frame, front_camera(), small_picture());
  int changed = 0;
  for (size_t i = 0; i < sound.rgb.size(); ++i) changed += std::abs(sound.rgb[i] - torn.rgb[i]) > 12;
  EXPECT_LT(changed, static_cast<int>(sound.rgb.size()) / 20);
}

TEST(Preview, flat_triangles_and_strange_looks_are_drawn_without_trouble) {
  Frame frame = ball_on_floor();
  FrameItem& ball = frame.items[1];
  ball.positions.assign(ball.surface->positions.size(), Vec3f(0.1f, 0.2f, 0.3f));
  frame.items.push_back(make_item("odd", make_box(Vec3::Ones()), Vec3(1, 0.5, 0), Vec3f::Constant(std::numeric_limits<float>::quiet_NaN())));
  frame.items.back().look.metal = std::numeric_limits<double>::quiet_NaN();
  frame.items.back().look.roughness = -5;
  const Image image = rendered(frame, front_camera(), small_picture());
  EXPECT_GT(std::accumulate(image.rgb.begin(), image.rgb.end(), 0.0), 0);
}

TEST(Preview, colours_follow_the_mode) {
  Frame frame = ball_on_floor();
  FrameItem& ball = frame.items[1];
  ball.look.color = Vec3f(0.05f, 0.6f, 0.05f);
  ball.colors.assign(ball.surface->positions.size(), Vec3f(0.7f, 0.03f, 0.03f));
  const Camera camera = front_camera();
  const Vec2f middle = project(camera, Vec3(0, 0.5, 0.5), 120, 80);
  RenderSettings settings = small_picture();
  const auto middle_color = [&](ColorMode mode) {
    settings.color = mode;
    const Image image = rendered(frame, camera, settings);
    const uint8_t* pixel = image.pixel(static_cast<int>(middle.x()), static_cast<int>(middle.y()));
    return Eigen::Vector3i(pixel[0], pixel[1], pixel[2]);
  };
  const Eigen::Vector3i plain = middle_color(ColorMode::Plain), weights = middle_color(ColorMode::Weights);
  EXPECT_GT(plain[1], plain[0] + 40);
  EXPECT_GT(weights[0], weights[1] + 40);
  ball.body = 3;
  EXPECT_EQ(middle_color(ColorMode::Piece), weights);  // who gives colours is believed
  ball.colors.clear();
  const Eigen::Vector3i first = middle_color(ColorMode::Piece);
  ball.piece = 1;
  EXPECT_GT((first - middle_color(ColorMode::Piece)).cwiseAbs().sum(), 60);
}

TEST(Preview, settings_out_of_range_are_errors) {
  const auto fails = [](auto&& change) {
    RenderSettings settings = small_picture();
    Camera camera = front_camera();
    change(settings, camera);
    const Result<Image> image = render_frame(ball_on_floor(), camera, settings);
    return !image && image.error().kind == Error::Kind::Input && !image.error().text.empty();
  };
  EXPECT_TRUE(fails([](RenderSettings& s, Camera&) { s.width = 0; }));
  EXPECT_TRUE(fails([](RenderSettings& s, Camera&) { s.height = 1 << 30; }));
  EXPECT_TRUE(fails([](RenderSettings& s, Camera&) { s.samples = 0; }));
  EXPECT_TRUE(fails([](RenderSettings& s, Camera&) { s.sun = Vec3::Zero(); }));
  EXPECT_TRUE(fails([](RenderSettings& s, Camera&) { s.background.x() = NAN; }));
  EXPECT_TRUE(fails([](RenderSettings&, Camera& c) { c.eye = c.target; }));
  EXPECT_TRUE(fails([](RenderSettings&, Camera& c) { c.fov_degrees = 190; }));
  EXPECT_TRUE(fails([](RenderSettings&, Camera& c) { c.eye.x() = NAN; }));
}

TEST(Preview, draws_pictures_one_pixel_wide_and_with_one_sample) {
  RenderSettings settings = small_picture();
  settings.width = 1, settings.height = 3, settings.samples = 1;
  EXPECT_EQ(rendered(ball_on_floor(), front_camera(), settings).rgb.size(), 9u);
}

TEST(Preview, many_frames_report_progress_in_order) {
  std::vector<int> seen, taken;
  Watch watch;
  watch.progress = [&](int done, int total) {
    EXPECT_EQ(total, 3);
    seen.push_back(done);
  };
  RenderSettings settings = small_picture();
  settings.width = settings.height = 16;
  const auto frame_at = [](int index) -> Result<Frame> {
    Frame frame = ball_on_floor();
    frame.number = 10 * index;
    return frame;
  };
  const auto take = [&](int, const Frame& frame, Image image) -> Result<void> {
    EXPECT_EQ(image.width, 16);
    taken.push_back(frame.number);
    return {};
  };
  ASSERT_TRUE(render_frames(3, frame_at, [](const Frame&) { return front_camera(); }, settings, take, watch));
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(taken, (std::vector<int>{0, 10, 20}));
}

TEST(Preview, stops_when_it_is_cancelled) {
  StopFlag cancel;
  cancel.request();
  Watch watch;
  watch.cancel = &cancel;
  const Result<Image> image = render_frame(ball_on_floor(), front_camera(), small_picture(), watch);
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().text.find("cancelled"), std::string::npos);
}

}  // namespace
}  // namespace crumple::render

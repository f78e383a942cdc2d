// Sprites: poses and their blends, projection, the ways between poses, matching, momentum, behaviour and contact, each against what is known of it.
#include "crumple/methods/sprites/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/io/image.h"
#include "crumple/rig/make_flat.h"
#include "crumple/rig/pose.h"

namespace crumple::sprites {
namespace {

constexpr double kPi = std::numbers::pi;

/// A disc of a metre with a handle in the middle and four around it.
std::shared_ptr<const Asset> disc() {
  static const std::shared_ptr<const Asset> made = [] {
    Picture picture(128, 128);
    for (int y = 0; y < 128; ++y) {
      for (int x = 0; x < 128; ++x) {
        const double inside = 60 - std::hypot(x + 0.5 - 64, y + 0.5 - 64);
        uint8_t* pixel = picture.pixel(x, y);
        pixel[0] = 200, pixel[3] = static_cast<uint8_t>(255 * std::clamp(inside + 0.5, 0.0, 1.0));
      }
    }
    auto image = std::make_shared<TextureImage>();
    image->name = "disc", image->mime = "image/png", image->bytes = *io::encode_png(picture), image->picture = std::make_shared<const Picture>(picture);
    FlatSettings settings;
    settings.handles = {{"middle", {64, 64}, {}, ""}, {"top", {64, 14}, {}, ""}, {"bottom", {64, 114}, {}, ""}, {"left", {14, 64}, {}, ""}, {"right", {114, 64}, {}, ""}};
    settings.height = 128.0 / 120;
    FlatReport report;
    const std::vector<FlatLayer> layers = {{"disc", image}};
    Result<Asset> asset = make_flat_rig(layers, settings, report);
    if (!asset) throw std::runtime_error(asset.error().text);
    const Poser poser(*asset);
    const auto add = [&](const char* name, std::vector<PoseGoal> goals) { asset->examples.push_back({name, poser.solve(goals)}); };
    add("squash", {{1, {0, -0.3, 0}, {}, false}, {3, {-0.15, -0.14, 0}, {}, false}, {4, {0.15, -0.14, 0}, {}, false}, {0, {0, -0.14, 0}, {}, false}});
    add("stretch", {{1, {0, 0.2, 0}, {}, false}, {2, {0, -0.2, 0}, {}, false}, {3, {0.1, 0, 0}, {}, false}, {4, {-0.1, 0, 0}, {}, false}});
    add("bent", {{1, {0.3, -0.1, 0}, Quat(Eigen::AngleAxisd(-1.2, Vec3::UnitZ())), false}, {2, {0.3, 0.1, 0}, Quat(Eigen::AngleAxisd(1.2, Vec3::UnitZ())), false}});
    asset->name = "disc";
    return std::make_shared<const Asset>(std::move(*asset));
  }();
  return made;
}

struct Made {
  Model model;
  State state;
};
Made made(Settings settings = {}, const Vec3& velocity = Vec3::Zero(), double spin = 0) {
  MatterSeed seed;
  seed.drawing = disc(), seed.mass = 0.8, seed.velocity = velocity, seed.spin = Vec3(0, 0, spin);
  Result<Model> model = build(seed, settings);
  if (!model) throw std::runtime_error(model.error().text);
  Result<State> state = start(*model, seed, settings);
  return {std::move(*model), std::move(*state)};
}

MatterContext context(double dt, long number, int substeps = 1, const Vec3& gravity = Vec3::Zero()) {
  MatterContext now;
  now.dt = dt, now.time = static_cast<double>(number) * dt, now.gravity = gravity, now.substep = static_cast<int>(number % substeps), now.substeps = substeps;
  return now;
}

void run(Made& m, int frames, int substeps = 1, const Vec3& gravity = Vec3::Zero(), std::span<const particles::Obstacle> obstacles = {}) {
  const double dt = 1.0 / (60 * substeps);
  for (long k = 0; k < static_cast<long>(frames) * substeps; ++k) {
    MatterContext now = context(dt, k, substeps, gravity);
    now.obstacles = obstacles;
    prepare(m.model, m.state, now);
    step(m.model, m.state, now);
  }
}

particles::Obstacle floor_at(double height) {
  particles::Obstacle floor;
  floor.shape.kind = rigid::ObstacleShape::Kind::Plane;
  floor.shape.planes = {Eigen::Vector4d(0, 1, 0, 0)};
  floor.place.translation = Vec3(0, height, 0);
  floor.friction = 0.5;
  return floor;
}

Complex momentum(const Made& m) {
  Complex sum = 0;
  for (size_t i = 0; i < m.state.size(); ++i) sum += m.model.mass[i] * m.state.v[i];
  return sum;
}
double spin_momentum(const Made& m) {
  const RigidMotion motion = rigid_motion(m.model, m.state);
  return motion.spin * motion.inertia;
}

/// Weights over rest, squash, stretch and bent.
Place at_weights(const Manifold& manifold, std::vector<double> a) {
  const Place place = place_of(manifold, a);
  EXPECT_GE(place.simplex, 0);
  return place;
}

std::vector<Complex> turned(const Model& model, const Place& place, double angle, Complex shift) {
  std::vector<Complex> shape(model.particles());
  pose_particles(model.manifold, place, shape);
  for (Complex& x : shape) x = std::polar(1.0, angle) * x + shift;
  return shape;
}

Settings with_triangles() {
  Settings settings;
  settings.complex = {{"rest", "squash", "bent"}, {"rest", "stretch", "bent"}};
  return settings;
}

TEST(Sprites, poses_are_those_of_the_rig_and_blends_turn_by_the_mean_angle) {
  const Made m = made();
  for (size_t k = 0; k < disc()->examples.size(); ++k) {
    std::vector<double> a(4, 0.0);
    a[k] = 1;
    std::vector<Complex> shape(m.model.particles());
    pose_particles(m.model.manifold, place_of(m.model.manifold, a), shape);
    const std::vector<Vec3> posed = posed_positions(*disc(), disc()->examples[k].handles);
    for (size_t i = 0; i < shape.size(); ++i) EXPECT_LT(std::abs(shape[i] - Complex(posed[i].x(), posed[i].y())), 1e-6);
  }
  // The top of "bent" is turned by -1.2: half way, its handle is turned by half of that.
  const Eigen::VectorXcd t = blend(m.model.manifold, at_weights(m.model.manifold, {0.5, 0, 0, 0.5}));
  EXPECT_NEAR(std::arg(t[3]), -0.6, 1e-6);
}

class Projections : public testing::TestWithParam<bool> {};  // triangles or segments
INSTANTIATE_TEST_SUITE_P(Both, Projections, testing::Bool());

TEST_P(Projections, recover_known_weights_whatever_the_rotation) {
  const Made m = made(GetParam() ? with_triangles() : Settings());
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    std::vector<double> a(4, 0.0);
    const auto& simplex = m.model.manifold.simplices[static_cast<size_t>(random.unit() * static_cast<double>(m.model.manifold.simplices.size()))];
    double sum = 0;
    for (const int pose : simplex.poses) sum += a[static_cast<size_t>(pose)] = 0.02 + random.unit();
    for (double& w : a) w /= sum;
    const double angle = 2 * kPi * random.unit();
    const std::vector<Complex> shape = turned(m.model, place_of(m.model.manifold, a), angle, {3, -2});
    const ShapeMoments moments = moments_of(m.model.manifold, m.model.mass, shape);
    Place found{0, {1, 0, 0, 0}};
    project(m.model.manifold, moments, true, found);
    for (size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(found.a[j], a[j], 1e-11) << k;
    EXPECT_NEAR(std::abs(rotation_at(m.model.manifold, moments, found, 1) - std::polar(1.0, angle)), 0, 1e-11);
    // As the thesis has it, in turn with the rotation.
    Place alternating{0, {1, 0, 0, 0}};
    Representatives all;
    for (size_t i = 0; i < m.model.particles(); ++i) all.particles.push_back(static_cast<int>(i)), all.masses.push_back(m.model.mass[i]);
    if (k < 8) project_alternating(m.model.manifold, all, shape, true, alternating);
    for (size_t j = 0; k < 8 && j < a.size(); ++j) EXPECT_NEAR(alternating.a[j], a[j], 1e-4) << k;
  }
}

TEST(Sprites, projection_of_a_noisy_shape_is_near_and_tracks_over_faces) {
  const Made m = made();
  Random random(5);
  Place place{0, {1, 0, 0, 0}};
  for (int k = 0; k <= 80; ++k) {  // from squash over rest to stretch
    const double way = -1 + k / 40.0;
    const Place wanted = at_weights(m.model.manifold, {1 - std::abs(way), std::max(-way, 0.0), std::max(way, 0.0), 0});
    std::vector<Complex> shape = turned(m.model, wanted, 0.1 * k, 0);
    for (Complex& x : shape) x += 0.01 * Complex(random.unit() - 0.5, random.unit() - 0.5);
    project(m.model.manifold, moments_of(m.model.manifold, m.model.mass, shape), k == 0, place);
    double sum = 0;
    for (size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(place.a[j], wanted.a[j], 0.03) << k;
      EXPECT_GE(place.a[j], 0);
      sum += place.a[j];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_GE(place_of(m.model.manifold, place.a).simplex, 0) << "never leaves the complex";
  }
}

TEST(Sprites, derivatives_of_the_cost_are_exact) {
  const Made m = made(with_triangles());
  std::vector<Complex> shape = turned(m.model, at_weights(m.model.manifold, {0.2, 0.5, 0, 0.3}), 1.1, 0);
  Random random(8);
  for (Complex& x : shape) x += 0.05 * Complex(random.unit() - 0.5, random.unit() - 0.5);
  const ShapeMoments moments = moments_of(m.model.manifold, m.model.mass, shape);
  const std::vector<double> a = {0.5, 0.2, 0.3};
  const Complex held = std::polar(1.0, 0.9);
  for (const Complex* turn : {static_cast<const Complex*>(nullptr), &held}) {
    const auto value = [&](double da, double db) {
      const std::vector<double> b = {a[0] - da - db, a[1] + da, a[2] + db};
      return cost_at(m.model.manifold, moments, 0, b, false, turn).value;
    };
    const Cost cost = cost_at(m.model.manifold, moments, 0, a, true, turn);
    constexpr double h = 1e-4;
    EXPECT_NEAR(cost.gradient[0], (value(h, 0) - value(-h, 0)) / (2 * h), 1e-6 * std::abs(cost.gradient[0]) + 1e-9);
    EXPECT_NEAR(cost.gradient[1], (value(0, h) - value(0, -h)) / (2 * h), 1e-6 * std::abs(cost.gradient[1]) + 1e-9);
    EXPECT_NEAR(cost.hessian(0, 0), (value(h, 0) - 2 * value(0, 0) + value(-h, 0)) / (h * h), 1e-5 * std::abs(cost.hessian(0, 0)));
    EXPECT_NEAR(cost.hessian(0, 1), (value(h, h) - value(h, -h) - value(-h, h) + value(-h, -h)) / (4 * h * h), 1e-5 * cost.hessian.norm());
  }
}

TEST(Sprites, ways_between_poses_go_through_shared_faces) {
  const Made m = made();
  const Manifold& manifold = m.model.manifold;
  const Place squash = at_weights(manifold, {0, 1, 0, 0}), stretch = at_weights(manifold, {0, 0, 1, 0}), middle = at_weights(manifold, {0.4, 0.6, 0, 0});
  EXPECT_NEAR(distance(manifold, squash, stretch), 2, 1e-12);
  EXPECT_NEAR(distance(manifold, middle, stretch), 1.6, 1e-12);
  EXPECT_NEAR(moved(manifold, squash, stretch, 0.25).a[1], 0.5, 1e-12);
  EXPECT_NEAR(moved(manifold, squash, stretch, 0.5).a[0], 1, 1e-12);
  EXPECT_NEAR(moved(manifold, squash, stretch, 0.75).a[2], 0.5, 1e-12);
  EXPECT_NEAR(moved(manifold, middle, stretch, 1).a[2], 1, 1e-12);
  Settings parts;
  parts.complex = {{"rest", "squash"}, {"stretch", "bent"}};
  const Made apart = made(parts);
  const Place here = at_weights(apart.model.manifold, {1, 0, 0, 0}), there = at_weights(apart.model.manifold, {0, 0, 1, 0});
  EXPECT_EQ(moved(apart.model.manifold, here, there, 1).a, here.a) << "there is no way";
}

TEST(Sprites, matching_keeps_momentum_and_rigid_motions_stay) {
  Made m = made();
  Random random(2);
  // A rigid motion of the pose does not change.
  std::vector<Complex> moved_shape = turned(m.model, m.model.equilibrium, 0.7, {1, 2});
  const std::vector<Complex> before = moved_shape;
  std::vector<Complex> pose(m.model.particles());
  pose_particles(m.model.manifold, m.model.equilibrium, pose);
  const PoseRings posed = pose_rings(m.model.rings, pose);
  match_rings(m.model.rings, posed, pose, 1, moved_shape);
  match_all(m.model.mass, pose, 1, 1, moved_shape);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_LT(std::abs(moved_shape[i] - before[i]), 1e-12);
  // Of any shape, the middle does not.
  for (Complex& x : moved_shape) x += 0.2 * Complex(random.unit(), random.unit());
  const Complex middle = middle_of(m.model, moved_shape);
  match_rings(m.model.rings, posed, pose, 0.8, moved_shape);
  EXPECT_LT(std::abs(middle_of(m.model, moved_shape) - middle), 1e-13);
  // Plain means, as printed, do move it.
  const Rings plain = make_rings(m.model.particles(), disc()->surface.triangles, 3, m.model.mass, true);
  std::vector<Complex> other = before;
  for (size_t i = 0; i < other.size(); ++i) other[i] += other[i].real() > 1.2 ? 0.1 : 0;
  const Complex there = middle_of(m.model, other);
  match_rings(plain, pose_rings(plain, pose), pose, 1, other);
  EXPECT_GT(std::abs(middle_of(m.model, other) - there), 1e-5);
}

TEST(Sprites, rest_stays_at_rest_and_free_flight_keeps_momentum_spin_and_shape) {
  Made still = made();
  const std::vector<Complex> before = still.state.x;
  run(still, 60);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_LT(std::abs(still.state.x[i] - before[i]), 1e-12);
  for (const int substeps : {1, 4}) {
    Made m = made({}, {2, 1, 0}, 8);
    const Complex p = momentum(m);
    const double l = spin_momentum(m);
    run(m, 60, substeps);
    EXPECT_LT(std::abs(momentum(m) - p), 1e-10);
    EXPECT_NEAR(spin_momentum(m), l, 1e-3 * l);
    EXPECT_NEAR(m.state.weights[0], 1, 1e-3);
    EXPECT_LT(std::abs(rigid_motion(m.model, m.state).middle - (middle_of(m.model, before) + Complex(2, 1))), 1e-9);
  }
  // Without the correction spin dies: theta_N = theta_0 / sqrt(1 + 2 N theta_0^2).
  Settings loses;
  loses.lose_spin = true, loses.liveliness = 1;
  Made m = made(loses, Vec3::Zero(), 8);
  run(m, 60);
  const double theta = 8.0 / 60;
  EXPECT_NEAR(rigid_motion(m.model, m.state).spin / 8, 1 / std::sqrt(1 + 120 * theta * theta), 0.03);
}

TEST(Sprites, a_body_falls_as_it_should) {
  Made m = made();
  const Complex before = middle_of(m.model, m.state.x);
  run(m, 30, 4, {0, -9.81, 0});
  // Semi-implicit steps of 1/240 s.
  EXPECT_NEAR((middle_of(m.model, m.state.x) - before).imag(), -9.81 * 0.5 * 0.5 * (0.5 + 1.0 / 240), 1e-6);
}

TEST(Sprites, attraction_goes_as_the_closed_forms_say) {
  constexpr double k = 0.1;
  const auto weights = [&](double liveliness, int frames) {
    Settings settings;
    settings.attraction = -1.0 / 60 / std::log(1 - k), settings.liveliness = liveliness, settings.stiffness = 1, settings.local = 0;
    Made m = made(settings);
    // Starts in a pose of weight 0.8, at rest.
    for (int twice = 0; twice < 2; ++twice) set_pose(m.model, m.state, at_weights(m.model.manifold, {0.2, 0.8, 0, 0}));
    m.state.x = m.state.pose;
    std::fill(m.state.v.begin(), m.state.v.end(), Complex(0));
    std::vector<double> a;
    for (int f = 0; f < frames; ++f) {
      MatterContext now = context(1.0 / 60, f);
      prepare(m.model, m.state, now), step(m.model, m.state, now);
      a.push_back(m.state.weights[1]);
    }
    return a;
  };
  const std::vector<double> follows = weights(0, 20);
  for (size_t n = 0; n < follows.size(); ++n) EXPECT_NEAR(follows[n], 0.8 * std::pow(1 - k, static_cast<double>(n + 1)), 2e-4) << n;
  // Lively: y_N+1 = (1 - k) (2 y_N - y_N-1): 0.720, 0.576, 0.389, 0.181.
  const std::vector<double> wobbles = weights(1, 4);
  const double expected[] = {0.720, 0.576, 0.389, 0.181};
  for (size_t n = 0; n < 4; ++n) EXPECT_NEAR(wobbles[n], expected[n], 3e-3) << n;
}

TEST(Sprites, speed_pulls_to_a_fixed_point) {
  // a* = kappa / (1 - (1 - kappa)(1 - k)) = 0.345 for k = 0.1, kappa = 0.05.
  Settings settings;
  settings.attraction = -1.0 / 60 / std::log(0.9), settings.liveliness = 0, settings.speed = SpeedKnobs{"stretch", 0.05};
  Made m = made(settings, {1, 0, 0});
  run(m, 200);
  EXPECT_NEAR(m.state.weights[2], 0.345, 2e-3);
}

TEST(Sprites, what_contacts_store_is_given_back_in_its_time) {
  Settings settings;
  settings.momentum = MomentumKnobs{1, 0.1, 6, 20};
  Made m = made(settings);
  m.state.stored = {0, 2};
  run(m, 6);  // 0.1 s
  EXPECT_NEAR(m.state.stored.imag(), 2 * std::exp(-1.0), 1e-12);
  EXPECT_NEAR(momentum(m).imag(), 2 * (1 - std::exp(-1.0)), 1e-12);
  // As printed (eq. 4.12) nearly all of it is lost.
  settings.printed_momentum = true;
  Made printed = made(settings);
  printed.state.stored = {0, 2};
  run(printed, 6);
  EXPECT_LT(momentum(printed).imag(), 0.02 * 2 * (1 - std::exp(-1.0)));
}

TEST(Sprites, a_bounce_balances_and_rises_with_what_is_given_back) {
  std::vector<double> heights;
  for (const double share : {0.0, 0.5, 1.0}) {
    Settings settings;
    settings.momentum = MomentumKnobs{share, 0.05, 6, 20}, settings.liveliness = 0.5;
    Made m = made(settings, {0, -6, 0});
    const particles::Obstacle floor = floor_at(-0.6);
    double borne = 0, given = 0, gravity = 0;
    const Complex before = momentum(m);
    double highest = -1e9;
    for (long k = 0; k < 60 * 4; ++k) {
      MatterContext now = context(1.0 / 240, k, 4, {0, -9.81, 0});
      now.obstacles = {&floor, 1};
      prepare(m.model, m.state, now);
      const Complex matched = momentum(m);
      const double was_stored = m.state.stored.imag();
      step(m.model, m.state, now);
      given += was_stored - m.state.stored.imag();
      borne += (momentum(m) - matched).imag() - (was_stored - m.state.stored.imag());
      gravity += -9.81 * m.model.total / 240;
      if (k > 60) highest = std::max(highest, middle_of(m.model, m.state.x).imag());
    }
    EXPECT_NEAR(momentum(m).imag(), before.imag() + gravity + borne + given, 1e-6);
    heights.push_back(highest);
  }
  EXPECT_LT(heights[0] + 0.15, heights[1]);
  EXPECT_LT(heights[1] + 0.3, heights[2]);
}

TEST(Sprites, contacts_below_the_threshold_change_nothing) {
  std::vector<std::vector<Complex>> ends;
  for (const bool has_energy : {false, true}) {
    Settings settings;
    if (has_energy) settings.energy = EnergyKnobs{"squash", 0.5, 100, Along::Pose};
    Made m = made(settings, {1, -3, 0});
    const particles::Obstacle floor = floor_at(-0.6);
    run(m, 40, 4, {0, -9.81, 0}, {&floor, 1});
    ends.push_back(m.state.x);
  }
  EXPECT_EQ(ends[0], ends[1]);
  Settings settings;
  settings.energy = EnergyKnobs{"squash", 0.05, 1, Along::Pose};
  Made m = made(settings, {1, -3, 0});
  const particles::Obstacle floor = floor_at(-0.6);
  run(m, 40, 4, {0, -9.81, 0}, {&floor, 1});
  EXPECT_NE(m.state.x, ends[0]);
}

TEST(Sprites, resting_contact_neither_jitters_nor_sags) {
  Settings settings;
  settings.energy = EnergyKnobs{"squash", 0.05, 1, Along::Pose}, settings.momentum = MomentumKnobs{0.85, 0.05, 6, 20};
  settings.orientation = OrientationKnobs{Facing::Angle, 0, 0.1, 1};  // a disc that rolls is no jitter
  Made m = made(settings);
  const particles::Obstacle floor = floor_at(-0.52);
  run(m, 120, 4, {0, -9.81, 0}, {&floor, 1});
  std::vector<Complex> low = m.state.x, high = m.state.x;
  double least = 1e9, most = -1e9;
  for (int f = 0; f < 60; ++f) {
    for (long k = 0; k < 4; ++k) {
      MatterContext now = context(1.0 / 240, k, 4, {0, -9.81, 0});
      now.obstacles = {&floor, 1};
      prepare(m.model, m.state, now), step(m.model, m.state, now);
    }
    for (const Complex& x : m.state.x) least = std::min(least, x.imag()), most = std::max(most, x.imag());
    for (size_t i = 0; i < low.size(); ++i) {
      low[i] = {std::min(low[i].real(), m.state.x[i].real()), std::min(low[i].imag(), m.state.x[i].imag())};
      high[i] = {std::max(high[i].real(), m.state.x[i].real()), std::max(high[i].imag(), m.state.x[i].imag())};
    }
  }
  double amplitude = 0;
  for (size_t i = 0; i < low.size(); ++i) amplitude = std::max(amplitude, std::abs(high[i] - low[i]));
  EXPECT_LT(amplitude, 1e-3 * m.model.size);
  EXPECT_GT((most - least) / 1.0, 0.95) << "sags by less than 5 %";
  EXPECT_GE(least, -0.5201);
}

TEST(Sprites, a_flip_keeps_momentum_spin_and_energy_and_two_are_none) {
  Made m = made({}, {2, 1, 0}, 3);
  Random random(4);
  for (Complex& v : m.state.v) v += 0.3 * Complex(random.unit() - 0.5, random.unit() - 0.5);
  const Complex p = momentum(m);
  const double l = spin_momentum(m), energy = kinetic_energy(m.model, m.state);
  const std::vector<Complex> x = m.state.x, v = m.state.v;
  flip(m.model, m.state);
  EXPECT_NE(m.state.x, x);
  EXPECT_LT(std::abs(momentum(m) - p), 1e-13);
  EXPECT_NEAR(spin_momentum(m), l, 1e-12);
  EXPECT_NEAR(kinetic_energy(m.model, m.state), energy, 1e-12);
  flip(m.model, m.state);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_LT(std::abs(m.state.x[i] - x[i]) + std::abs(m.state.v[i] - v[i]), 1e-12);
}

TEST(Sprites, orientation_comes_back_upright_or_along_the_flight) {
  Settings settings;
  settings.orientation = OrientationKnobs{Facing::Angle, 0, 0.1, 1};
  Made m = made(settings, Vec3::Zero(), 5);
  run(m, 120, 4);
  EXPECT_NEAR(std::arg(m.state.turn), 0, 1e-3);
  EXPECT_NEAR(rigid_motion(m.model, m.state).spin, 0, 1e-3);
  settings.orientation = OrientationKnobs{Facing::Velocity, 0, 0.05, 1};
  Made flies = made(settings, {3, 3, 0});
  run(flies, 60, 4);
  EXPECT_NEAR(std::arg(flies.state.turn), -kPi / 4, 1e-2);
}

TEST(Sprites, two_sprites_hit_each_other_and_momentum_stays) {
  Made a = made({}, {3, 0, 0}), b = made({}, {-1, 0, 0});
  b.model.origin = Vec3(1.6, 0.1, 0);
  const Complex before = momentum(a) + momentum(b);
  for (long k = 0; k < 160; ++k) {
    for (Made* m : {&a, &b}) {
      MatterContext now = context(1.0 / 240, k, 4);
      prepare(m->model, m->state, now), step(m->model, m->state, now);
    }
    collide(a.model, a.state, b.model, b.state, 0.3);
  }
  EXPECT_LT(std::abs(momentum(a) + momentum(b) - before), 1e-9);
  EXPECT_LT(momentum(a).real(), 0.5 * 3 * 0.8);
  const Complex gap = middle_of(b.model, b.state.x) + Complex(1.6, 0.1) - middle_of(a.model, a.state.x);
  EXPECT_GT(std::abs(gap), 0.9) << "they are not inside each other";
}

TEST(Sprites, keys_rules_and_cues_drive_the_behaviour) {
  Settings settings;
  settings.behaviours.resize(3);
  settings.behaviours[0].name = "stand";
  settings.behaviours[1].name = "dance", settings.behaviours[1].cycle = true, settings.behaviours[1].attraction = 0.02;
  settings.behaviours[1].keys = {{{"squash", "", 0.5}, 0.3}, {{"stretch", "", 0.5}, 0.3}};
  settings.behaviours[2].name = "leap", settings.behaviours[2].jump = Vec3(1, 4, 0), settings.behaviours[2].side = Side::Left;
  settings.rules = {{"stand", "dance", "d", "", Contacting::Either, {}, {}, {}, {}}, {"dance", "leap", "", "d", Contacting::Either, {}, {}, {}, {}}};
  settings.input = {{0.1, "d", true}, {1.5, "d", false}};
  Made m = made(settings);
  std::vector<int64_t> seen;
  double most_squash = 0, most_stretch = 0;
  for (long k = 0; k < 100; ++k) {
    MatterContext now = context(1.0 / 60, k);
    prepare(m.model, m.state, now), step(m.model, m.state, now);
    if (seen.empty() || seen.back() != m.state.behaviour) seen.push_back(m.state.behaviour);
    most_squash = std::max(most_squash, m.state.weights[1]), most_stretch = std::max(most_stretch, m.state.weights[2]);
  }
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_GT(most_squash, 0.8);
  EXPECT_GT(most_stretch, 0.8);
  EXPECT_EQ(m.state.is_left, 1);
  EXPECT_NEAR(rigid_motion(m.model, m.state).velocity.real(), -1, 1e-6) << "its jump goes along its facing";
  EXPECT_NEAR(rigid_motion(m.model, m.state).velocity.imag(), 4, 1e-6);
}

TEST(Sprites, the_cost_of_projection_does_not_depend_on_the_particles) {
  const Made m = made();
  EXPECT_EQ(m.model.manifold.gram.rows(), 15);  // five handles with three numbers each
  EXPECT_EQ(moments_of(m.model.manifold, m.model.mass, m.state.x).y.size(), 15);
}

TEST(Sprites, mistakes_get_clear_errors) {
  MatterSeed seed;
  seed.drawing = disc(), seed.mass = 1;
  const auto error = [&](const Settings& settings) {
    const Result<Model> model = build(seed, settings);
    return model ? std::string() : model.error().text;
  };
  Settings settings;
  settings.equilibrium = Blend{"squish", "", 0.5};
  EXPECT_NE(error(settings).find("/equilibrium/pose: there is no pose \"squish\"; did you mean \"squash\"?"), std::string::npos) << error(settings);
  settings.equilibrium = Blend{"squash", "stretch", 0.5};
  EXPECT_NE(error(settings).find("in no simplex"), std::string::npos) << error(settings);
  settings = {};
  settings.complex = {{"rest", "flat"}};
  EXPECT_NE(error(settings).find("/complex/0: there is no pose \"flat\""), std::string::npos) << error(settings);
}

}  // namespace
}  // namespace crumple::sprites

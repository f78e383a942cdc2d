#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/geometry/curve_order.h"
#include "crumple/geometry/refine.h"
#include "crumple/geometry/spacing.h"
#include "crumple/methods/points/kernels.h"
#include "crumple/particles/clamps.h"

namespace crumple::points {
namespace {

constexpr size_t kFewest = 8;         // points of a body
constexpr float kLeastStiffness = 0.01f;  // painted
constexpr double kFlat = 1e-6;        // least over greatest moment of a cloud that is not flat
constexpr double kLongestEdge = 1.5;  // of the drawn mesh, in spacings
constexpr double kCalm = 0.05;        // viscosity that is chosen, in density x speed of sound x spacing

Result<void> check_cloud(const Start& start) {
  if (start.places.size() < kFewest) return input_error(fmt::format(": {} points make no body that can flow; it takes {} or more", start.places.size(), kFewest));
  Vec3 center = Vec3::Zero();
  for (const Vec3& p : start.places) {
    if (!p.allFinite()) return input_error(": a point has a place that is not a number");
    center += p;
  }
  center /= static_cast<double>(start.places.size());
  Mat3 moments = Mat3::Zero();
  for (const Vec3& p : start.places) moments += (p - center) * (p - center).transpose();
  const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(moments).eigenvalues();
  if (!(values[0] > kFlat * values[2])) return input_error(": all points lie in a plane; a body of points needs some thickness");
  const Spacing spacing = measure_spacing(start.places);
  if (!(spacing.least > 1e-6 * spacing.usual)) return input_error(fmt::format(": points {} and {} are at the same place", spacing.a, spacing.b));
  return {};
}

State bare_state(const Model& model, const Start& start) {
  State state;
  const size_t count = start.places.size();
  state.counts.assign(kCounts, 0.0);
  for (size_t i = 0; i < count; ++i) {
    state.x.push_back(start.places[i] - model.origin);
    state.original.push_back(static_cast<int32_t>(i));
  }
  state.e = state.x, state.last_move.assign(count, Vec3::Zero());
  state.pending.assign(count, Mat3::Identity()), state.unfolded.assign(count, 0);
  state.v = start.velocities.empty() ? std::vector<Vec3>(count, Vec3::Zero()) : start.velocities;
  state.push.assign(count, Vec3::Zero());
  state.volume.assign(count, 0), state.mass.assign(count, 1), state.radius.assign(count, 0), state.strain.assign(count, 0), state.flowed.assign(count, 0);
  state.own_spacing.assign(count, model.spacing);
  const auto painted = [&](const std::vector<float>& factors) { return factors.empty() ? std::vector<float>(count, 1.0f) : factors; };
  state.yield = painted(start.yield), state.stiffness = painted(start.stiffness), state.rate = painted(start.rate);
  state.held.assign(count, -1), state.is_there.assign(count, 1);
  state.neighbor.assign(count * model.stride(), -1), state.u.assign(count * model.stride(), Vec4::Zero());
  update_lists(model, state, {});
  lists_changed(model, state);
  return state;
}

/// Distances to the nearest neighbour of each.
void set_own_spacing(const Model& model, State& state) {
  for (size_t i = 0; i < state.size(); ++i) {
    double least = 1e300;
    for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
      if (state.neighbor[s] >= 0) least = std::min(least, rest_vector(state, s).norm());
    }
    state.own_spacing[i] = least;
  }
  // One distance says little: the mean of the surroundings says more.
  std::vector<double> smooth(state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    double sum = state.own_spacing[i];
    int count = 1;
    for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
      if (state.neighbor[s] >= 0) sum += state.own_spacing[at(state.neighbor[s])], ++count;
    }
    smooth[i] = sum / count;
  }
  state.own_spacing = std::move(smooth);
}

/// From which spreads on points split and merge, and how far from the middle of its neighbours a point of the surface is.
void set_thresholds(Model& model, const State& state) {
  double least = 1e300, most = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Spread spread = spread_of(model, state, static_cast<int>(i));
    const double unit = state.own_spacing[i] * state.own_spacing[i];
    least = std::min(least, spread.values[2] * unit), most = std::max(most, spread.values[0] * unit);
  }
  model.split_below = model.settings.split * least, model.merge_above = model.settings.merge * most;
  model.surface_from = 0.35;  // inside less than 0.30, at the surface more than 0.37, measured
}

}  // namespace

Result<Model> make_model(const Start& start, const Settings& settings) {
  if (Result<void> checked = check_cloud(start); !checked) return checked.error();
  Model model;
  model.settings = settings;
  model.mu = settings.young / (2 * (1 + settings.poisson));
  model.lambda = settings.young * settings.poisson / ((1 + settings.poisson) * (1 - 2 * settings.poisson));
  model.density = start.mass / start.volume;
  model.origin = start.origin;
  model.spacing = measure_spacing(start.places).usual;
  model.viscosity = settings.viscosity.value_or(kCalm * model.density * std::sqrt((model.lambda + 2 * model.mu) / model.density) * model.spacing);
  for (const Vec3& p : start.places) {
    const Vec3f place = (p - start.origin).cast<float>();
    model.rest.emplace_back(place.x(), place.y(), place.z(), 0.0f), model.start.push_back(p - start.origin);
  }
  State state = bare_state(model, start);
  if (std::any_of(state.rank.begin(), state.rank.end(), [](uint8_t rank) { return rank < 2; })) return input_error(": some points have no neighbours in three directions; use more points");
  const std::vector<double> volumes = estimated_volumes(model, state);
  model.volume_scale = start.volume / std::accumulate(volumes.begin(), volumes.end(), 0.0);
  set_own_spacing(model, state);
  set_thresholds(model, state);
  return model;
}

State make_state(const Model& model, const Start& start) {
  State state = bare_state(model, start);
  const std::vector<double> volumes = estimated_volumes(model, state);
  for (size_t i = 0; i < state.size(); ++i) {
    state.volume[i] = model.volume_scale * volumes[i];
    state.mass[i] = double{static_cast<float>(model.density * state.volume[i])};  // what contact can tell
  }
  set_own_spacing(model, state);
  set_basis(model, state), set_drag(model, state), set_forces(model, state, 0);
  hand_out(state);
  return state;
}

namespace {

/// Points along a curve, so that neighbours lie near each other in memory.
Start start_of(const MatterSeed& seed, const Vec3& prestretch, std::vector<Vec3>* stretched) {
  Start start;
  const particles::Cloud& cloud = *seed.cloud;
  for (const int i : curve_order(cloud.points)) {
    start.places.push_back(seed.place * cloud.points[at(i)]);
    if (stretched) stretched->push_back(seed.place * Vec3(prestretch.cwiseProduct(cloud.points[at(i)])));
    if (!cloud.yield.empty()) start.yield.push_back(cloud.yield[at(i)]);
    if (!cloud.stiffness.empty()) start.stiffness.push_back(cloud.stiffness[at(i)]);
    if (!cloud.flow.empty()) start.rate.push_back(cloud.flow[at(i)]);
    start.velocities.push_back(cloud.velocities.empty() ? Vec3(Vec3::Zero()) : cloud.velocities[at(i)]);
  }
  start.mass = seed.mass, start.volume = seed.cloud->volume;
  Bounds box;
  for (const Vec3& p : start.places) box.add(p);
  start.origin = 0.5 * (box.low + box.high);
  return start;
}

}  // namespace

Result<Model> build(const MatterSeed& seed, const BodySettings& settings) {
  if (!seed.cloud->toughness.empty()) return input_error("/paint: points do not tear, so they have no toughness; paint the yield");
  for (const float factor : seed.cloud->stiffness) {
    if (factor < kLeastStiffness) return input_error(fmt::format("/paint: a stiffness of {:g} of the body's leaves nothing that holds; {} or more", factor, kLeastStiffness));
  }
  const Start start = start_of(seed, settings.fill.prestretch, nullptr);
  Result<Model> model = make_model(start, settings.points);
  if (!model) return model.error();
  if (Result<void> checked = particles::check_boundary({model->origin, model->rest}, settings.boundary); !checked) return input_error("/" + checked.error().text);
  model->boundary = settings.boundary;
  particles::set_centers({model->origin, model->rest}, model->boundary);
  TriMesh drawn = refined(*seed.cloud->surface, kLongestEdge * model->spacing);
  for (Vec3& p : drawn.positions) p = seed.place * p - model->origin;
  model->surface = std::make_shared<const TriMesh>(std::move(drawn));
  model->look = seed.look, model->margin = particles::depth_under(model->surface->positions, model->start, model->spacing);
  return model;
}

Result<State> start(const Model& model, const MatterSeed& seed, const BodySettings& settings) {
  std::vector<Vec3> stretched;
  const Start begin = start_of(seed, settings.fill.prestretch, &stretched);
  State state = make_state(model, begin);
  Vec3 center = Vec3::Zero();
  double mass = 0;
  for (size_t i = 0; i < state.size(); ++i) center += state.mass[i] * state.x[i], mass += state.mass[i];
  center /= mass;
  for (size_t i = 0; i < state.size(); ++i) {
    state.v[i] += seed.velocity + seed.spin.cross(state.x[i] - center);
    if (settings.fill.prestretch != Vec3::Ones()) state.x[i] = stretched[i] - model.origin;
  }
  set_forces(model, state, 0);
  hand_out(state);
  return state;
}

}  // namespace crumple::points

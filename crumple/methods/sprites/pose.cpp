#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/timer.h"
#include "crumple/methods/sprites/kernels.h"

namespace crumple::sprites {
namespace {

constexpr double kNoDirection = 1e-3;  // of an edge of the complex: nearer places tell no direction

Complex mirrored(Complex z) {
  return -std::conj(z);
}

/// From one place on through another, to the rim of its simplex; the target of a push in that direction.
Place beyond(const Manifold& manifold, std::span<const double> from, const Place& through) {
  double farthest = 1e300;
  for (size_t k = 0; k < through.a.size(); ++k) {
    const double way = through.a[k] - from[k];
    if (way < -1e-12) farthest = std::min(farthest, through.a[k] / -way);
  }
  std::vector<double> a = through.a;
  for (size_t k = 0; farthest < 1e299 && k < a.size(); ++k) a[k] = std::max(a[k] + farthest * (through.a[k] - from[k]), 0.0);
  const Place place = place_of(manifold, a);
  return place.simplex < 0 ? through : place;
}

double apart(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += 0.5 * std::abs(a[k] - b[k]);
  return sum;
}

/// Where contacts push the pose (eq. 4.5).
Place energy_target(const Model& model, const State& state, const Place& now, const Place& equilibrium) {
  const Along along = model.settings.energy->along;
  const std::span<const double> from = along == Along::Away ? std::span<const double>(equilibrium.a) : std::span<const double>(state.last_weights);
  if (along == Along::Pose || apart(from, now.a) < kNoDirection) return model.energy;
  return beyond(model.manifold, from, now);
}

}  // namespace

void set_pose(const Model& model, State& state, const Place& place) {
  state.from = state.pose, state.from_rings = state.pose_rings;
  state.last_weights = state.weights;
  state.weights = place.a, state.simplex = place.simplex;
  pose_particles(model.manifold, place, state.pose);
  if (state.is_left) std::transform(state.pose.begin(), state.pose.end(), state.pose.begin(), mirrored);
  state.pose_rings = pose_rings(model.rings, state.pose);
}

void choose_pose(const Model& model, State& state, const Place& equilibrium, double attraction, double frame) {
  const WallTimer timer(state.times.projection);
  const Settings& s = model.settings;
  Place place{static_cast<int>(state.simplex), state.weights};
  if (s.examples == Examples::None) {
    std::fill(place.a.begin(), place.a.end(), 0.0);
    place.a[0] = 1;
    return set_pose(model, state, place_of(model.manifold, place.a));
  }
  // The shape that the frame would end with by itself; flight and spin are not of the shape.
  std::vector<Complex> shape(state.size());
  const RigidMotion motion = rigid_motion(model, state);
  for (size_t i = 0; i < shape.size(); ++i) {
    const Complex arm = state.x[i] - motion.middle;
    shape[i] = arm + frame * (state.v[i] - motion.velocity - Complex(0, motion.spin) * arm);
    if (state.is_left) shape[i] = mirrored(shape[i]);
  }
  const bool anywhere = state.is_lost != 0;
  if (s.projection == Projection::Alternating) {
    state.counts[kNewtonSteps] += project_alternating(model.manifold, model.representatives, shape, anywhere, place);
  } else {
    state.counts[kNewtonSteps] += project(model.manifold, moments_of(model.manifold, model.mass, shape), anywhere, place);
  }
  ++state.counts[kProjections], state.counts[kSearches] += anywhere ? 1 : 0, state.is_lost = 0;
  if (s.examples == Examples::Full) {
    if (s.energy && state.energy > s.energy->threshold * s.energy->threshold) {
      place = moved(model.manifold, place, energy_target(model, state, place, equilibrium), std::min(s.energy->gain * state.energy, 1.0));  // eqs. 4.4, 4.5
    }
    place = moved(model.manifold, place, equilibrium, share_in(frame, attraction));  // eq. 4.3
    if (s.speed && std::abs(motion.velocity) > s.speed->threshold) {
      const double share = std::min(s.speed->gain * (std::abs(motion.velocity) - s.speed->threshold), 1.0);
      place = moved(model.manifold, place, model.speed, 1 - std::pow(1 - share, frame / kUnit));  // eq. 4.6
    }
  }
  set_pose(model, state, place);
}

}  // namespace crumple::sprites

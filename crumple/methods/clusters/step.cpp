#include "crumple/core/timer.h"
#include "crumple/methods/clusters/stages.h"

namespace crumple::clusters {
namespace {

/// Runs a stage and adds its time to a counter.
template <class Stage>
void timed(StepTimes* times, double StepTimes::*part, const Stage& stage) {
  if (!times) return stage();
  const CpuTimer timer(times->*part);
  stage();
}

}  // namespace

void step(const Model& model, State& state, Context& now) {
  static thread_local Matched matched;
  now.splits = now.waiting = 0;
  timed(now.times, &StepTimes::dynamics, [&] {
    hold(model, state, now);
    find_goals(model, state, matched);
    integrate(model, state, now, matched);
    carry(model, state, now);
    limit_strain(model, state, now, matched);
  });
  timed(now.times, &StepTimes::fracture, [&] {
    tear(model, state, now);
    split_outliers(model, state);
  });
  // Tearing is decided by the strain before plastic flow reduces it.
  timed(now.times, &StepTimes::plasticity, [&] { yield(model, state, now); });
  state.time += now.dt;
  timed(now.times, &StepTimes::collision, [&] {
    collide_self(model, state);
    collide_boundary(model, state, now);
    now.pushes = particles::collide_obstacles(particles(model, state), now.obstacles, now.dt);
  });
}

}  // namespace crumple::clusters

#pragma once

#include "crumple/methods/clusters/clusters.h"
#include "crumple/methods/matter.h"

/// Bounce of a body as a whole, and its sleep.
namespace crumple::clusters {

/// Saved with the state of a body; all of it are floats.
struct Calm {
  float approach = 0;  // m/s: greatest speed of the body's centre towards what it touches, in this bounce
  float leaves = 0;    // 1: it touches nothing
  float quiet = 0;     // s, for which it has been nearly still
  float asleep = 0;    // 1: it does not move until it is touched
  float load = 0;      // N s: of all contacts, in a usual step
  float now = 0;       // N s: of the contacts in this step
  float near = 0;      // rigid shapes and soft bodies near it, when it fell asleep
  float around = 0;    // the same, in this step
  float speed = 0;     // m/s, root mean square over its clusters
};

/// Takes away what the contacts of this step would make the body's centre leave faster than restitution allows; the obstacles get the reaction, so
/// that momentum and angular momentum stay. Springs alone would return nearly all of a fall, however stiff they are.
void limit_bounce(const Model& model, State& state, MatterContext& now, Calm& calm);

/// Counts the time in which the body is still, and puts it to sleep. Call after all contacts of a step, before the next. `last`: the clusters' centres
/// at the call before.
void fall_asleep(const Model& model, State& state, const MatterContext& now, std::vector<Vec3f>& last, Calm& calm);

/// Wakes a body when something near it moves, when it is loaded more than before, or when something that was near is gone. Call before a step.
void wake(const Model& model, const State& state, const MatterContext& now, Calm& calm);
/// Of two bodies near each other, one that moves wakes one that sleeps.
void rouse(Calm& a, Calm& b);

/// A step of a sleeping body: others touch it like something fixed.
void sleep_through(const Model& model, State& state, MatterContext& now, Calm& calm);

/// Whether nothing but contacts will move the body from now on.
bool may_sleep(const particles::Boundary& boundary);

}  // namespace crumple::clusters

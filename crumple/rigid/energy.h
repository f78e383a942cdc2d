#pragma once

namespace crumple::rigid {

/// What a step did to the kinetic and potential energy of the moving parts, J; below 0: lost. Each entry is the work of its own impulses over the mean
/// of the velocities before and after the solve, which is exact; none is what the others leave.
struct EnergyChange {
  double contact = 0;      // normal impulses of contacts
  double overlap = 0;      // lifting of parts whose overlap is undone without changing their velocity
  double friction = 0;     // sliding and rolling
  double joints = 0;       // joints, limits and motors
  double scripted = 0;     // work of scripted parts, through contacts and joints
  double damping = 0;      // drag, and what falling asleep stops
  double integration = 0;  // error of the time stepping: weight and gyroscopic moments taken at the beginning of a step
  double pushes = 0;       // forces from outside other than weight
  double later = 0;        // changes of velocity after the solve

  double sum() const { return contact + overlap + friction + joints + scripted + damping + integration + pushes + later; }
};

}  // namespace crumple::rigid

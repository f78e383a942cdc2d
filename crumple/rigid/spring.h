#pragma once

namespace crumple::rigid {

/// A damped spring after a while, linear in where it was and how fast it moved: place = place_by_place x0 + place_by_speed v0, and so its speed. Both
/// from where it would rest. (paper 3, section 4.3)
struct SpringSolution {
  double place_by_place = 1, place_by_speed = 0, speed_by_place = 0, speed_by_speed = 1;
};

/// inertia x'' + damping x' + stiffness x = 0, exactly, whether it swings or creeps.
SpringSolution solve_spring(double inertia, double damping, double stiffness, double time);

}  // namespace crumple::rigid

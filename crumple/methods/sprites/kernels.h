#pragma once

#include "crumple/methods/sprites/sprites.h"

/// The parts of a step, for the files of this folder, tests and measurements.
namespace crumple::sprites {

inline double crossed(Complex a, Complex b) { return a.real() * b.imag() - a.imag() * b.real(); }
inline double dotted(Complex a, Complex b) { return a.real() * b.real() + a.imag() * b.imag(); }
inline constexpr double kUnit = 1.0 / 60;  // s: shares of the settings are for this time
/// A share of what is left that a time constant goes in a step.
double share_in(double dt, double time);

Complex middle_of(const Model& model, std::span<const Complex> places);
/// Velocity and spin of a rigid body with the same momenta.
struct RigidMotion {
  Complex middle = 0, velocity = 0;
  double spin = 0, inertia = 0;
};
RigidMotion rigid_motion(const Model& model, const State& state);

// The rest shape of a frame: pose.cpp
/// Projects the shape and applies energy, equilibrium and speed (section 4.2.2.1). `frame`: s.
void choose_pose(const Model& model, State& state, const Place& equilibrium, double attraction, double frame);
/// Puts the rest shape of a weight vector into place: mirrored if the sprite faces left.
void set_pose(const Model& model, State& state, const Place& place);

// Behaviour: behaviour.cpp
/// Keys and rules, once a frame. Returns the equilibrium pose and the time constant towards it.
struct Wanted {
  Place equilibrium;
  double attraction = 0;
};
Wanted behave(const Model& model, State& state, double time, double frame);
/// Mirrors the sprite about its middle. Momentum, spin and energy stay (section 4.2.2.5).
void flip(const Model& model, State& state);

// Motion: step.cpp
/// Moves particles on and matches them with the pose; velocities follow.
void move_on(const Model& model, State& state, const Complex& gravity, double dt);
/// What contacts stored is given back (eqs. 4.12, 4.13). Returns the momentum that was given.
Complex give_back(const Model& model, State& state, double dt);
/// Stores what the contacts of a frame took, and how hard they were (eqs. 4.4, 4.11).
void sum_contacts(const Model& model, State& state, double gravity, double frame);
void correct_orientation(const Model& model, State& state, double dt);

// Contact: contact.cpp, and meet.cpp between sprites
Complex momentum_of(const Model& model, const State& state);
/// How far a particle has gone in this step beyond its velocity: matching did that.
Complex slid_of(const State& state, size_t i);
/// What others did to the particles that particles_of showed them.
void take_over(State& state);
void collide_with_parts(const Model& model, State& state, MatterContext& now);

}  // namespace crumple::sprites

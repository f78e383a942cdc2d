#pragma once

#include <span>

#include "crumple/methods/examples/examples.h"

/// The equations of paper 1, section 3, as plain functions.
/// Legend: E example weights, dE pending change, J = dx/dE, dx wanted displacement, m mass, j impulse.
namespace crumple::examples {

/// How much of a pooled speed change exceeds the yield, as a share of it: eq. 4 with beta as a speed. Above the reference step
/// the yield grows in proportion, because a resting body's impulse m g dt does.
double effective_yield(double yield, double dt);
double excess_share(double speed_change, double yield, double dt);

/// The change of example weights at a vertex that moves it along dx. eqs. 8, 6/10, 9
void project(Rule rule, double gain, std::span<const Vec3> jacobian, const Vec3& dx, std::span<double> change);

/// lambda for a step dt, so that what is pending fades alike at any step.
double lag_for_step(double lag, double dt);

/// E += (1 - lambda) dE; dE *= lambda; then back onto the simplex. A remainder below 1e-4 is applied at once, so nothing waits
/// for ever. Returns the largest change still pending in these rows. eq. 13
float apply_rows(std::span<float> weights, std::span<float> pending, int examples, float lag);

/// |dE|_F divided by the number of vertices. Only active blocks are looked at; the order of the sum is fixed.
double pending_norm(const Model& model, const State& state);

/// C_r for the next step; `pending_norm` is |dE|_F per vertex. eq. 15 with the division of thesis eq. 5.10
double softened_restitution(const Settings& settings, double base, double current, double pending_norm, double dt);

}  // namespace crumple::examples

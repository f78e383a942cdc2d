#pragma once

#include <limits>
#include <span>

#include <Eigen/Core>

#include "crumple/core/result.h"

namespace crumple {

/// How a material keeps a shape it is forced into. The deformation gradient is an elastic part after a plastic one, F = Fe Fp (paper 2,
/// eq. 9), and the elastic part flows into the plastic one where its stretches s, freed of their change of volume, are far from 1:
///   s* = s / cbrt(s0 s1 s2)                                        eq. 10
///   gamma = min(1, nu (|s* - 1| - yield - K alpha) / |s* - 1|)     eq. 13
///   Fp <- V diag(s*^gamma) V^T Fp,   Fe = U diag(s) V^T            eq. 12, up to a rotation from the left that nothing sees
///   d alpha / dt = |s - 1|                                         eq. 14
/// The plastic part never changes volume: det Fp = 1.
struct FlowLaw {
  double yield = 0;      ///< lambda: |s* - 1| up to which all of it springs back
  double flow = 0;       ///< nu: share of the excess over yield that flows in `flow_time`; 0 never flows, 1 at once, more overshoots
  double hardening = 0;  ///< K, 1/s: what a second at |s - 1| = 1 adds to the yield; negative softens
  /// Seconds: `flow` below 1 is said for a step of this length; in longer or shorter ones the excess falls to (1 - flow)^(dt / flow_time).
  double flow_time = 1.0 / 60;
  double most = 100;  ///< |Fp| (Frobenius) beyond which no flow leads: about the greatest stretch that is kept
};

/// The hardening of a law that is said per step (the authors' program adds |s - 1| once a step, without dt).
inline double hardening_per_second(double per_step, double dt) {
  return per_step / dt;
}

/// Every number finite, none negative but the hardening, flow_time above zero.
Result<void> check_flow(const FlowLaw& law);

/// A law for steps of one length: made once, used for all clusters or points.
template <class T>
struct FlowStep {
  T yield = 0, hardening = 0;
  T share = 0;  // of the excess that flows in this step
  T dt = 0;
  T most = std::numeric_limits<T>::max();
};
template <class T>
FlowStep<T> flow_step(const FlowLaw& law, double dt);

/// One step of flow. `stretches` and `axes` are s and V of the elastic part (math/svd.h); `plastic` is Fp and `strain` is alpha. `scale` multiplies
/// the yield (painted toughness); gamma is `most_share` at most. True if something flowed. A part that is inverted, flat or not finite does not flow.
template <class T>
bool flow(const FlowStep<T>& step, const Eigen::Matrix<T, 3, 1>& stretches, const Eigen::Matrix<T, 3, 3>& axes, Eigen::Matrix<T, 3, 3>& plastic,
          T& strain, T scale = 1, T most_share = 1);

/// The greatest gamma with which flow gives back no energy, if springs hold `weights[k] (s_k - s*_k^gamma)^2` along the axes: where the volume has
/// changed, s* has stretches that s has not, and more flow would stretch the springs anew.
template <class T>
T dissipating_share(const Eigen::Matrix<T, 3, 1>& stretches, const Eigen::Matrix<T, 3, 1>& weights);

/// The same for many, each by itself. `scales` may be empty. Returns how many flowed.
template <class T>
size_t flow(const FlowStep<T>& step, std::span<const Eigen::Matrix<T, 3, 1>> stretches, std::span<const Eigen::Matrix<T, 3, 3>> axes,
            std::span<Eigen::Matrix<T, 3, 3>> plastic, std::span<T> strains, std::span<const T> scales = {});

/// The inverse of a plastic part, whose determinant is 1: its adjugate, without a division.
template <class T>
Eigen::Matrix<T, 3, 3> inverse_plastic(const Eigen::Matrix<T, 3, 3>& plastic);

/// |s* - 1| of eq. 11, which yield is compared with; infinite for what is inverted or flat.
template <class T>
T flow_measure(const Eigen::Matrix<T, 3, 1>& stretches);

}  // namespace crumple

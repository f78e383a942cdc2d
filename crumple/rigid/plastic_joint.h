#pragma once

#include "crumple/rigid/joint.h"
#include "crumple/rigid/plastic_law.h"

/// The geometry and the memory of one elastic-plastic joint. Everything is measured in a frame halfway between the two parts and at the point halfway
/// between the two anchors: then a swap of the parts changes signs only, forces do as much work as strains tell, and angular momentum stays.
namespace crumple::rigid {

/// Everything of a joint that changes; restoring it continues bit for bit. All numbers are doubles so that it can be stored as an array.
struct PlasticState {
  Vec3 offset = Vec3::Zero();   // plastic part of (anchor a - anchor b), in the halfway frame, m
  Vec3 bend = Vec3::Zero();     // half of the plastic turn of a against b, as a rotation vector (done twice it is the whole turn), rad; up to pi
  Vec6 flow = Vec6::Zero();     // sum of |plastic flow| of each row, m and rad
  Vec6 force = Vec6::Zero();    // after the last step, N and N m; against the strain
  double work = 0;              // dissipated so far, J
  double utilisation = 0;       // of the last step
  double peak_utilisation = 0;  // of all steps
  double broken = 0;            // 1 once it has broken
  Vec6 lag = Vec6::Zero();      // of exact springs: their speed at the end of a step less the mean speed over it, which parts have

  double elongation() const { return flow.head<3>().sum(); }
  double rotation() const { return flow.tail<3>().sum(); }
};

/// Capacity with hardening and softening so far.
Vec6 capacity_now(const PlasticLaw& law, const PlasticState& state);

/// Where a joint is and how far it is strained.
struct JointGeometry {
  Mat3 frame = Mat3::Identity();  // columns: the axes of the halfway frame, world
  Vec3 at = Vec3::Zero();         // the point halfway between the anchors, world
  Vec6 strain = Vec6::Zero();     // elastic and not yet yielded: offset of a against b and turn of a against b, in the halfway frame
};
/// `a`, `b`: the joint's frame as each part carries it, world.
JointGeometry measure(const PlasticState& state, const Transform& a, const Transform& b);

/// Rate of the strain = jacobian_a (velocity, spin of a) + jacobian_b (...), velocities of the centres of mass, world.
void jacobians(const JointGeometry& geometry, const Vec3& center_a, const Vec3& center_b, Mat6& jacobian_a, Mat6& jacobian_b);

/// Makes the elastic strain of the joint where it now stands what is given: all else becomes plastic offset and bend. Books nothing.
/// (With the strain that `switched` leaves, rows under the paper's rule forget their position before a step.)
void keep_strain(PlasticState& state, const Transform& a, const Transform& b, const Vec6& strain);

/// After a step: yields what is beyond the capacity, books flow, work, force and utilisation, and breaks. `scale` (0..1) lowers the capacities within
/// the step in which a joint breaks, so that it dissipates what it can and not more. Returns whether it has just broken; what it then still stores
/// elastically is lost with it. Work counts a linear hardening by the mean of the capacities before and after: it is the same in one step or in many.
/// Free rows keep no strain.
bool yield(const PlasticLaw& law, PlasticState& state, const Transform& a, const Transform& b, double scale = 1);
/// The same with the geometry already measured.
bool yield(const PlasticLaw& law, PlasticState& state, const Transform& a, const Transform& b, const JointGeometry& geometry, double scale);

/// Plastic flow that is left before it breaks: 1 nothing used, 0 all used. Infinite limits leave 1.
double remaining_share(const PlasticLaw& law, const PlasticState& state);

/// J of the strain now stored.
double elastic_energy(const PlasticLaw& law, const PlasticState& state);

/// A place after moving with constant velocities for a while, exactly as the engine moves parts.
Transform moved(const Transform& center, const Vec3& velocity, const Vec3& spin, double dt);

}  // namespace crumple::rigid

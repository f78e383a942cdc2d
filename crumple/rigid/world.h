#pragma once

#include <memory>
#include <span>
#include <vector>

#include "crumple/rigid/energy.h"
#include "crumple/rigid/joint.h"
#include "crumple/rigid/loads.h"
#include "crumple/rigid/plastic_joint.h"
#include "crumple/rigid/shape.h"

namespace crumple::rigid {

struct Surface {
  double friction = 0.5;
  double restitution = 0.0;
  double rolling_friction = 0.0;
  double linear_damping = 0.0, angular_damping = 0.0;
};

/// The changing state of a part; a new world restored from it continues bit for bit.
struct PartState {
  Transform place;  // of the frame at the centre of mass, along the principal axes
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();  // rad/s, world
  double restitution = -1;   // below 0: that of the surface
  int activation = 1;        // the engine's sleep state: 1 awake, 2 asleep, 3 about to fall asleep, 4 never sleeps
  double idle_time = 0;      // s since it last moved visibly
};

struct PartSettings {
  Shape shape;  // in the part's frame: origin at the centre of mass, axes principal
  Motion motion = Motion::Dynamic;
  double mass = 1;
  Vec3 inertia = Vec3::Ones();  // principal moments
  Surface surface;
  unsigned group = 1, collides_with = ~0u;
  bool flat = false;  // it moves along x and y and turns about z
  PartState state;
};

struct WorldSettings {
  Vec3 gravity = Vec3(0, -9.81, 0);
  int iterations = 10;
  bool sleeping = true;
  /// Steps can be solved again, see World::begin_again, and parts bounce by their restitution wherever in a step they meet.
  bool two_phase = false;
};

/// The rigid engine. Its internal order follows the order of calls, so equal calls give equal bits.
class World {
 public:
  explicit World(const WorldSettings& settings);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  int add_part(const PartSettings& settings);
  /// Removes a part and its joints from the world (its index is not reused), and wakes the parts that touched it.
  void remove_part(int part);
  bool has_part(int part) const;

  int add_joint(const JointSettings& settings);
  /// Adds a joint with known frames (after a rebuild).
  int add_joint(const JointSettings& settings, const JointFrames& frames);
  JointFrames joint_frames(int joint) const;
  /// Removes a joint from the world (its index is not reused) and wakes its parts.
  void remove_joint(int joint);
  bool has_joint(int joint) const;

  /// State of a plastic joint, also of a removed one.
  PlasticState plastic_state(int joint) const;
  void set_plastic_state(int joint, const PlasticState& state);  // call directly after adding it
  /// Counts of the structures' solver since the world was built.
  struct StructureHealth {
    long islands = 0;       // solved
    long factors = 0;       // factorisations
    long unconverged = 0;   // islands that stopped at their budget
    int most_factors = 0;   // of one island in one step
  };
  StructureHealth structure_health() const;
  /// Pairs of moving parts that were not tested for contacts because both had kMaxNeighbours others around them, summed over all steps.
  static constexpr int kMaxNeighbours = 128;
  long skipped_pairs() const;

  /// Turns collision between two parts off or on. For neighbours that touch at rest and are not joined directly. Returns whether that is a change.
  bool ignore_contact(int part_a, int part_b, bool ignored = true);

  /// Takes effect in the next step. Sleeping parts stay asleep.
  void set_gravity(const Vec3& gravity);

  /// A force and a torque on a dynamic part that is awake, for the next step alone (or for the second solve of a part that was just added).
  void push(int part, const Vec3& force, const Vec3& torque);
  /// Forgets the pushes of the last step; call before those of the next.
  void clear_pushes();

  /// One step of exactly dt; overwrites `loads`.
  void step(double dt, Loads& loads);

  /// What the last step, or the second solve of it, did to the energy. Call before parts change in any way.
  EnergyChange energy_change() const;
  /// Kinetic and potential energy of a dynamic part, J; 0 for others. Height counts from the origin.
  double kinetic_energy(int part) const;
  double potential_energy(int part) const;

  /// The second phase of a step (thesis 5.2.3): puts the islands of these parts back to where they were before the last step was solved, so that they
  /// may be solved again with other bounces, links and impulses. Contacts are kept, and joints that broke in the step hold again. Returns what was put
  /// back, ascending.
  std::vector<int> begin_again(std::span<const int> parts);
  /// The part that a hull of a part that was put back and removed belongs to now.
  struct Heir {
    int part;
    int hull;              // its number there
    Transform old_to_new;  // frame of the removed part to that of the heir
  };
  /// Contacts of a removed part go on with its heirs.
  void inherit(int removed, std::span<const Heir> of_hulls);
  /// Solves and moves what was put back and what was added since; overwrites the loads.
  void finish_again(double dt, Loads& loads);

  PartState state(int part) const;
  void set_state(int part, const PartState& state);                     // sleeps or wakes as the state says
  void set_velocity(int part, const Vec3& velocity, const Vec3& spin);  // wakes the part
  void set_restitution(int part, double restitution);
  bool is_awake(int part) const;  // dynamic and not asleep, or scripted and moving
  void wake(int part);
  int awake_count() const;  // of the dynamic parts

  /// A part of kind Hulls changes its shape: new hull points (same hulls and counts, new frame), new inertia, new place; the
  /// mass stays. Cached contact points and joints move with the frame, so they persist. Wakes a sleeping part.
  /// Velocities are set by the caller.
  struct Reshape {
    std::span<const Vec3> points;  // all hulls' points one after another
    Vec3 inertia;
    Transform place;
    Transform old_to_new;  // takes coordinates of the old frame to the new one
  };
  void reshape(int part, const Reshape& change);

  /// Two parts that were one until now may overlap by `depth`: they cannot come closer, but are not pushed apart. Each step the depth shrinks to
  /// the deepest contact; once there is none, they collide normally. Infinite: the overlap found in the next step.
  struct Overlap {
    int part_a, part_b;
    double depth;  // m
  };
  void allow_overlap(const Overlap& overlap);  // a repeated pair starts again; a part with itself: all overlaps found in the next step
  std::vector<Overlap> overlaps() const;       // still allowed, in order of their parts

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace crumple::rigid

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/rig/asset.h"

namespace crumple {

/// What the artist wants of one handle. Handles without a goal stay where they are; their turns are found.
struct PoseGoal {
  int handle = 0;
  Vec3 move = Vec3::Zero();  // metres, from its rest position
  std::optional<Quat> turn;  // absent: found
  bool free = false;         // follows the others; `move` is not looked at
};

struct PoseSettings {
  int rounds = 100;         // at most
  double tolerance = 1e-5;  // of the diagonal: stop when no handle moves or turns its surroundings farther in a round
};

struct PoseReport {
  int rounds = 0;                // in all, also on the way to the goals
  double energy = 0;             // as rigid as possible: about the mean of |F - R|^2 over the body, 0 for rigid motions
  std::vector<double> energies;  // with all handles at their goals: before the first and after each round; never rises
  bool converged = false;
};

/// Finds the turns of handles that keep a skinned body as rigid as possible everywhere while the handles go where they are told
/// [Jacobson et al. 2012, fast automatic skinning transformations]. Built once per rig: a round of a drag is a few small dense products
/// and one Newton step in the handles' own turns, which therefore never stretch. Where goals leave a motion open, the least is made.
class Poser {
 public:
  static constexpr size_t kMaxHandles = 1000;  // dense matrices: beyond, memory and patience end

  /// The asset needs to be sound (io::check_asset); it is not kept.
  explicit Poser(const Asset& asset);
  ~Poser();
  Poser(Poser&&) noexcept;
  Poser& operator=(Poser&&) noexcept;

  /// One transform per handle, rotations only (no stretch). `start` is the pose of the last drag, if there was one; otherwise the rest
  /// pose. The last goal of a handle counts; goals that check_goals would refuse are left out.
  std::vector<HandleTransform> solve(std::span<const PoseGoal> goals, std::span<const HandleTransform> start = {}, const PoseSettings& settings = {},
                                     PoseReport* report = nullptr) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Refuses handles that are not there, goals that are not finite, and moves beyond ten diagonals of the body.
Result<void> check_goals(const Asset& asset, std::span<const PoseGoal> goals);

/// Size of what is posed, m.
double diagonal_of(const Asset& asset);

/// What a pose does to the body.
struct PoseEffect {
  double farthest = 0;            // metres a vertex moves at most
  double volume_change = 0;       // of the whole (of a drawing: its area): -0.1 is a tenth less
  size_t inside_out = 0;          // elements
  size_t inside_out_halfway = 0;  // at equal weights of the rest pose and this one
  double largest_turn = 0;        // radians
  int turns_most = 0;             // the handle of it
};
PoseEffect measure_pose(const Asset& asset, std::span<const HandleTransform> pose);

/// The rig's vertices at weight `share` of a pose and 1 - share of the rest pose, as the simulation blends them (paper 1, eq. 3).
std::vector<Vec3> posed_positions(const Asset& asset, std::span<const HandleTransform> pose, double share = 1);

}  // namespace crumple

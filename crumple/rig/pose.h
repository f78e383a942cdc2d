#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crumple/rig/asset.h"

namespace crumple {

/// What the artist wants of one handle. Handles without a goal stay where they are; their turns are found.
struct PoseGoal {
  int handle = 0;
  Vec3 move = Vec3::Zero();   // metres, from its rest position
  std::optional<Quat> turn;   // absent: found
  bool free = false;          // follows the others; `move` is not looked at
};

struct PoseSettings {
  int rounds = 100;          // at most
  double tolerance = 1e-5;   // of the diagonal: stop when no handle moves or turns its surroundings farther in a round
};

struct PoseReport {
  int rounds = 0;
  double energy = 0;         // as rigid as possible: 0 for rigid motions
  bool converged = false;
};

/// Finds the turns of handles that keep a skinned body as rigid as possible everywhere while the handles go where they are told
/// [Jacobson et al. 2012, fast automatic skinning transformations]. Built once per rig; a drag costs a few small dense products.
class Poser {
 public:
  explicit Poser(const Asset& asset);
  ~Poser();
  Poser(Poser&&) noexcept;
  Poser& operator=(Poser&&) noexcept;

  /// One transform per handle, rotations only (no stretch). `start` is the pose of the last drag, if there was one.
  std::vector<HandleTransform> solve(std::span<const PoseGoal> goals, std::span<const HandleTransform> start = {}, const PoseSettings& settings = {},
                                     PoseReport* report = nullptr);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace crumple

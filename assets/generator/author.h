#pragma once

#include "crumple/geometry/frame.h"
#include "crumple/rig/make_rig.h"
#include "crumple/rig/pose.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crumple::generator {

/// One example as an artist says it: where named handles go. Handles that are not named stay in place; all turns are found,
/// except where one is given.
class Sketch {
 public:
  struct Goal {
    Vec3 move = Vec3::Zero();  // metres, from rest
    std::optional<Quat> turn;  // absent: found
    bool free = false;         // follows the others
  };

  Sketch(std::string name, const std::vector<Handle>& handles) : name_(std::move(name)), handles_(handles) {}

  /// Shifts handles; shifts of one handle add up.
  Sketch& move(std::initializer_list<std::string_view> handles, const Vec3& shift);
  Sketch& move(std::string_view handle, const Vec3& shift) { return move({handle}, shift); }
  /// Gives a handle a turn of its own, instead of the one that would be found.
  Sketch& turn(std::string_view handle, const Quat& turn);
  /// Turns handles about a common pivot and shifts them, as one stiff part; acts on them as they now stand.
  Sketch& carry(std::initializer_list<std::string_view> handles, const Quat& turn, const Vec3& pivot, const Vec3& shift = Vec3::Zero());
  Sketch& carry(const std::vector<std::string>& handles, const Quat& turn, const Vec3& pivot, const Vec3& shift = Vec3::Zero());
  /// Lets handles follow the others.
  Sketch& free(std::initializer_list<std::string_view> handles);

  /// The same on the other side of the plane z = 0: names that end with "left" and "right" are exchanged.
  Sketch mirrored(std::string name) const;

  const std::string& name() const { return name_; }
  const std::map<std::string, Goal>& goals() const { return goals_; }

 private:
  void carry_one(std::string_view handle, const Quat& turn, const Vec3& pivot, const Vec3& shift);
  Vec3 rest(std::string_view handle) const;

  std::string name_;
  std::vector<Handle> handles_;
  std::map<std::string, Goal> goals_;
};

/// What an artist brings to the pipeline: a model, handles where creases shall be, and examples.
struct Design {
  std::string name;
  TriMesh surface;
  std::vector<Handle> handles;  // placed by hand
  int total_handles = 0;        // further ones are chosen automatically; 0: none
  int cells = 0;                // along the longest side; 0: as the model's thin parts allow
  double thin_allowed = 0.1;    // share of the surface that may be thinner than a cell
  bool enclose = true;          // false: flat sides are met exactly, but edges and corners may stick out of the tetrahedra
  Appearance look;
  std::vector<Sketch> examples;  // besides the rest pose
};

/// Poses an asset for each sketch and adds the examples.
Result<void> add_examples(Asset& asset, const std::vector<Sketch>& sketches);

/// Makes an asset as any user of the library would: make_rig, then a pose for each example.
Result<Asset> author(const Design& design, RigReport* report = nullptr);

}  // namespace crumple::generator

#include "assets/generator/drum.h"
#include "assets/generator/pose.h"
#include "assets/generator/ramp.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace crumple::generator {
namespace {

/// What happens to one handle of the wall, seen from outside: metres and degrees.
struct Push {
  double in = 0, up = 0;                 // towards the axis, along it
  double lean = 0, twist = 0, tilt = 0;  // the upper side goes in; about y; about the inward direction
};

class DrumPose : public Pose {
 public:
  DrumPose(std::string name, const std::vector<Handle>& handles) : Pose(std::move(name), handles), rest_(handles) {}

  void push(int handle, const Push& push) {
    const Vec3 out = Vec3(rest_[handle].position.x(), 0, rest_[handle].position.z()).normalized();
    const Vec3 around = Vec3::UnitY().cross(out);
    const Quat turn = turn_about(around, -push.lean) * turn_about(Vec3::UnitY(), push.twist) * turn_about(out, -push.tilt);
    move(handle, -push.in * out + push.up * Vec3::UnitY(), turn);
  }
  void push_middle(int i, const Push& p) { push(kMiddle + (i + kMiddleHandles) % kMiddleHandles, p); }

 private:
  const std::vector<Handle>& rest_;
};

constexpr std::array kTop{kTopRim, kTopRim + 1, kTopRim + 2, kTopRim + 3, kTopLid};
constexpr std::array kBottom{kBottomRim, kBottomRim + 1, kBottomRim + 2, kBottomRim + 3, kBottomLid};

// One side is driven in to a slanting fold; the wall beside it stands out in ridges, and both ends tip towards the dent and are
// pulled in after it, the rim nearest to it most.
Example caved(const std::string& name, const std::vector<Handle>& handles, int middle, double slant) {
  DrumPose pose(name, handles);
  const Vec3 out = outward_at(radians(60.0 * middle)), around = Vec3::UnitY().cross(out);
  pose.carry(kTop, turn_about(around, 9), Vec3::Zero(), -0.12 * out);
  pose.carry(kBottom, turn_about(around, -7), Vec3::Zero(), -0.11 * out);
  for (const int rim : {kTopRim, kBottomRim}) {
    for (int i = 0; i < kRimHandles; ++i) {
      const double facing = std::max(0.0, out.dot(outward_at(radians(90.0 * i))));
      pose.push(rim + i, {.in = 0.035 * facing, .lean = (rim == kTopRim ? 14 : -14) * facing});
    }
  }
  pose.push_middle(middle, {.in = 0.23, .up = 0.04 * slant, .tilt = 22 * slant});
  pose.push_middle(middle + 1, {.in = -0.005, .up = -0.02 * slant, .twist = 22});
  pose.push_middle(middle - 1, {.in = 0.015, .up = -0.02 * slant, .twist = -18});
  pose.push_middle(middle + 2, {.in = -0.02});
  pose.push_middle(middle - 2, {.in = -0.02});
  return pose.example();
}

// One end is driven down aslant: its rim stays round, the lid is dished, and the wall below buckles into three lobes that turn
// in between ridges, as thin tubes do.
Example crushed(const std::string& name, const std::vector<Handle>& handles, bool top) {
  DrumPose pose(name, handles);
  const double up = top ? 1 : -1;
  const Vec3 lean_axis = top ? Vec3(0.6, 0, 1) : Vec3(-1, 0, 0.4);
  pose.carry(top ? kTop : kBottom, turn_about(Vec3::UnitY(), 9) * turn_about(lean_axis, 14), up * kDrumHeight / 2 * Vec3::UnitY(),
             -0.23 * up * Vec3::UnitY());
  pose.move(top ? kTopLid : kBottomLid, -0.045 * up * Vec3::UnitY());
  for (int i = 0; i < kMiddleHandles; ++i) {
    const Push ridge{.in = -0.035, .up = -0.10 * up, .lean = -14 * up}, valley{.in = 0.115, .up = -0.08 * up, .lean = 16 * up};
    pose.push_middle(i, i % 2 ? valley : ridge);
  }
  return pose.example();
}

// The axis kinks: both halves stay stiff and turn about the middle, whose hollow side buckles in to a sharp fold.
Example bent(const std::string& name, const std::vector<Handle>& handles) {
  DrumPose pose(name, handles);
  const Vec3 shift(-0.06, 0, 0);
  pose.carry(kTop, turn_about(Vec3(0.15, 0, 1), 23), Vec3::Zero(), shift);
  pose.carry(kBottom, turn_about(Vec3(0, 0, 1), -21), Vec3::Zero(), shift);
  for (int i = 0; i < kMiddleHandles; ++i) pose.move(kMiddle + i, Vec3(0.05, 0, 0));
  pose.push_middle(3, {.in = 0.19});
  pose.push_middle(2, {.in = -0.04, .twist = -20});
  pose.push_middle(4, {.in = -0.04, .twist = 20});
  pose.push_middle(0, {.in = 0.03});
  return pose.example();
}

}  // namespace

std::vector<Example> drum_examples(const std::vector<Handle>& handles) {
  return {
      Pose("rest", handles).example(),
      caved("caved side", handles, 0, 1.0),
      caved("caved left", handles, 2, -1.0),
      caved("caved right", handles, 4, 0.4),
      crushed("crushed top", handles, true),
      crushed("crushed bottom", handles, false),
      bent("bent", handles),
  };
}

}  // namespace crumple::generator

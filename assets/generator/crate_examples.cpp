#include "assets/generator/crate.h"
#include "assets/generator/pose.h"

#include <array>
#include <string>
#include <vector>

namespace crumple::generator {
namespace {

enum Side { Left, Right, Bottom, Top, Back, Front };

constexpr int corner(Side x, Side y, Side z) {
  return (x == Right ? 1 : 0) + (y == Top ? 2 : 0) + (z == Front ? 4 : 0);
}
constexpr int face(Side side) {
  return kCorners + side;
}

constexpr std::array kTopCorners{2, 3, 6, 7}, kBottomCorners{0, 1, 4, 5};

// The frame leans over to a parallelogram: its battens turn with it at half the angle, as nailed joints do that partly give.
Example racked(const std::vector<Handle>& handles) {
  Pose pose("racked", handles);
  const Quat lean = turn_about(Vec3::UnitZ(), -13);
  for (const int i : kTopCorners) pose.move(i, Vec3(0.15, -0.045, 0.03), lean);
  for (const int i : kBottomCorners) pose.move(i, Vec3(-0.12, 0.01, 0), lean);
  pose.move(face(Top), Vec3(0.15, -0.075, 0.03), turn_about(Vec3::UnitZ(), 5));
  pose.move(face(Bottom), Vec3(-0.12, 0.03, 0), turn_about(Vec3::UnitZ(), 4));
  for (const Side side : {Left, Right, Front, Back})
    pose.move(face(side), Vec3(side == Left ? 0.05 : 0.01, -0.02, 0.015), turn_about(Vec3::UnitZ(), -24));
  return pose.example();
}

// One corner is driven in along its diagonal, and the faces that meet there fold after it.
Example corner_crushed(const std::string& name, const std::vector<Handle>& handles, Side x, Side y, Side z) {
  Pose pose(name, handles);
  const Vec3 inward(x == Right ? -1 : 1, y == Top ? -1 : 1, z == Front ? -1 : 1);
  // Mirroring the corner in an axis turns the other two rotations around.
  const Vec3 hand(inward.y() * inward.z(), inward.x() * inward.z(), inward.x() * inward.y());
  const Quat turn = turn_about(hand.cwiseProduct(Vec3(-0.3, 0.4, 1)), 24);
  pose.move(corner(x, y, z), inward.cwiseProduct(Vec3(0.16, 0.125, 0.125)), turn);
  pose.move(face(x), 0.05 * inward, turn_about(Vec3::UnitY(), 14 * hand.y()));
  pose.move(face(y), 0.05 * inward, turn_about(Vec3::UnitZ(), -12 * hand.z()));
  pose.move(face(z), 0.05 * inward, turn_about(Vec3::UnitY(), -14 * hand.y()));
  return pose.example();
}

// Something heavy lands on (or the crate lands on something): one face breaks in, its frame sags, the sides bulge.
Example caved_flat(const std::string& name, const std::vector<Handle>& handles, Side side) {
  Pose pose(name, handles);
  const double up = side == Top ? 1 : -1;
  pose.move(face(side), Vec3(0.02, -0.22 * up, 0.015), turn_about(Vec3(0.5, 0.3, 1), 12));
  for (const int i : side == Top ? kTopCorners : kBottomCorners) {
    const Vec3 out = handles[i].position.cwiseProduct(Vec3(1, 0, 1)).normalized();
    pose.move(i, Vec3(0, -0.05 * up, 0) - 0.02 * out, turn_about(Vec3::UnitY().cross(out), -9 * up));
  }
  for (const Side wall : {Left, Right, Front, Back}) {
    const Vec3 out = handles[face(wall)].position.normalized();
    pose.move(face(wall), 0.03 * out - 0.02 * up * Vec3::UnitY());
  }
  return pose.example();
}

// A long side breaks in, and the end beside it is dragged along.
Example caved_wall(const std::string& name, const std::vector<Handle>& handles, Side side, Side end) {
  Pose pose(name, handles);
  const Vec3 in = side == Front ? Vec3(-Vec3::UnitZ()) : Vec3(Vec3::UnitZ()), sideways = end == Right ? Vec3(-Vec3::UnitX()) : Vec3(Vec3::UnitX());
  const double hand = in.z() * sideways.x();
  pose.move(face(side), 0.21 * in + 0.03 * sideways - 0.02 * Vec3::UnitY(), turn_about(Vec3(0.4, 1, 0), 14 * hand));
  pose.move(face(end), 0.10 * sideways + 0.03 * in, turn_about(Vec3::UnitY(), -16 * hand));
  for (const Side level : {Top, Bottom}) {
    for (const Side x : {Left, Right}) {
      const double share = x == end ? 1.0 : 0.85;
      pose.move(corner(x, level, side), 0.07 * share * in + 0.05 * share * sideways, turn_about(Vec3::UnitX(), (level == Top ? 12 : -12) * in.z()));
    }
    pose.move(face(level), Vec3(0, level == Top ? 0.02 : -0.02, 0));
  }
  return pose.example();
}

}  // namespace

std::vector<Example> crate_examples(const std::vector<Handle>& handles) {
  return {
      Pose("rest", handles).example(),
      racked(handles),
      corner_crushed("corner crushed", handles, Right, Top, Front),
      corner_crushed("far corner crushed", handles, Left, Bottom, Back),
      caved_flat("caved top", handles, Top),
      caved_flat("caved bottom", handles, Bottom),
      caved_wall("caved side", handles, Front, Left),
      caved_wall("caved back", handles, Back, Right),
  };
}

}  // namespace crumple::generator

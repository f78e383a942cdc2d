#pragma once

#include "crumple/methods/bends/bends.h"

namespace crumple::bends {

// step.cpp
/// How many steps' loads are kept: those of the time in which a joint wakes.
int window_places(const Settings& settings, double dt);
/// Which pieces are welded, after links have changed.
void regroup(const Model& model, State& state);

// skin.cpp
/// Points of a surface follow the pieces that the corners of their tetrahedra do.
PieceShares shares_of_points(const PieceShares& vertices, const TetMesh& mesh, const Embedding& embedding);
/// Where several pieces are followed, the point about which a blend of their turns turns: between the links that join them.
Follows follow(PieceShares shares, const rigid::Welds& welds);

/// A rigid motion as a turn and a shift: x -> turn x + shift.
struct Motion {
  Quat turn = Quat::Identity();
  Vec3 shift = Vec3::Zero();
};
/// Motions of points that follow pieces with these places. Turns are blended about each point's middle, which goes along with all its pieces: sections
/// keep their size, where a blend of places would narrow them.
std::vector<Motion> motions_of(const Follows& follows, std::span<const Transform> places);

}  // namespace crumple::bends

#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/world/simulation.h"

namespace crumple {
namespace {

/// A part of what has broken goes on as it moved in the whole: its share of the momentum and of the energy stays what it was.
BodyPart broken_off(const Body& body, const BodyPart& fresh, const BodyPart& whole, const rigid::PartState& state) {
  BodyPart part = fresh;
  const PartMass mass = mass_of_part(body, part.pieces, whole.axes);
  part.mass = mass.mass, part.center = mass.center, part.axes = mass.axes, part.inertia = mass.inertia;
  part.state = state;
  part.state.place = state.place * whole.rest_in_part() * part.rest_in_part().inverse();
  part.state.velocity = state.velocity + state.spin.cross(part.state.place.translation - state.place.translation);
  part.state.activation = 1, part.state.idle_time = 0;
  part.last_good = part.state;
  return part;
}

/// Parts that were one may overlap as they like; others as far as those did that they come from.
template <class Overlap>
std::vector<Overlap> overlaps_after(const std::vector<Overlap>& before, double body, const std::vector<int>& origin, const std::vector<bool>& is_new) {
  std::vector<Overlap> after;
  for (size_t a = 0; a < origin.size(); ++a) {
    const double part = static_cast<double>(a);
    for (const Overlap& old : before) {
      if (is_new[a] && old.body_b != body && old.part == origin[a]) after.push_back({part, old.body_b, old.part_b, old.depth});
    }
    for (size_t b = a + 1; b < origin.size(); ++b) {
      if (!is_new[a] && !is_new[b]) continue;  // the engine still knows
      if (origin[a] == origin[b]) after.push_back({part, body, static_cast<double>(b), -1.0});
      for (const Overlap& old : before) {
        const bool same = old.body_b == body && ((old.part == origin[a] && old.part_b == origin[b]) || (old.part == origin[b] && old.part_b == origin[a]));
        if (same) after.push_back({part, body, static_cast<double>(b), old.depth});
      }
    }
  }
  return after;
}

int holder_of(const std::vector<BodyPart>& parts, int piece) {
  for (size_t p = 0; p < parts.size(); ++p) {
    if (std::binary_search(parts[p].pieces.begin(), parts[p].pieces.end(), piece)) return static_cast<int>(p);
  }
  return -1;
}

}  // namespace

/// Those with another body are found from either.
std::vector<World::Simulation::BodyOverlap> World::Simulation::overlaps_of(int index) const {
  std::vector<BodyOverlap> found;
  for (const rigid::World::Overlap& overlap : rigid.overlaps()) {
    std::pair<int, int> own = owner_of_part[static_cast<size_t>(overlap.part_a)], other = owner_of_part[static_cast<size_t>(overlap.part_b)];
    if (own.first != index) std::swap(own, other);
    if (own.first != index) continue;
    found.push_back({static_cast<double>(own.second), static_cast<double>(other.first), static_cast<double>(other.second), std::isfinite(overlap.depth) ? overlap.depth : -1});
  }
  return found;
}

/// While the rigid world is built anew, parts that are still to come have the index they had in the old one.
bool World::Simulation::is_in_world(int body, int part) const {
  const int index = bodies[static_cast<size_t>(body)].parts[static_cast<size_t>(part)].index;
  return index >= 0 && static_cast<size_t>(index) < owner_of_part.size() && owner_of_part[static_cast<size_t>(index)] == std::pair(body, part);
}

void World::Simulation::allow_overlaps(int index, std::span<const BodyOverlap> overlaps) {
  const std::vector<BodyPart>& parts = bodies[static_cast<size_t>(index)].parts;
  for (const BodyOverlap& overlap : overlaps) {
    const int body_b = static_cast<int>(overlap.body_b), part_b = static_cast<int>(overlap.part_b);
    if (!is_in_world(body_b, part_b)) continue;  // it allows this itself as it comes
    rigid.allow_overlap({parts[static_cast<size_t>(overlap.part)].index, bodies[static_cast<size_t>(body_b)].parts[static_cast<size_t>(part_b)].index,
                         overlap.depth < 0 ? std::numeric_limits<double>::infinity() : overlap.depth});
  }
}

/// Joints hold on to pieces: they move to the parts that hold these now.
void World::Simulation::move_joints(int index, const std::vector<BodyPart>& before) {
  const Body& body = bodies[static_cast<size_t>(index)];
  for (JointSlot& joint : joints) {
    if (joint.index < 0) continue;
    rigid::JointFrames frames = rigid.joint_frames(joint.index);
    bool is_moved = false;
    const auto move = [&](int joined, int piece, Transform& frame) {
      if (joined != index || body.part_of(piece).index >= 0) return;
      const BodyPart& from = before[static_cast<size_t>(holder_of(before, piece))];
      frame = body.part_of(piece).rest_in_part() * from.rest_in_part().inverse() * frame;
      is_moved = true;
    };
    move(joint.body_a, joint.piece_a, frames.in_a), move(joint.body_b, joint.piece_b, frames.in_b);
    if (is_moved) joint.frames = frames, joint.index = -1;
  }
}

/// Broken links leave groups of pieces: each becomes a rigid part of its own. Groups that have not changed stay the part they were.
void World::Simulation::split(int index) {
  Body& body = bodies[static_cast<size_t>(index)];
  if (body.pieces->state.groups.count == static_cast<int>(body.parts.size())) return;  // other links still hold
  const std::vector<BodyOverlap> overlaps = overlaps_of(index);
  const std::vector<BodyPart> before = std::move(body.parts);
  std::vector<int> origin;  // #parts: which one it was
  regroup(body);
  for (BodyPart& part : body.parts) {
    origin.push_back(holder_of(before, part.pieces.front()));
    const BodyPart& whole = before[static_cast<size_t>(origin.back())];
    part = part.pieces == whole.pieces ? whole : broken_off(body, part, whole, rigid.state(whole.index));
  }
  move_joints(index, before);
  for (const BodyPart& whole : before) {
    if (body.part_of(whole.pieces.front()).index < 0) rigid.remove_part(whole.index);
  }
  std::vector<bool> is_new;
  for (size_t p = 0; p < body.parts.size(); ++p) {
    is_new.push_back(body.parts[p].index < 0);
    if (is_new[p]) add_part(index, static_cast<int>(p));
    owner_of_part[static_cast<size_t>(body.parts[p].index)] = {index, static_cast<int>(p)};
  }
  add_joints();
  allow_overlaps(index, overlaps_after(overlaps, index, origin, is_new));
}

}  // namespace crumple

#include "crumple/world/links.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "crumple/world/engine.h"

namespace crumple {
namespace {

int find_body(const WorldState& w, const std::string& name) {
  const auto found = w.number_of_body.find(name);
  return found == w.number_of_body.end() ? -1 : found->second;
}

/// The piece of a body that a joint at this world position is attached to, at the start.
int piece_at(const WorldState& w, int index, const Vec3& at) {
  const BodyDescription& d = *w.body(index).description;
  return nearest_piece(w.body(index), Transform{rotation_of(d), d.at}.inverse() * at);
}

/// Direction of a plastic joint's section height.
Vec3 height_of(const JointDescription& joint) {
  if (joint.up) return *joint.up;
  return std::abs(joint.axis.normalized().y()) > 0.999 ? Vec3::UnitX() : Vec3::UnitY();
}

void build_scene_joint(WorldState& w, const JointDescription& d) {
  JointSlot slot;
  slot.body_a = find_body(w, d.body), slot.body_b = find_body(w, d.to);
  const double unit = d.kind == rigid::JointKind::Hinge ? std::numbers::pi / 180 : 1.0;
  slot.settings.kind = d.kind;
  slot.settings.at = d.at, slot.settings.axis = d.axis.normalized();
  if (d.low) slot.settings.low = *d.low * unit, slot.settings.high = *d.high * unit;
  slot.settings.motor_speed = d.motor;
  slot.settings.motor_strength = d.strength;
  slot.settings.collide = d.collide;
  slot.piece_a = piece_at(w, slot.body_a, d.at);
  if (slot.body_b >= 0) slot.piece_b = piece_at(w, slot.body_b, d.at);
  if (d.kind == rigid::JointKind::Plastic) {
    const Result<rigid::PlasticLaw> law = law_of(d);
    assert(law);  // the scene was checked
    slot.settings.plastic = *law;
    slot.settings.width = height_of(d).cross(slot.settings.axis);
    slot.name = d.name.empty() ? fmt::format("joint {}", w.joints.size() + 1) : d.name;
    slot.history = static_cast<int>(w.scene_joints.size());
    w.scene_joints.emplace_back();
  }
  w.joints.push_back(std::move(slot));
}

void put_joint(JointSlot& slot, const Transform& frame) {
  slot.settings.at = frame.translation, slot.settings.axis = frame.rotation.col(0), slot.settings.width = frame.rotation.col(1);
}

void build_links(WorldState& w, int index) {
  const Body& body = w.body(index);
  const Transform rest = {rotation_of(*body.description), body.description->at};
  for (size_t j = 0; j < body.links.size(); ++j) {
    const Link& link = body.links[j];
    if (link.start != Hold::Jointed && !link.hinges) continue;
    const Transform frame = rest * link.frame;
    JointSlot slot;
    slot.settings.kind = rigid::JointKind::Plastic;
    slot.settings.plastic = link.law;
    slot.settings.collide = link.collide;
    put_joint(slot, frame);
    slot.body_a = index, slot.piece_a = link.a;
    if (link.b >= 0) {
      slot.body_b = index, slot.piece_b = link.b;
    } else if (!link.to.empty()) {
      slot.body_b = find_body(w, link.to);
      slot.piece_b = piece_at(w, slot.body_b, frame.translation);
    }
    slot.name = link.name;
    slot.owner = index, slot.history = static_cast<int>(j);
    w.joints.push_back(std::move(slot));
  }
}

void note(WorldState& w, const JointSlot& joint, double time) {
  if (joint.owner < 0) return rigid::update(w.scene_joints[static_cast<size_t>(joint.history)], *joint.plastic, time);
  std::visit([&](auto& bonds) { update(bonds.state, joint.history, *joint.plastic, time); }, *w.body(joint.owner).bonds);
}

/// A new part keeps the motion that it had in the whole, and so its share of momentum and energy.
Part broken_off(const Body& body, const Part& fresh, const Part& whole, const rigid::PartState& state) {
  Part part = fresh;
  const PartMass mass = mass_of_part(body, part.pieces, whole.axes);
  part.mass = mass.mass, part.center = mass.center, part.axes = mass.axes, part.inertia = mass.inertia;
  part.state = state;
  part.state.place = state.place * whole.rest_in_part() * part.rest_in_part().inverse();
  part.state.velocity = state.velocity + state.spin.cross(part.state.place.translation - state.place.translation);
  part.state.activation = 1, part.state.idle_time = 0;
  part.last_good = part.state;
  return part;
}

/// Parts that were one become a rigid whole: linear and angular momentum stay, what they moved against each other is lost. The rest frame is that of
/// the heaviest; pieces of the others are posed in it as they are.
Part grown_together(Body& body, const Part& fresh, std::span<const Part> before, std::span<const int> sources, std::span<const rigid::PartState> states) {
  const auto heaviest = std::max_element(sources.begin(), sources.end(), [&](int a, int b) { return before[static_cast<size_t>(a)].mass < before[static_cast<size_t>(b)].mass; });
  const Part& whole = before[static_cast<size_t>(*heaviest)];
  const rigid::PartState& state = states[static_cast<size_t>(*heaviest)];
  const Transform rest = state.place * whole.rest_in_part();
  if (body.poses.empty()) body.poses.resize(static_cast<size_t>(body.piece_count()));
  Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero();  // about the world's origin
  double mass = 0;
  for (const int source : sources) {
    const Part& part = before[static_cast<size_t>(source)];
    const rigid::PartState& now = states[static_cast<size_t>(source)];
    std::vector<int> pieces;
    std::set_intersection(part.pieces.begin(), part.pieces.end(), fresh.pieces.begin(), fresh.pieces.end(), std::back_inserter(pieces));
    if (source != *heaviest) {
      const Transform moved = rest.inverse() * now.place * part.rest_in_part();
      for (const int piece : pieces) {
        Transform& pose = body.poses[static_cast<size_t>(piece)];
        pose = moved * pose;
        pose.rotation = Quat(pose.rotation).normalized().toRotationMatrix();
      }
    }
    const PartMass share = mass_of_part(body, pieces, whole.axes);
    const Vec3 center = rest * share.center, velocity = now.velocity + now.spin.cross(center - now.place.translation);
    const Mat3 axes = rest.rotation * share.axes;
    momentum += share.mass * velocity, mass += share.mass;
    angular += share.mass * center.cross(velocity) + axes * share.inertia.cwiseProduct(axes.transpose() * now.spin);
  }
  Part part = fresh;
  const PartMass all = mass_of_part(body, part.pieces, whole.axes);
  part.mass = all.mass, part.center = all.center, part.axes = all.axes, part.inertia = all.inertia;
  part.state = state;
  part.state.place = rest * part.rest_in_part().inverse();
  part.state.velocity = momentum / mass;
  const Vec3 about_center = angular - part.state.place.translation.cross(momentum);
  const Mat3& axes = part.state.place.rotation;
  part.state.spin = axes * (axes.transpose() * about_center).cwiseQuotient(part.inertia);
  part.state.activation = 1, part.state.idle_time = 0;
  part.last_good = part.state;
  return part;
}

/// Parts that come from the same part may overlap at any depth; others as deep as the parts they come from. Parts of a body that stays connected pass
/// through each other where joints hold them, so any of them may overlap when they are grouped anew.
std::vector<BodyOverlap> overlaps_after(const std::vector<BodyOverlap>& before, double body, bool stays_connected, const std::vector<std::vector<int>>& origin,
                                        const std::vector<bool>& is_new) {
  const auto comes_from = [&](size_t part, double old) { return std::find(origin[part].begin(), origin[part].end(), static_cast<int>(old)) != origin[part].end(); };
  std::vector<BodyOverlap> after;
  for (size_t a = 0; a < origin.size(); ++a) {
    const double part = static_cast<double>(a);
    for (const BodyOverlap& old : before) {
      if (is_new[a] && old.body_b != body && comes_from(a, old.part)) after.push_back({part, old.body_b, old.part_b, old.depth});
    }
    for (size_t b = a + 1; b < origin.size(); ++b) {
      if (!is_new[a] && !is_new[b]) continue;  // known to the engine already
      const bool share = std::any_of(origin[a].begin(), origin[a].end(), [&](int old) { return comes_from(b, old); });
      if (share || stays_connected) after.push_back({part, body, static_cast<double>(b), -1.0});
      if (stays_connected) continue;
      for (const BodyOverlap& old : before) {
        const bool same = old.body_b == body && ((comes_from(a, old.part) && comes_from(b, old.part_b)) || (comes_from(b, old.part) && comes_from(a, old.part_b)));
        if (same) after.push_back({part, body, static_cast<double>(b), old.depth});
      }
    }
  }
  return after;
}

int holder_of(const std::vector<Part>& parts, int piece) {
  for (size_t p = 0; p < parts.size(); ++p) {
    if (std::binary_search(parts[p].pieces.begin(), parts[p].pieces.end(), piece)) return static_cast<int>(p);
  }
  return -1;
}

/// Links that have been welded again hold without a joint, and so do those whose pieces other welds hold in one part. Where one wakes again it begins
/// unstrained, and remembers how far it has turned.
void remove_idle_joints(WorldState& w, int index) {
  const Body& body = w.body(index);
  for (const int slot : w.joints_of_body[static_cast<size_t>(index)]) {
    JointSlot& joint = w.joints[static_cast<size_t>(slot)];
    if (joint.index < 0 || joint.owner != index || joint.body_b != index) continue;
    if (!is_welded(w, joint) && &body.part_of(joint.piece_a) != &body.part_of(joint.piece_b)) continue;
    if (joint.plastic) joint.plastic->offset.setZero(), joint.plastic->bend.setZero(), joint.plastic->force.setZero(), joint.plastic->lag.setZero();
    if (w.rigid.has_joint(joint.index)) w.rigid.remove_joint(joint.index);
    joint.index = -1;
    joint.frames.reset();
  }
}

/// Joints are attached to pieces: they move to the parts that now contain these. `old_rests`: #before, rest frames of the parts before in those that
/// have their pieces now.
void move_joints(WorldState& w, int index, const std::vector<Part>& before, std::span<const Transform> old_rests) {
  const Body& body = w.body(index);
  for (const int slot : w.joints_of_body[static_cast<size_t>(index)]) {
    JointSlot& joint = w.joints[static_cast<size_t>(slot)];
    if (joint.index < 0 || !w.rigid.has_joint(joint.index)) continue;
    rigid::JointFrames frames = w.rigid.joint_frames(joint.index);
    bool is_moved = false;
    const auto move = [&](int joined, int piece, Transform& frame) {
      if (joined != index || body.part_of(piece).index >= 0) return;
      const size_t from = static_cast<size_t>(holder_of(before, piece));
      frame = body.part_of(piece).rest_in_part() * (old_rests.empty() ? before[from].rest_in_part().inverse() : old_rests[from] * before[from].rest_in_part().inverse()) * frame;
      is_moved = true;
    };
    move(joint.body_a, joint.piece_a, frames.in_a), move(joint.body_b, joint.piece_b, frames.in_b);
    if (is_moved) joint.frames = frames, joint.index = -1;
  }
}

/// Contacts of a part that broke within a step that is solved again go to the parts with its hulls.
void pass_on_contacts(WorldState& w, const Body& body, const std::vector<Part>& before, std::span<const Transform> old_rests) {
  for (size_t i = 0; i < before.size(); ++i) {
    const Part& whole = before[i];
    if (w.rigid.has_part(whole.index)) continue;
    const Transform part_in_rest = old_rests.empty() ? whole.rest_in_part().inverse() : old_rests[i] * whole.rest_in_part().inverse();
    std::vector<rigid::World::Heir> heirs;
    for (const int hull : whole.hulls) {
      const Part& part = body.part_of(body.solid->hulls.piece[static_cast<size_t>(hull)]);
      const auto place = std::lower_bound(part.hulls.begin(), part.hulls.end(), hull);
      heirs.push_back({part.index, static_cast<int>(place - part.hulls.begin()), part.rest_in_part() * part_in_rest});
    }
    w.rigid.inherit(whole.index, heirs);
  }
}

/// A weld that had become a hinge has parted.
void note_parting(WorldState& w, const JointSlot& joint, double now) {
  const Body& body = w.body(joint.owner);
  const Link& link = body.links[static_cast<size_t>(joint.history)];
  if (link.hinges) w.report.breaks.push_back({body.description->name, now, joint.history, link.a, link.b, 0, 0});
}

/// Reads the state of the plastic joints after the step. Joints asleep before and after it have not changed.
void read_plastic_joints(WorldState& w, double now) {
  const auto sleeps = [&](int part) { return part < 0 || !w.rigid.is_awake(part); };
  for (JointSlot& joint : w.joints) {
    if (joint.index < 0 || joint.history < 0) continue;
    const bool was_quiet = joint.is_quiet;
    joint.is_quiet = sleeps(joint.settings.part_a) && sleeps(joint.settings.part_b);
    if (was_quiet && joint.is_quiet) continue;
    joint.plastic = w.rigid.plastic_state(joint.index);
    note(w, joint, now);
  }
}

}  // namespace

void build_joints(WorldState& w) {
  for (const JointDescription& description : w.scene.joints) build_scene_joint(w, description);
  for (size_t i = 0; i < w.bodies.size(); ++i) build_links(w, static_cast<int>(i));
  w.joints_of_body.resize(w.bodies.size());
  for (size_t j = 0; j < w.joints.size(); ++j) {
    const JointSlot& joint = w.joints[j];
    w.joints_of_body[static_cast<size_t>(joint.body_a)].push_back(static_cast<int>(j));
    if (joint.body_b >= 0 && joint.body_b != joint.body_a) w.joints_of_body[static_cast<size_t>(joint.body_b)].push_back(static_cast<int>(j));
  }
}

void read_joints(WorldState& w) {
  const double now = static_cast<double>(w.steps + 1) * w.dt();
  read_plastic_joints(w, now);
  std::set<int> parted;
  for (const rigid::JointBreak& broken : w.loads.breaks) {  // removed by the engine already
    JointSlot& joint = w.joints[static_cast<size_t>(w.slot_of_joint[static_cast<size_t>(broken.joint)])];
    if (joint.index != broken.joint) continue;  // its body was frozen in this step
    joint.plastic = w.rigid.plastic_state(broken.joint);
    note(w, joint, now);
    joint.index = -1;
    if (joint.owner >= 0) parted.insert(joint.owner), note_parting(w, joint, now);
    if (broken.part_b >= 0) w.rigid.allow_overlap({broken.part_a, broken.part_b, std::numeric_limits<double>::infinity()});
  }
  for (const int body : parted) ignore_neighbours(w, body);
}

void ignore_neighbours(WorldState& w, int index) {
  const Body& body = w.body(index);
  if (!body.bonds) return;
  const std::span<const std::pair<int, int>> touching = std::visit([](const auto& bonds) { return neighbours(bonds.model); }, *body.bonds);
  if (touching.empty()) return;
  const std::vector<int> group = connected_pieces(body);
  std::set<std::pair<int, int>> joined;
  for (const Link& link : body.links) joined.insert(std::minmax(link.a, link.b));
  for (const auto& [a, b] : touching) {
    if (joined.contains(std::minmax(a, b))) continue;
    const bool together = group[static_cast<size_t>(a)] == group[static_cast<size_t>(b)];
    const int part_a = body.part_of(a).index, part_b = body.part_of(b).index;
    if (part_a == part_b) continue;
    if (w.rigid.ignore_contact(part_a, part_b, together) && !together) w.rigid.allow_overlap({part_a, part_b, std::numeric_limits<double>::infinity()});
  }
}

void regroup_parts(WorldState& w, int index) {
  Body& body = w.body(index);
  const std::vector<Part> before = std::move(body.parts);
  regroup(body);
  remove_idle_joints(w, index);
  const bool is_same = std::equal(body.parts.begin(), body.parts.end(), before.begin(), before.end(), [](const Part& a, const Part& b) { return a.pieces == b.pieces; });
  if (is_same) {  // other links still hold
    body.parts = before;
    return;
  }
  const std::vector<BodyOverlap> overlaps = overlaps_of(w, index);
  std::vector<rigid::PartState> states;  // #before
  for (const Part& part : before) states.push_back(w.rigid.state(part.index));
  std::vector<std::vector<int>> origin;  // #parts: the parts it comes from
  std::vector<Transform> old_rests;      // #before; empty if none have grown together
  for (Part& part : body.parts) {
    std::set<int> sources;
    for (const int piece : part.pieces) sources.insert(holder_of(before, piece));
    origin.emplace_back(sources.begin(), sources.end());
    const Part& whole = before[static_cast<size_t>(origin.back().front())];
    if (origin.back().size() == 1) {
      part = part.pieces == whole.pieces ? whole : broken_off(body, part, whole, states[static_cast<size_t>(origin.back().front())]);
      continue;
    }
    part = grown_together(body, part, before, origin.back(), states);
    if (old_rests.empty()) old_rests.resize(before.size());
    const Transform rest = part.state.place * part.rest_in_part();
    for (const int source : origin.back()) {
      old_rests[static_cast<size_t>(source)] = rest.inverse() * states[static_cast<size_t>(source)].place * before[static_cast<size_t>(source)].rest_in_part();
    }
  }
  move_joints(w, index, before, old_rests);
  for (const Part& whole : before) {
    const Part& heir = body.part_of(whole.pieces.front());
    if (heir.index != whole.index) w.rigid.remove_part(whole.index);
  }
  std::vector<bool> is_new;
  for (size_t p = 0; p < body.parts.size(); ++p) {
    is_new.push_back(body.parts[p].index < 0);
    if (is_new[p]) add_part(w, index, static_cast<int>(p));
    w.owner_of_part[static_cast<size_t>(body.parts[p].index)] = {index, static_cast<int>(p)};
  }
  pass_on_contacts(w, body, before, old_rests);
  add_joints(w, index);
  ignore_neighbours(w, index);
  allow_overlaps(w, index, overlaps_after(overlaps, index, body.is_divided(), origin, is_new));
}

void place_hinge(const WorldState& w, JointSlot& joint) {
  if (joint.owner < 0) return;
  const Body& body = w.body(joint.owner);
  const Link& link = body.links[static_cast<size_t>(joint.history)];
  if (link.hinges) put_joint(joint, place_of_piece(w, body, link.a) * link.frame);
}

bool is_welded(const WorldState& w, const JointSlot& joint) {
  if (joint.owner < 0) return false;
  return std::visit([&](const auto& bonds) { return hold_of(bonds.state, joint.history) == Hold::Welded; }, *w.body(joint.owner).bonds);
}

std::vector<JointReport> joint_reports(const WorldState& w) {
  std::vector<JointReport> reports;
  for (const JointSlot& joint : w.joints) {
    if (joint.history < 0 || is_welded(w, joint)) continue;
    const size_t number = static_cast<size_t>(joint.history);
    const rigid::JointHistory history =
        joint.owner < 0 ? w.scene_joints[number] : std::visit([&](const auto& bonds) { return histories(bonds.state)[number]; }, *w.body(joint.owner).bonds);
    reports.push_back({w.body(joint.owner < 0 ? joint.body_a : joint.owner).description->name, joint.name, joint.settings.at, history});
  }
  return reports;
}

}  // namespace crumple

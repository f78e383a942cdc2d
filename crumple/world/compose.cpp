#include "crumple/world/compose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/core/parallel.h"
#include "crumple/world/contacts.h"
#include "crumple/world/engine.h"
#include "crumple/world/faults.h"
#include "crumple/world/links.h"
#include "crumple/world/matter.h"
#include "crumple/world/view.h"

namespace crumple {
namespace {

bool any_busy(const Body& body) {
  return std::any_of(body.layers.begin(), body.layers.end(),
                     [](const Layer& layer) { return std::visit([](const auto& at_work) { return is_busy(at_work.state); }, layer); });
}

bool are_bonds_busy(const WorldState& w, const Body& body) {
  if (!body.bonds) return false;
  const auto busy = [&](bool is_awake) { return std::visit([&](const auto& bonds) { return is_busy(bonds.model, bonds.state, is_awake); }, *body.bonds); };
  if (!busy(true)) return false;
  return busy(false) || std::any_of(body.parts.begin(), body.parts.end(), [&](const Part& part) { return w.rigid.is_awake(part.index); });
}

/// Merges the effects of several layers: union of the moved blocks, minimum of the restitution.
void merge(const Effects& effects, BodyWork& work) {
  if (effects.reshaped) {
    if (work.moved.empty()) {
      work.moved.assign(effects.moved.begin(), effects.moved.end());
    } else {
      std::vector<int> both;
      std::set_union(work.moved.begin(), work.moved.end(), effects.moved.begin(), effects.moved.end(), std::back_inserter(both));
      work.moved.swap(both);
    }
    work.reshaped = true;
  }
  work.sunk.insert(work.sunk.end(), effects.sunk.begin(), effects.sunk.end());
  if (effects.restitution) work.restitution = std::min(work.restitution.value_or(*effects.restitution), *effects.restitution);
}

void find_parts_of_pieces(const Body& body, std::vector<int>& parts) {
  parts.assign(static_cast<size_t>(body.piece_count()), 0);
  for (size_t p = 0; p < body.parts.size(); ++p) {
    for (const int piece : body.parts[p].pieces) parts[static_cast<size_t>(piece)] = static_cast<int>(p);
  }
}

void find_surfaces_of_pieces(const Body& body, std::vector<int>& surfaces) {
  if (body.is_divided() || !body.solid) {
    surfaces = connected_pieces(body);
    return;
  }
  surfaces.assign(static_cast<size_t>(body.piece_count()), 0);
  for (const Part& part : body.parts) {
    for (const int piece : part.pieces) surfaces[static_cast<size_t>(piece)] = part.pieces.front();
  }
}

/// What the layers of a body need to know of the step. Shapes are only read: those of others are what they were before the step.
void prepare_layers(WorldState& w, int index) {
  Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  work.parts.resize(body.parts.size());
  work.reshaped = false, work.moved.clear(), work.restitution.reset(), work.sunk.clear();
  if (body.layers.empty()) return;
  gather_touching(w, index);
  LayerContext now;
  now.dt = w.dt(), now.step = w.steps;
  find_surfaces_of_pieces(body, work.surface_of_piece);
  now.surface_of_piece = work.surface_of_piece;
  for (Layer& layer : body.layers) {
    std::visit([&](auto& at_work) { select_hits(at_work.model, at_work.state, std::as_const(now), work.touching); }, layer);
  }
  gather_hits(w, index);
  gather_others(w, index);
  work.broken.clear();
  each_hold(body, [&](Hold hold) { work.broken.push_back(hold == Hold::Broken ? 1 : 0); });
}

/// Lets layers see the body bent as it is.
void set_bend(const WorldState& w, const Body& body, LayerContext& now) {
  const std::vector<Transform> places = places_of_pieces(w, body);
  if (!is_bent(places)) return;
  now.bend = [&body, places](int piece, int surface, std::span<const int32_t> parents, std::vector<Vec3f>& points) {
    std::vector<Mat3> turns;
    const std::vector<Vec3f> straight = std::move(points);
    const Transform& from = places[static_cast<size_t>(piece)];
    points = body.solid ? bent_points(body, places, from, {-1, false, straight, parents, surface < 0, &turns})
                        : points_of_pieces(body, places, from, {surface - 1, false, straight, parents, surface < 0, &turns});
    return turns;
  };
}

void step_layers(WorldState& w, int index) {
  Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  if (body.layers.empty()) return;
  LayerContext now;
  now.dt = w.dt(), now.step = w.steps;
  now.shape = &body.shape, now.is_skinned = is_skinned(body), now.others = work.others, now.surface_of_piece = work.surface_of_piece;
  if ((body.is_divided() || !body.solid) && !work.others.empty()) set_bend(w, body, now);
  for (Layer& layer : body.layers) {
    now.hits = work.hits, now.broken = work.broken, now.effects = {}, now.yielded.clear();
    std::visit([&](auto& at_work) { step(at_work.model, at_work.state, now); }, layer);
    merge(now.effects, work);
    for (size_t i = 0; i < now.yielded.size(); ++i) {
      if (now.yielded[i]) work.yielded_to.push_back(work.hits[i].other_body);
    }
  }
}

/// Whether some of the blocks of vertices that moved belong to a part. Both are ascending.
bool has_moved(const Body& body, const Part& part, std::span<const int> blocks) {
  const std::vector<int>& first = body.rig->first_vertex;
  for (const int piece : part.pieces) {
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), first[static_cast<size_t>(piece)] / Skin::kLanes);
    if (at != blocks.end() && *at * Skin::kLanes < first[static_cast<size_t>(piece) + 1]) return true;
  }
  return false;
}

void compose_part(const Body& body, const Part& part, PartWork& work) {
  work.mass = mass_of_part(body, part.pieces, part.axes);
  if (!work.mass.is_finite()) return;
  const Transform old_rest_in_part = part.rest_in_part();
  const Transform new_rest_in_part = {work.mass.axes.transpose(), -(work.mass.axes.transpose() * work.mass.center)};
  work.reshape.old_to_new = new_rest_in_part * old_rest_in_part.inverse();
  work.reshape.inertia = work.mass.inertia;
  hull_points(body, part, new_rest_in_part, work.points);
}

/// Where the part is with its new frame.
void place_part(const Part& part, PartWork& work) {
  const Transform new_rest_in_part = {work.mass.axes.transpose(), -(work.mass.axes.transpose() * work.mass.center)};
  const rigid::PartState& state = part.last_good;
  // The surface stays where it is in the world: only the frame moves to the new centre and axes.
  work.reshape.place = state.place * part.rest_in_part() * new_rest_in_part.inverse();
  // Mass and velocity of the centre stay, so linear momentum does; spin follows from the angular momentum about the centre.
  const Mat3& before = state.place.rotation;
  const Mat3& after = work.reshape.place.rotation;
  const Vec3 momentum = before * part.inertia.cwiseProduct(before.transpose() * state.spin);
  work.spin = after * (after.transpose() * momentum).cwiseQuotient(work.mass.inertia);
}

/// New centre of mass, principal axes, inertia and hull points. Runs for many bodies at once, so the engine is only read here; the
/// result is applied later, in the order of the bodies.
void compose(WorldState& w, int index) {
  Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  put_together(body, work.moved);
  work.finite = true;
  if (!body.solid) {  // pieces that bonds make keep their mass and collide as they are
    for (PartWork& part : work.parts) part.reshaped = false;
    return;
  }
  for (size_t p = 0; p < body.parts.size(); ++p) {
    work.parts[p].reshaped = body.parts.size() == 1 || has_moved(body, body.parts[p], work.moved);
    if (!work.parts[p].reshaped) continue;
    compose_part(body, body.parts[p], work.parts[p]);
    work.finite = work.finite && work.parts[p].mass.is_finite();
  }
}

void step_bonds(WorldState& w, int index) {
  Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  gather_piece_loads(w, index);
  std::vector<Vec3> spins, world_spins;
  for (const Part& part : body.parts) {
    world_spins.push_back(part.last_good.spin);
    spins.push_back(part.axes * (part.last_good.place.rotation.transpose() * part.last_good.spin));
  }
  find_parts_of_pieces(body, work.part_of_piece);
  BondContext now{w.dt(), work.piece_loads, spins, body.poses, world_spins, work.part_of_piece};
  std::visit([&](auto& bonds) { step(bonds.model, bonds.state, now); }, *body.bonds);
  work.changes = std::move(now.changes);
}

void apply_shape(WorldState& w, Part& part, PartWork& work) {
  place_part(part, work);
  rigid::PartState& state = part.last_good;
  state.place = work.reshape.place, state.spin = work.spin;
  work.reshape.points = work.points;
  w.rigid.reshape(part.index, work.reshape);
  w.rigid.set_velocity(part.index, state.velocity, state.spin);
  part.axes = work.mass.axes, part.center = work.mass.center, part.inertia = work.mass.inertia;
  const auto& [body, number] = w.owner_of_part[static_cast<size_t>(part.index)];
  mark_shape_stale(w, body, number);
}

/// Moves parts that sink into a body, and lets them be there: hulls are convex and know no hollows.
void let_sink(WorldState& w, int index) {
  const Body& body = w.body(index);
  for (const Sunk& sunk : w.work[static_cast<size_t>(index)].sunk) {
    if (sunk.other < 0 || !w.rigid.has_part(sunk.other)) continue;
    const auto [other, number] = w.owner_of_part[static_cast<size_t>(sunk.other)];
    Body& projectile = w.body(other);
    if (other == index || projectile.frozen || projectile.matter || projectile.description->motion != Motion::Dynamic || projectile.is_broken()) continue;
    Part& part = projectile.parts[static_cast<size_t>(number)];
    part.last_good.place.translation += place_of_piece(w, body, sunk.piece).rotation * sunk.by;
    rigid::PartState state = w.rigid.state(sunk.other);
    state.place = part.last_good.place;
    w.rigid.set_state(sunk.other, state);
    w.rigid.allow_overlap({body.part_of(sunk.piece).index, sunk.other, std::numeric_limits<double>::infinity()});
  }
}

void note_changes(WorldState& w, const Body& body, std::span<const LinkChange> changes) {
  for (const LinkChange& change : changes) {
    const Link& link = body.links[static_cast<size_t>(change.link)];
    if (change.to == Hold::Welded) continue;
    std::vector<StepReport::Break>& list = change.to == Hold::Broken ? w.report.breaks : w.report.hinges;
    list.push_back({body.description->name, static_cast<double>(w.steps + 1) * w.dt(), change.link, link.a, link.b, change.impulse, change.limit});
  }
}

}  // namespace

void step_rigid_bodies(WorldState& w) {
  w.busy.clear();
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    const Body& body = w.bodies[i];
    if (!body.is_present() || body.frozen || body.held || !body.rig || !body.can_change()) continue;
    if (!w.work[i].contacts.empty() || any_busy(body) || are_bonds_busy(w, body)) w.busy.push_back(static_cast<int>(i));
  }
  parallel_for(w.busy.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) prepare_layers(w, w.busy[i]);
  });
  parallel_for(w.busy.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) step_layers(w, w.busy[i]);
  });
  parallel_for(w.busy.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      BodyWork& work = w.work[static_cast<size_t>(w.busy[i])];
      if (work.reshaped) compose(w, w.busy[i]);
      work.changes.clear(), work.is_split = false, work.link_work = 0;
      if (w.body(w.busy[i]).bonds && !(work.reshaped && !work.finite)) step_bonds(w, w.busy[i]);  // a body about to be frozen keeps its parts
    }
  });
}

bool apply_effects(WorldState& w) {
  for (const int index : w.busy) {
    Body& body = w.body(index);
    BodyWork& work = w.work[static_cast<size_t>(index)];
    if (work.reshaped && !work.finite) {
      freeze_body(w, index, "its shape is no longer finite");
      continue;
    }
    apply_shapes(w, index);
    let_sink(w, index);
    if (work.restitution) {
      for (const Part& part : body.parts) w.rigid.set_restitution(part.index, *work.restitution);
    }
    if (work.changes.empty()) continue;
    note_changes(w, body, work.changes);
    if (!work.is_split) regroup_parts(w, index);
  }
  return !w.busy.empty();
}

void apply_shapes(WorldState& w, int index) {
  Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  if (!work.reshaped) return;
  for (size_t p = 0; p < body.parts.size(); ++p) {
    if (work.parts[p].reshaped) apply_shape(w, body.parts[p], work.parts[p]);
  }
  work.reshaped = false;
}

}  // namespace crumple

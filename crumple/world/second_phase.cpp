#include "crumple/world/second_phase.h"

#include <algorithm>

#include "crumple/core/timer.h"
#include "crumple/world/compose.h"
#include "crumple/world/engine.h"
#include "crumple/world/forces.h"
#include "crumple/world/ledger.h"
#include "crumple/world/links.h"

namespace crumple {
namespace {

/// Whether hits of this step have made a part bounce less than it was solved with.
bool is_softer(const WorldState& w, const BodyWork& work, const Part& part) {
  return !work.hits.empty() && work.restitution && *work.restitution < w.rigid.state(part.index).restitution;
}

/// What only spins too fast breaks without a hit that could feel it.
bool was_broken_by_loads(const BodyWork& work) {
  const auto gives_way = [](const LinkChange& change) { return change.to != Hold::Welded; };
  return !work.piece_loads.empty() && std::any_of(work.changes.begin(), work.changes.end(), gives_way);
}

/// Parts of the engine that the damage of this step concerns.
std::vector<int> damaged_parts(const WorldState& w) {
  std::vector<int> parts;
  for (const int index : w.busy) {
    const BodyWork& work = w.work[static_cast<size_t>(index)];
    if (work.reshaped && !work.finite) continue;  // about to be frozen
    for (const Part& part : w.body(index).parts) {
      if (was_broken_by_loads(work) || is_softer(w, work, part)) parts.push_back(part.index);
    }
  }
  return parts;
}

// Joints that hold for the rest of a step give way by this share of what their parts would do without them.
constexpr double kGive = 1e-4;

/// A joint that holds rigidly up to its capacities within one step.
rigid::PlasticLaw rigid_law(rigid::PlasticLaw law, const Part& a, const Part& b, double dt) {
  const Part& lighter = a.mass < b.mass ? a : b;
  law.stiffness.head<3>().setConstant(lighter.mass / (kGive * dt * dt));
  law.stiffness.tail<3>().setConstant(lighter.inertia.maxCoeff() / (kGive * dt * dt));
  return law;
}

/// A link that broke holds its pieces, which are parts of their own now, until the end of the step, with what it still bears.
struct LastHold {
  int body, joint;
};

std::vector<LastHold> hold_pieces(WorldState& w, int index, std::span<const LinkChange> changes) {
  const Body& body = w.body(index);
  std::vector<LastHold> holds;
  for (const LinkChange& change : changes) {
    const Link& link = body.links[static_cast<size_t>(change.link)];
    const Part &a = body.part_of(link.a), &b = body.part_of(link.b);
    if (change.to != Hold::Broken || &a == &b || !(change.bears.capacity[0] > 0)) continue;  // others hold them together, or it bears nothing
    const Transform frame = place_of(w, b) * link.frame;
    rigid::JointSettings settings;
    settings.kind = rigid::JointKind::Plastic;
    settings.part_a = a.index, settings.part_b = b.index;
    settings.at = frame.translation, settings.axis = frame.rotation.col(0), settings.width = frame.rotation.col(1);
    settings.plastic = rigid_law(change.bears, a, b, w.dt());
    holds.push_back({index, w.rigid.add_joint(settings)});
  }
  return holds;
}

void let_go(WorldState& w, std::span<const LastHold> holds) {
  for (const LastHold& hold : holds) {
    const auto load = std::find_if(w.loads.joints.begin(), w.loads.joints.end(), [&](const rigid::JointLoad& one) { return one.joint == hold.joint; });
    w.work[static_cast<size_t>(hold.body)].link_work += load->work;
    w.loads.joints.erase(load);
    w.rigid.remove_joint(hold.joint);
  }
}

void read_states(WorldState& w, Body& body) {
  for (Part& part : body.parts) part.last_good = w.rigid.state(part.index);
}

}  // namespace

void solve_again(WorldState& w) {
  if (!w.scene.second_phase) return;
  const std::vector<int> damaged = damaged_parts(w);
  if (damaged.empty()) return;
  const CpuTimer timer(w.timings.second_phase);
  const std::vector<int> put_back = w.rigid.begin_again(damaged);
  if (put_back.empty()) return;
  std::vector<int> bodies;
  for (const int part : put_back) bodies.push_back(w.owner_of_part[static_cast<size_t>(part)].first);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  std::vector<LastHold> holds;
  const auto is_put_back = [&](const Part& part) { return std::binary_search(put_back.begin(), put_back.end(), part.index); };
  for (const int index : bodies) {
    Body& body = w.body(index);
    BodyWork& work = w.work[static_cast<size_t>(index)];
    read_states(w, body);
    if (!std::binary_search(w.busy.begin(), w.busy.end(), index)) continue;
    for (const Part& part : body.parts) {
      if (is_put_back(part) && is_softer(w, work, part)) w.rigid.set_restitution(part.index, *work.restitution);
    }
    if (!was_broken_by_loads(work) || !std::all_of(body.parts.begin(), body.parts.end(), is_put_back)) continue;
    book(w, &EnergyLedger::shape, [&] {
      apply_shapes(w, index);  // pieces are cut from the shape as it is now
      regroup_parts(w, index);
    });
    push_again(w, index);
    const std::vector<LastHold> of_body = hold_pieces(w, index, work.changes);
    holds.insert(holds.end(), of_body.begin(), of_body.end());
    work.is_split = true;
  }
  w.rigid.finish_again(w.dt(), w.loads);
  let_go(w, holds);
  for (const int index : bodies) read_states(w, w.body(index));
  ++w.timings.second_solves;
}

}  // namespace crumple

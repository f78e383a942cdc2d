#include "crumple/world/second_phase.h"

#include <algorithm>

#include "crumple/core/timer.h"
#include "crumple/world/compose.h"
#include "crumple/world/links.h"

namespace crumple {
namespace {

/// Whether hits of this step have made a part bounce less than it was solved with.
bool is_softer(const WorldState& w, const BodyWork& work, const Part& part) {
  return !work.hits.empty() && work.restitution && *work.restitution < w.rigid.state(part.index).restitution;
}

/// What only spins too fast breaks without a hit that could feel it.
bool was_broken_by_loads(const BodyWork& work) {
  return !work.breaks.empty() && !work.piece_loads.empty();
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

/// What broken links bore acts on both of their pieces, which are parts of their own now.
void push_pieces(WorldState& w, const Body& body, std::span<const LinkBreak> breaks) {
  const std::vector<Link> links = links_of(body);
  for (const LinkBreak& broken : breaks) {
    const Link& link = links[static_cast<size_t>(broken.link)];
    const Part &a = body.part_of(link.a), &b = body.part_of(link.b);
    if (&a == &b) continue;  // others hold them together
    const Transform rest = b.last_good.place * b.rest_in_part();
    const Vec3 at = rest * broken.at, push = rest.rotation * broken.push, twist = rest.rotation * broken.twist;
    w.rigid.push_again(b.index, at, push, twist), w.rigid.push_again(a.index, at, -push, -twist);
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
    apply_shapes(w, index);  // pieces are cut from the shape as it is now
    split(w, index);
    push_pieces(w, body, work.breaks);
    work.is_split = true;
  }
  w.rigid.finish_again(w.dt(), w.loads);
  for (const int index : bodies) read_states(w, w.body(index));
  ++w.timings.second_solves;
}

}  // namespace crumple

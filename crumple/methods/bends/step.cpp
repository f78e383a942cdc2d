#include <algorithm>
#include <cassert>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/methods/bends/kernels.h"

namespace crumple::bends {
namespace {

using rigid::Carried;
using rigid::Group;
using rigid::Wrench;

constexpr int kMaxPlaces = 512;
// Loads that are this share short of waking anything, by a bound that holds for exact numbers, wake nothing in rounded ones either.
constexpr double kSafeShare = 1 - 1e-6;
// Joints between bones wake with a neighbour that wakes if they carry this share of what wakes them.
constexpr double kAlong = 0.5;
// In thicknesses of the bone: a bent or awake joint nearer than this wakes instead of a new one. (paper 3, section 4.2 splits the bone at the hit)
constexpr double kSameJoint = 1.5;
// A joint rests if its parts turn against each other slower than this, rad/s; it has turned if its plastic turn has grown by more, rad.
constexpr double kSlow = 0.05, kTurned = 1e-7;
constexpr double kUnstrained = 0.01;  // of its strength: springs that are strained more are not welded

const rigid::Welds& welds_now(const Model& model, const State& state) {
  return state.posed.links.empty() ? static_cast<const rigid::Welds&>(model) : state.posed;
}

bool is_same(std::span<const Transform> a, std::span<const Transform> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Transform& p, const Transform& q) { return p.rotation == q.rotation && p.translation == q.translation; });
}

/// Pieces and links where they are in the rest frame of their part.
void follow_poses(const Model& model, State& state, std::span<const Transform> poses) {
  if (is_same(poses, state.poses)) return;
  state.poses.assign(poses.begin(), poses.end());
  state.posed.pieces.clear(), state.posed.links.clear();
  for (size_t p = 0; p < model.pieces.size() && !poses.empty(); ++p) {
    const rigid::WeldedPiece& piece = model.pieces[p];
    state.posed.pieces.push_back({piece.mass, poses[p] * piece.center, poses[p].rotation * piece.inertia * poses[p].rotation.transpose()});
  }
  for (size_t l = 0; l < model.links.size() && !poses.empty(); ++l) {
    rigid::Weld weld = model.links[l];
    const Transform& pose = poses[at(weld.a)];  // an awake link is seen from its piece a
    weld.center = pose * weld.center, weld.axes = pose.rotation * weld.axes;
    weld.turning = pose.rotation * weld.turning * pose.rotation.transpose();
    state.posed.links.push_back(weld);
  }
  state.factors.reset();
}

/// What acts on each piece that counts for waking: its impulses within the time of `wake`. A step that is longer counts by what it has more than the
/// last one, so that lasting loads count for that time only.
std::vector<Wrench> count_loads(const Model& model, State& state, const BondContext& now) {
  const size_t row = model.pieces.size() * 6;
  const int places = static_cast<int>(state.window.size() / row);
  std::vector<Wrench> sums(model.pieces.size(), Wrench::Zero());
  for (const PieceLoad& load : now.loads) sums[at(load.piece)] += rigid::wrench_at(load.impulse, load.at);
  const rigid::Welds& welds = welds_now(model, state);
  for (size_t g = 0; g < state.factors->groups.size(); ++g) rigid::add_spin_loads(welds, *state.factors->groups[g], now.spins[g], now.dt, sums);
  state.next = std::max(state.next, 0) % places;
  double* const place = &state.window[at(state.next) * row];
  const double wake = model.settings.impulse ? now.dt : model.settings.wake;
  std::vector<Wrench> counted = sums;
  if (now.dt > wake) {
    for (size_t p = 0; p < sums.size(); ++p) counted[p] -= (1 - wake / now.dt) * Eigen::Map<const Wrench>(place + 6 * p);
  }
  for (size_t p = 0; p < sums.size(); ++p) Eigen::Map<Wrench>(place + 6 * p) = sums[p];
  const double last_share = std::clamp(wake / now.dt - (places - 1), 0.0, 1.0);  // of the oldest step that still counts
  for (int other = 0; other < places; ++other) {
    if (other == state.next) continue;
    const double share = other == (state.next + 1) % places ? last_share : 1;
    for (size_t p = 0; p < sums.size(); ++p) counted[p] += share * Eigen::Map<const Wrench>(&state.window[at(other) * row + 6 * p]);
  }
  state.next = (state.next + 1) % places;
  return counted;
}

/// Share of what wakes it that a joint carries.
double use_of(const Joint& joint, const rigid::Weld& weld, const Carried& carried) {
  const Vec3 moments = weld.axes.transpose() * carried.twist;
  const double slide = std::isfinite(joint.slides) ? weld.axes.col(0).dot(carried.impulse) / joint.slides : 0;
  return std::sqrt(moments.cwiseQuotient(joint.wakes).squaredNorm() + slide * slide);
}

/// What the welded links carry now.
struct Uses {
  std::vector<double> use;       // #links: share of what wakes them; awake ones have none
  std::vector<Carried> carried;  // #links
};

bool is_calm(const rigid::Welds& welds, const Group& group, std::span<const Wrench> wanted) {
  return std::sqrt(rigid::energy_over_tree(welds, group, wanted)) * group.most_brittle <= kSafeShare * kAlong;
}

void evaluate(const Model& model, const State& state, const Group& group, std::span<const Wrench> loads, Uses& uses) {
  for (const int l : group.links) uses.use[at(l)] = 0;
  if (group.links.empty()) return;
  const rigid::Welds& welds = welds_now(model, state);
  const std::vector<Wrench> wanted = rigid::wanted_from_links(welds, group, loads);
  if (is_calm(welds, group, wanted) && !model.settings.slide) return;
  const std::vector<Carried> carried = rigid::solve(welds, group, wanted);
  for (size_t i = 0; i < carried.size(); ++i) {
    const size_t l = at(group.links[i]);
    uses.carried[l] = carried[i];
    uses.use[l] = use_of(model.joints[l], welds.links[l], carried[i]);
  }
}

int awake_count(const State& state) {
  return static_cast<int>(std::count(state.awake.begin(), state.awake.end(), 1));
}

/// The joint that stands for one that would appear at link l: one near it that is bent or awake already, a joint at an end of the bone, or itself.
int joint_near(const Model& model, const State& state, const Uses& uses, int l) {
  int best = l;
  double least = kSameJoint * model.joints[at(l)].thickness;
  const int bone = model.joints[at(l)].bone;
  for (int other = 0; other < static_cast<int>(model.links.size()); ++other) {
    const Joint& joint = model.joints[at(other)];
    if (joint.bone != bone && joint.other_bone != bone) continue;
    if (!state.awake[at(other)] && !state.bent[at(other)] && joint.is_inner) continue;
    if (!state.awake[at(other)] && uses.use[at(other)] <= kAlong) continue;  // it would hold
    const double distance = (model.links[at(other)].center - model.links[at(l)].center).norm();
    if (distance < least) least = distance, best = other;
  }
  return best;
}

/// A joint that wakes bears its strength from now on: that much of what it carried goes on acting on both sides.
void wake(const Model& model, State& state, int l, const Uses& uses, std::span<Wrench> loads, BondContext& now) {
  const rigid::Weld& weld = welds_now(model, state).links[at(l)];
  const double use = uses.use[at(l)];
  now.changes.push_back({l, Hold::Jointed, use * model.joints[at(l)].wakes.minCoeff(), model.joints[at(l)].wakes.minCoeff(), {}});
  state.awake[at(l)] = 1, state.quiet[at(l)] = 0;
  ++state.figures[kWoken];
  Wrench borne;
  borne << uses.carried[at(l)].impulse, uses.carried[at(l)].twist / std::max(1.0, use);
  borne.tail<3>() += weld.center.cross(borne.head<3>());
  loads[at(weld.b)] += borne, loads[at(weld.a)] -= borne;
  regroup(model, state);
}

/// The most overloaded joint wakes first; then all are looked at again with what it bears. One joint may appear in a bone in a step.
void wake_overloaded(const Model& model, State& state, std::vector<Wrench> loads, BondContext& now) {
  Uses uses{std::vector<double>(model.links.size(), 0.0), std::vector<Carried>(model.links.size())};
  for (const auto& group : state.factors->groups) evaluate(model, state, *group, loads, uses);
  std::vector<uint8_t> passed(model.links.size(), 0), refused = passed;
  std::vector<int> split;  // bones in which a joint has appeared
  for (;;) {
    int worst = -1;
    for (int l = 0; l < static_cast<int>(uses.use.size()); ++l) {
      if (!state.awake[at(l)] && !passed[at(l)] && uses.use[at(l)] > (worst < 0 ? 1.0 : uses.use[at(worst)])) worst = l;
    }
    if (worst < 0) break;
    const Joint& joint = model.joints[at(worst)];
    const int chosen = joint.is_inner ? joint_near(model, state, uses, worst) : worst;
    const bool is_split = joint.is_inner && std::find(split.begin(), split.end(), joint.bone) != split.end();
    passed[at(worst)] = 1;
    if (is_split || state.awake[at(chosen)]) continue;  // it is awake, or another one nearby is
    if (awake_count(state) >= model.settings.joints) {
      if (!state.refused[at(worst)]) ++state.figures[kLeftOut];
      refused[at(worst)] = 1;
      continue;
    }
    if (joint.is_inner) split.push_back(joint.bone);
    wake(model, state, chosen, uses, loads, now);
    if (!joint.is_inner) {
      for (int l = 0; l < static_cast<int>(model.links.size()); ++l) {
        const rigid::Weld &a = model.links[at(worst)], &b = model.links[at(l)];
        const bool meets = a.a == b.a || a.a == b.b || a.b == b.a || a.b == b.b;
        if (state.awake[at(l)] || model.joints[at(l)].is_inner || !meets || uses.use[at(l)] <= kAlong || awake_count(state) >= model.settings.joints) continue;
        wake(model, state, l, uses, loads, now);
      }
    }
    for (const auto& group : state.factors->groups) evaluate(model, state, *group, loads, uses);
  }
  state.refused = std::move(refused);
}

/// How long each awake joint has rested.
void note_rest(const Model& model, State& state, const BondContext& now) {
  for (size_t l = 0; l < model.links.size(); ++l) {
    if (!state.awake[l]) continue;
    const rigid::JointHistory& history = state.histories[l];
    const double flow = history.turn + history.elongation;
    const int a = now.part_of_piece[at(model.links[l].a)], b = now.part_of_piece[at(model.links[l].b)];
    const double spin = (now.world_spins[at(a)] - now.world_spins[at(b)]).norm();
    const bool springs = model.settings.spring || (model.settings.slide && model.settings.slide->stiffness);
    const bool rests = flow - state.flow[l] <= kTurned && spin < kSlow && !(springs && history.utilisation > kUnstrained);
    state.quiet[l] = rests ? state.quiet[l] + now.dt : 0;
    if (flow > kTurned) state.bent[l] = 1;
    state.flow[l] = flow;
  }
}

/// Joints that have rested are welded where they are, all between two parts at once.
void weld_rested(const Model& model, State& state, BondContext& now) {
  const auto parts_of = [&](size_t l) { return std::minmax(now.part_of_piece[at(model.links[l].a)], now.part_of_piece[at(model.links[l].b)]); };
  const auto has_rested = [&](size_t l) { return state.quiet[l] > model.settings.rest; };
  std::vector<size_t> chosen;
  for (size_t l = 0; l < model.links.size(); ++l) {
    if (!state.awake[l] || !has_rested(l)) continue;
    bool all = true;
    for (size_t other = 0; other < model.links.size(); ++other) {
      if (state.awake[other] && parts_of(other) == parts_of(l)) all = all && has_rested(other);
    }
    if (all) chosen.push_back(l);
  }
  for (const size_t l : chosen) {
    state.awake[l] = 0, state.quiet[l] = 0;
    now.changes.push_back({static_cast<int>(l), Hold::Welded, 0, 0, {}});
  }
  if (chosen.empty()) return;
  std::fill(state.window.begin(), state.window.end(), 0.0);  // the frames of parts change
  regroup(model, state);
}

}  // namespace

int window_places(const Settings& settings, double dt) {
  return settings.impulse ? 1 : std::clamp(static_cast<int>(std::ceil(settings.wake / dt * (1 - 1e-9))), 1, kMaxPlaces);
}

void regroup(const Model& model, State& state) {
  const rigid::Welds& welds = welds_now(model, state);
  state.groups = rigid::connected(welds, state.awake);
  state.factors = rigid::make_factors(welds, state.awake, state.groups, state.factors.get());
}

bool is_busy(const Model&, const State& state, bool is_awake) {
  return is_awake || awake_count(state) > 0;
}

void update(State& state, int link, const rigid::PlasticState& now, double time) {
  rigid::update(state.histories[at(link)], now, time);
}

void step(const Model& model, State& state, BondContext& now) {
  follow_poses(model, state, now.poses);
  if (!state.factors) regroup(model, state);
  assert(now.spins.size() == at(state.groups.count));
  note_rest(model, state, now);
  if (!now.loads.empty() || !state.window.empty()) wake_overloaded(model, state, count_loads(model, state, now), now);
  if (model.settings.condense && now.changes.empty()) weld_rested(model, state, now);
}

}  // namespace crumple::bends

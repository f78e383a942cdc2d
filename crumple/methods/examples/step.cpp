#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "crumple/methods/examples/checks.h"
#include "crumple/methods/examples/kernels.h"
#include "crumple/methods/examples/pair_loads.h"

namespace crumple::examples {
namespace {

/// Changes of example weights wanted at hit vertices, in ascending order of vertices.
using Goals = std::map<int, std::vector<double>>;

/// Speed change by all hits of one pair of bodies: whether it yields must not depend on how many points share the load.
std::map<std::pair<int, int>, double> pooled_speed_changes(const LayerContext& now) {
  std::map<std::pair<int, int>, double> pooled;
  for (const Hit& hit : now.hits) pooled[{hit.part, hit.other}] += hit.impulse.norm() / hit.mass;
  return pooled;
}

/// The yield where a hit landed.
double yield_at(const Model& model, const Hit& hit) {
  const std::vector<float>& painted = model.body->paint.yield;
  if (painted.empty()) return model.settings.yield;
  return model.settings.yield * factor_at(painted, model.body->faces[static_cast<size_t>(hit.face)], hit.barycentric);
}

void project_hit(const Model& model, State& state, const Hit& hit, const Vec3& dx, Goals& goals) {
  const Skin& skin = model.body->skin;
  const size_t examples = static_cast<size_t>(skin.examples);
  std::vector<double> weights(examples), change(examples);
  std::vector<Vec3> jacobian(examples);
  for (int corner = 0; corner < 3; ++corner) {
    const double share = hit.barycentric[corner];  // the contact acts barycentrically on its triangle
    if (share <= 0) continue;
    const int vertex = model.body->faces[static_cast<size_t>(hit.face)][static_cast<size_t>(corner)];
    for (size_t e = 0; e < examples; ++e) weights[e] = state.weights[static_cast<size_t>(vertex) * examples + e];
    skin_vertex(skin, vertex, weights, jacobian);
    project(model.settings.rule, model.settings.gain, jacobian, share * dx, change);
    note_hit(state, vertex, jacobian, dx);
    std::vector<double>& goal = goals.try_emplace(vertex, examples, 0.0).first->second;
    for (size_t e = 0; e < examples; ++e) goal[e] += model.emphasis[e] * change[e];
  }
}

/// How much of each hit exceeds the yield, as paper 1 has it: each step by itself. eq. 4
std::vector<double> excess_shares(const Model& model, const LayerContext& now) {
  const std::map<std::pair<int, int>, double> pooled = pooled_speed_changes(now);
  std::vector<double> shares;
  for (const Hit& hit : now.hits) shares.push_back(excess_share(pooled.at({hit.part, hit.other}), yield_at(model, hit), now.dt));
  return shares;
}

/// The same by what a pair has done within the window.
std::vector<double> mark_shares(const Model& model, State& state, const LayerContext& now) {
  std::vector<double> shares;
  for (const Hit& hit : now.hits) {
    shares.push_back(mark_share(model.settings, load_of(model, state, now, hit.part, hit.other_body), yield_at(model, hit), now.dt));
  }
  for (size_t i = 0; i < shares.size(); ++i) {
    const Hit& hit = now.hits[i];
    book_mark(model, state, now, hit.part, hit.other_body, shares[i] * hit.impulse.norm() / hit.mass);
  }
  return shares;
}

/// Impulses of the last step become wanted displacements (eq. 4) and those become wanted weights (eqs. 5-10).
Goals project_impulses(const Model& model, State& state, LayerContext& now) {
  Goals goals;
  if (now.hits.empty() || model.rigid) return goals;
  const std::vector<double> shares = model.window ? mark_shares(model, state, now) : excess_shares(model, now);
  now.yielded.assign(now.hits.size(), 0);
  for (size_t i = 0; i < now.hits.size(); ++i) {
    const Hit& hit = now.hits[i];
    if (shares[i] == 0) continue;
    now.yielded[i] = 1;
    const Vec3 impulse = model.settings.friction ? Vec3(hit.impulse + hit.friction) : hit.impulse;
    // The reference step, not dt: the mark of a hit must not depend on the step it fell into.
    project_hit(model, state, hit, kReferenceStep / hit.mass * shares[i] * impulse, goals);
  }
  return goals;
}

/// Links that have broken stop what spreads along the body.
SpreadRows& rows_of(const Model& model, State& state, std::span<const uint8_t> broken) {
  const size_t count = static_cast<size_t>(std::count(broken.begin(), broken.end(), 1));
  if (count == 0) return *model.spread;
  if (!state.torn || state.torn_links != count) state.torn = std::make_shared<SpreadRows>(model.spread, broken), state.torn_links = count;
  return *state.torn;
}

/// Each goal reaches its neighbourhood along the body. eq. 11
void spread(const Model& model, State& state, const Goals& goals, std::span<const uint8_t> broken) {
  if (goals.empty()) return;
  SpreadRows& rows = rows_of(model, state, broken);
  const size_t examples = static_cast<size_t>(model.body->skin.examples);
  std::vector<float> goal(examples);
  for (const auto& [vertex, change] : goals) {
    std::copy(change.begin(), change.end(), goal.begin());
    if (std::all_of(goal.begin(), goal.end(), [](float value) { return value == 0; })) continue;
    const auto row = rows.row(vertex);
    for (size_t i = 0; i < row->vertices.size(); ++i) {
      const size_t reached = static_cast<size_t>(row->vertices[i]);
      float* pending = &state.pending[reached * examples];
      for (size_t e = 0; e < examples; ++e) pending[e] += row->values[i] * goal[e];
      state.active[reached / Skin::kLanes] = 1;
    }
  }
}

// Below this share, what is pending moves into the weights once a frame instead of every step: the change each time is still smaller
// than a hit's first one, the sum is the same, and most of the time that a dent takes is spent here.
constexpr float kSlowPhase = 0.2f;
constexpr double kSlowStep = 1.0 / 60.0;

/// Whether pending changes may wait for a later step.
bool may_wait(const State& state, double dt) {
  return state.largest < kSlowPhase && state.waited + dt < kSlowStep - 1e-9;
}

/// Moves what is pending into the weights, block by block; only active blocks are touched. eq. 13
void apply(const Model& model, State& state, double dt) {
  const size_t examples = static_cast<size_t>(model.body->skin.examples);
  const size_t stride = examples * Skin::kLanes;
  const float lag = static_cast<float>(lag_for_step(model.settings.lag, state.waited + dt));
  state.waited = 0;
  state.largest = 0;
  for (size_t block = 0; block < state.active.size(); ++block) {
    if (!state.active[block]) continue;
    const size_t begin = block * stride, size = std::min(stride, state.weights.size() - begin);
    const float largest = apply_rows(std::span(state.weights).subspan(begin, size), std::span(state.pending).subspan(begin, size),
                                     static_cast<int>(examples), lag);
    state.active[block] = largest > 0 ? 1 : 0;
    state.largest = std::max(state.largest, largest);
    state.stale.push_back(static_cast<int>(block));
  }
  state.norm = pending_norm(model, state);
}

/// Damage is paid for with bounce. eq. 15
void soften_restitution(const Model& model, State& state, LayerContext& now) {
  if (state.norm == 0 && state.restitution == model.restitution) return;
  state.restitution = softened_restitution(model.settings, model.restitution, state.restitution, state.norm, now.dt);
}

void reskin(const Model& model, State& state, Effects& effects) {
  effects.reshaped = !state.stale.empty();
  skin_blocks(model.body->skin, state.weights, state.stale, state.positions);
  std::swap(state.moved, state.stale);
  state.stale.clear();
  effects.moved = state.moved;
}

}  // namespace

double hit_threshold(const Model& model, double dt) {
  return model.rigid ? std::numeric_limits<double>::infinity() : effective_yield(model.least_yield, dt);
}

void select_hits(const Model& model, State& state, const LayerContext& now, std::span<Touching> touching) {
  if (model.rigid) return;
  if (model.window) return book_loads(model, state, now, touching);
  const double least = hit_threshold(model, now.dt);
  for (Touching& touched : touching) touched.wanted = touched.wanted || touched.speed_change > least;
}

void step(const Model& model, State& state, LayerContext& now) {
  const Goals goals = project_impulses(model, state, now);
  if (!goals.empty() && state.waited > 0) apply(model, state, 0);  // catch up first: new changes must not age with those that waited
  spread(model, state, goals, now.broken);
  if (goals.empty() && may_wait(state, now.dt)) {
    state.waited += state.largest > 0 ? now.dt : 0;
  } else {
    apply(model, state, now.dt);
  }
  soften_restitution(model, state, now);
  reskin(model, state, now.effects);
  now.effects.restitution = state.restitution;
  state.busy = state.largest > 0 || state.restitution != model.restitution;
}

}  // namespace crumple::examples

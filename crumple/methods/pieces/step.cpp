#include <algorithm>
#include <cassert>
#include <cmath>

#include "crumple/methods/pieces/kernels.h"

namespace crumple::pieces {
namespace {

// A second of steps of 1/240 s is off by 1e-14 s; a body that has settled has settled.
constexpr double kClock = 1e-9;
// Loads that are this share short of breaking anything, by a bound that holds for exact numbers, break nothing in rounded ones either.
constexpr double kSafeShare = 1 - 1e-6;
// Links that differ by no more than rounding are equally overloaded: the first of them goes.
constexpr double kTie = 1 - 1e-9;

/// What each link carries, as far as it was looked at; calm groups' links count as carrying nothing.
struct LinkLoads {
  std::vector<double> size;   // #links, N s
  std::vector<double> share;  // #links: of the limit
};

/// This step's place in the window, emptied if the step is the first in it.
std::span<double> turn_window(const Model& model, State& state, double dt) {
  const size_t row = model.pieces.size() * 6;
  const int places = static_cast<int>(state.window.size() / row);
  const int steps = window_of(dt).steps;
  state.next = std::max(state.next, 0) % (places * steps);  // a checkpoint may hold any value
  const std::span<double> place = std::span(state.window).subspan(static_cast<size_t>(state.next / steps) * row, row);
  if (state.next % steps == 0) std::fill(place.begin(), place.end(), 0.0);
  state.next = (state.next + 1) % (places * steps);
  return place;
}

/// What acted on each piece within the window.
std::vector<Wrench> window_sums(const Model& model, const State& state) {
  std::vector<Wrench> sums(model.pieces.size(), Wrench::Zero());
  for (size_t place = 0; place < state.window.size(); place += 6 * sums.size()) {
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += Eigen::Map<const Wrench>(&state.window[place + 6 * k]);
  }
  return sums;
}

/// Adds this step to the window; returns what it held before, with what turning adds in this step: links bear that anyway.
std::vector<Wrench> accumulate(const Model& model, State& state, double dt, std::span<const Load> loads, std::span<const Vec3> spins) {
  std::vector<Wrench> sums(model.pieces.size(), Wrench::Zero());
  for (const Load& load : loads) sums[static_cast<size_t>(load.piece)] += wrench_of(load);
  const std::vector<Wrench> outside = sums;
  for (size_t g = 0; g < state.factors->groups.size(); ++g) add_spin_loads(model, *state.factors->groups[g], spins[g], dt, sums);
  const std::span<double> place = turn_window(model, state, dt);
  std::vector<Wrench> before = window_sums(model, state);
  for (size_t k = 0; k < sums.size(); ++k) before[k] += sums[k] - outside[k];
  for (size_t k = 0; k < sums.size(); ++k) Eigen::Map<Wrench>(&place[6 * k]) += sums[k];
  return before;
}

/// Most of the time this is all that is done: no link of the group can carry more than its limit.
bool is_calm(const Model& model, const Group& group, std::span<const Wrench> wanted) {
  return std::sqrt(energy_over_tree(model, group, wanted)) * group.most_brittle <= kSafeShare;
}

void evaluate(const Model& model, const Group& group, std::span<const Wrench> sums, LinkLoads& loads_now) {
  for (const int l : group.links) loads_now.size[static_cast<size_t>(l)] = loads_now.share[static_cast<size_t>(l)] = 0;
  if (group.links.empty()) return;
  const std::vector<Wrench> wanted = wanted_from_links(model, group, sums);
  if (is_calm(model, group, wanted)) return;
  const std::vector<Carried> carried = solve(model, group, wanted);
  for (size_t i = 0; i < carried.size(); ++i) {
    const size_t l = static_cast<size_t>(group.links[i]);
    loads_now.size[l] = carried[i].size;
    loads_now.share[l] = carried[i].size / model.links[l].limit;
  }
}

/// What a link of the group has carried of these loads.
double carried_by(const Model& model, const Group& group, std::span<const Wrench> sums, int link) {
  const std::vector<Carried> carried = solve(model, group, wanted_from_links(model, group, sums));
  const auto place = std::find(group.links.begin(), group.links.end(), link) - group.links.begin();
  return carried[static_cast<size_t>(place)].size;
}

/// An overloaded link has borne something within the window `before` the step: until it breaks it bears what is left of its limit.
Break break_of(const Model& model, const State& state, const LinkLoads& loads_now, std::span<const Wrench> before, int link, double dt) {
  const Weld& weld = model.links[static_cast<size_t>(link)];
  const Group& group = *state.factors->groups[static_cast<size_t>(state.groups.of_piece[static_cast<size_t>(weld.a)])];
  const double left = std::clamp(weld.limit - carried_by(model, group, before, link), 0.0, weld.limit);
  return {link, model.hinges.empty() ? Hold::Broken : Hold::Jointed, loads_now.size[static_cast<size_t>(link)], weld.limit, capacity_of(weld, left / dt)};
}

/// The link that goes first, or -1 if all hold.
int most_overloaded(const LinkLoads& loads_now) {
  double most = 1;
  for (const double share : loads_now.share) most = share > most ? share : most;
  if (most == 1) return -1;
  for (size_t l = 0; l < loads_now.share.size(); ++l) {
    if (loads_now.share[l] > 1 && loads_now.share[l] >= kTie * most) return static_cast<int>(l);
  }
  return -1;
}

/// Takes the link out, and what hung on it alone.
void part(const Model& model, State& state, int link) {
  state.broken[static_cast<size_t>(link)] = 1;
  if (!state.hinged.empty()) state.hinged[static_cast<size_t>(link)] = 1;
  state.groups = connected(model, state.broken);
  state.factors = make_factors(model, state.broken, state.groups, state.factors.get());
}

/// After each break the same loads are redistributed over the pieces that are still connected.
std::vector<Break> break_overloaded(const Model& model, State& state, std::span<const Wrench> sums, std::span<const Wrench> before, double dt) {
  std::vector<Break> breaks;
  LinkLoads loads_now{std::vector<double>(model.links.size(), 0.0), std::vector<double>(model.links.size(), 0.0)};
  for (const std::shared_ptr<const Group>& group : state.factors->groups) evaluate(model, *group, sums, loads_now);
  for (int link; (link = most_overloaded(loads_now)) >= 0;) {
    const Weld& broken = model.links[static_cast<size_t>(link)];
    breaks.push_back(break_of(model, state, loads_now, before, link, dt));
    loads_now.share[static_cast<size_t>(link)] = 0;
    part(model, state, link);
    const int a = state.groups.of_piece[static_cast<size_t>(broken.a)], b = state.groups.of_piece[static_cast<size_t>(broken.b)];
    evaluate(model, *state.factors->groups[static_cast<size_t>(a)], sums, loads_now);
    if (b != a) evaluate(model, *state.factors->groups[static_cast<size_t>(b)], sums, loads_now);
  }
  return breaks;
}

}  // namespace

bool is_settling(const Model& model, const State& state) {
  return std::isfinite(model.weakest) && state.age < model.settings.settle - kClock;
}

std::vector<Break> step(const Model& model, State& state, double dt, std::span<const Load> loads, std::span<const Vec3> spins) {
  if (!std::isfinite(model.weakest)) return {};
  assert(spins.size() == static_cast<size_t>(state.groups.count));
  const bool settling = is_settling(model, state);
  state.age += dt;
  if (settling || state.groups.count == static_cast<int>(model.pieces.size())) return {};  // nothing may break, or nothing is left to
  const std::vector<Wrench> before = accumulate(model, state, dt, loads, spins);
  return break_overloaded(model, state, window_sums(model, state), before, dt);
}

}  // namespace crumple::pieces

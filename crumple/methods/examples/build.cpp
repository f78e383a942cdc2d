#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/methods/examples/kernels.h"
#include "crumple/methods/examples/pair_loads.h"

namespace crumple::examples {

void describe(Fields& fields, Settings& s) {
  fields.number("gain", s.gain, at_least(0), {"how readily hits turn into damage (alpha, paper 1 eq. 8); 0 keeps the body rigid", "1/m"});
  fields.number("yield", s.yield, at_least(0), {"speed change that a hit must exceed to leave a mark (beta, paper 1 eq. 4)", "m/s"});
  fields.number("radius", s.radius, more_than(0), {"distance that damage spreads along the body around a hit (gamma, paper 1 eq. 11)", "m"});
  fields.number("lag", s.lag, between(0, 0.9999), {"delay of damage: 0 at once, 0.99 in about half a second (lambda, paper 1 eq. 13)"});
  fields.number("recover", s.recover, at_least(0), {"recovery rate of restitution after damage (mu, paper 1 eq. 15)", "1/s"});
  fields.number("soften", s.soften, at_least(0), {"loss of restitution during damage (nu, paper 1 eq. 15)"});
  fields.choice<Rule>("rule", s.rule, {{"direction", Rule::Direction}, {"gradient", Rule::Gradient}, {"pseudo-inverse", Rule::PseudoInverse}},
                      {"rule that selects examples for an impulse: eq. 8, eqs. 6 and 10, or eq. 9 of paper 1"});
  fields.number_unless("creep", 0, s.creep, at_least(0), {"damage per second under a load beyond half the yield that lasts, as a share of it", "1/s"});
  fields.flag("friction", s.friction, {"whether friction impulses deform too, not only normal ones"});
  fields.numbers("emphasis", s.emphasis, 0, {"factor on the response of each example to hits, the rest pose first"});
  if (fields.reading() && s.emphasis) {
    for (const double factor : *s.emphasis) {
      if (factor < 0) fields.fail("emphasis", "factors must not be negative");
    }
  }
}

namespace {

double least_yield(const RiggedBody& body, const Settings& settings) {
  if (body.paint.yield.empty() || body.faces.empty()) return settings.yield;
  float least = kMaxPainted;
  for (const Triangle& face : body.faces) {  // hits land on the boundary
    for (const int vertex : face) least = std::min(least, body.paint.yield[static_cast<size_t>(vertex)]);
  }
  return settings.yield * least;
}

bool is_rigid(const RiggedBody& body, const Settings& settings) {
  const std::vector<float>& gain = body.paint.gain;
  return settings.gain == 0 || (!gain.empty() && std::all_of(gain.begin(), gain.end(), [](float factor) { return factor == 0; }));
}

}  // namespace

Result<Model> build(const LayerSeed& seed, const Settings& settings) {
  const RiggedBody& body = *seed.body;
  Model model;
  if (seed.second_phase) model.window = window_of(seed.dt);
  model.settings = settings;
  model.body = &body;
  model.spread = body.spreads->rows(body.graph, settings.radius, body.paint);
  model.least_yield = least_yield(body, settings);
  model.rigid = is_rigid(body, settings);
  model.restitution = seed.restitution;
  model.emphasis.assign(body.asset.examples.size(), 1.0f);
  if (settings.emphasis) {
    if (settings.emphasis->size() != model.emphasis.size()) {
      return input_error(fmt::format("emphasis has {} numbers, but the asset \"{}\" has {} examples (the rest pose is the first)", settings.emphasis->size(),
                                     body.asset.name, model.emphasis.size()));
    }
    for (size_t e = 0; e < model.emphasis.size(); ++e) model.emphasis[e] = static_cast<float>((*settings.emphasis)[e]);
  }
  return model;
}

State start(const Model& model) {
  const Skin& skin = model.body->skin;
  State state;
  const size_t entries = static_cast<size_t>(skin.vertices) * skin.examples;
  state.weights.assign(entries, 0.0f);
  for (size_t i = 0; i < entries; i += skin.examples) state.weights[i] = 1.0f;
  state.pending.assign(entries, 0.0f);
  state.restitution = model.restitution;
  state.has_pairs = model.window.has_value();
  (void)rebuilt(model, state);
  return state;
}

std::vector<StateArray> arrays(State& state) {
  const size_t vertices = state.positions.size();
  const size_t columns = vertices == 0 ? 1 : state.weights.size() / vertices;
  std::vector<StateArray> all = {state_array("weights", std::span(state.weights), columns), state_array("pending", std::span(state.pending), columns),
                                 state_array("waited", std::span(&state.waited, 1), 1), state_array("restitution", std::span(&state.restitution, 1), 1)};
  if (state.has_pairs) all.push_back(state_array("pairs", std::span(state.pairs), 1));
  return all;
}

Result<void> rebuilt(const Model& model, State& state) {
  if (Result<void> whole = check_pairs(model, state); !whole) return whole;
  const Skin& skin = model.body->skin;
  state.positions.resize(skin.vertices);
  skin_all(skin, state.weights, state.positions);
  state.stale.clear(), state.moved.clear();
  state.torn.reset();  // made again with the next hit, from the links that are broken then
  state.busy = state.restitution != model.restitution;
  state.active.assign(skin.blocks, 0);
  state.largest = 0;
  for (size_t i = 0; i < state.pending.size(); ++i) {
    if (state.pending[i] == 0) continue;
    state.active[i / (static_cast<size_t>(skin.examples) * Skin::kLanes)] = 1;
    state.largest = std::max(state.largest, std::abs(state.pending[i]));
  }
  state.norm = pending_norm(model, state);
  state.busy = state.busy || state.largest > 0;
  return {};
}

}  // namespace crumple::examples

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "crumple/methods/method.h"

/// Example-based plasticity [Jones et al. 2016]: impulses move each vertex's weights of artist-made example poses.
namespace crumple::examples {

/// How an impulse becomes a change of example weights.
enum class Rule {
  Direction,      ///< alpha |dx| J^T dx / |J^T dx|, eq. 8
  Gradient,       ///< alpha J^T dx, eq. 6 and 10
  PseudoInverse,  ///< alpha J^+ dx, eq. 9
};

struct Settings {
  double gain = 100;     // alpha
  double yield = 0.4;    // beta as a speed change, m/s
  double radius = 0.6;   // gamma, m
  double lag = 0.92;     // lambda, per reference step
  double recover = 1;    // mu, 1/s
  double soften = 300;   // nu
  Rule rule = Rule::Direction;
  bool friction = false;
  std::optional<std::vector<double>> emphasis;  // per example
};

/// The step for which gain and lag are meant; other steps are rescaled to behave alike.
inline constexpr double kReferenceStep = 1.0 / 240.0;

/// Shared by all bodies of one asset and radius through `spread`; never changes while stepping.
struct Model {
  Settings settings;
  const RiggedBody* body = nullptr;
  std::shared_ptr<SpreadRows> spread;
  double restitution = 0;        // C_r*, when nothing is being damaged
  std::vector<float> emphasis;   // #examples
  double least_yield = 0;        // m/s, where the surface is weakest
  bool rigid = false;            // no hit can change it: there is no gain anywhere
};

struct State {
  // written by apply
  std::vector<float> weights;  // #vertices x #examples: E
  std::vector<float> pending;  // #vertices x #examples: Delta E
  double waited = 0;           // s since pending changes were last applied
  // written by soften_restitution
  double restitution = 0;      // C_r

  // derived from the above
  std::vector<unsigned char> active;  // #blocks: some row of the block is pending
  std::vector<int> stale;             // blocks whose positions are out of date
  std::vector<int> moved;             // blocks whose positions changed in the last step
  std::shared_ptr<SpreadRows> torn;   // instead of the model's, once links of the body have broken
  size_t torn_links = 0;              // how many had when it was made
  std::vector<Vec3f> positions;       // #vertices, rest frame
  float largest = 0;                  // of what is pending
  double norm = 0;                    // of what is pending, per vertex
  std::vector<uint16_t> shown;        // #vertices x (#examples - 1): weights as recorded in frames, in steps of 1/8192
  bool busy = false;                  // something is pending or bounciness is still low
};

void describe(Fields& fields, Settings& settings);
/// `restitution` is the body's own, C_r* of eq. 15.
Result<Model> build(const RiggedBody& body, const Settings& settings, double restitution);
State start(const Model& model);
/// The least speed change by one pair of bodies that this layer reacts to; weaker hits need not be looked at.
double interest(const Model& model, double dt);
/// Whether step() has something to do although nothing was hit.
inline bool is_busy(const State& state) { return state.busy; }
void step(const Model& model, State& state, StepContext& now);
/// The current shape in the rest frame.
const std::vector<Vec3f>& view(const Model& model, const State& state);
std::vector<StateArray> arrays(State& state);
/// Call after arrays() were overwritten: makes everything derived anew.
void restored(const Model& model, State& state);

/// What frames record: the weights, rounded to what no eye can tell apart (a twentieth of a millimetre for a pose that moves 40 cm).
/// Most of the fading tail of a dent then costs nothing.
std::vector<StateArray> shown_arrays(State& state);
/// Call after shown_arrays() were overwritten: the state can be looked at, not continued.
void shown_restored(const Model& model, State& state);

/// A colour for each point of the drawn surface: white at rest, otherwise a blend of the examples' colours (paper 1, fig. 8).
std::vector<Vec3f> weight_colors(const Model& model, const State& state, const Embedding& surface);

static_assert(Method<Settings, Model, State>);

}  // namespace crumple::examples

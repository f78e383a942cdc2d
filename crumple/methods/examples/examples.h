#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "crumple/methods/examples/settings.h"
#include "crumple/methods/layer.h"
#include "crumple/methods/window.h"

/// Example-based plasticity [Jones et al. 2016]: impulses move each vertex's weights of artist-made example poses.
namespace crumple::examples {

/// Shared by all bodies of one asset and radius through `spread`; never changes while stepping.
struct Model {
  Settings settings;
  const RiggedBody* body = nullptr;
  std::shared_ptr<SpreadRows> spread;
  double restitution = 0;        // C_r*, when nothing is being damaged
  std::vector<float> emphasis;   // #examples
  double least_yield = 0;        // m/s, where the surface is weakest
  bool rigid = false;            // no hit can change it: there is no gain anywhere
  std::optional<Window> window;  // over which loads are summed; absent: each step counts by itself, as in paper 1
};

struct State {
  // written by apply
  std::vector<float> weights;  // #vertices x #examples: E
  std::vector<float> pending;  // #vertices x #examples: Delta E
  double waited = 0;           // s since pending changes were last applied
  // written by book_loads and book_mark
  std::vector<double> pairs;   // loads of the bodies that touch it, see pair_loads.cpp
  bool has_pairs = false;      // loads are summed
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
  std::vector<uint16_t> recorded;     // #vertices x (#examples - 1): weights as recorded in frames, in steps of 1/8192
  /// What hits beyond the yield found of an example, since the run began or went on: a remark for its end, so it is not saved.
  struct Reached {
    double moves = 0, along = -1e300;  // m: the farthest that it moves a vertex that was hit; the same along the push
    int vertex = -1;
  };
  std::vector<Reached> reached;       // #examples, or empty: no such hit
  bool busy = false;                  // something is pending or bounciness is still low
};

Result<Model> build(const LayerSeed& seed, const Settings& settings);
State start(const Model& model);
/// Least speed change by one pair of parts that leaves a mark where each step counts by itself.
double hit_threshold(const Model& model, double dt);
void select_hits(const Model& model, State& state, const LayerContext& now, std::span<Touching> touching);
inline bool is_busy(const State& state) { return state.busy; }
void step(const Model& model, State& state, LayerContext& now);
/// Skinned vertices; what other layers have moved in rest space before turns with them.
void put_shape(const Model& model, const State& state, std::span<const int> blocks, Shape& shape);

std::vector<StateArray> arrays(State& state);
inline void fit(const Model&, State& state, const SavedArrays& saved) { state.pairs.resize(saved.rows("pairs", sizeof(double))); }
Result<void> rebuilt(const Model& model, State& state);
/// What frames record: the weights, rounded to what no eye can tell apart (a twentieth of a millimetre for a pose that moves 40 cm).
/// Most of the fading tail of a dent then costs nothing.
void record(const Model& model, State& state);
std::vector<StateArray> recorded(State& state);
inline void fit_recorded(const Model& model, State& state, const SavedArrays&) { record(model, state); }
Result<void> replayed(const Model& model, State& state);

/// A colour for each point of the drawn surface: white at rest, otherwise a blend of the examples' colours (paper 1, fig. 8).
inline void draw_over(const Model&, const State&, DrawnSurface&) {}
inline double gives(const Model&) { return 0; }
std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view scheme, const Embedding& surface);
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::examples

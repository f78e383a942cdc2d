#pragma once

#include "crumple/methods/dents/settings.h"
#include "crumple/methods/dents/sheet.h"
#include "crumple/methods/layer.h"

/// Dents (paper 3, section 3): the shape of what hits a body is stamped into it. A layer of offsets in rest space: on the vertices of the tetrahedra, by
/// which the body collides and weighs, and on those of the drawn surface, which is refined where a print needs it.
namespace crumple::dents {

struct Model {
  Settings settings;
  const RiggedBody* body = nullptr;
  std::vector<std::shared_ptr<const TriMesh>> drawn;  // the whole surface, then the skin of each piece
  std::vector<const Embedding*> carried;              // #drawn
  std::vector<std::vector<int>> tets_of;              // #vertices
  double threshold = 0;                               // m/s
};

/// One drawn surface.
struct SheetState {
  std::vector<int32_t> parents;      // 2 for each vertex that was added
  std::vector<Vec3f> offsets, goals; // #vertices: now, and once all dents have appeared
  Sheet sheet;                       // derived
};

/// Columns of State::pairs.
enum PairColumn { kPiece, kOtherBody, kOtherPart, kLast, kDepth, kPairColumns };

struct State {
  std::vector<Vec3f> offsets, goals;  // #vertices of the tetrahedra
  std::vector<SheetState> sheets;     // #drawn
  std::vector<double> pairs;          // rows of PairColumn: what touched the part of which lowest piece, in which step it did last, and how deep its dent is, m
  std::vector<std::string> names;     // of the arrays of the sheets
  std::vector<double> figures;        // dents, deepest, left out, volume, missing volume, coarsened, too coarse, time left, s

  // of the last step
  std::vector<int> moved;  // blocks
};

/// Entries of State::figures.
enum Figure { kDents, kDeepest, kLeftOut, kVolume, kMissing, kCoarsened, kUnrefined, kTimeLeft, kFigures };

Result<Model> build(const LayerSeed& seed, const Settings& settings);
State start(const Model& model);
double gives(const Model& model);
void select_hits(const Model& model, State& state, const LayerContext& now, std::span<Touching> touching);
inline bool is_busy(const State& state) { return state.figures[kTimeLeft] > 0; }
void step(const Model& model, State& state, LayerContext& now);
void put_shape(const Model& model, const State& state, std::span<const int> blocks, Shape& shape);
void draw_over(const Model& model, const State& state, DrawnSurface& drawn);
std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view scheme, const Embedding& surface);

std::vector<StateArray> arrays(State& state);
void fit(const Model& model, State& state, const SavedArrays& saved);
Result<void> rebuilt(const Model& model, State& state);
inline void record(const Model&, State&) {}
std::vector<StateArray> recorded(State& state);
void fit_recorded(const Model& model, State& state, const SavedArrays& saved);
Result<void> replayed(const Model& model, State& state);
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::dents

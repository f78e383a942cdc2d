#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/methods/dents/dents.h"

namespace crumple::dents {
namespace {

constexpr double kGravity = 9.81;

}  // namespace

void describe(Fields& fields, Settings& s) {
  fields.number("depth", s.depth, at_least(0), {"depth of a dent for each m/s of normal speed beyond the threshold", "s"});
  fields.number("threshold", s.threshold, at_least(0), {"normal speed of an impact below which it leaves no dent", "m/s"});
  fields.number("deepest", s.deepest, more_than(0), {"limit of the depth", "m"});
  fields.number("hardness", s.hardness, more_than(0), {"pressure against which the energy of an impact presses the print in, instead of `depth`; steel about 1e9, soft sheet 1e7", "Pa"});
  fields.number("resistance", s.resistance, more_than(0), {"against another body that dents: each takes its share of the depth by the other's resistance"});
  fields.choice<Both>("both", s.both, {{"share", Both::Share}, {"full", Both::Full}}, {"how two bodies that dent each other divide the depth: \"share\" by resistance, \"full\" all of it in each (paper 3, figure 1)"});
  fields.number("softness", s.print.softness, between(0, 4), {"width by which the print is broadened, as a share of its half width: 0.05 to 0.1 reads as sheet metal, 0.4 as clay"});
  fields.number("attenuation", s.print.attenuation, between(0.1, 100), {"depth through the body over which a dent fades, as a share of its depth"});
  fields.number("lip", s.print.lip, between(0, 1), {"share of the volume that is raised in a narrow lip around the print"});
  fields.number("rim", s.print.rim, between(0, 1), {"share of the rest of the volume that is raised broadly around it; 1: no volume is lost"});
  fields.number("steepest", s.steepest, between(0, 80), {"largest angle between the normal and the way of a press; glancing hits are pressed at this one", "degrees"});
  fields.choice<bool>("measured", s.print.from_plane, {{"target", false}, {"plane", true}}, {"what depths are measured from: the surface of the \"target\" or, for comparison, a \"plane\" across the velocity as in paper 3, which misprints flat faces and curved targets"});
  fields.choice<Projectile>("projectile", s.projectile, {{"untouched", Projectile::Untouched}, {"moved", Projectile::Moved}},
                            {"what happens to what hit it: \"untouched\", it stays where the engine puts it, or \"moved\" into its print"});
  fields.number("over", s.over, at_least(0), {"time in which a dent appears", "s"});
  if (s.over > 0 && s.projectile == Projectile::Moved) fields.fail("projectile", "can be \"moved\" only into dents that appear at once; leave out \"over\"");
  fields.integer("cells", s.print.cells, between(16, 1000), {"largest number of cells along a side of the map of depths"});
  fields.integer("most", s.most, between(1, 1000), {"largest number of dents of a body in one step; the deepest are made, others counted in run.json"});
  fields.integer("triangles", s.triangles, between(0, 2000000), {"largest number of triangles of the drawn surface, which is refined where it is too coarse for a print"});
}

Result<Model> build(const LayerSeed& seed, const Settings& settings) {
  const RiggedBody& body = *seed.body;
  const double size = bounds_of(body.asset.tets.positions).diagonal();
  if (settings.deepest > size) return input_error(fmt::format("/deepest: {:g} m is deeper than the body is large ({:.3g} m)", settings.deepest, size));
  Model model;
  model.settings = settings;
  model.body = seed.body;
  model.drawn = seed.drawn;
  for (size_t i = 0; i < seed.drawn.size(); ++i) model.carried.push_back(i == 0 ? &body.embedding : &body.pieces[i - 1].skin);
  model.tets_of.resize(body.asset.tets.positions.size());
  for (size_t t = 0; t < body.asset.tets.tets.size(); ++t) {
    for (const int v : body.asset.tets.tets[t]) model.tets_of[static_cast<size_t>(v)].push_back(static_cast<int>(t));
  }
  // What rests falls through a step's worth of gravity between two contacts.
  model.threshold = std::max(settings.threshold, 4 * kGravity * seed.dt);
  return model;
}

State start(const Model& model) {
  State state;
  const size_t count = model.body->asset.tets.positions.size();
  state.offsets.assign(count, Vec3f::Zero());
  if (model.settings.over > 0) state.goals = state.offsets;
  for (const std::shared_ptr<const TriMesh>& drawn : model.drawn) {
    SheetState& sheet = state.sheets.emplace_back();
    sheet.sheet = Sheet(drawn);
    sheet.offsets.assign(drawn->positions.size(), Vec3f::Zero());
    if (model.settings.over > 0) sheet.goals = sheet.offsets;
    state.names.push_back(fmt::format("surface {}", state.sheets.size() - 1)), state.names.push_back(fmt::format("parents {}", state.sheets.size() - 1));
    state.names.push_back(fmt::format("goals {}", state.sheets.size() - 1));
  }
  state.figures.assign(kFigures, 0.0);
  return state;
}

double gives(const Model& model) {
  return 1 / model.settings.resistance;
}

namespace {

std::vector<StateArray> shape_arrays(State& state) {
  std::vector<StateArray> all = {state_rows<float>("offsets", std::span(state.offsets)), state_array("figures", std::span(state.figures), 1)};
  for (size_t i = 0; i < state.sheets.size(); ++i) {
    all.push_back(state_rows<float>(state.names[3 * i], std::span(state.sheets[i].offsets)));
    all.push_back(state_array(state.names[3 * i + 1], std::span(state.sheets[i].parents), 2));
  }
  return all;
}

/// Makes room for what was saved.
void fit_sheets(State& state, const SavedArrays& saved) {
  for (size_t i = 0; i < state.sheets.size(); ++i) {
    state.sheets[i].parents.resize(2 * saved.rows(state.names[3 * i + 1], 2 * sizeof(int32_t)));
    state.sheets[i].offsets.resize(state.sheets[i].sheet.base_vertices() + state.sheets[i].parents.size() / 2);
  }
}

Result<void> rebuild_sheets(const Model& model, State& state) {
  for (size_t i = 0; i < state.sheets.size(); ++i) {
    SheetState& sheet = state.sheets[i];
    if (!sheet.sheet.replay(sheet.parents)) {
      sheet.sheet = Sheet(model.drawn[i]);
      if (!sheet.sheet.replay(sheet.parents)) return input_error("its surface is refined in a way that makes no sense");
    }
    sheet.sheet.finish();
  }
  return {};
}

}  // namespace

std::vector<StateArray> arrays(State& state) {
  std::vector<StateArray> all = shape_arrays(state);
  all.push_back(state_array("pairs", std::span(state.pairs), kPairColumns));
  if (state.goals.empty()) return all;
  all.push_back(state_rows<float>("goals", std::span(state.goals)));
  for (size_t i = 0; i < state.sheets.size(); ++i) all.push_back(state_rows<float>(state.names[3 * i + 2], std::span(state.sheets[i].goals)));
  return all;
}

void fit(const Model&, State& state, const SavedArrays& saved) {
  fit_sheets(state, saved);
  state.pairs.resize(kPairColumns * saved.rows("pairs", kPairColumns * sizeof(double)));
  const bool has_goals = saved.rows("goals", 3 * sizeof(float)) > 0;
  state.goals.resize(has_goals ? state.offsets.size() : 0);
  for (SheetState& sheet : state.sheets) sheet.goals.resize(has_goals ? sheet.offsets.size() : 0);
}

namespace {

/// Goals are kept only for dents that take their time, which a scene may have changed since.
void settle_goals(bool slow, std::vector<Vec3f>& offsets, std::vector<Vec3f>& goals) {
  if (slow && goals.empty()) goals = offsets;
  if (slow || goals.empty()) return;
  offsets = goals;
  goals.clear();
}

}  // namespace

Result<void> rebuilt(const Model& model, State& state) {
  const bool slow = model.settings.over > 0;
  settle_goals(slow, state.offsets, state.goals);
  for (SheetState& sheet : state.sheets) settle_goals(slow, sheet.offsets, sheet.goals);
  if (!slow) state.figures[kTimeLeft] = 0;
  return rebuild_sheets(model, state);
}

std::vector<StateArray> recorded(State& state) {
  return shape_arrays(state);
}

void fit_recorded(const Model&, State& state, const SavedArrays& saved) {
  fit_sheets(state, saved);
}

Result<void> replayed(const Model& model, State& state) {
  return rebuild_sheets(model, state);
}

}  // namespace crumple::dents

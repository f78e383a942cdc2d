#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/material/section.h"
#include "crumple/methods/bonds.h"
#include "crumple/methods/structures/settings.h"
#include "crumple/rigid/plastic_joint.h"
#include "crumple/rigid/shape.h"

/// Structures of rigid pieces held together by elastic-plastic joints, which sag, yield, dissipate, harden and break (paper 5). The law and the
/// solver live in rigid/; here structures are made out of bars, plates and single pieces, their joints' work is booked, and they are shown.
/// Everything is in the body's rest frame.
namespace crumple::structures {

using Piece = BondPiece;
using rigid::Stock;

struct Joint {
  std::string name;
  int a = -1, b = -1;  // pieces; b -1: the world, or the body `to`
  std::string to;
  Transform frame;  // columns of the rotation: along the bar, the section's width, its height
  rigid::PlasticLaw law;
};

/// How a vertex of a piece is drawn: it follows up to four pieces, as long as joints hold them together.
struct Follow {
  std::array<int, 4> pieces = {-1, -1, -1, -1};
  std::array<float, 4> weights = {};
};

struct Model {
  Settings settings;
  std::vector<Piece> pieces;
  std::vector<Joint> joints;
  std::vector<std::pair<int, int>> touching;  // pieces that touch at rest: they never collide
  std::vector<std::vector<Follow>> follow;    // #pieces x #vertices of its surface; empty: rigid
  std::vector<std::vector<int>> joints_of;    // #pieces: its joints, ascending
};

struct State {
  std::vector<rigid::JointHistory> histories;  // #joints
};

/// `meshes`: #settings.pieces, null where the piece is a box; density in kg/m^3 for single pieces without one and materials without one.
/// Unconnected pieces, sizes that are none, zero pieces, a mechanism without supports are errors. Their text begins with the JSON pointer below
/// "structure" ("/bars/2/section: the wall of ..."), or with ": " if it concerns the whole.
Result<Model> build(const Settings& settings, std::span<const TriMesh* const> meshes, double density);
State start(const Model& model, double dt = 0);
std::vector<StateArray> arrays(State& state);

double total_work(const State& state);

/// The drawn vertices of a piece in the piece's own rest frame, given where the rest frame of every piece is; empty if it is simply rigid.
std::vector<Vec3f> pose(const Model& model, const State& state, int piece, std::span<const Transform> places);
std::vector<Vec3f> pose(const Model& model, const State& state, const PieceSide& side, std::span<const Transform> places);
/// Colours of a piece's vertices: from blue (unused) over green and yellow (at yield) to red (plastic, by the share of the ultimate turn), black
/// where broken.
std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view scheme, int piece);

// As bonds of a body; see bonds.h.
Result<Model> build(const BondSeed& seed, const Settings& settings);
inline std::span<const BondPiece> pieces_of(const Model& model) { return model.pieces; }
inline int link_count(const Model& model) { return static_cast<int>(model.joints.size()); }
std::vector<Link> links(const Model& model);
inline Hold hold_of(const State& state, int link) { return state.histories[static_cast<size_t>(link)].broken_at < 0 ? Hold::Jointed : Hold::Broken; }
inline std::span<const std::pair<int, int>> neighbours(const Model& model) { return model.touching; }
inline bool is_busy(const Model&, const State&, bool) { return false; }
inline void step(const Model&, State&, BondContext&) {}
inline void update(State& state, int link, const rigid::PlasticState& now, double time) {
  rigid::update(state.histories[static_cast<size_t>(link)], now, time);
}
inline std::span<const rigid::JointHistory> histories(const State& state) { return state.histories; }
inline void fit(const Model&, State&, const SavedArrays&) {}
inline Result<void> rebuilt(const Model&, State&) { return {}; }
inline void record(const Model&, State&) {}
inline std::vector<StateArray> recorded(State& state) { return arrays(state); }
inline void fit_recorded(const Model&, State&, const SavedArrays&) {}
inline Result<void> replayed(const Model&, State&) { return {}; }
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::structures

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crumple/methods/bonds.h"
#include "crumple/methods/pieces/settings.h"
#include "crumple/methods/window.h"
#include "crumple/rigid/welds.h"

/// Prescored fracture: pieces held together by links that break under too great an impulse [Jones et al. 2016, sec. 5; thesis 5.2.4].
/// Everything is in the body's rest frame and rest shape. A whole body is one rigid part, so what its links carry follows from the contact impulses
/// and the accelerations of the pieces: the smallest tractions, in the mean square over all patches, that move every piece as the body moves.
namespace crumple::pieces {

using rigid::Carried;
using rigid::Factors;
using rigid::Group;
using rigid::Groups;
using rigid::Weld;
using rigid::Wrench;
using Piece = rigid::WeldedPiece;

/// A strength from here on is infinite (steel tears at 1e7): files have no word for that.
inline constexpr double kNeverBreaks = 1e12;

/// How far a drawn point follows the other piece of a link, once that has become a hinge.
struct Follow {
  int link = -1;    // -1: its own piece alone
  float share = 0;  // 0.5 on the cut itself, where both pieces meet
};

struct Model : rigid::Welds {
  Settings settings;
  std::vector<rigid::PlasticLaw> hinges;                 // #links, or none
  std::vector<std::array<std::vector<Follow>, 2>> follow;  // #pieces: points of skin and of cut; only with hinges
  double weakest = 0;  // N s: no link breaks below; infinite if none can
};

using Load = PieceLoad;
using Break = LinkChange;

struct State {
  std::vector<uint8_t> broken;  // #links: no longer welded
  std::vector<uint8_t> hinged;  // #links, or none if links cannot: became a joint
  std::vector<rigid::JointHistory> histories;  // likewise, of those joints
  std::vector<double> window;   // steps of the window x #pieces x 6: impulse and angular impulse about the rest frame's origin
  double age = 0;               // s since the body appeared
  int32_t next = 0;             // place in the window of the next step
  // derived
  Groups groups;
  std::shared_ptr<const Factors> factors;
};

/// `masses` are those of the body's vertices, kg. A strength of 0 or a body without pieces is an error.
Result<Model> build(const RiggedBody& body, const Settings& settings, std::span<const double> masses);
State start(const Model& model, double dt);
std::vector<StateArray> arrays(State& state);
inline void fit(const Model&, State&, const SavedArrays&) {}
Result<void> rebuilt(const Model& model, State& state);
// Frames record where the pieces are, and of links only which are hinges.
inline void record(const Model&, State&) {}
std::vector<StateArray> recorded(State& state);
inline void fit_recorded(const Model&, State&, const SavedArrays&) {}
inline Result<void> replayed(const Model&, State& state) { return state.broken = state.hinged, Result<void>(); }

/// Whether the body has been there for so short a time that nothing breaks. It must be stepped all the while, even if it sleeps: its clock runs in step().
bool is_settling(const Model& model, const State& state);

/// Books the loads of a step and breaks what carries too much: the most overloaded link first, then all over again with what is left, until all hold.
/// `spins`: rad/s of each group of state.groups as it is before the step, in the rest frame, for what turning pulls apart.
std::vector<Break> step(const Model& model, State& state, double dt, std::span<const Load> loads, std::span<const Vec3> spins);

/// What each link carries under these loads. Broken links carry nothing.
std::vector<Carried> carried(const Model& model, std::span<const uint8_t> broken, std::span<const Load> loads);

// As bonds of a body; see bonds.h.
Result<Model> build(const BondSeed& seed, const Settings& settings);
inline std::span<const BondPiece> pieces_of(const Model&) { return {}; }
inline int link_count(const Model& model) { return static_cast<int>(model.links.size()); }
std::vector<crumple::Link> links(const Model& model);
Hold hold_of(const State& state, int link);
inline std::span<const std::pair<int, int>> neighbours(const Model&) { return {}; }
/// Also true while it settles: a body asleep until its first hit must have settled by then.
bool is_busy(const Model& model, const State& state, bool is_awake);
void step(const Model& model, State& state, BondContext& now);
inline void update(State& state, int link, const rigid::PlasticState& now, double time) {
  rigid::update(state.histories[static_cast<size_t>(link)], now, time);
}
inline std::span<const rigid::JointHistory> histories(const State& state) { return state.histories; }
std::vector<Vec3f> pose(const Model& model, const State& state, const PieceSide& side, std::span<const Transform> places);
inline std::vector<Vec3f> colors(const Model&, const State&, std::string_view, int) { return {}; }
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::pieces

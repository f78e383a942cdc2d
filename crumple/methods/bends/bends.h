#pragma once

#include <array>
#include <memory>

#include "crumple/methods/bends/settings.h"
#include "crumple/methods/bonds.h"
#include "crumple/rigid/welds.h"

/// Bending (paper 3, section 4): a body is divided into the pieces of a skeleton, which move as one rigid part until a joint between two of them carries
/// too much moment. That joint wakes: it turns under the moment of its strength, stays bent, and is welded again once it rests.
namespace crumple::bends {

/// How points follow the pieces, and about what each turns where they follow several.
struct Follows {
  PieceShares shares;
  std::vector<Vec3f> middles;  // #points
};

/// Of a link, beside its weld.
struct Joint {
  bool is_inner = false;             // within a bone: it may wake where the body is hit
  int bone = 0, other_bone = 0;      // of its pieces
  double thickness = 0;              // m
  Vec3 wakes = Vec3::Zero();         // N m s about the axes of its section
  double slides = rigid::PlasticLaw::kNever;  // N s along the bone
  rigid::PlasticLaw law;
};

struct Model : rigid::Welds {
  Settings settings;
  std::vector<Joint> joints;                    // #links
  std::vector<std::pair<int, int>> touching;    // pieces that touch at rest and are not linked
  Follows surface, vertices;
};

/// Entries of State::figures.
enum Figure { kWoken, kLeftOut, kFigures };

struct State {
  std::vector<uint8_t> awake;                  // #links
  std::vector<uint8_t> bent;                   // #links: has turned
  std::vector<uint8_t> refused;                // #links: carried too much in the last step and was not woken
  std::vector<rigid::JointHistory> histories;  // #links
  std::vector<double> quiet, flow;             // #links: s since it last turned; sum of its turns then
  std::vector<double> window;                  // steps x #pieces x 6: what acted on each piece lately, about the origin of its part's rest frame
  int32_t next = 0;                            // place in the window of the next step
  std::vector<double> figures;

  // derived
  rigid::Groups groups;
  rigid::Welds posed;                          // with pieces where they are; empty while all are at rest
  std::vector<Transform> poses;                // that it was made with
  std::shared_ptr<const rigid::Factors> factors;
};

Result<Division> divide(const Settings& settings, const Asset& asset);
Result<Model> build(const BondSeed& seed, const Settings& settings);
State start(const Model& model, double dt);
inline std::span<const BondPiece> pieces_of(const Model&) { return {}; }
inline int link_count(const Model& model) { return static_cast<int>(model.links.size()); }
std::vector<Link> links(const Model& model);
inline Hold hold_of(const State& state, int link) { return state.awake[static_cast<size_t>(link)] ? Hold::Jointed : Hold::Welded; }
inline std::span<const std::pair<int, int>> neighbours(const Model& model) { return model.touching; }
bool is_busy(const Model& model, const State& state, bool is_awake);
void step(const Model& model, State& state, BondContext& now);
void update(State& state, int link, const rigid::PlasticState& now, double time);
inline std::span<const rigid::JointHistory> histories(const State& state) { return state.histories; }
std::vector<Vec3f> pose(const Model& model, const State& state, const PieceSide& side, std::span<const Transform> places);
std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view scheme, int piece);

std::vector<StateArray> arrays(State& state);
inline void fit(const Model&, State&, const SavedArrays&) {}
Result<void> rebuilt(const Model& model, State& state);
inline void record(const Model&, State&) {}
std::vector<StateArray> recorded(State& state);
inline void fit_recorded(const Model&, State&, const SavedArrays&) {}
inline Result<void> replayed(const Model&, State&) { return {}; }
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::bends

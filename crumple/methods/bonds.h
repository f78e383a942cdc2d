#pragma once

#include "crumple/geometry/mesh.h"
#include "crumple/methods/method.h"
#include "crumple/rig/rigged_body.h"
#include "crumple/rigid/joint_history.h"
#include "crumple/rigid/plastic_law.h"
#include "crumple/rigid/shape.h"

/// Bonds: methods that hold the rigid pieces of a body together and decide which move as one.
namespace crumple {

/// How a link holds its two pieces.
enum class Hold : uint8_t {
  Welded,   ///< both are in one rigid part
  Jointed,  ///< two parts with a plastic joint of the engine between them
  Broken,
};

struct Link {
  int a = 0, b = -1;  // pieces; b -1: the world, or the body `to`
  Hold start = Hold::Welded;
  bool hinges = false;  // a weld that may become a joint
  bool collide = false;  // whether its two pieces collide while a joint holds them
  // of a joint, or of a weld that may become one
  std::string name, to;
  Transform frame;  // rest frame; columns of the rotation: along the bar, the section's width, its height
  rigid::PlasticLaw law;
};

/// A piece that a method makes itself, in the body's rest frame. Collision: a box (at `place`) or the hull of points.
struct BondPiece {
  std::string name;
  std::optional<Vec3> box;
  Transform place;  // of the box; of a mesh: where its coordinates were taken from
  std::vector<Vec3> hull;
  rigid::MassProperties mass;  // kg
  TriMesh surface;             // what is drawn
};

/// What bonds are built from.
struct BondSeed {
  const RiggedBody* solid = nullptr;            // of a body that is one
  std::span<const double> vertex_masses;        // kg
  std::span<const TriMesh* const> meshes;       // of files(settings)
  double density = 1000;                        // kg/m^3, of what has none of its own
  double dt = 0;                                // s
};

/// What acts on one piece from outside in a step: an impulse at a place.
struct PieceLoad {
  int piece = 0;
  Vec3 at = Vec3::Zero();
  Vec3 impulse = Vec3::Zero();  // N s
};

/// A link that holds in another way from now on.
struct LinkChange {
  int link = 0;
  Hold to = Hold::Broken;
  double impulse = 0, limit = 0;  // N s: carried within the window, and what it could carry
  rigid::PlasticLaw bears;        // capacities until the end of this step, of a link that breaks in it; stiffnesses are not used
};

struct BondContext {
  double dt = 0;                           // s
  std::span<const PieceLoad> loads;        // rest frame of the part
  std::span<const Vec3> spins;             // rad/s, rest frame: of each rigid part before the step
  std::span<const Transform> poses = {};   // #pieces, or empty: where the rest frame of each is in that of its part
  std::span<const Vec3> world_spins = {};  // rad/s, of each part after the step
  std::span<const int> part_of_piece = {}; // #pieces
  std::vector<LinkChange> changes = {};    // what gives way, or is welded where it is now
};

/// One drawn surface of a piece: its skin, or the faces that a cut has left. Of a divided body: all of it.
struct PieceSide {
  int piece = 0;  // -1: the whole body
  bool is_cut = false;
  std::span<const Vec3f> points;                // as its layers have shaped it, rest frame
  std::span<const int32_t> parents = {};        // 2 for each point that was added to the surface
  bool vertices = false;                        // of the tetrahedra, instead of the surface
  std::vector<Mat3>* turns = nullptr;           // wanted: how the surroundings of each point are turned
};

/// `pieces_of`: what the method makes itself, or nothing if the pieces are those of a scored solid. `links` never change; `hold_of` says how each
/// holds now. `neighbours`: pieces that touch at rest; they do not collide while they hang together. `update`: what the engine's joint of a link has
/// done. `pose`: the drawn points of a side in its piece's own rest frame, given where the rest frame of every piece is; empty if it is simply rigid.
/// Of a whole body: in the frame that those places are given in. Methods that divide a solid into pieces which stay connected have one verb more,
/// `divide(settings, asset)`: a Result<Division>.
template <class A>
concept BondMethod = Method<A> && requires(const BondSeed& seed, const typename A::Settings& settings, const typename A::Model& model,
                                           typename A::State& state, BondContext& now, const rigid::PlasticState& joint,
                                           const PieceSide& side, std::span<const Transform> places) {
  { build(seed, settings) } -> std::same_as<Result<typename A::Model>>;
  { start(model, 0.01) } -> std::same_as<typename A::State>;
  { pieces_of(model) } -> std::same_as<std::span<const BondPiece>>;
  { link_count(model) } -> std::same_as<int>;
  { links(model) } -> std::same_as<std::vector<Link>>;
  { hold_of(std::as_const(state), 0) } -> std::same_as<Hold>;
  { neighbours(model) } -> std::same_as<std::span<const std::pair<int, int>>>;
  { is_busy(model, std::as_const(state), true) } -> std::same_as<bool>;
  { step(model, state, now) } -> std::same_as<void>;
  { update(state, 0, joint, 0.0) } -> std::same_as<void>;
  { histories(std::as_const(state)) } -> std::same_as<std::span<const rigid::JointHistory>>;
  { pose(model, std::as_const(state), side, places) } -> std::same_as<std::vector<Vec3f>>;
  { colors(model, std::as_const(state), std::string_view(), 0) } -> std::same_as<std::vector<Vec3f>>;  // of a piece; -1: of a whole body
};

}  // namespace crumple

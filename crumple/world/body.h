#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crumple/methods/methods.h"
#include "crumple/rigid/world.h"
#include "crumple/world/assets.h"

namespace crumple {

/// One rigid part of a body: all of it, or pieces that move as one.
struct Part {
  std::vector<int> pieces;         // ascending; a body without pieces counts as one
  std::vector<int> hulls;          // of the body's decomposition, ascending
  double mass = 0;                 // kg

  int index = -1;                  // in the rigid world; -1: absent
  Mat3 axes = Mat3::Identity();    // principal axes of the current shape, in the rest frame
  Vec3 center = Vec3::Zero();      // centre of mass in the rest frame
  Vec3 inertia = Vec3::Ones();     // principal moments, kg m^2
  rigid::PartState state;          // while it is absent: the state in which it will appear
  rigid::PartState last_good;
  Vec3 velocity_before = Vec3::Zero(), spin_before = Vec3::Zero();  // before the last rigid step

  /// Takes coordinates of the rest frame to the part's frame.
  Transform rest_in_part() const { return {axes.transpose(), -(axes.transpose() * center)}; }
};

/// One simulated thing: rest geometry, its rigid parts, and the methods that change it. A body of matter has one part that is never in the rigid
/// world: it stays at the start position and defines the frame for drawing.
struct Body {
  const BodyDescription* description = nullptr;
  std::shared_ptr<const Solid> solid;          // of a body that can deform or break along cuts
  std::shared_ptr<const RiggedBody> rig;       // what its layers deform: that of the solid, or of pieces that its bonds make, which collide as they are
  std::shared_ptr<const TriMesh> surface;      // drawn surface, in the rest frame
  std::vector<std::shared_ptr<const TriMesh>> skins, cuts;  // #pieces: drawn surfaces; cuts only for a scored solid
  Appearance look, cut_look;
  std::shared_ptr<const io::NodeMotion> animation;  // that it follows; not for drawing

  // built once
  rigid::Shape collision;                      // of a body that is neither a solid nor in pieces, in its part's frame
  double mass = 0;                             // kg
  std::vector<double> vertex_masses;           // kg, lumped; of a solid
  std::vector<Link> links;                     // of its bonds

  // state
  std::vector<Part> parts;                     // in the order of their lowest pieces
  bool frozen = false;
  bool held = false;  // until its release
  bool matter_present = false;
  std::vector<Layer> layers;
  std::optional<Bonds> bonds;
  std::optional<Matter> matter;
  Shape shape;                                 // of a body with layers: its vertices now
  std::vector<Transform> poses;                // #pieces, or empty while all are at rest: where the rest frame of a piece is in that of its part

  bool is_present() const { return matter ? matter_present : parts.front().index >= 0; }
  bool is_broken() const { return parts.size() > 1; }
  bool can_change() const { return !layers.empty() || bonds; }  // as a rigid body
  /// Its pieces stay connected when they turn against each other, and it is always drawn as a whole.
  bool is_divided() const { return solid && solid->rig->asset.division.has_value(); }
  int piece_count() const { return is_divided() ? solid->rig->asset.division->count() : skins.empty() ? 1 : static_cast<int>(skins.size()); }
  Transform pose_of(int piece) const { return poses.empty() ? Transform() : poses[static_cast<size_t>(piece)]; }
  /// Which part holds a piece.
  const Part& part_of(int piece) const;
};

/// Visits every method at work on a body (constant or not), in the order of recordings: layers, bonds, matter.
template <class SomeBody, class Visit>
void each_method(SomeBody& body, const Visit& visit) {
  for (auto& layer : body.layers) std::visit(visit, layer);
  if (body.bonds) std::visit(visit, *body.bonds);
  if (body.matter) std::visit(visit, *body.matter);
}

/// Visits how each link of a body holds now.
template <class Visit>
void each_hold(const Body& body, const Visit& visit) {
  if (!body.bonds) return;
  std::visit(
      [&](const auto& bonds) {
        for (int i = 0; i < link_count(bonds.model); ++i) visit(hold_of(bonds.state, i));
      },
      *body.bonds);
}

/// Purpose of a body that is built.
enum class Detail {
  Simulation,
  Drawing,  ///< without collision shapes
};

/// Builds a body at rest; it is in no world yet.
Result<Body> build_body(const Scene& scene, const BodyDescription& description, SceneAssets& assets, Detail detail);

/// Of the body at rest, m^3; 0 where it has none of its own: planes, structures, surfaces that only stand, particles.
double volume_of(const Body& body);

/// The pieces made by the body's bonds; empty if they make none.
std::span<const BondPiece> own_pieces(const Body& body);
/// Tetrahedra in the pieces that bonds make, for layers.
Result<std::shared_ptr<const RiggedBody>> rig_of_pieces(std::span<const BondPiece> pieces);
/// For each piece, the lowest piece that it is still connected to by welds or joints.
std::vector<int> connected_pieces(const Body& body);

/// Mass, centre and principal axes of some pieces in the current shape; the axes stay as near to `near` as they can.
struct PartMass {
  double mass = 0;
  Vec3 center = Vec3::Zero(), inertia = Vec3::Ones();
  Mat3 axes = Mat3::Identity();
  bool is_finite() const { return center.allFinite() && axes.allFinite() && inertia.minCoeff() > 0; }
};
PartMass mass_of_part(const Body& body, std::span<const int> pieces, const Mat3& near);

/// All hulls' points of a part one after another, in the current shape, taken to the part's frame.
void hull_points(const Body& body, const Part& part, const Transform& rest_in_part, std::vector<Vec3>& points);
/// The part's collision shape now.
rigid::Shape shape_of_part(const Body& body, const Part& part);

/// The piece of a body at rest that is nearest to a point of the rest frame.
int nearest_piece(const Body& body, const Vec3& at);

/// Divides the body into its connected parts; their state is not set.
void regroup(Body& body);

/// Whether a layer writes every vertex itself, so that rest space is turned where it bends.
bool is_skinned(const Body& body);

/// Composes the shape from its layers: some blocks of vertices, or all.
void put_together(Body& body, std::span<const int> blocks);
void put_together(Body& body);

/// How far a body has been deformed.
struct Damage {
  double max_displacement = 0, rms_displacement = 0;  // m
};
Damage damage_of(const Body& body);

}  // namespace crumple

#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crumple/io/recording.h"
#include "crumple/methods/clusters/shown.h"
#include "crumple/methods/clusters/surface.h"
#include "crumple/methods/methods.h"
#include "crumple/rigid/world.h"
#include "crumple/world/assets.h"

namespace crumple {

/// One rigid part of a body: all of it, or pieces that still hang together after a break.
struct BodyPart {
  std::vector<int> pieces;         // ascending; a body that is not scored is one piece
  std::vector<int> hulls;          // of the body's decomposition, ascending
  double mass = 0;                 // kg

  int index = -1;                  // in the rigid world, -1 while it is not there
  Mat3 axes = Mat3::Identity();    // principal axes of the current shape, in the rest frame
  Vec3 center = Vec3::Zero();      // centre of mass in the rest frame
  Vec3 inertia = Vec3::Ones();     // principal moments, kg m^2
  rigid::PartState state;          // while it is not in the world: where it will appear
  rigid::PartState last_good;

  /// Takes coordinates of the rest frame to the part's frame.
  Transform rest_in_part() const { return {axes.transpose(), -(axes.transpose() * center)}; }
};

/// The links of a scored body that can break.
using PieceLayer = LayerOf<pieces::Model, pieces::State>;

/// The pieces of a structure and the books of its joints.
using StructureLayer = LayerOf<structures::Model, structures::State>;

/// The particles and clusters of a soft body. It has no part in the rigid world: its one part stays where the body began and carries the frame in
/// which it is drawn.
struct ClusterLayer {
  clusters::Model model;
  clusters::State state;
  particles::Boundary boundary;  // of the description, clamps with their centres
  bool present = false;
  int start_particles = 0;
  clusters::Shown shown;  // as it was last recorded or played back
  clusters::StepTimes times;  // CPU s, so far
  // what is drawn
  clusters::SurfaceModel surface;
  std::shared_ptr<clusters::Surface> drawn;  // topology as it was last seen; not part of the state
  Look inner;
};

/// What colours stand for.
enum class ColorBy {
  Look,         ///< appearance alone
  Weights,      ///< bodies that crumple: their example weights
  Utilisation,  ///< structures: how far their joints are used
  State,        ///< all of these; bodies of clusters: by how much they have flowed
  Cluster,      ///< bodies of clusters: which cluster has most of a particle
  Piece,        ///< bodies of clusters: what still hangs together
  Strain,       ///< bodies of clusters: how much they have flowed
};

/// What is seen of bodies of clusters.
enum class SoftView { Surface, Particles };

/// One simulated thing: rest geometry, its rigid parts, and the layers that change its shape.
struct Body {
  const BodyDescription* description = nullptr;
  std::shared_ptr<const LoadedAsset> loaded;   // of a body that can crumple or break
  std::shared_ptr<const TriMesh> surface;      // what is drawn, in the rest frame
  std::vector<std::shared_ptr<const TriMesh>> skins, cuts;  // #pieces of a scored body: what is drawn once it has broken; a structure has skins only
  Look look, cut_look;

  // built once
  rigid::Shape shape;                          // of a body that is no asset, in its part's frame
  double mass = 0;                             // kg
  std::vector<double> vertex_masses;           // kg, lumped; of an asset

  // state
  std::vector<BodyPart> parts;                 // in the order of their lowest pieces; a structure has one for each
  bool frozen = false;
  std::vector<Layer> layers;
  std::optional<PieceLayer> pieces;            // of a scored body that can break
  std::optional<StructureLayer> structure;     // of a body that is one
  std::optional<ClusterLayer> clusters;        // of a soft body

  bool is_present() const { return clusters ? clusters->present : parts.front().index >= 0; }
  bool is_broken() const { return parts.size() > 1; }
  int piece_count() const { return skins.empty() ? 1 : static_cast<int>(skins.size()); }
  /// Which part holds a piece.
  const BodyPart& part_of(int piece) const;
};

/// Builds a body at rest; it is in no world yet.
Result<Body> build_body(const Scene& scene, const BodyDescription& description, AssetLibrary& library);

/// Box, sphere, cylinder, capsule, plane: the shape and the surface that stands for it.
void build_primitive(Body& body);

/// A structure: one part for each piece. In body_structure.cpp, as are the next two.
Result<void> build_structure(Body& body, const Scene& scene, AssetLibrary& library);
rigid::Shape shape_of_piece(const Body& body, int piece);
/// The piece of a structure that is nearest to a place of its rest frame.
int nearest_structure_piece(const structures::Model& model, const Vec3& at);

/// A body of clusters. In body_clusters.cpp.
Result<void> build_clusters(Body& body, const Scene& scene, AssetLibrary& library);
/// In draw_clusters.cpp, as is the next one. The skin, and what tearing has laid open apart.
std::vector<FrameItem> draw_soft_surface(const Body& body, int index, ColorBy color);
/// All particles as one item of balls.
FrameItem draw_soft_particles(const Body& body, int index, ColorBy color);

/// Of the body at rest, m^3; 0 where it has none of its own: planes, structures, surfaces that only stand, particles.
double volume_of(const Body& body);

/// The current shape in the rest frame, or nothing for a body that cannot change.
const std::vector<Vec3f>* current_shape(const Body& body);

/// Mass, centre and principal axes of some pieces in the current shape; the axes stay as near to `near` as they can.
struct PartMass {
  double mass = 0;
  Vec3 center = Vec3::Zero(), inertia = Vec3::Ones();
  Mat3 axes = Mat3::Identity();
  bool is_finite() const { return center.allFinite() && axes.allFinite() && inertia.minCoeff() > 0; }
};
PartMass mass_of_part(const Body& body, std::span<const int> pieces, const Mat3& near);

/// All hulls' points of a part one after another, in the current shape, taken to the part's frame.
void hull_points(const Body& body, const BodyPart& part, const Transform& rest_in_part, std::vector<Vec3>& points);
/// The part's collision shape now.
rigid::Shape shape_of_part(const Body& body, const BodyPart& part);

/// The layers' state: all of it, or what is needed to draw the body.
enum class Need { Everything, Drawing };
std::vector<io::ArrayView> layer_arrays(Body& body, Need need);
/// Overwrites an array from a store; complains if it is missing, of another size or not finite.
Result<void> restore_array(const io::ArrayStore& store, const std::string& name, const StateArray& array);
/// Overwrites the layers' state from a store; complains if something is missing or has another size.
Result<void> restore_layers(Body& body, const io::ArrayStore& store, Need need);
/// Divides the body into the parts that its broken links leave; their state is not set.
void regroup(Body& body);

/// What the body looks like with the rest frame of each piece at `places`: one item while it is whole, otherwise two for each piece; of a
/// structure always one for each.
std::vector<FrameItem> draw_body(const Body& body, int index, std::span<const Transform> places, bool in_pieces, ColorBy color,
                                 SoftView soft = SoftView::Surface);

/// How far a body has been deformed.
struct Damage {
  double max_displacement = 0, rms_displacement = 0;  // m
  double deformed_share = 0;                          // of the vertices: those with a rest weight below 0.99
  double min_rest_weight = 1;                         // min E_0
};
Damage damage_of(const Body& body);

}  // namespace crumple

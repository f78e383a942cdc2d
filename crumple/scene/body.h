#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "crumple/io/recording.h"
#include "crumple/methods/methods.h"
#include "crumple/rigid/world.h"
#include "crumple/scene/assets.h"

namespace crumple {

/// One simulated thing: rest geometry, its rigid part, and the layers that change its shape.
struct Body {
  const BodyDescription* description = nullptr;
  std::shared_ptr<const LoadedAsset> loaded;   // of a body that can crumple
  std::shared_ptr<const TriMesh> surface;      // what is drawn, in the rest frame
  Look look;

  // built once
  rigid::Shape shape;                          // at rest, in the part's frame
  double mass = 0;                             // kg
  std::vector<double> vertex_masses;           // kg, lumped; of a body that can crumple
  std::vector<int> hull_vertices;              // all hulls' vertices one after another
  Mat3 start_axes = Mat3::Identity();          // principal axes at rest
  Vec3 start_center = Vec3::Zero();
  Vec3 start_inertia = Vec3::Ones();

  // state
  int part = -1;                               // in the rigid world, -1 while it is not there
  bool frozen = false;
  Mat3 axes = Mat3::Identity();                // principal axes of the current shape, in the rest frame
  Vec3 center = Vec3::Zero();                  // centre of mass in the rest frame
  Vec3 inertia = Vec3::Ones();                 // principal moments, kg m^2
  std::vector<Layer> layers;

  /// Takes coordinates of the rest frame to the part's frame.
  Transform rest_in_part() const { return {axes.transpose(), -(axes.transpose() * center)}; }
};

/// Builds a body at rest; it is in no world yet.
Result<Body> build_body(const Scene& scene, const BodyDescription& description, AssetLibrary& library);

/// The current shape in the rest frame, or nothing for a body that cannot change.
const std::vector<Vec3f>* current_shape(const Body& body);

/// The layers' state: all of it, or what is needed to draw the body.
enum class Need { Everything, Drawing };
std::vector<io::ArrayView> layer_arrays(Body& body, Need need);
/// Overwrites the layers' state from a store; complains if something is missing or has another size.
Result<void> restore_layers(Body& body, const io::ArrayStore& store, Need need);

/// What the body looks like with its rest frame at `place`.
FrameItem draw_body(const Body& body, int index, const Transform& place, bool weight_colors);

/// How far a body has been deformed.
struct Damage {
  double max_displacement = 0, rms_displacement = 0;  // m
  double deformed_share = 0;                          // of the vertices: those with a rest weight below 0.99
  double min_rest_weight = 1;                         // min E_0
};
Damage damage_of(const Body& body);

}  // namespace crumple

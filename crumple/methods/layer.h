#pragma once

#include <functional>

#include "crumple/methods/method.h"
#include "crumple/rig/rigged_body.h"

/// Layers: methods that change the shape of a rigid body.
namespace crumple {

/// What a layer is built from.
struct LayerSeed {
  const RiggedBody* body = nullptr;
  double restitution = 0;     // of its material
  double dt = 0;              // s
  bool second_phase = false;  // whether steps are solved again where they did damage; otherwise as in paper 1
  std::vector<std::shared_ptr<const TriMesh>> drawn = {};  // its surface, then the skin of each piece
};

/// One contact as a layer sees it: in the rest frame of its own body, on a triangle of its boundary. If pieces of the body have turned against each
/// other, the rest frame is that of the piece that the pair touches hardest.
struct Hit {
  int face = 0;                     // in RiggedBody::faces
  Vec3 barycentric = Vec3::Zero();  // where on that triangle
  Vec3 impulse = Vec3::Zero();      // N s, normal part, pushes the body
  Vec3 friction = Vec3::Zero();     // N s
  Vec3 at = Vec3::Zero();           // m, where it touched
  Vec3 normal = Vec3::Zero();       // of length 1, into the body
  Vec3 approach = Vec3::Zero();     // m/s, velocity of the other body relative to this one at the contact, before the step
  int part = 0;                     // of its own body, which may have broken into several
  double mass = 0;                  // kg, of that part
  int other = -1;                   // the part it touched: hits of one pair are pooled; below 0: matter
  int other_body = -1;              // the body that part belongs to
  int other_number = 0;             // which of that body's parts it is
};

/// What one part of another body did to one part of this one in a step, all contacts together.
struct Touching {
  int part = 0;             // of its own body
  int other = -1;           // the part it touched; below 0: matter
  int other_body = -1;      // the body that part belongs to
  int other_number = 0;     // which of that body's parts it is
  double speed_change = 0;  // m/s: sum of the impulses over the mass of the part
  double approach = 0;      // m/s: greatest normal speed of a contact before the step
  int piece = 0;            // of its own body: the one that was touched hardest
  double hardest = 0;       // N s: of one contact
  bool wanted = false;      // a layer asks for the hits
  bool shape_wanted = false;  // and for the shape of what did it
};

/// The shape of what hit a body, before this step changed it, in the rest frame of the body that was hit.
struct OtherShape {
  int part = 0, other = -1, other_body = -1, other_number = 0;  // as in Touching
  int piece = 0;
  struct Surface {
    std::shared_ptr<const TriMesh> mesh;  // for its triangles
    std::vector<Vec3f> points;
  };
  std::vector<Surface> surfaces;
  double mass = 0;         // kg; 0: it does not give way
  double restitution = 0;  // of the pair
  double gives = 0;        // how readily it takes prints itself; 0: not at all
  std::vector<int> pieces; // of the body that was hit, ascending: those of the touched surface that it may reach
};

/// A part that hit the body goes on into it.
struct Sunk {
  int other = -1;           // the part, as in Hit
  int piece = 0;            // of its own body, whose rest frame is meant
  Vec3 by = Vec3::Zero();   // m, rest frame
};

/// What a layer asks of its body after a step.
struct Effects {
  bool reshaped = false;               // vertices moved
  std::span<const int> moved;          // moved blocks of Skin::kLanes vertices, ascending; valid until the next step
  std::optional<double> restitution;   // from the next step on; minimum over the layers
  std::vector<Sunk> sunk;              // these may overlap with the body from now on
};

/// Current vertices of a body, in the rest frame: composed from its layers in order, after all of them have stepped. Offsets in rest space come
/// first, then skinning.
struct Shape {
  std::vector<Vec3f> vertices;  // #vertices
  std::vector<Vec3f> offsets;   // #vertices, or empty if one layer writes every vertex itself: how far layers so far have moved them in rest space
};

struct LayerContext {
  double dt = 0;                    // s
  long step = 0;                    // number of the step, counted from the beginning of the run
  std::span<const Hit> hits;        // of the last rigid step
  std::span<const uint8_t> broken;  // links of the body; empty while all hold
  Effects effects;
  std::vector<uint8_t> yielded = {};  // #hits, or empty: those that did damage
  const Shape* shape = nullptr;       // of the body now
  bool is_skinned = false;            // some layer skins it, so that rest space is turned where it bends
  std::span<const OtherShape> others = {};   // those that were wanted
  std::span<const int> surface_of_piece = {};  // #pieces: the lowest piece that it shows one surface with, unbroken though it may be bent
  /// Where points of a drawn surface (LayerSeed::drawn; -1: vertices of the tetrahedra) are, seen from the rest frame of a piece, and how their
  /// surroundings are turned. `parents`: 2 for each point that was added to the surface. None while the body is straight.
  std::function<std::vector<Mat3>(int piece, int surface, std::span<const int32_t> parents, std::vector<Vec3f>& points)> bend = {};
};

/// A drawn surface of a body, carried by its tetrahedra; layers may refine it and add detail that the tetrahedra are too coarse for.
struct DrawnSurface {
  int piece = -1;                          // -1: the whole body
  std::string_view scheme;                 // colours that are wanted of this layer; empty: none
  const Shape* shape = nullptr;
  bool is_skinned = false;
  std::shared_ptr<const TriMesh>& surface;
  std::vector<Vec3f>& positions;
  std::vector<Vec3f>& colors;
  std::vector<int32_t>& parents;           // 2 for each vertex that was added
};

/// `put_shape` writes a layer's share into the given blocks of vertices. `select_hits`: before step(), all that touched the body, however weakly; the layer
/// marks those whose hits it wants looked up. `gives`: how readily it takes prints, by which two bodies share the depth of one; 0: not at all. `is_busy`: step() has something to do although nothing was hit.
template <class A>
concept LayerMethod = Method<A> && requires(const LayerSeed& seed, const typename A::Settings& settings, const typename A::Model& model,
                                            typename A::State& state, LayerContext& now, std::span<Touching> touching, Shape& shape, std::span<const int> blocks,
                                            const Embedding& embedding, DrawnSurface& drawn) {
  { build(seed, settings) } -> std::same_as<Result<typename A::Model>>;
  { start(model) } -> std::same_as<typename A::State>;
  { select_hits(model, state, std::as_const(now), touching) } -> std::same_as<void>;
  { is_busy(std::as_const(state)) } -> std::same_as<bool>;
  { step(model, state, now) } -> std::same_as<void>;
  { put_shape(model, std::as_const(state), blocks, shape) } -> std::same_as<void>;
  { draw_over(model, std::as_const(state), drawn) } -> std::same_as<void>;
  { gives(model) } -> std::same_as<double>;
  { colors(model, std::as_const(state), std::string_view(), embedding) } -> std::same_as<std::vector<Vec3f>>;
};

}  // namespace crumple

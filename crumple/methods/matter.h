#pragma once

#include "crumple/geometry/frame.h"
#include "crumple/methods/method.h"
#include "crumple/particles/cloud.h"
#include "crumple/particles/contact.h"
#include "crumple/rig/asset.h"

/// Matter: methods whose bodies are particles that move themselves.
namespace crumple {

/// What a body of matter is made from.
struct MatterSeed {
  const particles::Cloud* cloud = nullptr;  // in the body's own frame; of a method that fills a surface
  std::shared_ptr<const Asset> drawing;     // in the body's own frame; of a method whose bodies are drawings
  Transform place;                          // where that is in the world
  double mass = 0;                          // kg
  Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
  double start = 0;                         // s, when it appears
  Appearance look;
  const SavedArrays* saved = nullptr;       // of the same model, if it was made before
};

struct MatterContext {
  double dt = 0;    // s
  double time = 0;  // s, when the step begins
  Vec3 gravity = Vec3::Zero();
  int substep = 0, substeps = 1;  // which of a frame's steps it is
  std::span<const particles::Obstacle> obstacles;
  bool sleeping = true; // whether bodies at rest may fall asleep
  bool frozen = false;  // its particles stay and act as obstacles
  // results
  std::vector<particles::Push> pushes;  // #obstacles: impulses on them
};

/// How a body of matter is to be drawn.
struct MatterView {
  std::string_view color;   // one of the method's colour schemes; empty: appearance
  bool particles = false;   // balls instead of a surface
};

/// A method that fills a surface with particles has fill(settings), which tells how; one without is made from a drawing (BodyNeed::Drawing).
/// `stir`, which a method may have whose bodies fall asleep, is called before a body meets one of another method.
/// `prepare`, which a method may have, is called for all bodies at once before `step` is for each: for what needs nothing but the body itself.
/// `reach`: where its particles may be at the end of a step. `margin`: how deep they lie under what is drawn. `fault`: what is wrong with its motion,
/// empty if nothing is; then `freeze` puts it back to where it was before the step and keeps it there. `draw` keeps what it may use again in a `Drawn`
/// of the viewer's. `save` writes down a model that takes long to make.
template <class A>
concept MatterMethod = Method<A> && requires(const MatterSeed& seed, typename A::Settings& settings, const typename A::Model& model,
                                             typename A::State& state, MatterContext& now, typename A::Model& other_model, typename A::State& other,
                                             typename A::Model::Drawn& drawn, const MatterView& view,
                                             const std::function<void(std::span<const StateArray>)>& write) {
  { build(seed, std::as_const(settings)) } -> std::same_as<Result<typename A::Model>>;
  { start(model, seed, std::as_const(settings)) } -> std::same_as<Result<typename A::State>>;
  { reach(model, std::as_const(state), 0.01) } -> std::same_as<Bounds>;
  { margin(model) } -> std::same_as<double>;
  { step(model, state, now) } -> std::same_as<void>;
  { fault(model, std::as_const(state)) } -> std::same_as<std::string>;
  { freeze(model, state) } -> std::same_as<void>;
  { particles_of(model, state) } -> std::same_as<particles::ParticleSpan>;
  { collide(model, state, std::as_const(other_model), other, 0.5) } -> std::same_as<void>;
  { kinetic_energy(model, std::as_const(state)) } -> std::same_as<double>;
  { cpu_seconds(std::as_const(state)) } -> std::same_as<double>;
  { start_drawing(model) } -> std::same_as<typename A::Model::Drawn>;
  { draw(model, std::as_const(state), view, drawn) } -> std::same_as<std::vector<FrameItem>>;
  { note(drawn) } -> std::same_as<std::string>;
  { save(model, write) } -> std::same_as<void>;
};

}  // namespace crumple

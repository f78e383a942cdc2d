#pragma once

#include <array>

#include "crumple/methods/matter.h"
#include "crumple/methods/sprites/manifold.h"
#include "crumple/methods/sprites/match.h"
#include "crumple/methods/sprites/settings.h"

/// Dynamic sprites (thesis, ch. 4): drawings that squash, stretch, bounce and walk by physics and by an artist's controls. Particles are the vertices of
/// a drawing's triangles, in the plane; a pose of the drawing is their rest shape, and is chosen anew in each frame.
namespace crumple::sprites {

using particles::Vec4f;

/// An edge of the outline, with paint on its left.
struct OutlineEdge {
  int a = 0, b = 0;
};

/// What never changes.
struct Model {
  struct Drawn {};
  Settings settings;
  std::shared_ptr<const Asset> drawing;
  std::vector<std::string> poses;     // names
  std::vector<double> mass;           // #particles, kg
  double total = 0;                   // kg
  double size = 0;                    // m, of the drawing
  double edge = 0;                    // m, mean of the triangles
  Manifold manifold;
  Rings rings;
  Representatives representatives;    // for comparison
  std::vector<OutlineEdge> outline;   // layer by layer
  std::vector<int32_t> layer_begin;   // #layers + 1: in the outline
  std::vector<Pin> pins;
  Place equilibrium;                  // of the settings
  std::vector<std::vector<Place>> keys;  // of each behaviour
  Place energy, speed, drag;          // of one pose each
  std::vector<std::string> key_names; // of the input
  Vec3 origin = Vec3::Zero();         // particles are relative to it
  Complex home = 0, home_turn = 1;    // of a fixed sprite
  Appearance look;
  size_t particles() const { return mass.size(); }
};

enum Count { kBounces, kFlips, kProjections, kNewtonSteps, kFrames, kSearches, kCounts };

struct Outside {
  std::vector<Vec4f> places, speeds;
};

struct State {
  // #particles
  std::vector<Complex> x, v;        // m, m/s, relative to the origin
  std::vector<Complex> hit;         // m/s: what contacts have done to each velocity since the last frame
  std::vector<Complex> from, pose;  // rest shape of the last frame, and of this one
  // the pose
  std::vector<double> weights, last_weights;  // #poses: in use, and those before
  int64_t simplex = 0;
  Complex turn = 1;                 // of the shape against the pose
  double energy = 0;                // (m/s)^2 of the contacts in the last frame
  Complex stored = 0;               // kg m/s, to be given back
  // behaviour
  int64_t behaviour = 0, key = 0, is_left = 0, keys_held = 0, cues = 0, is_lost = 1;
  double since = 0, key_since = 0;  // s
  double grounded = 1e9;            // s since something bore it
  std::vector<double> counts;       // kCounts
  Outside outside, handed;              // what others may change, and what it was when they got it
  bool is_shown = false;                // whether others may have changed it
  std::vector<float> mass;              // kg
  std::vector<int32_t> held, is_there;  // none, all

  // derived
  PoseRings from_rings, pose_rings, posed;  // of the two rest shapes, and of this step's
  std::vector<Complex> shape;       // rest shape of this step
  std::vector<Complex> began;       // places at the beginning of this step
  double stepped = 0;               // s, of this step
  Complex stands_at = 0;            // middle of where it was pushed out of obstacles in this step
  bool stands = false;
  struct Octagon {                  // around points: along x, y, and between
    std::array<double, 4> low = {1e300, 1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300, -1e300};
  };
  struct Hulls {                    // made when another sprite comes near, empty before
    std::vector<Octagon> layers;    // and of all
    std::vector<float> ax, ay, bx, by, shortness;  // #outline: ends of its edges, and 1 / length^2
    std::vector<float> px, py;      // #particles
  } hulls;
  std::vector<Vec3f> recorded_places;
  std::vector<float> recorded_weights;
  std::vector<int32_t> recorded_state;  // behaviour, key, facing
  struct Times {
    double rings = 0, whole = 0, projection = 0, collision = 0, other = 0;
  } times;  // s on the thread that does it, as in table 4.1
  size_t size() const { return x.size(); }
};

// As matter; see matter.h.
Result<Model> build(const MatterSeed& seed, const Settings& settings);
Result<State> start(const Model& model, const MatterSeed& seed, const Settings& settings);
inline Model::Drawn start_drawing(const Model&) { return {}; }
Bounds reach(const Model& model, const State& state, double dt);
inline double margin(const Model&) { return 0; }
void prepare(const Model& model, State& state, const MatterContext& now);
void step(const Model& model, State& state, MatterContext& now);
std::string fault(const Model& model, const State& state);
void freeze(const Model& model, State& state);
particles::ParticleSpan particles_of(const Model& model, State& state);
void collide(const Model& model_a, State& a, const Model& model_b, State& b, double friction);
double kinetic_energy(const Model& model, const State& state);
inline double cpu_seconds(const State& state) {
  const State::Times& t = state.times;
  return t.rings + t.whole + t.projection + t.collision + t.other;
}
std::vector<StateArray> arrays(State& state);
void fit(const Model& model, State& state, const SavedArrays& saved);
Result<void> rebuilt(const Model& model, State& state);
void record(const Model& model, State& state);
std::vector<StateArray> recorded(State& state);
void fit_recorded(const Model& model, State& state, const SavedArrays& saved);
Result<void> replayed(const Model& model, State& state);
std::vector<FrameItem> draw(const Model& model, const State& state, const MatterView& view, Model::Drawn& drawn);
inline std::string note(const Model::Drawn&) { return ""; }
inline void save(const Model&, const std::function<void(std::span<const StateArray>)>&) {}
void report(const Model& model, const State& state, const ReportContext& context, Report& report);

}  // namespace crumple::sprites

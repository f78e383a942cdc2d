#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crumple/methods/method.h"

/// Prescored fracture: pieces held together by links that break under too great an impulse [Jones et al. 2016, sec. 5; thesis 5.2.4].
/// Everything is in the body's rest frame and rest shape. A whole body is one rigid part, so what its links carry follows from the contact impulses
/// and the accelerations of the pieces: the smallest tractions, in the mean square over all patches, that move every piece as the body moves.
namespace crumple::pieces {

struct Settings {
  double strength = 1e4;  // N s per m^2 of cut: what a link can carry within the window
  double settle = 0.1;    // s after the body has appeared in which nothing breaks
};

/// A strength from here on is infinite (steel tears at 1e7): files have no word for that.
inline constexpr double kNeverBreaks = 1e12;

/// Time over which a link's impulse is summed, so that neither the step nor the number of contacts decides.
inline constexpr double kWindow = 1.0 / 60.0;

struct Link {
  int a = 0, b = 0;
  double area = 0;   // m^2
  double limit = 0;  // N s: strength x painted factor x area; infinite if it never breaks
  Vec3 center = Vec3::Zero();
  Mat3 turning = Mat3::Identity();  // inverse of (|d|^2 1 - d d^T) averaged over the patch, 1/m^2: what an angular impulse costs
};

struct Piece {
  double mass = 0;  // kg
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about its centre, kg m^2
};

struct Model {
  Settings settings;
  std::vector<Piece> pieces;
  std::vector<Link> links;
  double weakest = 0;  // N s: no link breaks below; infinite if none can
};

/// What acts on one piece from outside in a step: an impulse at a place.
struct Load {
  int piece = 0;
  Vec3 at = Vec3::Zero();
  Vec3 impulse = Vec3::Zero();  // N s
};

/// Which pieces still hang together: numbered by their lowest piece.
struct Groups {
  std::vector<int> of_piece;  // #pieces
  int count = 0;
};

struct Factors;  // of the stress solve, made for one set of broken links

struct State {
  std::vector<uint8_t> broken;  // #links
  std::vector<double> window;   // steps of the window x #pieces x 6: impulse and angular impulse about the rest frame's origin
  double age = 0;               // s since the body appeared
  int32_t next = 0;             // place in the window of the next step
  // derived
  Groups groups;
  std::shared_ptr<const Factors> factors;
};

/// A link that has just given way.
struct Break {
  int link = 0;
  double impulse = 0, limit = 0;  // N s: carried within the window, and what it could carry
};

void describe(Fields& fields, Settings& settings);
/// `masses` are those of the body's vertices, kg. A strength of 0 or a body without pieces is an error.
Result<Model> build(const RiggedBody& body, const Settings& settings, std::span<const double> masses);
State start(const Model& model, double dt);
std::vector<StateArray> arrays(State& state);
/// Call after arrays() were overwritten.
void restored(const Model& model, State& state);

/// Whether the body has been there for so short a time that nothing breaks. It must be stepped all the while, even if it sleeps: its clock runs in step().
bool is_settling(const Model& model, const State& state);

/// Books the loads of a step and breaks what carries too much: the most overloaded link first, then all over again with what is left, until all hold.
/// `spins`: rad/s of each group of state.groups as it is before the step, in the rest frame, for what turning pulls apart.
std::vector<Break> step(const Model& model, State& state, double dt, std::span<const Load> loads, std::span<const Vec3> spins);

Groups connected(const Model& model, std::span<const uint8_t> broken);

/// What each link carries under these loads: N s, the root mean square of the traction times the area, with its parts. Broken links carry nothing.
struct Carried {
  Vec3 impulse = Vec3::Zero();  // on piece b, N s
  Vec3 twist = Vec3::Zero();    // on piece b about the patch's centre, N m s
  double size = 0;              // sqrt(|impulse|^2 + twist . turning twist)
};
std::vector<Carried> carried(const Model& model, std::span<const uint8_t> broken, std::span<const Load> loads);

}  // namespace crumple::pieces

#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/material/section.h"
#include "crumple/methods/method.h"
#include "crumple/rigid/plastic_joint.h"
#include "crumple/rigid/shape.h"

/// Structures of rigid pieces held together by elastic-plastic joints, which sag, yield, dissipate, harden and break (paper 5). The law and the
/// solver live in rigid/; here structures are made out of bars, plates and single pieces, their joints' work is booked, and they are shown.
/// Everything is in the body's rest frame.
namespace crumple::structures {

/// One of the materials by name, or one by its numbers.
struct MaterialChoice {
  std::optional<double> steel, aluminium, wood;  // yield stress, Pa
  std::optional<double> concrete;                // share of steel in the section; the steel's yield stress is `yield`
  std::optional<SolidMaterial> numbers;
  // changes to a material
  ShearRule shear_rule = ShearRule::Tresca;
  std::optional<double> yield;  // of concrete's steel, Pa
  std::optional<double> hardening, ultimate_strain, ultimate_rotation, density;
};

/// One of the sections, or capacities and stiffnesses that are given; with a section they replace its own.
struct SectionChoice {
  std::optional<std::vector<double>> rect;    // width, height
  std::optional<double> circle;               // diameter
  std::optional<std::vector<double>> tube;    // diameter, wall
  std::optional<std::vector<double>> i_beam;  // height, width, web, flange
  std::optional<JointRows> capacity, stiffness;
};

/// How joints behave beyond section and material.
struct Behaviour {
  rigid::Interaction interaction = rigid::Interaction::None;
  double damping = 0;  // s
  bool breaks = true;
  double softening_from = 1;  // share of the ultimate flow from which capacities fall
  bool paper_switch = false;  // eq. 3.2
};

struct Bar {
  std::string name;
  Vec3 from = Vec3::Zero(), to = Vec3::UnitX();
  int pieces = 8;
  std::optional<Vec3> up;  // direction of the section's height; absent: y, or x for a bar that stands
  std::optional<SectionChoice> section;
  std::optional<MaterialChoice> material;
};

struct Plate {
  std::string name;
  Vec3 at = Vec3::Zero();             // of its middle
  std::optional<Vec3> turn;           // degrees, as of a body; without it the plate lies flat, square to y
  std::vector<double> size = {1, 1};  // along x and z, m
  double thickness = 0.01;
  std::vector<int> cells = {6, 6};
  std::optional<MaterialChoice> material;
};

/// A single piece.
struct SinglePiece {
  std::string name;
  std::optional<std::vector<double>> box;
  std::string mesh;  // a convex one
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> turn;
  std::optional<double> mass, density;
};

/// A joint between two pieces that are named: single ones, those of a bar ("rail 1" to "rail 8") or cells of a plate ("deck 2 5": second along x,
/// fifth along z). Where the two are joined anyway it takes that joint's place.
struct SingleJoint {
  std::string name;
  std::string a, b;  // pieces; b empty: the world
  Vec3 at = Vec3::Zero();
  Vec3 axis = Vec3::UnitX();
  std::optional<Vec3> up;
  double length = 0;  // of the bar that bends at the joint, m; 0: from the pieces
  std::optional<SectionChoice> section;
  std::optional<MaterialChoice> material;
};

enum class Hold { Clamped, Pinned, Roller };  // Pinned: turns freely; Roller: also slides along the bar or in the plate's plane
struct Support {
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> until;  // all borders of plates and all ends of bars on the stretch between the two
  Hold hold = Hold::Clamped;
  std::string to;  // a body of the scene that holds it; empty: the world
};

struct Settings {
  std::optional<SectionChoice> section;    // of bars and joints that have none
  std::optional<MaterialChoice> material;  // likewise
  std::vector<Bar> bars;
  std::vector<Plate> plates;
  std::vector<SinglePiece> pieces;
  std::vector<SingleJoint> joints;
  std::vector<Support> supports;
  Behaviour behaviour;
};

/// What a piece is. Collision: a box (at `place`) or the hull of points (rest frame).
struct Piece {
  std::string name;
  std::optional<Vec3> box;
  Transform place;  // of the box; of a mesh: where its coordinates were taken from
  std::vector<Vec3> hull;
  rigid::MassProperties mass;  // rest frame; mass in kg
  TriMesh surface;             // what is drawn, rest frame; pieces of a bar or a plate fit without gaps
};

struct Joint {
  std::string name;
  int a = -1, b = -1;  // pieces; b -1: the world, or the body `to`
  std::string to;
  Transform frame;  // columns of the rotation: along the bar, the section's width, its height
  rigid::PlasticLaw law;
};

/// How a vertex of a piece is drawn: it follows up to four pieces, as long as joints hold them together.
struct Follow {
  std::array<int, 4> pieces = {-1, -1, -1, -1};
  std::array<float, 4> weights = {};
};

struct Model {
  Settings settings;
  std::vector<Piece> pieces;
  std::vector<Joint> joints;
  std::vector<std::pair<int, int>> touching;  // pieces that touch at rest: they never collide
  std::vector<std::vector<Follow>> follow;    // #pieces x #vertices of its surface; empty: rigid
  std::vector<std::vector<int>> joints_of;    // #pieces: its joints, ascending
};

/// The book of one joint, all doubles.
struct Book {
  double utilisation = 0, peak = 0;  // of the capacity; 1 yields
  double turn = 0;                   // rad, sum of the plastic turns
  double elongation = 0;             // m, likewise
  double work = 0;                   // J dissipated
  double broken_at = -1;             // s; -1: whole
};

struct State {
  std::vector<Book> books;  // #joints
};

void describe(Fields& fields, Settings& settings);
void describe(Fields& fields, MaterialChoice& material);
void describe(Fields& fields, SectionChoice& section);
void describe(Fields& fields, Behaviour& behaviour);
void describe(Fields& fields, Bar& bar);
void describe(Fields& fields, Plate& plate);
void describe(Fields& fields, SinglePiece& piece);
void describe(Fields& fields, SingleJoint& joint);
void describe(Fields& fields, Support& support);

/// `meshes`: #settings.pieces, null where the piece is a box; density in kg/m^3 for single pieces without one and materials without one.
/// Unconnected pieces, sizes that are none, zero pieces, a mechanism without supports are errors. Their text begins with the JSON pointer below
/// "structure" ("/bars/2/section: the wall of ..."), or with ": " if it concerns the whole.
Result<Model> build(const Settings& settings, std::span<const TriMesh* const> meshes, double density);
State start(const Model& model);
std::vector<StateArray> arrays(State& state);

/// The law of a joint with this section and material at which `length` metres of bar bend; for joints between bodies of a scene.
Result<rigid::PlasticLaw> make_law(const SectionChoice& section, const MaterialChoice& material, const Behaviour& behaviour, double length);

/// Enters what a joint has done until now.
void enter(State& state, int joint, const rigid::PlasticState& now, double time);
double total_work(const State& state);
/// Which pieces still hang together: #pieces, the lowest piece of each group.
std::vector<int> hanging_together(const Model& model, const State& state);

/// The drawn vertices of a piece in the piece's own rest frame, given where the rest frame of every piece is; empty if it is simply rigid.
std::vector<Vec3f> drawn(const Model& model, const State& state, int piece, std::span<const Transform> places);
/// Colours of a piece's vertices: from blue (unused) over green and yellow (at yield) to red (plastic, by the share of the ultimate turn), black
/// where broken.
std::vector<Vec3f> utilisation_colors(const Model& model, const State& state, int piece);

}  // namespace crumple::structures

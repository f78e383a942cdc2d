#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/math/types.h"
#include "crumple/methods/info.h"
#include "crumple/rigid/stock.h"

namespace crumple::structures {

using rigid::Behaviour;
using rigid::MaterialChoice;
using rigid::SectionChoice;

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

enum class SupportKind { Clamped, Pinned, Roller };  // Pinned: turns freely; Roller: also slides along the bar or in the plate's plane
struct Support {
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> until;  // all borders of plates and all ends of bars on the stretch between the two
  SupportKind hold = SupportKind::Clamped;
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

struct Model;
struct State;

const MethodInfo& info(const Settings& settings);
void describe(Fields& fields, Settings& settings);
void describe(Fields& fields, Bar& bar);
void describe(Fields& fields, Plate& plate);
void describe(Fields& fields, SinglePiece& piece);
void describe(Fields& fields, SingleJoint& joint);
void describe(Fields& fields, Support& support);
inline std::string summary(const Settings&) { return ""; }
/// Meshes of single pieces.
std::vector<FileName> files(Settings& settings);
/// What supports hold on to.
std::vector<BodyName> bodies_named(const Settings& settings);
inline std::vector<NamedSpeed> speeds(const Settings&) { return {}; }

}  // namespace crumple::structures

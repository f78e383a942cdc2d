#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid::testing {

/// One row of the table in docs/structures.md: what was measured, what theory says, what paper 5 prints. docs/make_joints_table.py collects them.
inline void record_row(const std::string& what, const std::string& measured, const std::string& theory, const std::string& paper = "") {
  static int count = 0;
  ::testing::Test::RecordProperty("row_" + std::to_string(++count), what + " | " + measured + " | " + theory + " | " + paper);
}
inline std::string digits(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

/// How a test looks at its world; no result may depend on it.
struct View {
  Mat3 turn = Mat3::Identity();
  bool swapped = false;  // the two sides of every joint
};
inline View turned_view() {
  return {turned(1.1, Vec3(1, -2, 0.7)), false};
}
inline View swapped_view() {
  return {Mat3::Identity(), true};
}
/// The same number in a turned world and with swapped sides.
inline void expect_objective(const std::function<double(const View&)>& measure, double tolerance = 1e-4) {
  const double straight = measure({});
  EXPECT_NEAR(measure(turned_view()), straight, tolerance * std::abs(straight)) << "turned";
  EXPECT_NEAR(measure(swapped_view()), straight, tolerance * std::abs(straight)) << "swapped";
}

struct BoxSettings {
  Vec3 size = Vec3::Ones();
  double mass = 1;
  Vec3 at = Vec3::Zero();
  Motion motion = Motion::Dynamic;
  Mat3 turn = Mat3::Identity();
  bool piece = true;  // pieces of structures do not collide with each other
  double friction = 0;
};

/// A world with structures in it. All that goes in and comes out is in the test's own axes.
class Rig {
 public:
  static constexpr unsigned kPieces = 2;

  explicit Rig(const View& view = {}, bool sleeping = false) : view_(view), world_(WorldSettings{Vec3::Zero(), 10, sleeping}) {
    if (!view.swapped) return;
    PartSettings anchor = fixed_part(Box{Vec3::Ones()}, Vec3(0, 1000, 0));
    anchor.collides_with = 0;
    anchor_ = world_.add_part(anchor);
  }

  int add_box(const BoxSettings& box) {
    PartSettings settings = dynamic_part(Box{box.size}, 1, Vec3::Zero());
    settings.inertia *= box.mass / settings.mass;
    settings.mass = box.mass;
    return add(settings, box);
  }
  int add_ball(double radius, double mass, const Vec3& at, double friction = 0) {
    PartSettings settings = dynamic_part(Sphere{radius}, 1, Vec3::Zero());
    settings.inertia *= mass / settings.mass;
    settings.mass = mass;
    return add(settings, BoxSettings{.mass = mass, .at = at, .piece = false, .friction = friction});
  }
  /// A solid half space below y = 0.
  void add_floor(double friction = 0) {
    PartSettings settings = fixed_part(Plane{view_.turn * Vec3::UnitY(), 0});
    settings.surface.friction = friction;
    world_.add_part(settings);
  }
  /// An elastic-plastic joint; b = -1: to the world.
  int join(int a, int b, const Vec3& at, const PlasticLaw& law, const Vec3& axis = Vec3::UnitX(), const Vec3& width = Vec3::UnitZ()) {
    JointSettings settings;
    settings.kind = JointKind::Plastic;
    if (b < 0) b = anchor_;
    settings.part_a = view_.swapped ? b : a, settings.part_b = view_.swapped ? a : b;
    settings.at = view_.turn * at, settings.axis = view_.turn * axis, settings.width = view_.turn * width;
    settings.plastic = law;
    joints.push_back(world_.add_joint(settings));
    laws.push_back(law);
    return joints.back();
  }
  /// An ordinary joint.
  int link(JointKind kind, int a, int b, const Vec3& at) {
    return world_.add_joint({.kind = kind, .part_a = a, .part_b = b, .at = view_.turn * at, .axis = view_.turn * Vec3::UnitZ()});
  }
  void set_gravity(const Vec3& gravity) { world_.set_gravity(view_.turn * (gravity_ = gravity)); }
  void set_velocity(int part, const Vec3& velocity, const Vec3& spin = Vec3::Zero()) {
    world_.set_velocity(part, view_.turn * velocity, view_.turn * spin);
  }
  void step(double dt) {
    world_.step(dt, loads);
    broken += static_cast<int>(loads.breaks.size());
  }
  void run(double seconds, double dt) {
    for (int i = 0, steps = static_cast<int>(std::lround(seconds / dt)); i < steps; ++i) step(dt);
  }
  /// Gravity grows evenly from nothing, then stays: a sudden load would do twice as much.
  void ramp_gravity(const Vec3& gravity, double seconds, double dt) {
    const int steps = static_cast<int>(std::lround(seconds / dt));
    for (int i = 1; i <= steps; ++i) {
      set_gravity(gravity * (static_cast<double>(i) / steps));
      step(dt);
    }
  }

  Vec3 place(int part) const { return view_.turn.transpose() * world_.state(part).place.translation; }
  Vec3 point(int part, const Vec3& local) const { return view_.turn.transpose() * (world_.state(part).place * local); }
  Vec3 velocity(int part) const { return view_.turn.transpose() * world_.state(part).velocity; }
  Vec3 spin(int part) const { return view_.turn.transpose() * world_.state(part).spin; }
  Vec6 force(int joint) const { return world_.plastic_state(joint).force; }

  double work() const {
    return sum([&](size_t j) { return world_.plastic_state(joints[j]).work; });
  }
  double elastic() const {
    return sum([&](size_t j) { return world_.has_joint(joints[j]) ? elastic_energy(laws[j], world_.plastic_state(joints[j])) : 0.0; });
  }
  double rotation() const {
    return sum([&](size_t j) { return world_.plastic_state(joints[j]).rotation(); });
  }
  double elongation() const {
    return sum([&](size_t j) { return world_.plastic_state(joints[j]).elongation(); });
  }
  double most_used() const {
    double most = 0;
    for (const int joint : joints) most = std::max(most, world_.plastic_state(joint).peak_utilisation);
    return most;
  }
  /// Kinetic, of height and elastic.
  double energy() const {
    double total = elastic();
    for (const Body& body : bodies_) {
      const PartState state = world_.state(body.part);
      const Vec3 spin = state.place.rotation.transpose() * state.spin;
      total += 0.5 * body.mass * state.velocity.squaredNorm() + 0.5 * spin.dot(body.inertia.cwiseProduct(spin)) -
               body.mass * gravity_.dot(place(body.part));
    }
    return total;
  }
  Vec3 momentum() const {
    Vec3 total = Vec3::Zero();
    for (const Body& body : bodies_) total += body.mass * velocity(body.part);
    return total;
  }
  Vec3 angular_momentum() const {
    Vec3 total = Vec3::Zero();
    for (const Body& body : bodies_) {
      const PartState state = world_.state(body.part);
      const Mat3& axes = state.place.rotation;
      total += view_.turn.transpose() *
               (body.mass * state.place.translation.cross(state.velocity) + axes * body.inertia.cwiseProduct(axes.transpose() * state.spin));
    }
    return total;
  }
  bool finite() const {
    for (const Body& body : bodies_) {
      const PartState state = world_.state(body.part);
      if (!state.place.translation.allFinite() || !state.place.rotation.allFinite() || !state.velocity.allFinite() || !state.spin.allFinite())
        return false;
    }
    return true;
  }
  World& world() { return world_; }

  std::vector<int> joints;
  std::vector<PlasticLaw> laws;  // #joints
  Loads loads;                   // of the last step
  int broken = 0;

 private:
  struct Body {
    int part;
    double mass;
    Vec3 inertia;
  };
  int add(PartSettings settings, const BoxSettings& box) {
    settings.motion = box.motion;
    settings.state.place = {view_.turn * box.turn, view_.turn * box.at};
    settings.surface.friction = box.friction;
    if (box.piece) settings.group = kPieces, settings.collides_with = ~kPieces;
    const int part = world_.add_part(settings);
    if (box.motion == Motion::Dynamic) bodies_.push_back({part, settings.mass, settings.inertia});
    return part;
  }
  double sum(const std::function<double(size_t)>& of) const {
    double total = 0;
    for (size_t j = 0; j < joints.size(); ++j) total += of(j);
    return total;
  }

  View view_;
  World world_;
  int anchor_ = -1;  // stands for the world where sides are swapped: the world is always on side b
  Vec3 gravity_ = Vec3::Zero();
  std::vector<Body> bodies_;
};

/// A bar by its bending: all that a joint of it needs. Its forces go with its moments as those of a square section of this height.
struct BarLaw {
  double bending_rigidity = 1e8;                 // EI, N m^2
  double bending_capacity = PlasticLaw::kNever;  // Mp, N m
  double height = 0.3;                           // m
};

/// Of a joint at which `length` metres of bar bend.
inline PlasticLaw bar_law(const BarLaw& bar, double length) {
  const double axial = 12 * bar.bending_rigidity / (bar.height * bar.height);
  const double axial_capacity = 4 * bar.bending_capacity / bar.height;
  PlasticLaw law;
  law.stiffness << axial, axial, axial, bar.bending_rigidity, bar.bending_rigidity, bar.bending_rigidity;
  law.stiffness /= length;
  law.capacity << axial_capacity, axial_capacity / 2, axial_capacity / 2, bar.bending_capacity, bar.bending_capacity, bar.bending_capacity;
  return law;
}

/// A bar along x from `from`, cut into equal boxes with a joint between each two.
struct BarSettings {
  Vec3 from = Vec3::Zero();
  Vec3 along = Vec3::UnitX();
  double length = 3, mass = 900;
  int pieces = 16;
  BarLaw law;
};
inline std::vector<int> add_bar(Rig& rig, const BarSettings& bar) {
  const double length = bar.length / bar.pieces;
  Mat3 turn;
  turn << bar.along, Vec3::UnitZ().cross(bar.along), Vec3::UnitZ();
  std::vector<int> parts;
  for (int i = 0; i < bar.pieces; ++i) {
    BoxSettings piece{
        .size = Vec3(length, bar.law.height, bar.law.height), .mass = bar.mass / bar.pieces, .at = bar.from + (i + 0.5) * length * bar.along};
    piece.turn = turn;
    parts.push_back(rig.add_box(piece));
    if (i > 0) rig.join(parts[i], parts[i - 1], bar.from + i * length * bar.along, bar_law(bar.law, length), bar.along);
  }
  return parts;
}

/// A joint that holds on to the world: half a piece of bar bends at it.
inline int clamp(Rig& rig, int part, const Vec3& at, const BarLaw& bar, double piece_length, const Vec3& along = Vec3::UnitX()) {
  return rig.join(part, -1, at, bar_law(bar, piece_length / 2), along);
}
/// A support that turns freely; a roller also slides along the bar.
inline int rest(Rig& rig, int part, const Vec3& at, bool roller, double stiffness = 1e10, const Vec3& along = Vec3::UnitX()) {
  PlasticLaw law;
  law.stiffness << (roller ? 0.0 : stiffness), stiffness, stiffness, 0, 0, 0;
  return rig.join(part, -1, at, law, along);
}

/// Cells in the plane y = 0, middle at the origin, joined with their neighbours along x and z.
struct PlateSettings {
  double size = 6, thickness = 0.2, mass = 18000;  // size of its side
  int cells = 6;                                   // along each side
  double height = 0;
  double bending_rigidity = 1e7, bending_capacity = PlasticLaw::kNever;  // for each metre of width
};
struct Plate {
  std::vector<int> parts;  // cells * cells, x fastest
  int cells;
  double cell;  // its size
  int part(int x, int z) const { return parts[static_cast<size_t>(z * cells + x)]; }
};
inline Plate add_plate(Rig& rig, const PlateSettings& plate) {
  Plate result{{}, plate.cells, plate.size / plate.cells};
  const double cell = result.cell;
  const BarLaw bar{plate.bending_rigidity * cell, plate.bending_capacity * cell, plate.thickness};
  const auto middle = [&](int x, int z) { return Vec3((x + 0.5) * cell - plate.size / 2, plate.height, (z + 0.5) * cell - plate.size / 2); };
  for (int z = 0; z < plate.cells; ++z) {
    for (int x = 0; x < plate.cells; ++x) {
      const int part = rig.add_box({.size = Vec3(cell, plate.thickness, cell), .mass = plate.mass / (plate.cells * plate.cells), .at = middle(x, z)});
      result.parts.push_back(part);
      if (x > 0) rig.join(part, result.part(x - 1, z), middle(x, z) - Vec3(cell / 2, 0, 0), bar_law(bar, cell), Vec3::UnitX(), Vec3::UnitZ());
      if (z > 0) rig.join(part, result.part(x, z - 1), middle(x, z) - Vec3(0, 0, cell / 2), bar_law(bar, cell), Vec3::UnitZ(), Vec3::UnitX());
    }
  }
  return result;
}

}  // namespace crumple::rigid::testing

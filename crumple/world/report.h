#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/world/body.h"

namespace crumple {

/// The energy of the rigid bodies and where it went, J. Work done on them counts above 0, what was lost below. Every entry is computed from its own
/// impulses or as the difference that its own stage made; none is what the others leave.
struct EnergyLedger {
  double kinetic = 0, potential = 0;  // now; height counts from the origin
  double start = 0;                   // kinetic and potential, when the run began
  double contact = 0;                 // normal impulses where nothing yielded, and overlaps undone
  double friction = 0;
  double joints = 0;                  // work of joints and motors; what plastic joints took or store
  double damage = 0;                  // contacts while a body yielded to them, and links that broke
  double scripted = 0;                // scripts, and bodies that appear or go
  double forces = 0;                  // wind, attractors, explosions, other gravity than that at the start
  double matter = 0;                  // pushes of particles
  double shape = 0;                   // new shapes move the centre of mass and change the inertia
  double damping = 0;                 // drag, and what falling asleep stops
  double integration = 0;             // error of the time stepping
  double frozen = 0;                  // of bodies that were frozen
  double put_in = 0;                  // what scripts have put in, without what they took out
  double highest = 0, lowest_potential = 0;  // of kinetic and potential energy together; of the potential

  double booked() const { return contact + friction + joints + damage + scripted + forces + matter + shape + damping + integration + frozen; }
  /// What the entries do not explain.
  double unaccounted() const { return kinetic + potential - start - booked(); }
  /// The largest energy there ever was, above the lowest place reached, and what was put in.
  double scale() const { return highest - lowest_potential + put_in; }
};

/// Faults and notable events of a run so far.
struct StepReport {
  struct Frozen {
    std::string body;
    double time;  // s
    std::string why;
  };
  std::vector<Frozen> frozen;

  /// A broken link of a body.
  struct Break {
    std::string body;
    double time;                // s
    int link, piece_a, piece_b;
    double impulse, limit;      // N s: its impulse within 1/60 s, and the limit
  };
  std::vector<Break> breaks;
  std::vector<Break> hinges;  // links that became hinges

  EnergyLedger energy;
  std::vector<double> damage_work;  // #bodies, J: what their damage took
};

/// History of an elastic-plastic joint.
struct JointReport {
  std::string body, name;
  Vec3 at;  // where it is at rest, in the world
  rigid::JointHistory history;
};

/// CPU seconds.
struct StepTimings {
  double rigid = 0, deform = 0;
  long steps = 0, hits = 0;
  double second_phase = 0;  // s, part of `deform`
  long second_solves = 0;  // steps that were solved a second time, for some bodies at least
};

/// Result for a body that can deform or break.
struct BodyReport {
  std::string name;
  double mass = 0;
  bool frozen = false;
  std::optional<Damage> damage;  // of a rigid body
  double damage_work = 0;        // J that its damage took
  Report methods;                // of its methods; figures of bonds are separate
  Json bond_figures = Json::object({});
};

/// Report of a body with a method; empty for others.
std::optional<BodyReport> report_of(const Body& body, double fps, std::span<const StepReport::Break> breaks);

/// What the methods of the bodies at rest find that can never act, each remark once.
std::vector<std::string> warnings_of(std::span<const Body> bodies);

/// Merges the entries of all bodies' reports: sums, and the minimum of first times.
std::vector<Report::Total> total_of(std::span<const BodyReport> bodies);
/// CPU seconds of the parts of a step, summed.
std::vector<std::pair<std::string, double>> seconds_of(std::span<const BodyReport> bodies);

/// Summary of the results by method, for the caption of a picture.
std::vector<std::string> footers_of(std::span<const Body> bodies);

}  // namespace crumple

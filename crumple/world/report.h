#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/world/body.h"

namespace crumple {

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
  Report methods;                // of its methods; figures of bonds are separate
  Json bond_figures = Json::object({});
};

/// Report of a body with a method; empty for others.
std::optional<BodyReport> report_of(const Body& body, double fps, std::span<const StepReport::Break> breaks);

/// Merges the entries of all bodies' reports: sums, and the minimum of first times.
std::vector<Report::Total> total_of(std::span<const BodyReport> bodies);
/// CPU seconds of the parts of a step, summed.
std::vector<std::pair<std::string, double>> seconds_of(std::span<const BodyReport> bodies);

/// Summary of the results by method, for the caption of a picture.
std::vector<std::string> footers_of(std::span<const Body> bodies);

}  // namespace crumple

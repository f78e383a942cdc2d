#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/world/body.h"

namespace crumple {

/// What has gone wrong or was remarkable in a run so far.
struct StepReport {
  struct Frozen {
    std::string body;
    double time;  // s
    std::string why;
  };
  std::vector<Frozen> frozen;

  /// A link of a body that gave way.
  struct Break {
    std::string body;
    double time;                // s
    int link, piece_a, piece_b;
    double impulse, limit;      // N s: what it carried within 1/60 s, and what it could carry
  };
  std::vector<Break> breaks;
};

/// What an elastic-plastic joint has done so far.
struct JointReport {
  std::string body, name;
  Vec3 at;  // where it is at rest, in the world
  rigid::JointHistory history;
};

/// CPU seconds.
struct StepTimings {
  double rigid = 0, deform = 0;
  long steps = 0, hits = 0;
};

/// What has become of a body that can change.
struct BodyReport {
  std::string name;
  double mass = 0;
  bool frozen = false;
  std::optional<Damage> damage;  // of a rigid body
  Report methods;                // what its methods tell; figures of bonds apart
  Json bond_figures = Json::object({});
};

/// Of a body that has a method; nothing of others.
std::optional<BodyReport> report_of(const Body& body, double fps, std::span<const StepReport::Break> breaks);

/// Entries of all bodies' reports put together: sums, and the least of those that happened first.
std::vector<Report::Total> total_of(std::span<const BodyReport> bodies);
/// CPU seconds of the parts of a step, summed.
std::vector<std::pair<std::string, double>> seconds_of(std::span<const BodyReport> bodies);

/// What became of them, one method after the other, for the foot of a picture.
std::vector<std::string> footers_of(std::span<const Body> bodies);

}  // namespace crumple

#pragma once

#include <cstdint>

#include "crumple/core/json.h"
#include "crumple/world/body.h"

namespace crumple {

/// Pieces of fewer particles are debris.
inline constexpr int kBigPiece = 50;

/// What has become of a body of clusters.
struct SoftReport {
  int start_particles = 0, particles = 0, clusters = 0;  // without what was culled
  int64_t splits = 0, outliers = 0;
  int pieces = 0, big_pieces = 0;
  double largest_piece_share = 0, debris_share = 0;  // of the particles
  int first_split_frame = -1;                        // that shows one; -1: nothing has split
  int64_t culled_particles = 0;
  double culled_mass = 0;                 // kg
  double max_strain = 0, rms_strain = 0;  // |F^p - I| over the particles
  clusters::StepTimes times;              // CPU s, of this run
};
SoftReport soft_report(const Body& body, double fps);

/// The first frame that shows what happened in the step that began at a time.
int frame_after(double time, double fps);

void add_json(Json& entry, const SoftReport& report);
Json json_of(const clusters::StepTimes& times);
inline double total(const clusters::StepTimes& t) {
  return t.dynamics + t.plasticity + t.fracture + t.collision;
}

}  // namespace crumple

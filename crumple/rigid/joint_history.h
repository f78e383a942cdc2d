#pragma once

#include <vector>

#include "crumple/core/state_array.h"
#include "crumple/rigid/plastic_joint.h"

namespace crumple::rigid {

/// What an elastic-plastic joint has done so far, all doubles.
struct JointHistory {
  double utilisation = 0, peak = 0;  // of the capacity; 1 yields
  double turn = 0;                   // rad, sum of the plastic turns
  double elongation = 0;             // m, likewise
  double work = 0;                   // J dissipated
  double broken_at = -1;             // s; -1: whole
};

/// Adds what the joint has done until now.
void update(JointHistory& history, const PlasticState& now, double time);

/// As an array of a state.
StateArray history_array(std::vector<JointHistory>& histories);

}  // namespace crumple::rigid

#pragma once

#include <string>

#include "crumple/rig/make_rig.h"

namespace crumple::cli {

struct RigSummary {
  std::string model, output, look;
  double seconds = 0;  // of everything
};

/// What came out, for a person and for programs.
std::string rig_table(const RigSummary& summary, const Asset& asset, const RigReport& report);
std::string rig_json(const RigSummary& summary, const Asset& asset, const RigReport& report);

}  // namespace crumple::cli

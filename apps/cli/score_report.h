#pragma once

#include <string>

#include "crumple/core/json.h"
#include "crumple/rig/score.h"

namespace crumple::cli {

/// What came of scoring, for a person and for programs.
std::string score_table(const std::string& output, const Asset& asset, const ScoreReport& report);
Json score_json(const std::string& output, const Asset& asset, const ScoreReport& report);

/// The body whole and with its pieces pulled apart, each in a tint of its own, as a PNG.
Result<void> draw_scored(const Asset& asset, const std::string& file);

}  // namespace crumple::cli

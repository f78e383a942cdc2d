#pragma once

#include "crumple/core/json.h"
#include "crumple/run/run.h"

namespace crumple {

/// What has happened so far, as a checkpoint keeps it; entries that are missing or of another kind come back empty.
Json step_report_json(const StepReport& report);
StepReport read_step_report(const Json& json);

}  // namespace crumple

#include "crumple/core/progress.h"

#include <gtest/gtest.h>

#include "crumple/core/json.h"

namespace crumple {
namespace {

Json first_report(long done, long total) {
  testing::internal::CaptureStderr();
  Progress(Progress::Style::Json, "work", total).update(done);
  const Result<Json> line = parse_json(testing::internal::GetCapturedStderr(), "stderr");
  return line ? *line : Json();
}

TEST(Progress, the_estimate_counts_only_what_was_done_now) {
  for (const long before : {0L, 60L}) {  // 60: work that is continued
    const Json report = first_report(before + 1, 100);
    ASSERT_TRUE(report.find("seconds") && report.find("seconds_left"));
    EXPECT_NEAR(report.find("seconds_left")->number, report.find("seconds")->number * static_cast<double>(99 - before), 1e-9);
  }
}

}  // namespace
}  // namespace crumple

#include "crumple/core/progress.h"

#include <chrono>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "crumple/core/json.h"

namespace crumple {
namespace {

void wait(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const Result<Json> json = parse_json(line, "stderr");
    EXPECT_TRUE(json) << line;
    lines.push_back(json ? *json : Json());
  }
  return lines;
}

TEST(Progress, the_estimate_counts_neither_what_was_done_before_nor_the_time_of_loading) {
  for (const long before : {0L, 60L}) {  // 60: work that is continued
    testing::internal::CaptureStderr();
    {
      Progress progress(Progress::Style::Json, "work", 100);
      wait(0.6);
      progress.update(before + 1);
      wait(0.55);  // JSON comes twice a second
      progress.update(before + 2);
    }
    const std::vector<Json> lines = lines_of(testing::internal::GetCapturedStderr());
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_FALSE(lines[0].find("seconds_left")) << "nothing is known yet";
    ASSERT_TRUE(lines[1].find("seconds_left"));
    const double left = static_cast<double>(98 - before);
    EXPECT_GT(lines[1].find("seconds_left")->number, 0.55 * left);
    EXPECT_LT(lines[1].find("seconds_left")->number, 0.95 * left);  // with the time of loading: 1.15
  }
}

}  // namespace
}  // namespace crumple

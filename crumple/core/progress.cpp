#include "crumple/core/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/console.h"
#include "crumple/core/json.h"
#include "crumple/core/timer.h"

namespace crumple {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const long whole = std::lround(std::min(seconds, 1e9));
  return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(Style style, std::string what, long total)
    : style_(style), what_(std::move(what)), total_(std::max(1L, total)), start_(wall_seconds()), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  finish();
}

void Progress::update(long done, const std::string& note) {
  if (style_ == Style::Quiet) return;
  const double now = wall_seconds();
  if (first_done_ < 0) {
    first_done_ = done;
    first_time_ = now;
  }
  const double pause = style_ == Style::Human && !terminal_ ? 5.0 : style_ == Style::Human ? 0.1 : 0.5;
  if (last_print_ >= 0 && now - last_print_ < pause && done < total_) return;
  last_print_ = now;
  print(done, note);
}

void Progress::print(long done, const std::string& note) {
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const double now = wall_seconds(), spent = now - start_;
  const double left = done > first_done_ ? (now - first_time_) * static_cast<double>(total_ - done) / static_cast<double>(done - first_done_) : -1;
  if (style_ == Style::Json) {
    Json line = Json::object({{"progress", what_}, {"done", static_cast<double>(done)}, {"total", static_cast<double>(total_)}, {"seconds", spent}});
    if (left >= 0) line["seconds_left"] = left;
    if (!note.empty()) line["note"] = note;
    print_message("{}\n", write_json(line, 0));
    return;
  }
  const int filled = static_cast<int>(share * 24);
  std::string bar;
  for (int i = 0; i < 24; ++i) bar += i < filled ? "#" : ".";
  const std::string rest = left >= 0 ? fmt::format("{} left", duration_text(left)) : "";
  print_message("{}{:<10} [{}] {:>3.0f} %  {}/{}  {}  {}{}", terminal_ ? "\r\033[K" : "", what_, bar, 100 * share, done, total_, rest, note, terminal_ ? "" : "\n");
}

void Progress::finish() {
  if (finished_ || style_ == Style::Quiet) return;
  finished_ = true;
  if (style_ == Style::Human && terminal_ && last_print_ >= 0) print_message("\r\033[K");
}

}  // namespace crumple

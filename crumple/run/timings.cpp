#include "crumple/run/timings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "crumple/io/files.h"

namespace crumple {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kHeading = "frame,rigid_ms,deform_ms,record_ms,hits,awake,matter_ms";
constexpr std::string_view kOlderHeading = "frame,rigid_ms,deform_ms,record_ms,hits,awake,clusters_ms";
constexpr std::string_view kOldHeading = "frame,rigid_ms,deform_ms,record_ms,hits,awake";  // before there was matter
constexpr size_t kBlock = 16384;  // bytes written at a time
constexpr double kMost = 1e9;  // of any number in a row

std::string row_text(const FrameTiming& row) {
  return fmt::format("{},{:.4f},{:.4f},{:.4f},{},{},{:.4f}\n", row.frame, row.rigid_ms, row.deform_ms, row.record_ms, row.hits, row.awake, row.matter_ms);
}

bool parse_row(std::string_view line, size_t columns, FrameTiming& row) {
  std::array<double, 7> values{};
  const char *at = line.data(), *end = at + line.size();
  for (size_t i = 0; i < columns; ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return false;
    const auto [next, trouble] = std::from_chars(at, end, values[i]);
    if (trouble != std::errc() || !std::isfinite(values[i]) || values[i] < 0 || values[i] > kMost) return false;
    at = next;
  }
  row = {static_cast<int>(values[0]), values[1], values[2], values[3], static_cast<long>(values[4]), static_cast<int>(values[5]), values[6]};
  return at == end;
}

}  // namespace

Result<std::vector<FrameTiming>> read_timings(const fs::path& file) {
  Result<std::string> text = io::read_file(file);
  if (!text) return text.error();
  std::vector<FrameTiming> rows;
  std::string_view rest = *text;
  size_t columns = 7;
  for (int number = 1; !rest.empty(); ++number) {
    const size_t length = rest.find('\n');
    if (length == std::string_view::npos) break;
    const std::string_view line = rest.substr(0, length);
    rest.remove_prefix(length + 1);
    const auto wrong = [&](const std::string& what) {
      return input_error(fmt::format("{}:{}: {}; run the scene again", file.string(), number, what));
    };
    if (number == 1) {
      if (line == kOldHeading) columns = 6;
      if (line != kHeading && line != kOlderHeading && line != kOldHeading) return wrong(fmt::format("expected the heading \"{}\"", kHeading));
      continue;
    }
    FrameTiming row;
    if (!parse_row(line, columns, row)) return wrong(fmt::format("expected {} numbers from 0 to 1e9 with commas between", columns == 7 ? "seven" : "six"));
    if (!rows.empty() && row.frame <= rows.back().frame) return wrong("frames must ascend");
    rows.push_back(row);
  }
  return rows;
}

Result<TimingLog> TimingLog::start(const fs::path& file, const std::vector<FrameTiming>& rows) {
  std::string text = fmt::format("{}\n", kHeading);
  for (const FrameTiming& row : rows) text += row_text(row);
  if (Result<void> written = io::write_file(file, text); !written) return written.error();
  Result<io::FileHandle> stream = io::open_to_append(file);
  if (!stream) return stream.error();
  return TimingLog(file, std::move(*stream));
}

Result<TimingLog> TimingLog::create(const fs::path& file) {
  return start(file, {});
}

Result<TimingLog> TimingLog::continue_after(const fs::path& file, int frame) {
  Result<std::vector<FrameTiming>> rows = read_timings(file);
  if (!rows) return create(file);  // times are a convenience: a run must not fail for want of old ones
  std::erase_if(*rows, [&](const FrameTiming& row) { return row.frame > frame; });
  return start(file, *rows);
}

Result<void> TimingLog::add(const FrameTiming& row) {
  waiting_ += row_text(row);
  return waiting_.size() < kBlock ? Result<void>() : flush();
}

Result<void> TimingLog::flush() {
  if (!stream_.append(waiting_)) return io::file_error(file_, "writing failed");
  waiting_.clear();
  return {};
}

}  // namespace crumple

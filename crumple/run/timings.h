#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/io/files.h"

namespace crumple {

/// What one frame cost: CPU milliseconds of all threads, and how much was going on.
struct FrameTiming {
  int frame = 0;
  double rigid_ms = 0, deform_ms = 0, record_ms = 0;
  long hits = 0;
  int awake = 0;           // bodies, at the end of the frame
  double matter_ms = 0;    // of deform_ms: bodies of matter
};

/// The rows of a recording's timings.csv, in the order of frames. A torn last line, as a killed run leaves it, is dropped.
Result<std::vector<FrameTiming>> read_timings(const std::filesystem::path& file);

/// Writes timings.csv while a run goes on. It lies beside the stream of frames, whose bytes are the same in every run; times are not.
class TimingLog {
 public:
  static Result<TimingLog> create(const std::filesystem::path& file);
  /// Keeps the rows up to a frame, if there are any that can be read.
  static Result<TimingLog> continue_after(const std::filesystem::path& file, int frame);

  Result<void> add(const FrameTiming& row);
  /// Everything added so far will be found by a run that continues.
  Result<void> flush();

 private:
  TimingLog(std::filesystem::path file, io::FileHandle stream) : file_(std::move(file)), stream_(std::move(stream)) {}
  static Result<TimingLog> start(const std::filesystem::path& file, const std::vector<FrameTiming>& rows);
  std::filesystem::path file_;
  io::FileHandle stream_;
  std::string waiting_;  // rows not written yet
};

}  // namespace crumple

#pragma once

#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "crumple/run/playback.h"

namespace crumple::cli {

struct SheetRequest {
  std::string file;                         // .png; the .json stands beside it
  std::string body;                         // name; empty: the only drawing
  std::vector<int> frames;                  // recorded ones
  int every = 1;                            // frames that each picture stands for
  double pixels = 100;                      // for each metre
};

/// Pictures of one body of a flat scene, frame by frame, in one .png, and a .json that says where they are. Prints what it made.
Result<void> export_sheet(Playback& playback, const SheetRequest& request, const ProgressOptions& progress_options);

}  // namespace crumple::cli

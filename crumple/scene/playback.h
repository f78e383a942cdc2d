#pragma once

#include <filesystem>
#include <vector>

#include "crumple/io/recording.h"
#include "crumple/scene/body.h"
#include "crumple/scene/scene.h"

namespace crumple {

/// A recording to look at: its state turned back into frames.
class Playback {
 public:
  static Result<Playback> open(const std::filesystem::path& folder);

  const Scene& scene() const { return *scene_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<int>& frames() const { return reader_.frames(); }
  double time(int frame) const { return reader_.time(frame); }
  const Json& header() const { return reader_.header(); }
  bool was_torn() const { return reader_.was_torn(); }

  /// What there is to see at a recorded frame. Going forward is cheap.
  Result<Frame> frame(int number, ColorBy color = ColorBy::Look, SoftView soft = SoftView::Surface);

 private:
  Playback(std::unique_ptr<Scene> scene, io::RecordingReader reader) : scene_(std::move(scene)), reader_(std::move(reader)) {}
  std::unique_ptr<Scene> scene_;  // bodies point into it
  io::RecordingReader reader_;
  AssetLibrary library_;
  std::vector<Body> bodies_;
};

}  // namespace crumple

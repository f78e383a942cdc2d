#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include "crumple/io/recording.h"
#include "crumple/world/view.h"
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
  /// Why frames are missing and how to get them, for a person; empty if none is.
  const std::string& warning() const { return warning_; }
  /// What was drawn more coarsely than it was simulated so far.
  const std::set<std::string>& notes() const { return notes_; }

  /// What there is to see at a recorded frame. Going forward is cheap.
  Result<Frame> frame(int number, const View& view = {});

 private:
  Playback(std::unique_ptr<Scene> scene, io::RecordingReader reader) : scene_(std::move(scene)), reader_(std::move(reader)) {}
  std::unique_ptr<Scene> scene_;  // bodies point into it
  io::RecordingReader reader_;
  SceneAssets assets_;
  ViewCache cache_;
  std::vector<Body> bodies_;
  std::string warning_;
  std::set<std::string> notes_;
};

}  // namespace crumple

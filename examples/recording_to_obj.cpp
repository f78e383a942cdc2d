// Plays a recording, made by 'crumple run', into OBJ files: one for each frame, beside each other in a folder.
#include <cstdio>
#include <filesystem>

#include "crumple/crumple.h"

int main(int count, char** words) {
  if (count < 3) return std::fprintf(stderr, "recording_to_obj RECORDING FOLDER [EVERY]\n"), 2;
  auto playback = crumple::Playback::open(words[1]);
  if (!playback) return std::fprintf(stderr, "%s\n", playback.error().text.c_str()), 2;
  const int every = count > 3 ? std::max(1, std::atoi(words[3])) : 1;
  std::error_code failed;
  std::filesystem::create_directories(words[2], failed);
  int written = 0;
  for (const int number : playback->frames()) {
    if (number % every != 0) continue;
    const auto frame = playback->frame(number);
    if (!frame) return std::fprintf(stderr, "%s\n", frame.error().text.c_str()), 2;
    const auto done = crumple::io::export_obj(*frame, std::filesystem::path(words[2]) / (std::to_string(number) + ".obj"));
    if (!done) return std::fprintf(stderr, "%s\n", done.error().text.c_str()), 1;
    ++written;
  }
  std::printf("%d frames of %zu bodies\n", written, playback->bodies().size());
}

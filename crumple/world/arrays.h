#pragma once

#include "crumple/io/recording.h"
#include "crumple/world/state.h"

/// State as arrays and back, named "{body}/{method}/{array}".
namespace crumple {

/// Arrays that belong to nobody else while they are written.
struct ArrayList {
  std::vector<io::ArrayView> views;
  std::vector<std::vector<std::byte>> owned;
};

/// What a frame shows, or everything that a checkpoint needs.
ArrayList frame_arrays(WorldState& w);
ArrayList checkpoint_arrays(WorldState& w);
Result<void> restore_arrays(WorldState& w, const io::ArrayStore& store);

/// What a recorded frame says about the methods of one body.
Result<void> replay(Body& body, const io::ArrayStore& store);

/// Chains the whole state to the fingerprint.
void update_fingerprint(WorldState& w);

}  // namespace crumple

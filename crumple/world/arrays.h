#pragma once

#include "crumple/io/recording.h"
#include "crumple/world/state.h"

/// State as arrays and back, named "{body}/{method}/{array}".
namespace crumple {

/// Views of arrays to be written, and the storage of those that were made for it.
struct ArrayList {
  std::vector<io::ArrayView> views;
  std::vector<std::vector<std::byte>> owned;
};

/// The arrays of a frame (enough to draw it), or of a checkpoint (the whole state).
ArrayList frame_arrays(WorldState& w);
ArrayList checkpoint_arrays(WorldState& w);
Result<void> restore_arrays(WorldState& w, const io::ArrayStore& store);

/// Sets the methods of one body to the state in a recorded frame.
Result<void> replay(Body& body, const io::ArrayStore& store);

/// Chains the whole state to the fingerprint.
void update_fingerprint(WorldState& w);

}  // namespace crumple

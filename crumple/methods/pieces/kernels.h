#pragma once

#include "crumple/methods/pieces/pieces.h"

namespace crumple::pieces {

/// Wrench of a load about the origin of the rest frame.
inline Wrench wrench_of(const Load& load) {
  return rigid::wrench_at(load.impulse, load.at);
}

/// Hinges in place of overloaded links, and how drawn points follow them.
void add_hinges(const RiggedBody& body, Model& model);

}  // namespace crumple::pieces

#pragma once

#include <array>

#include "crumple/math/types.h"

namespace crumple {

/// Where the rest frame of a piece is in a recorded frame.
using PlaceRecord = std::array<double, 13>;  // rotation (rows), translation; 0 absent, 1 whole, 2 in pieces

inline PlaceRecord place_record(const Transform& place, double presence) {
  PlaceRecord record;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) record[static_cast<size_t>(row * 3 + column)] = place.rotation(row, column);
    record[static_cast<size_t>(9 + row)] = place.translation[row];
  }
  record[12] = presence;
  return record;
}

inline Transform place_in(const PlaceRecord& record) {
  Transform place;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) place.rotation(row, column) = record[static_cast<size_t>(row * 3 + column)];
    place.translation[row] = record[static_cast<size_t>(9 + row)];
  }
  return place;
}

}  // namespace crumple

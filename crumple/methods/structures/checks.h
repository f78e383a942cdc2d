#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crumple/methods/structures/structures.h"
#include "crumple/rigid/stock.h"

/// What can be said against the settings one by one. Reading a scene and building from settings that were made in code ask the same questions.
namespace crumple::structures {

using rigid::Complaint;

inline constexpr int kMaxPieces = 20000;  // of a structure
inline constexpr size_t kMaxSupports = 10000;
inline constexpr int kMaxBarPieces = 4096;    // of one bar
using rigid::kLargestSize;
using rigid::kSmallestSize;

std::optional<Complaint> check(const Bar& bar);
std::optional<Complaint> check(const Plate& plate);
std::optional<Complaint> check(const SinglePiece& piece);
std::optional<Complaint> check(const SingleJoint& joint);
std::optional<Complaint> check(const Support& support);

}  // namespace crumple::structures

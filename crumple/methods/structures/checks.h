#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crumple/methods/structures/structures.h"

/// What can be said against the settings one by one. Reading a scene and building from settings that were made in code ask the same questions.
namespace crumple::structures {

struct Complaint {
  std::string_view key;  // of the object that was looked at; empty: the object itself
  std::string text;
};

inline constexpr int kMostPieces = 20000;  // of a structure
inline constexpr size_t kMostSupports = 10000;
inline constexpr int kMostBarPieces = 4096;    // of one bar
inline constexpr double kSmallestSize = 1e-6;  // m; within these two, masses and moments of inertia stay far from the ends of the numbers
inline constexpr double kLargestSize = 1e6;

std::optional<Complaint> check(const MaterialChoice& material);
std::optional<Complaint> check(const SectionChoice& section);
std::optional<Complaint> check(const Behaviour& behaviour);
std::optional<Complaint> check(const Bar& bar);
std::optional<Complaint> check(const Plate& plate);
std::optional<Complaint> check(const SinglePiece& piece);
std::optional<Complaint> check(const SingleJoint& joint);
std::optional<Complaint> check(const Support& support);

}  // namespace crumple::structures

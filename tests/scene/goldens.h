#pragma once

#include <gnu/libc-version.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "crumple/io/files.h"
#include "tests/scene/scenes.h"

/// Numbers that every scene gave before: see golden_test.cpp.
namespace crumple {

inline const std::filesystem::path kGoldensFile = std::filesystem::path(CRUMPLE_SOURCE_DIR) / "tests" / "golden" / "fingerprints.txt";

/// Libraries whose arithmetic decides the last bits. gcc and clang give the same, so the compiler is not part of it.
inline std::string toolchain() {
  return fmt::format("x86-64 glibc {} bullet {} eigen {}.{}.{}", gnu_get_libc_version(), CRUMPLE_BULLET_VERSION, EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                     EIGEN_MINOR_VERSION);
}

/// "scene loading_dock" -> "hash=... half=...", and "toolchain" -> the libraries.
using Goldens = std::map<std::string, std::string>;

inline Goldens read_goldens() {
  Goldens goldens;
  std::ifstream in(kGoldensFile);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) goldens[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return goldens;
}

inline bool is_writing() {
  return std::getenv("CRUMPLE_WRITE_GOLDENS") != nullptr;
}

inline void write_golden(const std::string& key, const std::string& value) {
  Goldens goldens = read_goldens();
  goldens["toolchain"] = toolchain();
  goldens[key] = value;
  std::string text;
  for (const auto& [name, numbers] : goldens) text += fmt::format("{}: {}\n", name, numbers);
  ASSERT_TRUE(io::write_file(kGoldensFile, text));
}

/// Compares with the file, or writes it.
inline void expect_golden(const std::string& key, const std::string& value) {
  if (is_writing()) return write_golden(key, value);
  const Goldens goldens = read_goldens();
  ASSERT_TRUE(goldens.contains(key)) << key << ": make its goldens, as told at the top of golden_test.cpp";
  EXPECT_EQ(goldens.at(key), value) << key;
}

inline bool is_comparable() {
  const Goldens goldens = read_goldens();
  return is_writing() || (goldens.contains("toolchain") && goldens.at("toolchain") == toolchain());
}

inline std::string golden_key(const std::string& scene_file) {
  return "scene " + std::filesystem::path(scene_file).stem().string();
}

}  // namespace crumple

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace crumple {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = CRUMPLE_SOURCE_DIR;

/// The comment of a line, and what stands in quotes where a key is described.
std::string prose_of(const std::string& line) {
  const size_t comment = line.find("//");
  if (comment != std::string::npos) return line.substr(comment);
  const bool is_help = line.find("{\"") != std::string::npos && (line.find("f.") != std::string::npos || line.find("fields.") != std::string::npos);
  return is_help ? line : "";
}

TEST(English, things_are_not_spoken_of_as_persons) {
  const std::regex avoided(R"(\b(who|whoever|nobody|somebody|everybody|anybody|whom|realm)\b)", std::regex::icase);
  int lines = 0;
  for (const char* folder : {"crumple", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".inl") continue;
      std::ifstream in(entry.path());
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        const std::string prose = prose_of(line);
        lines += prose.empty() ? 0 : 1;
        EXPECT_FALSE(std::regex_search(prose, avoided)) << entry.path().lexically_relative(kRoot) << ":" << number << ": " << prose;
      }
    }
  }
  EXPECT_GT(lines, 1000);
}

}  // namespace
}  // namespace crumple

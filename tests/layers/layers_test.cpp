#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crumple {
namespace {

namespace fs = std::filesystem;

const fs::path kLibraryRoot = CRUMPLE_SOURCE_DIR;

/// Who may include whom; what a folder may see, those above it may see through it, except where said otherwise.
const std::map<std::string, std::set<std::string>> kMaySee = {
    {"core", {}},
    {"math", {"core"}},
    {"geometry", {"core", "math"}},
    {"material", {"core", "math"}},
    {"rig", {"core", "math", "geometry", "material"}},
    {"rigid", {"core", "math", "geometry", "material"}},
    {"particles", {"core", "math", "geometry", "material", "rig", "rigid"}},
    {"io", {"core", "math", "geometry", "material", "rig"}},
    {"methods", {"core", "math", "geometry", "material", "rig", "rigid", "particles"}},  // never io: methods touch no files
    {"scene", {"core", "math", "geometry", "material", "rig", "rigid", "particles", "io", "methods"}},
    {"world", {"core", "math", "geometry", "material", "rig", "rigid", "particles", "io", "methods", "scene"}},
    {"run", {"core", "math", "geometry", "material", "rig", "rigid", "particles", "io", "methods", "scene", "world"}},
    {"render", {"core", "math", "geometry", "material", "rig", "io"}},
};

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cpp") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> included(const fs::path& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<std::string> names;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (std::smatch match; std::regex_search(line, match, kInclude)) names.push_back(match[1]);
  }
  return names;
}

/// The folder of the library that a path such as "crumple/rig/skin.h" lies in; empty for crumple/crumple.h and for other libraries.
std::string layer_of(const fs::path& path) {
  auto part = path.begin();
  if (part == path.end() || *part++ != "crumple") return "";
  const auto next = part;
  return part != path.end() && ++part != path.end() ? next->string() : "";
}

std::string method_of(const fs::path& path) {
  const std::string text = path.generic_string();
  static const std::regex kMethod("^crumple/methods/([^/]+)/");
  std::smatch match;
  return std::regex_search(text, match, kMethod) ? match[1].str() : "";
}

TEST(Layers, every_folder_of_the_library_has_its_place) {
  for (const auto& entry : fs::directory_iterator(kLibraryRoot / "crumple")) {
    if (!entry.is_directory()) continue;
    EXPECT_EQ(kMaySee.count(entry.path().filename().string()), 1u) << entry.path();
  }
}

TEST(Layers, nobody_includes_what_lies_above) {
  int checked = 0;
  for (const fs::path& file : sources(kLibraryRoot / "crumple")) {
    const fs::path relative = file.lexically_relative(kLibraryRoot);
    const std::string layer = layer_of(relative);
    if (layer.empty()) continue;
    for (const std::string& name : included(file)) {
      const std::string other = layer_of(name);
      EXPECT_NE(name, "crumple/crumple.h") << relative << " is part of what that header collects";
      if (other.empty() || other == layer) continue;
      EXPECT_TRUE(kMaySee.at(layer).count(other)) << relative << " includes " << name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

TEST(Layers, the_library_includes_no_program_test_or_benchmark) {
  for (const fs::path& file : sources(kLibraryRoot / "crumple")) {
    for (const std::string& name : included(file)) {
      for (const char* outside : {"apps/", "tests/", "bench/"}) EXPECT_FALSE(name.starts_with(outside)) << file << " includes " << name;
    }
  }
}

TEST(Layers, no_method_includes_another) {
  for (const fs::path& file : sources(kLibraryRoot / "crumple" / "methods")) {
    const std::string method = method_of(file.lexically_relative(kLibraryRoot));
    if (method.empty()) continue;
    for (const std::string& name : included(file)) {
      const std::string other = method_of(name);
      EXPECT_TRUE(other.empty() || other == method) << file << " includes " << name;
      EXPECT_NE(name, "crumple/methods/methods.h") << file << " would see every method";
    }
  }
}

/// Files of the library that know all methods and yet none by name.
TEST(Layers, no_generic_file_asks_for_a_method_by_name) {
  std::string names;
  for (const auto& entry : fs::directory_iterator(kLibraryRoot / "crumple" / "methods")) {
    if (entry.is_directory()) names += (names.empty() ? "" : "|") + entry.path().filename().string();
  }
  const std::regex named("\\b(" + names + ")::|crumple/methods/(" + names + ")/");
  int checked = 0;
  for (const char* folder : {"crumple/scene", "crumple/world", "crumple/run", "crumple/render", "crumple/io", "apps"}) {
    for (const fs::path& file : sources(kLibraryRoot / folder)) {
      if (file.parent_path().filename() == "import") continue;  // scenes of a paper are scenes of its method
      ++checked;
      std::ifstream in(file);
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        EXPECT_FALSE(std::regex_search(line, named)) << file.lexically_relative(kLibraryRoot) << ":" << number << ": " << line;
      }
    }
  }
  EXPECT_GT(checked, 80);
}

/// An editor reads and writes scenes without an engine: of the folders above, scenes see plain settings alone.
TEST(Layers, scenes_see_settings_and_no_simulation) {
  const std::regex plain("crumple/(methods/(list|info|faults)\\.h|methods/[a-z]+/settings\\.h|rigid/(kinds|stock)\\.h|particles/(boundary|fill)\\.h)");
  for (const fs::path& file : sources(kLibraryRoot / "crumple" / "scene")) {
    for (const std::string& name : included(file)) {
      const std::string layer = layer_of(name);
      const bool is_above = layer == "methods" || layer == "rigid" || layer == "particles" || layer == "rig";
      EXPECT_TRUE(!is_above || std::regex_match(name, plain)) << file << " includes " << name;
    }
  }
}

TEST(Layers, only_rigid_knows_the_engine) {
  static const std::regex kEngine("(^|/)(bt[A-Z]|Bullet|LinearMath)");
  int found = 0;
  for (const char* folder : {"crumple", "apps", "bench"}) {
    for (const fs::path& file : sources(kLibraryRoot / folder)) {
      for (const std::string& name : included(file)) {
        if (!std::regex_search(name, kEngine)) continue;
        EXPECT_EQ(layer_of(file.lexically_relative(kLibraryRoot)), "rigid") << file << " includes " << name;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 0);
}

TEST(Layers, includes_name_the_full_path) {
  for (const char* folder : {"crumple", "apps"}) {
    for (const fs::path& file : sources(kLibraryRoot / folder)) {
      std::ifstream in(file);
      for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("#include \"")) continue;
        const std::string name = line.substr(10, line.find('"', 10) - 10);
        EXPECT_TRUE(fs::exists(kLibraryRoot / name)) << file << " includes " << name;
      }
    }
  }
}

TEST(Layers, no_folder_is_called_something_that_says_nothing) {
  const std::set<std::string> refused = {"utils", "util", "common", "misc", "detail", "include", "helpers"};
  for (const char* folder : {"crumple", "apps", "tests", "bench", "scenes", "assets", "docs"}) {
    if (!fs::exists(kLibraryRoot / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kLibraryRoot / folder)) {
      if (!entry.is_directory()) continue;
      EXPECT_EQ(refused.count(entry.path().filename().string()), 0u) << entry.path();
    }
  }
}

TEST(Layers, every_method_looks_alike) {
  int methods = 0;
  for (const auto& entry : fs::directory_iterator(kLibraryRoot / "crumple" / "methods")) {
    if (!entry.is_directory()) continue;
    ++methods;
    const std::string name = entry.path().filename().string();
    for (const std::string& file : {std::string("README.md"), std::string("settings.h"), name + ".h", std::string("build.cpp"), std::string("step.cpp"), std::string("view.cpp"), std::string("kernels.h")}) {
      EXPECT_TRUE(fs::is_regular_file(entry.path() / file)) << entry.path() / file << " is missing";
    }
  }
  EXPECT_GT(methods, 0);
}

}  // namespace
}  // namespace crumple

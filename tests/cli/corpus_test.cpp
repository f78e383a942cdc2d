#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(CRUMPLE_SOURCE_DIR) / "tests" / "corpus";

/// Each broken scene NAME.json of the corpus has its message in NAME.expected.
std::vector<std::string> broken_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCorpus)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class BrokenScene : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Corpus, BrokenScene, testing::ValuesIn(broken_scenes()), [](const auto& info) { return info.param; });

TEST_P(BrokenScene, is_refused_in_one_line_and_nothing_is_written) {
  const Scratch scratch;
  const fs::path output = scratch / "recording";
  const Answer answer = run_program({"run", GetParam() + ".json", "-o", output.string()}, kCorpus, scratch);
  expect_refusal(answer);
  EXPECT_EQ(answer.err, "crumple: " + text_of(kCorpus / (GetParam() + ".expected")));
  EXPECT_FALSE(fs::exists(output));
}

TEST(Corpus, is_large_and_every_scene_in_it_has_its_message) {
  EXPECT_GE(broken_scenes().size(), 40u);
  for (const std::string& name : broken_scenes()) EXPECT_TRUE(fs::exists(kCorpus / (name + ".expected"))) << name;
}

}  // namespace
}  // namespace crumple

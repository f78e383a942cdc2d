#include <sstream>

#include "assets/generator/mailbox.h"
#include "crumple/core/json.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/obj.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// The commands of the first block of a page, without the program's name.
std::vector<std::vector<std::string>> commands_of(const fs::path& page) {
  std::istringstream text(text_of(page));
  std::vector<std::vector<std::string>> commands;
  bool within = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      if (within) break;
      within = true;
    } else if (within && line.starts_with("bin/crumple ")) {
      std::istringstream words(line.substr(12));
      commands.emplace_back();
      for (std::string word; words >> word;) commands.back().push_back(word);
    }
  }
  return commands;
}

TEST(AuthoringPage, its_five_commands_lead_from_a_model_to_a_crumpled_animation) {
  Scratch scratch;
  fs::create_directories(scratch / "out");
  fs::create_directory_symlink(kProject / "assets", scratch / "assets");
  const auto commands = commands_of(kProject / "docs" / "authoring.md");
  ASSERT_EQ(commands.size(), 5u);
  for (const std::vector<std::string>& command : commands) {
    const Answer answer = run_program(command, scratch.path(), scratch);
    ASSERT_EQ(answer.code, 0) << command[0] << ": " << answer.err;
  }
  for (const char* file : {"out/doctor.png", "out/rig.png", "out/poses.png", "out/mailbox/mailbox.glb", "out/mailbox/preview.png"}) {
    EXPECT_TRUE(fs::exists(scratch / file)) << file;
  }
  Result<Json> report = parse_json(text_of(scratch / "out/mailbox/run.json"), "run.json");
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_GT(report->find("bodies")->items.at(0).find("max_displacement")->number, 0.1);

  Result<Asset> asset = io::read_asset(scratch / "out/mailbox.glb");
  ASSERT_TRUE(asset) << asset.error().text;
  EXPECT_EQ(asset->examples.size(), 3u);
  ASSERT_TRUE(asset->certificate);
  EXPECT_LE(asset->certificate->kkt_residual, 1e-5);
}

TEST(AuthoringPage, its_model_is_what_the_generator_makes) {
  EXPECT_EQ(text_of(kProject / "assets/models/mailbox.obj"), io::write_obj(generator::mailbox_model()));
}

}  // namespace
}  // namespace crumple

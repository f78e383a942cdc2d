#include <algorithm>

#include "crumple/io/gltf_asset.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

const std::filesystem::path kAssets = std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets";

class PaintCommand : public testing::Test {
 protected:
  Answer paint(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "paint");
    return run_program(arguments, scratch.path(), scratch);
  }
  std::string drum = (kAssets / "drum.glb").string(), painted = (kAssets / "painted_drum.glb").string();
  Scratch scratch;
};

TEST_F(PaintCommand, takes_the_paint_of_a_model_over_to_an_asset) {
  const Answer answer = paint({drum, painted, "-o", "out.glb"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.out, "out.glb\n  yield        painted 1 to 6\n  gain         painted 0 to 1\n");
  const Result<Asset> asset = io::read_asset(scratch / "out.glb"), model = io::read_asset(painted), before = io::read_asset(drum);
  ASSERT_TRUE(asset && model && before);
  for (const char* knob : {"yield", "gain"}) {
    const PaintedMap *there = find_map(asset->maps, knob), *wanted = find_map(model->maps, knob);
    ASSERT_TRUE(there && wanted);
    for (size_t v = 0; v < wanted->values.size(); ++v) ASSERT_NEAR(there->values[v], wanted->values[v], 1e-4) << knob << " of vertex " << v;
  }
  EXPECT_EQ(asset->weights, before->weights);
  EXPECT_EQ(asset->examples.size(), before->examples.size());
  EXPECT_TRUE(asset->surface.colors.empty());  // the look is the asset's own
}

TEST_F(PaintCommand, repaints_an_asset_in_place) {
  std::filesystem::copy_file(painted, scratch / "asset.glb");
  const std::string before = text_of(scratch / "asset.glb");
  ASSERT_EQ(paint({"asset.glb", painted}).code, 0);
  EXPECT_EQ(text_of(scratch / "asset.glb").size(), before.size());
}

TEST_F(PaintCommand, refuses_what_cannot_be_meant) {
  std::filesystem::copy_file(drum, scratch / "asset.glb");
  const std::string before = text_of(scratch / "asset.glb");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"asset.glb", drum}, "nothing is painted on it; give a GLB with vertex attributes _YIELD, _GAIN, _RADIUS or _STRENGTH"},
      {{"asset.glb", painted, "--unit", "cm"}, "m away from it (the asset is 1.28 m across); save the model in the asset's place and size"},
      {{"asset.glb", painted, "--up", "z"}, "m away from it"},
      {{"asset.glb", "missing.glb"}, "missing.glb"},
      {{"missing.glb", painted}, "missing.glb"},
      {{"asset.glb", painted, "-o", "out.obj"}, "out.obj: assets are written as .glb"},
  };
  for (const auto& [arguments, text] : cases) {
    const Answer answer = paint(arguments);
    EXPECT_EQ(answer.code, 2) << text;
    EXPECT_NE(answer.err.find(text), std::string::npos) << answer.err;
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  }
  EXPECT_TRUE(text_of(scratch / "asset.glb") == before);
}

}  // namespace
}  // namespace crumple

#include <cstring>
#include <map>

#include <fmt/format.h>

#include "crumple/core/json.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// A bar that is pulled in two within a few frames.
constexpr const char* kBar = R"({"crumple": 1, "title": "bar", "seconds": 0.3, "substeps": 1, "checkpoint": 5, "gravity": [0, 0, 0], "bodies": [
  {"name": "bar", "box": [1, 0.2, 0.2], "clusters": {"particles": 400, "clusters": 12, "toughness": 0.1, "flow": 0.3,
    "clamps": [{"normal": [1, 0, 0], "offset": 0.4, "speed": 1}, {"normal": [-1, 0, 0], "offset": 0.4, "speed": 1}]}}]})";

class SoftCommand : public testing::Test {
 protected:
  SoftCommand() { write_text(scratch / "bar.json", kBar); }
  Answer run(const std::vector<std::string>& arguments) { return run_program(arguments, scratch.path(), scratch); }
  Answer record(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "bar.json", "-o", "rec", "--quiet"});
    return run(more);
  }
  Scratch scratch;
};

Json json_of(const std::string& text) {
  Result<Json> json = parse_json(text, "test", JsonDialect::Strict);
  EXPECT_TRUE(json);
  return json ? *json : Json();
}

struct Glb {
  Json json;
  std::string data;
};

Glb glb_of(const fs::path& file) {
  const std::string bytes = text_of(file);
  uint32_t length = 0;
  if (bytes.size() < 28) return {};
  std::memcpy(&length, bytes.data() + 12, 4);
  return {json_of(bytes.substr(20, length)), bytes.substr(28 + length)};
}

std::vector<float> floats_of(const Glb& glb, double accessor, size_t columns) {
  const auto number = [](const Json& at, const char* key) { return at.find(key) ? static_cast<size_t>(at.find(key)->number) : size_t{0}; };
  const Json& a = glb.json.find("accessors")->items[static_cast<size_t>(accessor)];
  const Json& view = glb.json.find("bufferViews")->items[number(a, "bufferView")];
  std::vector<float> values(number(a, "count") * columns);
  std::memcpy(values.data(), glb.data.data() + number(view, "byteOffset") + number(a, "byteOffset"), values.size() * sizeof(float));
  return values;
}

/// Names of the nodes that are not scaled to nothing at a time.
std::vector<std::string> seen_at(const Glb& glb, float time) {
  const std::vector<Json>& nodes = glb.json.find("nodes")->items;
  std::vector<bool> seen(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) seen[i] = !nodes[i].find("scale");
  const Json& animation = glb.json.find("animations")->items[0];
  for (const Json& channel : animation.find("channels")->items) {
    const Json& target = *channel.find("target");
    if (target.find("path")->text != "scale") continue;
    const Json& sampler = animation.find("samplers")->items[static_cast<size_t>(channel.find("sampler")->number)];
    const std::vector<float> times = floats_of(glb, sampler.find("input")->number, 1), scales = floats_of(glb, sampler.find("output")->number, 3);
    for (size_t k = 0; k < times.size() && times[k] <= time + 1e-5f; ++k) seen[static_cast<size_t>(target.find("node")->number)] = scales[3 * k] > 0;
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (seen[i] && nodes[i].find("mesh")) names.push_back(nodes[i].find("name")->text);
  }
  return names;
}

TEST_F(SoftCommand, run_and_info_tell_what_has_torn) {
  const Answer ran = record();
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("  torn       bar: "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("plastic strain up to"), std::string::npos) << ran.out;
  const Json run_json = json_of(text_of(scratch / "rec" / "run.json"));
  EXPECT_GT(run_json.find("splits")->number, 0);
  const Answer told = run({"info", "rec"});
  EXPECT_NE(told.out.find(fmt::format("soft         bar: {:g} splits from frame {:g} on", run_json.find("splits")->number,
                                      run_json.find("first_split_frame")->number)),
            std::string::npos)
      << told.out;
  const Answer scene = run({"info", "bar.json"});
  EXPECT_NE(scene.out.find("bar: about 400 particles in 12 clusters or more"), std::string::npos) << scene.out;
  EXPECT_NE(run({"list", "methods"}).out.find("clusters"), std::string::npos);
}

TEST_F(SoftCommand, a_run_that_nothing_tears_in_says_so) {
  const Answer ran = record({"--set", "/bodies/bar/clusters/toughness=100"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("bar: nothing;"), std::string::npos) << ran.out;
  const Json run_json = json_of(text_of(scratch / "rec" / "run.json"));
  EXPECT_EQ(run_json.find("splits")->number, 0);
  EXPECT_EQ(run_json.find("pieces")->number, 1);
  EXPECT_FALSE(run_json.find("first_split_frame")->is_number());
}

TEST_F(SoftCommand, pictures_show_the_surface_or_particles_in_colours_that_stand_for_something) {
  ASSERT_EQ(record().code, 0);
  std::map<std::string, std::string> pictures;
  for (const char* color : {"plain", "cluster", "piece", "strain"}) {
    for (const bool particles : {false, true}) {
      std::vector<std::string> words = {"render", "rec",    "-o",    "a.png",     "--frame", "18",     "--color",
                                        color,    "--size", "64x36", "--samples", "2",       "--quiet"};
      if (particles) words.push_back("--particles");
      const Answer answer = run(words);
      ASSERT_EQ(answer.code, 0) << answer.err;
      pictures[text_of(scratch / "a.png")] = color;
    }
  }
  EXPECT_EQ(pictures.size(), 8u) << "some look alike";
}

TEST_F(SoftCommand, an_exported_animation_shows_each_surface_only_while_it_is_so) {
  ASSERT_EQ(record().code, 0);
  const Answer answer = run({"export", "rec", "-o", "a.glb", "--quiet"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Glb glb = glb_of(scratch / "a.glb");
  const double first = json_of(text_of(scratch / "rec" / "run.json")).find("first_split_frame")->number;
  EXPECT_GT(glb.json.find("nodes")->items.size(), 3u);
  EXPECT_EQ(glb.json.find("materials")->items.size(), 2u) << "crack faces have a material of their own";
  for (int frame = 0; frame <= 18; ++frame) {
    size_t skins = 0, inner = 0;
    for (const std::string& name : seen_at(glb, static_cast<float>(frame) / 60)) {
      ASSERT_TRUE(name.starts_with("bar"));
      ++(name.starts_with("bar/inner") ? inner : skins);
    }
    EXPECT_GT(skins, 0u);
    EXPECT_EQ(inner > 0, frame >= first) << "frame " << frame;
  }
  // Every vertex of every frame is compared by readers of others.
  for (const char* cache : {"a.pc2", "a.mdd"}) ASSERT_EQ(run({"export", "rec", "-o", cache, "--quiet"}).code, 0);
  write_text(scratch / "a.limit", "0.0012");
  fs::remove_all(scratch / "rec");
  keep_exports(scratch.path(), "torn_bar");
}

TEST_F(SoftCommand, one_frame_is_exported_with_its_crack_faces) {
  ASSERT_EQ(record().code, 0);
  ASSERT_EQ(run({"export", "rec", "-o", "a.obj", "--quiet"}).code, 0);
  const std::string obj = text_of(scratch / "a.obj");
  EXPECT_NE(obj.find("bar/inner"), std::string::npos);
  ASSERT_EQ(run({"export", "rec", "-o", "a.ply", "--frame", "0", "--colors", "--quiet"}).code, 0);
}

TEST_F(SoftCommand, a_run_that_was_killed_is_continued_to_the_same_recording) {
  write_text(scratch / "long.json", std::string(kBar).replace(std::string(kBar).find("0.3,"), 4, "2.0,"));
  const Answer whole = run({"run", "long.json", "-o", "whole", "--quiet"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  {
    const Program program({"run", "long.json", "-o", "rec", "--quiet"}, scratch.path(), scratch);
    for (int wait = 0; wait < 2000; ++wait) {
      std::error_code ignored;
      if (fs::exists(scratch / "rec" / "state.crumple", ignored) && fs::file_size(scratch / "rec" / "state.crumple", ignored) > 100000) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    program.kill_now();
    program.wait();
  }
  const Answer resumed = run({"run", "long.json", "-o", "rec", "--resume", "--quiet"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(text_of(scratch / "rec" / "state.crumple") == text_of(scratch / "whole" / "state.crumple"));
}

}  // namespace
}  // namespace crumple

// Inputs of tests/corpus/hostile, and others like them that are too large to keep. Limits of the system, not clocks, say what is too much.
#include <regex>

#include <fmt/format.h>

#include "tests/cli/program.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

const fs::path kHostile = fs::path(CRUMPLE_SOURCE_DIR) / "tests" / "corpus" / "hostile";

class HostileFiles : public testing::Test {
 protected:
  static Surroundings within(rlim_t cpu_seconds, rlim_t megabytes) {
    Surroundings around;
    around.cpu_seconds = cpu_seconds;
    around.memory = megabytes * kMegabyte;
    return around;
  }
  Answer run(const std::vector<std::string>& arguments, const Surroundings& around) { return run_program(arguments, scratch.path(), scratch, around); }
  static std::string hostile(const std::string& name) { return (kHostile / name).string(); }
  Scratch scratch;
};

TEST_F(HostileFiles, an_stl_with_two_thirds_of_a_facet_is_refused) {
  const Answer answer = run({"doctor", hostile("stl_overflow.stl")}, within(5, 500));
  expect_refusal(answer);
  EXPECT_NE(answer.err.find("stl_overflow.stl:4: a facet that has not three vertices"), std::string::npos) << answer.err;
}

TEST_F(HostileFiles, a_glb_that_claims_more_than_it_holds_is_refused_before_memory_is_taken) {
  const Answer answer = run({"doctor", hostile("glb_984_bytes_1.4GB.glb")}, within(5, 200));
  expect_refusal(answer);
  EXPECT_NE(answer.err.find("1048576 rows without data"), std::string::npos) << answer.err;
}

TEST_F(HostileFiles, a_glb_that_repeats_what_it_holds_too_often_is_refused_before_memory_is_taken) {
  // 12,000 bytes of positions, used 10,000 times: 30 million numbers.
  std::string json = R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":12000}],"bufferViews":[{"buffer":0,"byteLength":12000}],)"
                     R"("accessors":[{"bufferView":0,"componentType":5126,"count":999,"type":"VEC3"}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[)";
  for (int i = 0; i < 10000; ++i) json += fmt::format(R"({}{{"attributes":{{"POSITION":0}}}})", i ? "," : "");
  json += "]}]}";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto word = [](size_t number) {
    const auto value = static_cast<uint32_t>(number);
    return std::string(reinterpret_cast<const char*>(&value), 4);
  };
  const std::string bin(12000, '\0');
  write_text(scratch / "many.glb", "glTF" + word(2) + word(12 + 8 + json.size() + 8 + bin.size()) + word(json.size()) + "JSON" + json + word(bin.size()) +
                                       std::string("BIN\0", 4) + bin);
  const Answer answer = run({"doctor", "many.glb"}, within(20, 700));
  expect_refusal(answer);
  EXPECT_NE(answer.err.find("12000 bytes of data are used for more than 4 million numbers"), std::string::npos) << answer.err;
}

TEST_F(HostileFiles, a_recording_that_unpacks_to_very_much_is_not_believed) {
  fs::copy(kHostile / "recording_32KB_12GB", scratch / "rec", fs::copy_options::recursive);
  const Answer info = run({"info", "rec"}, within(5, 500));
  EXPECT_EQ(info.code, 0) << info.err;
  for (const std::vector<std::string>& command : {std::vector<std::string>{"export", "rec", "-o", "a.glb"}, {"render", "rec", "-o", "a.png"}}) {
    const Answer answer = run(command, within(10, 500));
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_NE(answer.err.find("cannot be read"), std::string::npos) << answer.err;
  }
}

TEST_F(HostileFiles, long_names_are_neither_compared_nor_printed_whole) {
  const Answer answer = run({"check", hostile("edit_distance.json")}, within(5, 500));
  expect_refusal(answer);
  EXPECT_LT(answer.err.size(), 3000u);
}

TEST_F(HostileFiles, lists_of_millions_take_no_more_memory_than_the_file_is_worth) {
  std::string zeros = R"({"crumple": 1, "bodies": [0)";
  for (int i = 0; i < 5'000'000; ++i) zeros += ",0";
  write_text(scratch / "zeros.json", zeros + "]}");
  const Answer answer = run({"check", "zeros.json"}, within(10, 300));
  expect_refusal(answer);
  EXPECT_NE(answer.err.find("holds more than 2 million values"), std::string::npos) << answer.err;
  zeros.resize(400'000);
  write_text(scratch / "fewer.json", zeros + "]}");
  const Answer fewer = run({"check", "fewer.json"}, within(10, 300));
  expect_refusal(fewer);
  EXPECT_NE(fewer.err.find("/bodies: has "), std::string::npos) << fewer.err;
  write_text(scratch / "short.json", zeros.substr(0, 100'000) + "]}");
  const Answer few = run({"check", "short.json"}, within(10, 300));
  expect_refusal(few);
  EXPECT_NE(few.err.find("/bodies/0: expected an object"), std::string::npos) << few.err;
}

TEST_F(HostileFiles, more_bodies_than_there_may_be_are_refused_before_they_are_made) {
  std::string places;
  for (int i = 0; i < 60'000; ++i) places += i ? ",{}" : "{}";
  write_text(scratch / "many.json", fmt::format(R"({{"crumple": 1, "bodies": [{{"name": "a", "sphere": 1, "places": [{0}]}}, {{"name": "b", "sphere": 1, "places": [{0}]}}]}})", places));
  const Answer answer = run({"check", "many.json"}, within(10, 500));
  expect_refusal(answer);
  EXPECT_NE(answer.err.find("120000 bodies with all their places; there may be at most 100000"), std::string::npos) << answer.err;
}

TEST_F(HostileFiles, checks_take_time_in_proportion_to_the_file) {
  std::string assets, bodies, joints;
  for (int i = 0; i < 60'000; ++i) assets += fmt::format("{}\"a{}\": \"b.glb\"", i ? "," : "", i);
  for (int i = 0; i < 30'000; ++i) bodies += fmt::format("{}{{\"name\": \"b{}\", \"sphere\": 1}}", i ? "," : "", i);
  for (int i = 1; i < 30'000; ++i) joints += fmt::format("{}{{\"body\": \"b{}\", \"to\": \"b{}\"}}", i > 1 ? "," : "", i, i - 1);
  write_text(scratch / "large.json", fmt::format(R"({{"crumple": 1, "assets": {{{}}}, "bodies": [{}], "joints": [{}, {{"body": "b0", "to": "c"}}]}})", assets, bodies, joints));
  const Answer answer = run({"check", "large.json"}, within(10, 1500));
  expect_refusal(answer);
  EXPECT_NE(answer.err.find("there is no body \"c\""), std::string::npos) << answer.err;
}

TEST_F(HostileFiles, whole_numbers_in_a_glb_have_no_exponent) {
  ASSERT_EQ(run({"run", hostile("export_exponent.json"), "-o", "rec", "--quiet"}, within(30, 2000)).code, 0);
  ASSERT_EQ(run({"export", "rec", "-o", "a.glb", "--quiet"}, within(30, 2000)).code, 0);
  const std::string bytes = text_of(scratch / "a.glb");
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 12, 4);
  const std::string json = bytes.substr(20, length);
  EXPECT_NE(json.find("\"byteLength\":"), std::string::npos);
  EXPECT_FALSE(std::regex_search(json, std::regex("[0-9]e\\+"))) << "a reader of whole numbers refuses it";
}

TEST_F(HostileFiles, crowds_and_dust_take_bounded_work) {
  const Answer crowd = run({"run", hostile("spheres_2000_one_place.json"), "-o", "crowd", "--quiet"}, within(40, 2000));
  EXPECT_EQ(crowd.code, 0) << crowd.err;
  EXPECT_NE(crowd.out.find("times two parts were not looked at for contacts"), std::string::npos) << crowd.out;
  EXPECT_NE(text_of(scratch / "crowd" / "run.json").find("\"skipped_pairs\""), std::string::npos);
  const Answer post = run({"run", hostile("struct_4096_bars.json"), "-o", "post", "--quiet"}, within(40, 2000));
  EXPECT_EQ(post.code, 0) << post.err;
  EXPECT_EQ(run({"export", "post", "-o", "post.glb", "--quiet"}, within(15, 2000)).code, 0);
  for (const char* name : {"soft_under_1e9", "clusters_tear_all"}) {
    EXPECT_EQ(run({"run", hostile(std::string(name) + ".json"), "-o", name, "--quiet"}, within(40, 2000)).code, 0) << name;
    const Answer drawn = run({"export", name, "-o", "a.obj", "--quiet"}, within(20, 2000));
    EXPECT_EQ(drawn.code, 0) << name;
    EXPECT_NE(drawn.err.find("further cracks are drawn between its particles"), std::string::npos) << drawn.err;
  }
}

}  // namespace
}  // namespace crumple

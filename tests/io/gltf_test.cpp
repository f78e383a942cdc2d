#include "crumple/io/gltf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "crumple/io/files.h"

namespace crumple::io {
namespace {

struct Sample {
  GltfDocument document;
  size_t positions, triangles, wide, sparse, joints, matrices, times;
};

Sample sample() {
  GltfBuilder builder("test");
  Sample sample;
  const std::vector<Vec3f> points = {{0, 1, 2}, {-3, 4, 5}, {6, -7, 8}};
  const std::vector<Triangle> triangles = {{0, 1, 2}};
  const std::vector<uint32_t> wide = {0, 70000, 1};
  const std::vector<uint32_t> rows = {1, 300};
  const std::vector<Vec3f> moved = {{1, 2, 3}, {4, 5, 6}};
  const std::vector<std::array<uint16_t, 4>> joints = {{1, 2, 3, 4}};
  const std::vector<Eigen::Matrix4f> matrices = {Eigen::Matrix4f::Identity()};
  const std::vector<float> times = {0, 0.5f, 2};
  sample.positions = builder.add_positions(points);
  sample.triangles = builder.add_triangles(triangles);
  sample.wide = builder.add_indices(wide);
  sample.sparse = builder.add_moves(400, rows, moved);
  sample.joints = builder.add_joints(joints);
  sample.matrices = builder.add_matrices(matrices);
  sample.times = builder.add_scalars(times);
  sample.document = std::move(builder).finish();
  return sample;
}

Json& accessor(Sample& sample, size_t index) {
  return sample.document.json["accessors"].items[index];
}

/// What reading positions complains about, or nothing.
std::string complaint(const Sample& sample, size_t index, int components) {
  const Result<std::vector<float>> read = read_floats(sample.document, index, components);
  return read ? "" : read.error().text;
}

TEST(Gltf, reads_back_what_it_built) {
  const Sample built = sample();
  const Result<std::string> bytes = write_glb(built.document);
  ASSERT_TRUE(bytes);
  const Result<GltfDocument> document = parse_glb(*bytes, "a.glb");
  ASSERT_TRUE(document) << document.error().text;
  EXPECT_EQ(*read_floats(*document, built.positions, 3), (std::vector<float>{0, 1, 2, -3, 4, 5, 6, -7, 8}));
  EXPECT_EQ(*read_indices(*document, built.triangles), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(*read_indices(*document, built.wide), (std::vector<uint32_t>{0, 70000, 1}));
  EXPECT_EQ(*read_indices(*document, built.joints, 4), (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(read_floats(*document, built.matrices, 16)->at(5), 1);
  EXPECT_EQ(*read_floats(*document, built.times, 1), (std::vector<float>{0, 0.5f, 2}));
}

TEST(Gltf, fills_in_sparse_accessors) {
  const Sample built = sample();
  const Result<std::vector<float>> values = read_floats(built.document, built.sparse, 3);
  ASSERT_TRUE(values) << values.error().text;
  ASSERT_EQ(values->size(), 1200u);
  EXPECT_EQ((*values)[2], 0);
  EXPECT_EQ((*values)[3], 1);
  EXPECT_EQ((*values)[902], 6);
}

TEST(Gltf, gives_bounds_of_positions) {
  Sample built = sample();
  EXPECT_EQ(accessor(built, built.positions)["min"].items[1].number, -7);
  EXPECT_EQ(accessor(built, built.positions)["max"].items[0].number, 6);
}

TEST(Gltf, keeps_every_view_aligned) {
  Sample built = sample();
  for (const Json& view : built.document.json["bufferViews"].items) EXPECT_EQ(std::fmod(view.find("byteOffset")->number, 4), 0);
}

TEST(Gltf, reads_normalized_and_interleaved_numbers) {
  Sample built = sample();
  built.document.buffer = {std::byte{255}, std::byte{0}, std::byte{51}, std::byte{9}, std::byte{0}, std::byte{255}};
  built.document.json["bufferViews"].items[0] = Json::object({{"buffer", 0}, {"byteLength", 6}, {"byteStride", 4}});
  Json& colors = accessor(built, built.positions);
  colors = Json::object({{"bufferView", 0}, {"componentType", 5121}, {"normalized", true}, {"count", 2}, {"type", "VEC2"}});
  EXPECT_EQ(*read_floats(built.document, built.positions, 2), (std::vector<float>{1, 0, 0, 1}));
}

TEST(Gltf, refuses_accessors_that_leave_the_buffer) {
  for (const double count : {4.0, 1e6, 5e9, 9e15}) {
    Sample built = sample();
    accessor(built, built.positions)["count"] = count;
    EXPECT_NE(complaint(built, built.positions, 3), "") << count;
  }
  for (const char* key : {"byteOffset", "byteLength"}) {
    for (const double value : {1e4, 1e6, 9e15, 1.8e19, -1.0, 0.5}) {
      Sample built = sample();
      built.document.json["bufferViews"].items[0][key] = value;
      const std::string text = complaint(built, built.positions, 3);
      EXPECT_NE(text, "") << key << " " << value;
    }
  }
  Sample built = sample();
  accessor(built, built.positions)["byteOffset"] = 4;
  EXPECT_NE(complaint(built, built.positions, 3).find("do not fit into its buffer view"), std::string::npos);
}

TEST(Gltf, names_the_accessor_in_complaints) {
  Sample built = sample();
  built.document.name = "car.glb";
  EXPECT_EQ(complaint(built, built.positions, 4), "car.glb: /accessors/0: should be of type VEC4, but is VEC3");
  EXPECT_EQ(complaint(built, 99, 3), "car.glb: a reader: asks for /accessors/99, but there are 7");
  accessor(built, built.positions)["bufferView"] = 55;
  EXPECT_EQ(complaint(built, built.positions, 3), "car.glb: /accessors/0: asks for /bufferViews/55, but there are 8");
}

TEST(Gltf, refuses_numbers_that_are_not_finite) {
  Sample built = sample();
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(built.document.buffer.data() + 16, &bad, sizeof bad);
  EXPECT_NE(complaint(built, built.positions, 3).find("row 1 is not a finite number"), std::string::npos);
}

TEST(Gltf, refuses_strange_types_and_strides) {
  Sample built = sample();
  accessor(built, built.positions)["componentType"] = 5124;
  EXPECT_NE(complaint(built, built.positions, 3).find("componentType"), std::string::npos);
  accessor(built, built.positions)["componentType"] = 5126;
  built.document.json["bufferViews"].items[0]["byteStride"] = 0;
  EXPECT_NE(complaint(built, built.positions, 3).find("byteStride 0"), std::string::npos);
  EXPECT_FALSE(read_indices(built.document, built.times));
}

TEST(Gltf, refuses_wrong_sparse_parts) {
  for (const double count : {0.0, 3.0, 401.0, 1e12}) {
    Sample built = sample();
    accessor(built, built.sparse)["sparse"]["count"] = count;
    EXPECT_NE(complaint(built, built.sparse, 3), "") << count;
  }
  Sample built = sample();
  accessor(built, built.sparse)["count"] = 200;  // row 300 is then outside
  EXPECT_NE(complaint(built, built.sparse, 3).find("out of range"), std::string::npos);
}

TEST(Gltf, needs_no_memory_for_a_huge_empty_accessor) {
  Sample built = sample();
  accessor(built, built.positions) = Json::object({{"componentType", 5126}, {"count", 4e9}, {"type", "VEC3"}});
  EXPECT_NE(complaint(built, built.positions, 3).find("more than can be read"), std::string::npos);
}

TEST(Gltf, fails_well_when_cut_off_anywhere) {
  const std::string bytes = *write_glb(sample().document);
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Result<GltfDocument> document = parse_glb(std::string_view(bytes).substr(0, length), "a.glb");
    ASSERT_FALSE(document) << length;
    EXPECT_TRUE(document.error().text.starts_with("a.glb: ")) << document.error().text;
  }
}

TEST(Gltf, never_crashes_on_a_changed_byte) {
  const Sample built = sample();
  const std::string bytes = *write_glb(built.document);
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {1, 128, 255}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const Result<GltfDocument> document = parse_glb(changed, "a.glb");
      if (!document) continue;
      for (const size_t index : {built.positions, built.sparse}) (void)read_floats(*document, index, 3);
      for (const size_t index : {built.triangles, built.wide}) (void)read_indices(*document, index);
    }
  }
}

void put_word(std::string& bytes, size_t at, uint32_t word) {
  std::memcpy(bytes.data() + at, &word, sizeof word);
}

TEST(Gltf, refuses_lying_headers) {
  const std::string good = *write_glb(sample().document);
  const struct {
    size_t at;
    uint32_t word;
    const char* complaint;
  } lies[] = {{0, 0x12345678, "does not start with \"glTF\""},
              {4, 1, "version 1"},
              {8, 0xFFFFFFFF, "claims 4294967295 bytes"},
              {8, 12, "claims 12 bytes"},
              {12, 0xFFFFFFF0, "chunk 0 claims"},
              {16, 0x004E4942, "first chunk is not JSON"}};
  for (const auto& lie : lies) {
    std::string bytes = good;
    put_word(bytes, lie.at, lie.word);
    const Result<GltfDocument> document = parse_glb(bytes, "a.glb");
    ASSERT_FALSE(document);
    EXPECT_NE(document.error().text.find(lie.complaint), std::string::npos) << document.error().text;
  }
}

TEST(Gltf, refuses_what_needs_extensions_it_does_not_know) {
  Sample built = sample();
  built.document.json["extensionsRequired"] = Json::array({"KHR_future_compression"});
  const Result<GltfDocument> document = parse_glb(*write_glb(built.document), "a.glb");
  ASSERT_FALSE(document);
  EXPECT_NE(document.error().text.find("KHR_future_compression"), std::string::npos);
}

TEST(Gltf, refuses_objects_without_end) {
  Sample built = sample();
  for (int i = 0; i < 2000; ++i) built.document.json["extras"][std::to_string(i)] = i;
  EXPECT_NE(parse_glb(*write_glb(built.document), "a.glb").error().text.find("too many members"), std::string::npos);
}

class GltfText : public testing::Test {
 protected:
  Result<GltfDocument> read(const std::string& uri, size_t length) {
    const std::string text = R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":)" + std::to_string(length) + R"(,"uri":")" + uri + "\"}]}";
    EXPECT_TRUE(write_file(folder_ / "text_form.gltf", text));
    return read_gltf(folder_ / "text_form.gltf");
  }
  void SetUp() override {
    folder_ /= testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  std::filesystem::path folder_ = testing::TempDir();
};

TEST_F(GltfText, has_its_buffer_inside) {
  const Result<GltfDocument> document = read("data:application/octet-stream;base64,AQID/w==", 4);
  ASSERT_TRUE(document) << document.error().text;
  EXPECT_EQ(document->buffer, (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{255}}));
}

TEST_F(GltfText, has_its_buffer_beside_it) {
  ASSERT_TRUE(write_file(folder_ / "text_form.bin", "abcd"));
  const Result<GltfDocument> document = read("text_form.bin", 3);
  ASSERT_TRUE(document) << document.error().text;
  EXPECT_EQ(document->buffer.size(), 3u);
}

TEST_F(GltfText, refuses_damaged_and_distant_buffers) {
  for (const char* uri : {"data:application/octet-stream;base64,AQ!D", "data:application/octet-stream;base64,AQIDA", "data:text/plain,abc",
                          "data:", "", "../secret.bin", "/etc/passwd", "http://x/y.bin", "not there.bin"}) {
    const Result<GltfDocument> document = read(uri, 3);
    ASSERT_FALSE(document) << uri;
    EXPECT_NE(document.error().text.find("save as binary glTF (.glb)"), std::string::npos) << document.error().text;
  }
  EXPECT_FALSE(read("data:application/octet-stream;base64,AQID", 4));
}

}  // namespace
}  // namespace crumple::io

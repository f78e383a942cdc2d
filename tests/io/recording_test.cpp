#include "crumple/io/recording.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "crumple/io/files.h"
#include "crumple/io/recording_arrays.h"

namespace crumple::io {
namespace {
namespace fs = std::filesystem;

/// A folder that is gone after the test.
class Recording : public testing::Test {
 protected:
  Recording() : folder_(fs::temp_directory_path() / ("crumple_recording_" + std::to_string(getpid()))) { fs::create_directories(folder_); }
  ~Recording() override { fs::remove_all(folder_); }
  fs::path path(const char* name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

/// Everything there is at one frame; kept so that readings can be compared with it.
using Moment = ArrayStore;

std::vector<ArrayView> views(const Moment& moment) {
  std::vector<ArrayView> result;
  for (const auto& [name, array] : moment) result.push_back({name, array.row_bytes, array.data});
  return result;
}

StoredArray floats(const std::vector<float>& values, size_t per_row) {
  StoredArray array{per_row * sizeof(float), std::vector<std::byte>(values.size() * sizeof(float))};
  if (!values.empty()) std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

/// Arrays whose rows change now and then, that grow and shrink, that come and go, that are empty, or change their row size.
Moment moment_of(int frame) {
  Moment moment;
  for (int body = 0; body < 4; ++body) {
    const std::string name = "drum " + std::to_string(body);
    std::vector<float> places(12);
    for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<float>(frame) + static_cast<float>(i) * 0.37f;
    moment[name + "/place"] = floats(places, 12);
    std::vector<float> weights(300, 0.0f);
    for (int hit = 0; hit <= frame; hit += 3) weights[static_cast<size_t>((hit * 17 + body * 31) % 100) * 3] += 0.125f;
    moment[name + "/examples/weights"] = floats(weights, 3);
  }
  moment["empty"] = {};
  moment["never rows"] = floats({}, 2);
  moment["pieces"] = floats(std::vector<float>(static_cast<size_t>(frame % 7), 1.5f), 1);
  if (frame % 5 < 2) moment["now and then"] = floats({1, 2, static_cast<float>(frame)}, 1);
  moment["reshaped"] = floats({1, 2, 3, 4, 5, 6}, frame % 2 ? 2 : 3);
  return moment;
}

bool same(const ArrayStore& a, const ArrayStore& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.row_bytes == y.second.row_bytes && x.second.data == y.second.data;
  });
}

Json header() {
  return Json::object({{"scene", "dock"}, {"fps", 24}});
}

void append(RecordingWriter& writer, int first, int last, int checkpoint_every) {
  for (int frame = first; frame <= last; ++frame) {
    ASSERT_TRUE(writer.append_frame(frame, frame / 24.0, views(moment_of(frame))));
    if (checkpoint_every && frame % checkpoint_every == 0) {
      ASSERT_TRUE(writer.append_checkpoint(frame, Json::object({{"step", frame * 8}}), views(moment_of(frame + 1000))));
    }
  }
}

void record(const fs::path& file, int frames, int checkpoint_every) {
  auto writer = RecordingWriter::create(file, header());
  ASSERT_TRUE(writer);
  append(*writer, 0, frames - 1, checkpoint_every);
  ASSERT_TRUE(writer->finish());
}

std::string bytes_of(const fs::path& file) {
  auto bytes = read_file(file);
  return bytes ? *bytes : std::string();
}

TEST_F(Recording, returns_every_frame_as_it_was) {
  record(path("a"), 200, 30);
  auto reader = RecordingReader::open(path("a"));
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->was_torn());
  EXPECT_EQ(reader->header().find("scene")->text, "dock");
  ASSERT_EQ(reader->frames().size(), 200u);
  for (int frame : reader->frames()) {
    auto state = reader->state_at(frame);
    ASSERT_TRUE(state);
    EXPECT_TRUE(same(**state, moment_of(frame))) << frame;
    EXPECT_DOUBLE_EQ(reader->time(frame), frame / 24.0);
  }
}

TEST_F(Recording, can_be_read_backwards_and_in_leaps) {
  record(path("a"), 200, 0);
  auto reader = RecordingReader::open(path("a"));
  ASSERT_TRUE(reader);
  for (int frame = 199; frame >= 0; --frame) EXPECT_TRUE(same(**reader->state_at(frame), moment_of(frame))) << frame;
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(same(**reader->state_at(i * 67 % 200), moment_of(i * 67 % 200)));
  EXPECT_FALSE(reader->state_at(200));
  EXPECT_FALSE(reader->state_at(-1));
}

TEST_F(Recording, keeps_checkpoints_with_their_notes) {
  record(path("a"), 41, 20);
  auto reader = RecordingReader::open(path("a"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->checkpoints(), (std::vector<int>{0, 20, 40}));
  auto checkpoint = reader->checkpoint(20);
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->note.find("step")->number, 160);
  EXPECT_TRUE(same(checkpoint->arrays, moment_of(1020)));
  EXPECT_FALSE(reader->checkpoint(21));
}

TEST_F(Recording, may_hold_no_frames_at_all) {
  record(path("a"), 0, 0);
  auto reader = RecordingReader::open(path("a"));
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->frames().empty());
  EXPECT_FALSE(reader->was_torn());
}

TEST_F(Recording, stores_only_rows_that_changed) {
  std::vector<double> values(3 * 100000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i) * i);
  auto writer = RecordingWriter::create(path("a"), header());
  ASSERT_TRUE(writer);
  const auto view = [&] { return std::vector<ArrayView>{{"x", 3 * sizeof(double), std::as_bytes(std::span(values))}}; };
  ASSERT_TRUE(writer->append_frame(0, 0, view()));
  const auto whole = fs::file_size(path("a"));
  for (int frame = 1; frame < 50; ++frame) {
    values[static_cast<size_t>(frame) * 999] += 1;
    ASSERT_TRUE(writer->append_frame(frame, frame, view()));
  }
  EXPECT_LT(fs::file_size(path("a")) - whole, 49u * 120u);
}

TEST_F(Recording, drops_a_torn_last_chunk_wherever_it_was_cut) {
  record(path("a"), 3, 0);
  const std::string three = bytes_of(path("a"));
  record(path("b"), 4, 0);
  const std::string four = bytes_of(path("b"));
  ASSERT_EQ(four.substr(0, three.size()), three);
  for (size_t size = three.size(); size < four.size(); ++size) {
    ASSERT_TRUE(write_file(path("c"), std::string_view(four).substr(0, size)));
    auto reader = RecordingReader::open(path("c"));
    ASSERT_TRUE(reader);
    ASSERT_EQ(reader->frames().size(), 3u);
    ASSERT_EQ(reader->was_torn(), size > three.size());
    ASSERT_TRUE(same(**reader->state_at(2), moment_of(2)));
  }
}

TEST_F(Recording, never_returns_wrong_data_after_a_flipped_bit) {
  record(path("a"), 5, 2);
  const std::string good = bytes_of(path("a"));
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    ASSERT_TRUE(write_file(path("b"), bad));
    auto reader = RecordingReader::open(path("b"));
    if (!reader) continue;
    ASSERT_TRUE(reader->was_torn()) << at;
    for (int frame : reader->frames()) ASSERT_TRUE(same(**reader->state_at(frame), moment_of(frame)));
    for (int frame : reader->checkpoints()) ASSERT_TRUE(same(reader->checkpoint(frame)->arrays, moment_of(frame + 1000)));
  }
}

TEST_F(Recording, is_the_same_byte_for_byte_when_it_was_interrupted) {
  for (int checkpoint_every : {0, 25}) {
    record(path("a"), 150, checkpoint_every);
    const std::string uninterrupted = bytes_of(path("a"));
    for (int frame : {0, 1, 25, 49, 50, 63, 64, 65, 127, 148, 149}) {
      ASSERT_TRUE(write_file(path("b"), uninterrupted + "torn"));
      auto writer = RecordingWriter::continue_after(path("b"), frame);
      ASSERT_TRUE(writer) << writer.error().text;
      append(*writer, frame + 1, 149, checkpoint_every);
      ASSERT_TRUE(writer->finish());
      EXPECT_EQ(bytes_of(path("b")), uninterrupted) << frame;
    }
  }
}

TEST_F(Recording, continues_only_after_a_frame_it_holds) {
  record(path("a"), 5, 0);
  EXPECT_FALSE(RecordingWriter::continue_after(path("a"), 5));
  EXPECT_FALSE(RecordingWriter::continue_after(path("a"), -1));
  EXPECT_FALSE(RecordingWriter::continue_after(path("missing"), 0));
  EXPECT_EQ(RecordingReader::open(path("a"))->frames().size(), 5u) << "a refused continuation cuts nothing";
}

TEST_F(Recording, refuses_what_it_cannot_keep) {
  auto writer = RecordingWriter::create(path("a"), header());
  ASSERT_TRUE(writer);
  const std::vector<std::byte> data(12);
  EXPECT_FALSE(writer->append_frame(0, 0, std::vector<ArrayView>{{"x", 5, data}})) << "half a row";
  EXPECT_FALSE(writer->append_frame(0, 0, std::vector<ArrayView>{{"x", 0, data}})) << "rows of nothing";
  EXPECT_FALSE(writer->append_frame(0, 0, std::vector<ArrayView>{{"x", 4, data}, {"x", 4, data}})) << "a name twice";
  EXPECT_FALSE(writer->append_frame(0, NAN, {})) << "no time";
  EXPECT_TRUE(writer->append_frame(7, 0, {}));
  EXPECT_FALSE(writer->append_frame(7, 1, {})) << "a frame twice";
  EXPECT_TRUE(writer->append_checkpoint(7, {}, {}));
  EXPECT_FALSE(writer->append_checkpoint(7, {}, {})) << "a checkpoint twice";
  EXPECT_FALSE(RecordingWriter::create(path("a"), header())) << "while it is being written";
  EXPECT_TRUE(writer->finish());
  EXPECT_FALSE(writer->append_frame(8, 1, {})) << "after the end";
}

TEST_F(Recording, says_so_when_it_was_written_by_a_newer_program_or_is_none) {
  record(path("a"), 1, 0);
  std::string bytes = bytes_of(path("a"));
  bytes[8] = 2;
  ASSERT_TRUE(write_file(path("b"), bytes));
  auto reader = RecordingReader::open(path("b"));
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().text.find("version 2"), std::string::npos);
  ASSERT_TRUE(write_file(path("b"), "solid drum"));
  EXPECT_FALSE(RecordingReader::open(path("b")));
  ASSERT_TRUE(write_file(path("b"), ""));
  EXPECT_FALSE(RecordingReader::open(path("b")));
  EXPECT_FALSE(RecordingReader::open(path("missing")));
  EXPECT_FALSE(RecordingReader::open(path("")));
}

TEST_F(Recording, stays_good_when_the_disk_is_full) {
  record(path("a"), 3, 0);
  auto writer = RecordingWriter::continue_after(path("a"), 2);
  ASSERT_TRUE(writer);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{fs::file_size(path("a")) + 60, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  const auto full = writer->append_frame(3, 3 / 24.0, views(moment_of(3)));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, Error::Kind::System);
  EXPECT_NE(full.error().text.find(path("a").string()), std::string::npos);
  auto reader = RecordingReader::open(path("a"));
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->was_torn());
  EXPECT_EQ(reader->frames().size(), 3u);
  append(*writer, 3, 5, 0);
  ASSERT_TRUE(writer->finish());
  record(path("b"), 6, 0);
  EXPECT_EQ(bytes_of(path("a")), bytes_of(path("b"))) << "and goes on once there is room again";
}

TEST_F(Recording, survives_forged_changes_whose_checksums_are_right) {
  Bytes good;
  write_changes(moment_of(3), views(moment_of(11)), good);
  uint32_t noise = 1;
  const auto draw = [&](size_t below) { return ((noise = noise * 1664525u + 1013904223u) >> 8) % below; };
  for (int round = 0; round < 20000; ++round) {
    Bytes bad = good;
    for (size_t i = 0; i <= draw(4); ++i) bad[draw(bad.size())] = static_cast<std::byte>(draw(256));
    bad.resize(bad.size() - (draw(2) ? draw(bad.size()) : 0));
    ArrayStore store = moment_of(3);
    if (!apply_changes(bad, store)) continue;
    for (const auto& [name, array] : store) ASSERT_TRUE(array.row_bytes == 0 ? array.data.empty() : array.data.size() % array.row_bytes == 0);
  }
}

TEST_F(Recording, is_quick_with_much_state) {
  std::vector<float> values(5 << 18);  // 5 MB
  uint32_t noise = 1;
  auto writer = RecordingWriter::create(path("a"), header());
  ASSERT_TRUE(writer);
  for (int frame = 0; frame < 50; ++frame) {
    for (float& value : values) value = static_cast<float>((noise = noise * 1664525u + 1013904223u) >> 8) * 1e-7f;
    ASSERT_TRUE(
        writer->append_frame(frame, frame, std::vector<ArrayView>{{"x", 12, std::as_bytes(std::span(values)).first(values.size() * 4 / 12 * 12)}}));
  }
  ASSERT_TRUE(writer->finish());
  auto reader = RecordingReader::open(path("a"));
  ASSERT_TRUE(reader);
  for (int frame : reader->frames()) ASSERT_TRUE(reader->state_at(frame));
  const auto& last = (*reader->state_at(49))->at("x").data;
  EXPECT_EQ(std::memcmp(last.data(), values.data(), last.size()), 0);
}

}  // namespace
}  // namespace crumple::io

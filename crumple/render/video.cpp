#include "crumple/render/video.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/process.h"
#include "crumple/io/files.h"

extern char** environ;

namespace crumple::render {
namespace fs = std::filesystem;

struct VideoWriter::Encoder {
  fs::path file;
  std::optional<io::AtomicFile> output;  // what ffmpeg writes
  Doomed doomed;                         // ffmpeg itself
  int width = 0, height = 0;  // of the pictures
  int even_width = 0, even_height = 0;
  pid_t process = -1;
  int channel = -1;                 // a socket rather than a pipe: writing to it when ffmpeg has died is an error and no SIGPIPE
  std::FILE* complaints = nullptr;  // what ffmpeg writes to stderr
  std::vector<uint8_t> row;
  int pictures = 0;

  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder();

  Error start(double fps);
  bool send_row();
  int wait_for_end();
  std::string last_complaint() const;
  bool is_whole() const;
  Error failed(const char* what) const {
    const std::string complaint = last_complaint();
    return system_error(fmt::format("{}: {}: {}", file.string(), what, complaint.empty() ? "the film is not complete; is the disk full?" : complaint));
  }
};

namespace {

constexpr int kLongestVideoSide = 16384;

std::vector<std::string> arguments_of(const fs::path& temporary, int width, int height, double fps) {
  // "file:" keeps names with colons or a leading dash from meaning anything else to ffmpeg.
  return {"ffmpeg",
          "-y",
          "-hide_banner",
          "-loglevel",
          "error",
          "-nostdin",
          "-f",
          "rawvideo",
          "-pix_fmt",
          "rgb24",
          "-s",
          fmt::format("{}x{}", width, height),
          "-framerate",
          fmt::format("{:.6f}", fps),
          "-i",
          "pipe:0",
          "-an",
          "-vf",
          "scale=out_color_matrix=bt709:out_range=tv",
          "-c:v",
          "libx264",
          "-preset",
          "medium",
          "-crf",
          "20",
          "-pix_fmt",
          "yuv420p",
          "-colorspace",
          "bt709",
          "-color_primaries",
          "bt709",
          "-color_trc",
          "bt709",
          "-color_range",
          "tv",
          "-movflags",
          "+faststart",
          "-f",
          "mp4",
          "file:" + temporary.string()};
}

/// Starts the program with our socket as its input; its stdout goes nowhere and its stderr to a file of ours.
int spawn(const std::vector<std::string>& arguments, int input, int complaints, pid_t& process) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, complaints, STDERR_FILENO);
  // A group of its own: Ctrl-C reaches us alone, and we decide what becomes of the video.
  // Signals that we ignore mean to it what they usually do.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int trouble = posix_spawnp(&process, pointers[0], &files, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return trouble;
}

}  // namespace

VideoWriter::Encoder::~Encoder() {
  if (channel >= 0) close(channel);
  if (process > 0) {
    kill(process, SIGKILL);
    wait_for_end();
  }
  if (complaints) std::fclose(complaints);
}

/// Text is empty if all went well.
Error VideoWriter::Encoder::start(double fps) {
  const auto fail = [&](const char* doing, int code) { return system_error(fmt::format("{}: {}: {}", file.string(), doing, std::strerror(code))); };
  complaints = std::tmpfile();
  if (!complaints) return fail("no temporary file for ffmpeg's messages", errno);
  fcntl(fileno(complaints), F_SETFD, FD_CLOEXEC);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail("no channel to ffmpeg", errno);
  channel = ends[0];
  const int trouble = spawn(arguments_of(output->temporary(), even_width, even_height, fps), ends[1], fileno(complaints), process);
  close(ends[1]);
  if (trouble == 0) {
    doomed = Doomed(process);
    return {};
  }
  process = -1;
  if (trouble == ENOENT) {
    return system_error(fmt::format(
        "{}: the program ffmpeg, which makes the video, was not found; install it (apt install ffmpeg) or ask for pictures", file.string()));
  }
  return fail("ffmpeg cannot be started", trouble);
}

bool VideoWriter::Encoder::send_row() {
  size_t sent = 0;
  while (sent < row.size()) {
    const ssize_t now = send(channel, row.data() + sent, row.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    sent += static_cast<size_t>(now);
  }
  return true;
}

/// The exit code of ffmpeg, or -1 if it did not end by itself.
int VideoWriter::Encoder::wait_for_end() {
  int status = 0;
  pid_t ended;
  do {
    ended = waitpid(process, &status, 0);
  } while (ended < 0 && errno == EINTR);
  process = -1;
  doomed.spare();
  return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string VideoWriter::Encoder::last_complaint() const {
  char text[1024] = {};
  std::rewind(complaints);
  const size_t size = std::fread(text, 1, sizeof(text) - 1, complaints);
  std::string line(text, size);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  for (char& character : line) {
    if (character == '\n') character = ' ';
  }
  return line;
}

/// ffmpeg may answer 0 although the disk was full. A film is whole if its boxes fill the file exactly and one of them is the index.
bool VideoWriter::Encoder::is_whole() const {
  const Result<io::FileHandle> film = io::open_to_read(output->temporary());
  std::error_code failed;
  const uint64_t end = fs::file_size(output->temporary(), failed);
  if (!film || failed) return false;
  bool has_index = false;
  uint64_t at = 0;
  while (at + 16 <= end) {
    std::array<std::byte, 16> head;
    if (!film->read_at(at, head)) return false;
    const auto number = [&](size_t from, size_t bytes) {
      uint64_t value = 0;
      for (size_t i = from; i < from + bytes; ++i) value = value << 8 | static_cast<uint64_t>(head[i]);
      return value;
    };
    const uint64_t size = number(0, 4) == 1 ? number(8, 8) : number(0, 4);
    has_index = has_index || std::memcmp(&head[4], "moov", 4) == 0;
    if (size < 8 || size > end - at) return false;
    at += size;
  }
  return has_index && at == end;
}

VideoWriter::VideoWriter(std::unique_ptr<Encoder> encoder) : encoder_(std::move(encoder)) {}
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;
VideoWriter::~VideoWriter() = default;

Result<VideoWriter> VideoWriter::create(const fs::path& file, int width, int height, double fps) {
  if (width < 1 || height < 1 || width > kLongestVideoSide || height > kLongestVideoSide) {
    return input_error(fmt::format("{}: a video of {} x {} pixels; each side must be within 1 .. {}", file.string(), width, height, kLongestVideoSide));
  }
  if (!(fps >= 0.01 && fps <= 1000)) return input_error(fmt::format("{}: {} frames per second; must be within 0.01 .. 1000", file.string(), fps));
  const fs::path folder = file.parent_path();
  std::error_code ignored;
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return input_error(fmt::format("{}: there is no folder {}", file.string(), folder.string()));
  auto encoder = std::make_unique<Encoder>();
  Result<io::AtomicFile> output = io::AtomicFile::create(file);
  if (!output) return output.error();
  encoder->file = file;
  encoder->output.emplace(std::move(*output));
  encoder->width = width, encoder->height = height;
  encoder->even_width = width + width % 2, encoder->even_height = height + height % 2;
  encoder->row.resize(size_t{3} * encoder->even_width);
  if (Error error = encoder->start(fps); !error.text.empty()) return error;
  return VideoWriter(std::move(encoder));
}

Result<void> VideoWriter::add(const io::Image& image) {
  if (!encoder_ || encoder_->channel < 0) return system_error("a picture came after the end of its video");
  Encoder& encoder = *encoder_;
  if (image.width != encoder.width || image.height != encoder.height) {
    return input_error(fmt::format("{}: a picture of {} x {} pixels in a video of {} x {}", encoder.file.string(), image.width, image.height,
                                   encoder.width, encoder.height));
  }
  for (int y = 0; y < encoder.even_height; ++y) {
    const uint8_t* pixels = image.pixel(0, std::min(y, image.height - 1));
    std::memcpy(encoder.row.data(), pixels, size_t{3} * image.width);
    if (encoder.even_width > image.width) std::memcpy(encoder.row.data() + size_t{3} * image.width, pixels + size_t{3} * (image.width - 1), 3);
    if (encoder.send_row()) continue;
    close(encoder.channel);
    encoder.channel = -1;
    encoder.wait_for_end();
    return encoder.failed("ffmpeg stopped");
  }
  ++encoder.pictures;
  return {};
}

Result<void> VideoWriter::finish() {
  if (!encoder_ || encoder_->channel < 0) return system_error("a video was finished twice");
  Encoder& encoder = *encoder_;
  if (encoder.pictures == 0) return input_error(fmt::format("{}: a video needs at least one picture", encoder.file.string()));
  close(encoder.channel);
  encoder.channel = -1;
  if (encoder.wait_for_end() != 0 || !encoder.last_complaint().empty() || !encoder.is_whole()) return encoder.failed("ffmpeg failed");
  return encoder.output->finish();
}

}  // namespace crumple::render

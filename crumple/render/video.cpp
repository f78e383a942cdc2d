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
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/process.h"
#include "crumple/io/files.h"
#include "crumple/render/canvas.h"

extern char** environ;

namespace crumple::render {
namespace fs = std::filesystem;

enum class FilmKind { Mp4, Gif, WebP };

struct VideoWriter::Encoder {
  fs::path file;
  FilmKind kind = FilmKind::Mp4;
  std::optional<io::AtomicFile> output;  // what ffmpeg writes
  Doomed doomed;                         // ffmpeg itself
  int width = 0, height = 0;  // of the pictures
  int sent_width = 0, sent_height = 0;
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
  Result<void> send_picture(int width_, int height_, const std::function<void(int row, uint8_t* rgba)>& read);
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

void add_to(std::vector<std::string>& arguments, std::initializer_list<const char*> more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

std::vector<std::string> arguments_of(FilmKind kind, const fs::path& temporary, int width, int height, double fps) {
  std::vector<std::string> arguments = {"ffmpeg", "-y", "-hide_banner", "-loglevel", "error", "-nostdin", "-f", "rawvideo", "-pix_fmt", "rgba"};
  arguments.insert(arguments.end(), {"-s", fmt::format("{}x{}", width, height), "-framerate", fmt::format("{:.6f}", fps), "-i", "pipe:0", "-an"});
  switch (kind) {
    case FilmKind::Mp4:
      add_to(arguments, {"-vf", "scale=out_color_matrix=bt709:out_range=tv", "-c:v", "libx264", "-preset", "medium", "-crf", "20", "-pix_fmt", "yuv420p"});
      add_to(arguments, {"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", "-movflags", "+faststart", "-f", "mp4"});
      break;
    case FilmKind::Gif:  // delays are hundredths of a second, and players take less than two for ten
      arguments.insert(arguments.end(), {"-vf", fmt::format("{}split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse=dither=none:alpha_threshold=128", fps > 50 ? "fps=50," : "")});
      add_to(arguments, {"-loop", "0", "-f", "gif"});
      break;
    case FilmKind::WebP:
      add_to(arguments, {"-c:v", "libwebp_anim", "-lossless", "1", "-loop", "0", "-f", "webp"});
      break;
  }
  arguments.push_back("file:" + temporary.string());  // "file:" keeps names with colons or a leading dash from meaning anything else to ffmpeg
  return arguments;
}

std::optional<FilmKind> kind_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".mp4") return FilmKind::Mp4;
  if (extension == ".gif") return FilmKind::Gif;
  if (extension == ".webp") return FilmKind::WebP;
  return std::nullopt;
}

uint64_t number_in(std::span<const std::byte> bytes, bool biggest_first) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value = value << 8 | static_cast<uint64_t>(bytes[biggest_first ? i : bytes.size() - 1 - i]);
  return value;
}

/// Its boxes fill the file exactly, and one of them is the index.
bool is_whole_mp4(const io::FileHandle& film, uint64_t end) {
  bool has_index = false;
  uint64_t at = 0;
  while (at + 16 <= end) {
    std::array<std::byte, 16> head;
    if (!film.read_at(at, head)) return false;
    const std::span<const std::byte> all = head;
    const uint64_t size = number_in(all.first(4), true) == 1 ? number_in(all.subspan(8, 8), true) : number_in(all.first(4), true);
    has_index = has_index || std::memcmp(&head[4], "moov", 4) == 0;
    if (size < 8 || size > end - at) return false;
    at += size;
  }
  return has_index && at == end;
}

bool is_whole_gif(const io::FileHandle& film, uint64_t end) {
  std::array<std::byte, 4> head;
  std::array<std::byte, 1> tail;
  return end > 14 && film.read_at(0, head) && film.read_at(end - 1, tail) && std::memcmp(head.data(), "GIF8", 4) == 0 && tail[0] == std::byte{0x3b};
}

bool is_whole_webp(const io::FileHandle& film, uint64_t end) {
  std::array<std::byte, 12> head;
  if (end < 20 || !film.read_at(0, head)) return false;
  return std::memcmp(head.data(), "RIFF", 4) == 0 && std::memcmp(&head[8], "WEBP", 4) == 0 && number_in(std::span<const std::byte>(head).subspan(4, 4), false) + 8 == end;
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
  const int trouble = spawn(arguments_of(kind, output->temporary(), sent_width, sent_height, fps), ends[1], fileno(complaints), process);
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

/// ffmpeg may answer 0 although the disk was full.
bool VideoWriter::Encoder::is_whole() const {
  const Result<io::FileHandle> film = io::open_to_read(output->temporary());
  std::error_code failed;
  const uint64_t end = fs::file_size(output->temporary(), failed);
  if (!film || failed) return false;
  switch (kind) {
    case FilmKind::Mp4: return is_whole_mp4(*film, end);
    case FilmKind::Gif: return is_whole_gif(*film, end);
    case FilmKind::WebP: return is_whole_webp(*film, end);
  }
  return false;
}

bool is_film(const fs::path& file) {
  return kind_of(file).has_value();
}

bool can_be_transparent(const fs::path& film) {
  return kind_of(film).value_or(FilmKind::Mp4) != FilmKind::Mp4;
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
  const std::optional<FilmKind> kind = kind_of(file);
  if (!kind) return input_error(fmt::format("{}: films are .mp4, .gif or .webp", file.string()));
  const fs::path folder = file.parent_path();
  std::error_code ignored;
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    return input_error(fmt::format("{}: there is no folder {}", file.string(), folder.string()));
  auto encoder = std::make_unique<Encoder>();
  Result<io::AtomicFile> output = io::AtomicFile::create(file);
  if (!output) return output.error();
  encoder->file = file, encoder->kind = *kind;
  encoder->output.emplace(std::move(*output));
  encoder->width = width, encoder->height = height;
  const bool must_be_even = *kind == FilmKind::Mp4;
  encoder->sent_width = must_be_even ? width + width % 2 : width, encoder->sent_height = must_be_even ? height + height % 2 : height;
  encoder->row.resize(size_t{4} * static_cast<size_t>(encoder->sent_width));
  if (Error error = encoder->start(fps); !error.text.empty()) return error;
  return VideoWriter(std::move(encoder));
}

Result<void> VideoWriter::Encoder::send_picture(int width_, int height_, const std::function<void(int row, uint8_t* rgba)>& read) {
  if (width_ != width || height_ != height) {
    return input_error(fmt::format("{}: a picture of {} x {} pixels in a video of {} x {}", file.string(), width_, height_, width, height));
  }
  for (int y = 0; y < sent_height; ++y) {
    read(std::min(y, height - 1), row.data());
    const size_t last = size_t{4} * static_cast<size_t>(width - 1);
    if (sent_width > width) std::memcpy(row.data() + last + 4, row.data() + last, 4);
    if (send_row()) continue;
    close(channel);
    channel = -1;
    wait_for_end();
    return failed("ffmpeg stopped");
  }
  ++pictures;
  return {};
}

Result<void> VideoWriter::add(const io::Image& image) {
  if (!encoder_ || encoder_->channel < 0) return system_error("a picture came after the end of its video");
  return encoder_->send_picture(image.width, image.height, [&](int y, uint8_t* rgba) {
    for (int x = 0; x < image.width; ++x, rgba += 4) std::memcpy(rgba, image.pixel(x, y), 3), rgba[3] = 255;
  });
}

Result<void> VideoWriter::add(const Picture& picture) {
  if (!can_be_transparent(encoder_ ? encoder_->file : fs::path())) return add(to_image(picture));
  if (encoder_->channel < 0) return system_error("a picture came after the end of its video");
  return encoder_->send_picture(picture.width, picture.height, [&](int y, uint8_t* rgba) { std::memcpy(rgba, picture.pixel(0, y), size_t{4} * static_cast<size_t>(picture.width)); });
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

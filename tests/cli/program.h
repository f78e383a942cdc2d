#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kept_exports.h"
#include "tests/sanitized.h"

namespace crumple {

inline const std::filesystem::path kProject = CRUMPLE_SOURCE_DIR;
inline constexpr rlim_t kMegabyte = rlim_t{1} << 20;

/// A folder of one test's own, gone when the test ends.
class Scratch {
 public:
  Scratch() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = test ? test->name() : "shared";
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = std::filesystem::path(testing::TempDir()) / ("crumple_" + std::to_string(getpid()) + "_" + name);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    // Hostile tests write files that are broken on purpose.
    if (test && !is_broken(test->test_suite_name())) keep_animations(folder_, std::string(test->test_suite_name()) + "_" + folder_.filename().string());
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  const std::filesystem::path& path() const { return folder_; }

 private:
  static bool is_broken(const std::string& suite) { return suite.find("Hostile") != std::string::npos || suite.find("Corpus") != std::string::npos; }
  std::filesystem::path folder_;
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

/// What the program finds when it starts.
struct Surroundings {
  rlim_t cpu_seconds = 60;             // a hang ends as a failure
  rlim_t memory = RLIM_INFINITY;       // bytes of address space
  rlim_t file_size = RLIM_INFINITY;    // bytes
  std::string err;                     // where standard error goes instead of a file; "closed": it is not open
  std::string out;                     // the same of standard output
};

/// The real program at work.
class Program {
 public:
  Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const Scratch& scratch, const Surroundings& around = {})
      : out_(scratch / "stdout"), err_(scratch / "stderr") {
    std::vector<char*> words = {const_cast<char*>("crumple")};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    limit(RLIMIT_CPU, around.cpu_seconds * (kSanitized ? 20 : 1));
    if (!kSanitized) limit(RLIMIT_AS, around.memory);  // sanitizers reserve terabytes of addresses
    limit(RLIMIT_FSIZE, around.file_size);
    redirect(1, around.out.empty() ? out_.string() : around.out);
    redirect(2, around.err.empty() ? err_.string() : around.err);
    if (chdir(folder.c_str()) == 0) execv(CRUMPLE_PROGRAM, words.data());
    _exit(127);
  }
  void interrupt(int signal = SIGINT) const { kill(pid_, signal); }
  void kill_now() const { kill(pid_, SIGKILL); }
  std::string errors_so_far() const { return text_of(err_); }
  /// The exit code, or 1000 and the signal that ended it.
  int wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  std::string out() const { return text_of(out_); }
  std::string err() const { return text_of(err_); }

 private:
  static void limit(decltype(RLIMIT_CPU) what, rlim_t most) {
    const rlimit both = {most, most};
    if (most != RLIM_INFINITY) setrlimit(what, &both);
  }
  static void redirect(int descriptor, const std::string& to) {
    close(descriptor);
    if (to != "closed") (void)!open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);  // gets the number that is free
  }
  std::filesystem::path out_, err_;
  pid_t pid_ = 0;
};

struct Answer {
  int code = 0;
  std::string out, err;
};

inline Answer run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const Scratch& scratch,
                          const Surroundings& around = {}) {
  const Program program(arguments, folder, scratch, around);
  const int code = program.wait();
  return {code, program.out(), program.err()};
}

/// A refusal: exit code 2, nothing on stdout, one line on stderr.
inline void expect_refusal(const Answer& answer, const std::string& message_begins = "") {
  EXPECT_EQ(answer.code, 2) << answer.err;
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  EXPECT_TRUE(answer.err.starts_with("crumple: " + message_begins)) << answer.err;
  EXPECT_TRUE(answer.err.ends_with("\n"));
}

}  // namespace crumple

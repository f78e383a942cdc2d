#include "crumple/core/parallel.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crumple {
namespace {

TEST(Parallel, every_item_is_visited_once_for_any_number_of_threads) {
  for (const int threads : {1, 2, 7}) {
    set_thread_count(threads);
    std::vector<int> visits(1003, 0);
    parallel_for(visits.size(), 10, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), 1003);
    EXPECT_EQ(*std::max_element(visits.begin(), visits.end()), 1);
  }
}

TEST(Parallel, nested_calls_run_and_end) {
  set_thread_count(2);
  std::atomic<int> count = 0;
  parallel_for(4, 1, [&](size_t, size_t) { parallel_for(5, 1, [&](size_t, size_t) { ++count; }); });
  EXPECT_EQ(count, 20);
}

TEST(Parallel, chunks_do_not_depend_on_the_number_of_threads) {
  std::vector<std::vector<size_t>> begins;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    std::vector<size_t> seen(8, 999);
    parallel_for(50, 7, [&](size_t begin, size_t) { seen[begin / 7] = begin; });
    begins.push_back(seen);
  }
  EXPECT_EQ(begins[0], begins[1]);
}

TEST(Parallel, thousands_of_small_jobs_are_each_done_once) {
  const int before = thread_count();
  set_thread_count(4);
  std::vector<int> done(64);
  for (int job = 1; job <= 20000; ++job) {
    parallel_for(done.size(), 4, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) ++done[i];
    });
    if (job % 1000 != 0) continue;
    for (const int count : done) ASSERT_EQ(count, job);
  }
  set_thread_count(before);
}

TEST(Parallel, an_exception_comes_out_and_the_threads_go_on) {
  const int before = thread_count();
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    for (int round = 0; round < 50; ++round) {
      try {
        parallel_for(64, 1, [](size_t begin, size_t) {
          if (begin % 16 == 3) throw std::runtime_error(std::to_string(begin));
        });
        ADD_FAILURE() << "nothing came out";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::stoi(error.what()) % 16, 3);
      }
      std::atomic<int> done = 0;
      parallel_for(64, 1, [&](size_t, size_t) { ++done; });
      EXPECT_EQ(done, 64);
    }
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace crumple

#include "crumple/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <immintrin.h>

namespace crumple {
namespace {

thread_local bool inside_parallel = false;

/// Number of polls before a thread sleeps, a few dozen microseconds in all: waking it takes longer than many jobs.
constexpr int kLooks = 4000;

template <class Condition>
bool look_out(const Condition& condition) {
  static const int looks = std::thread::hardware_concurrency() > 1 ? kLooks : 0;
  for (int i = 0; i < looks; ++i) {
    if (condition()) return true;
    _mm_pause();
  }
  return condition();
}

/// Threads that wait for one job at a time and share its chunks.
class Pool {
 public:
  explicit Pool(int threads) {
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system provides no more threads; results do not depend on their number.
    }
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      ++generation_;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void run(size_t chunks, const std::function<void(size_t)>& chunk) {
    const std::lock_guard one_job_at_a_time(running_);
    {
      const std::lock_guard lock(mutex_);
      chunk_ = &chunk;
      chunks_ = chunks;
      next_ = 0;
      failed_chunk_ = chunks;
      failure_ = nullptr;
      open_ = true;
      ++generation_;
    }
    wake_.notify_all();
    share();
    std::unique_lock lock(mutex_);
    open_ = false;  // workers can no longer join this job
    lock.unlock();
    look_out([this] { return busy_ == 0; });
    lock.lock();
    done_.wait(lock, [this] { return busy_ == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void share() {
    inside_parallel = true;
    for (size_t i = next_++; i < chunks_; i = next_++) {
      try {
        (*chunk_)(i);
      } catch (...) {
        fail(i);
      }
    }
    inside_parallel = false;
  }
  /// Ends the job early. Of several failures the one of the lowest chunk is reported.
  void fail(size_t chunk) {
    const std::lock_guard lock(mutex_);
    next_ = chunks_;
    if (chunk >= failed_chunk_) return;
    failed_chunk_ = chunk;
    failure_ = std::current_exception();
  }
  void work() {
    unsigned seen = 0;
    while (true) {
      look_out([&] { return generation_ != seen; });
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
      if (!open_) continue;
      ++busy_;
      lock.unlock();
      share();
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex running_, mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  // written under the mutex; atomic members are also read without it
  const std::function<void(size_t)>* chunk_ = nullptr;
  size_t chunks_ = 0;
  std::atomic<size_t> next_ = 0;
  std::atomic<unsigned> generation_ = 0;
  std::atomic<int> busy_ = 0;  // workers that share the job
  size_t failed_chunk_ = 0;
  std::exception_ptr failure_;
  bool open_ = false;          // workers may still join
  bool stopping_ = false;
};

std::mutex pool_mutex;
std::shared_ptr<Pool> pool_in_use;

std::shared_ptr<Pool> current_pool() {
  const std::lock_guard lock(pool_mutex);
  if (!pool_in_use) pool_in_use = std::make_shared<Pool>(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  return pool_in_use;
}

}  // namespace

void set_thread_count(int count) {
  auto pool = std::make_shared<Pool>(std::clamp(count, 1, 256));
  const std::lock_guard lock(pool_mutex);
  pool_in_use = std::move(pool);
}

int thread_count() {
  return current_pool()->threads();
}

void parallel_for(size_t count, size_t grain, const std::function<void(size_t, size_t)>& body) {
  grain = std::max<size_t>(grain, 1);
  const size_t chunks = (count + grain - 1) / grain;
  auto run_chunk = [&](size_t chunk) { body(chunk * grain, std::min(count, (chunk + 1) * grain)); };
  std::shared_ptr<Pool> pool;
  if (chunks > 1 && !inside_parallel) pool = current_pool();
  if (!pool || pool->threads() == 1) {
    for (size_t chunk = 0; chunk < chunks; ++chunk) run_chunk(chunk);
    return;
  }
  pool->run(chunks, run_chunk);
}

}  // namespace crumple

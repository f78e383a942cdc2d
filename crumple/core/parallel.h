#pragma once

#include <cstddef>
#include <functional>

namespace crumple {

/// Sets the number of threads for parallel_for (at least 1, and no more than the system provides). Results never depend on it.
void set_thread_count(int count);
int thread_count();

/// Calls body(begin, end) for consecutive chunks of [0, count) of `grain` items each, on all threads. The chunks depend on
/// `count` and `grain` alone, so the result of a chunk is the same for any number of threads. Nested calls run serially.
/// An exception of a chunk is rethrown once all chunks that had started are done.
void parallel_for(size_t count, size_t grain, const std::function<void(size_t begin, size_t end)>& body);

}  // namespace crumple

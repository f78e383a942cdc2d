#pragma once

#include <cstdint>

namespace crumple {

/// A small seeded generator (splitmix64): the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)
  double range(double low, double high) { return low + (high - low) * unit(); }
  int below(int count) { return static_cast<int>(next() % static_cast<uint64_t>(count)); }

 private:
  uint64_t state_;
};

}  // namespace crumple

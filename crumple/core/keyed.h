#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace crumple {

/// How a value goes from one key to the next.
enum class Between { Linear, Smooth, Step };

/// A value that stays, or one with keys over time. Before the first key and after the last it stays as it is there.
template <class T>
struct Keyed {
  T value{};                              // without keys
  std::vector<std::pair<double, T>> keys;  // s, ascending
  Between between = Between::Linear;

  Keyed() = default;
  Keyed(T given) : value(std::move(given)) {}  // NOLINT

  bool moves() const { return keys.size() > 1; }
  T at(double time) const {
    if (keys.empty()) return value;
    const auto next = std::upper_bound(keys.begin(), keys.end(), time, [](double t, const auto& key) { return t < key.first; });
    if (next == keys.begin()) return next->second;
    if (next == keys.end()) return keys.back().second;
    const auto& [from, before] = *(next - 1);
    if (between == Between::Step) return before;
    const double share = (time - from) / (next->first - from);
    const double weight = between == Between::Smooth ? share * share * (3 - 2 * share) : share;
    return before + weight * (next->second - before);
  }
};

}  // namespace crumple

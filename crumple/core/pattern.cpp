#include "crumple/core/pattern.h"

#include <algorithm>
#include <cstddef>

namespace crumple {
namespace {

/// Goes back to the last star only, so the time is at most the product of the lengths.
bool matches_whole(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, tried = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  if (matches_whole(pattern, name)) return true;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (matches_whole(pattern, name.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace crumple

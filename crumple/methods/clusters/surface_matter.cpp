#include <algorithm>

#include "crumple/core/index.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {

std::span<const int32_t> clusters_of(const State& state, int particle) {
  return {state.entry_cluster.data() + state.entry_begin[at(particle)], at(state.entry_count[at(particle)])};
}

bool together(const State& state, int a, int b) {
  if (a == b) return true;
  for (const int32_t c : clusters_of(state, a)) {
    for (const int32_t d : clusters_of(state, b)) {
      if (c == d) return true;
    }
  }
  return false;
}

/// The first copy represents an original, except that each piece represents something.
void find_homes(Matter& matter, std::span<const int32_t> hangs_on) {
  std::vector<int32_t> count(hangs_on.size() + 1, 0);  // by piece
  for (size_t i = 0; i < matter.home.size(); ++i) {
    const std::span<const int32_t> copies = matter.copies_of(static_cast<int>(i));
    if (copies.empty()) continue;
    matter.home[i] = copies[0];
    ++count[at(hangs_on[at(copies[0])])];
  }
  const std::vector<int32_t> before = count;
  for (size_t i = 0; i < matter.home.size(); ++i) {
    for (const int32_t copy : matter.copies_of(static_cast<int>(i))) {
      int32_t &now = count[at(hangs_on[at(matter.home[i])])], &then = count[at(hangs_on[at(copy)])];
      if (before[at(hangs_on[at(copy)])] > 0 || now < 2) continue;
      --now, ++then;
      matter.home[i] = copy;
      break;
    }
  }
}

Matter find_matter(const Model& model, const State& state, std::span<const int32_t> hangs_on) {
  Matter matter;
  const size_t originals = model.rest.size();
  matter.copies_begin.assign(originals + 1, 0);
  for (size_t i = 0; i < state.original.size(); ++i) matter.copies_begin[at(state.original[i]) + 1] += state.entry_count[i] > 0 ? 1 : 0;
  for (size_t i = 1; i <= originals; ++i) matter.copies_begin[i] += matter.copies_begin[i - 1];
  matter.copies.resize(at(matter.copies_begin[originals]));
  std::vector<int32_t> next(matter.copies_begin.begin(), matter.copies_begin.end() - 1);
  for (size_t i = 0; i < state.original.size(); ++i) {
    if (state.entry_count[i] > 0) matter.copies[at(next[at(state.original[i])]++)] = static_cast<int32_t>(i);
  }

  // By cluster: on which sides of which cracks. The first plane of a crack is that of the side below.
  std::vector<const CutPlane*> first;
  std::vector<std::vector<CrackSide>> sides(at(state.clusters()));
  for (const CutPlane& plane : state.planes) {
    if (plane.crack < 0) continue;
    if (at(plane.crack) >= first.size()) first.resize(at(plane.crack) + 1, nullptr);
    if (!first[at(plane.crack)]) first[at(plane.crack)] = &plane;
    sides[at(plane.cluster)].push_back({plane.crack, plane.normal.dot(first[at(plane.crack)]->normal) > 0 ? -1 : 1});
  }
  matter.home.assign(originals, -1);
  find_homes(matter, hangs_on);
  matter.sides_begin.assign(originals + 1, 0);
  for (size_t i = 0; i < originals; ++i) {
    if (matter.home[i] >= 0) {
      const size_t begin = matter.sides.size();
      for (const int32_t c : clusters_of(state, matter.home[i])) matter.sides.insert(matter.sides.end(), sides[at(c)].begin(), sides[at(c)].end());
      const auto from = matter.sides.begin() + static_cast<std::ptrdiff_t>(begin);
      std::stable_sort(from, matter.sides.end(), [](const CrackSide& a, const CrackSide& b) { return a.crack < b.crack; });
      matter.sides.erase(std::unique(from, matter.sides.end(), [](const CrackSide& a, const CrackSide& b) { return a.crack == b.crack; }),
                         matter.sides.end());
    }
    matter.sides_begin[i + 1] = static_cast<int32_t>(matter.sides.size());
  }
  return matter;
}

bool Matter::is_untouched(int original) const {
  return copies_begin[at(original) + 1] - copies_begin[at(original)] == 1 && sides_begin[at(original)] == sides_begin[at(original) + 1];
}

int Matter::side_of(int original, int crack) const {
  const std::span<const CrackSide> known = sides_of(original);
  const auto found = std::lower_bound(known.begin(), known.end(), crack, [](const CrackSide& s, int c) { return s.crack < c; });
  return found != known.end() && found->crack == crack ? found->side : 0;
}

}  // namespace crumple::clusters

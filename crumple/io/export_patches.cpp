#include "crumple/io/export_patches.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/shading.h"
#include "crumple/io/export_check.h"
#include "crumple/io/files.h"

namespace crumple::io {
namespace {

constexpr long kMinPatch = 3000;  // triangles times frames: smaller ones cost more as a thing of their own
constexpr int kAnyPiece = -1, kFixedStretch = -2;

unsigned first_corner(const TriMesh& mesh, const Triangle& triangle) {
  unsigned least = 0;
  for (unsigned k = 1; k < 3; ++k) {
    const Vec3 &p = mesh.positions[at(triangle[k])], &q = mesh.positions[at(triangle[least])];
    if (std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3)) least = k;
  }
  return least;
}

/// Its corners from the first on.
Triangle turned(const Triangle& triangle, unsigned turn) {
  return {triangle[turn], triangle[(turn + 1) % 3], triangle[(turn + 2) % 3]};
}

std::array<uint64_t, 2> hash_of(const TriMesh& mesh, const Triangle& triangle, unsigned turn) {
  std::array<double, 9> corners;
  for (size_t k = 0; k < 3; ++k) std::copy_n(mesh.positions[at(triangle[(turn + k) % 3])].data(), 3, corners.begin() + static_cast<std::ptrdiff_t>(3 * k));
  const auto bytes = std::as_bytes(std::span(corners));
  return {hash_bytes(bytes, 1), hash_bytes(bytes, 2)};
}

/// The longest stretch from a surface on whose length is a power of two that divides the number of its first.
int end_of_stretch(int begin, int end) {
  int length = 1;
  while (begin % (2 * length) == 0 && begin + 2 * length <= end) length *= 2;
  return begin + length;
}

uint64_t mixed(uint64_t number, int vertex) {
  number ^= static_cast<uint64_t>(vertex) + 0x9e3779b97f4a7c15u + (number << 6) + (number >> 2);
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  return number ^ (number >> 27);
}

/// Part of a surface, with the normals that it has as part of the whole.
std::shared_ptr<const TriMesh> patch_surface(const TriMesh& whole, const std::vector<Vec3f>& normals, const std::vector<int>& vertices, std::vector<Triangle> triangles,
                                             const std::vector<int>& from) {
  auto patch = std::make_shared<TriMesh>();
  const auto take = [](const auto& values, const std::vector<int>& which, auto& into) {
    for (size_t i = 0; i < which.size() && !values.empty(); ++i) into.push_back(values[at(which[i])]);
  };
  patch->triangles = std::move(triangles);
  take(whole.positions, vertices, patch->positions);
  take(whole.uvs, vertices, patch->uvs);
  take(whole.colors, vertices, patch->colors);
  take(normals, vertices, patch->normals);
  patch->materials = whole.materials;
  take(whole.material, from, patch->material);
  return patch;
}

std::vector<Vec3f> rest_normals(const TriMesh& mesh) {
  std::vector<Vec3f> rest;
  for (const Vec3& p : mesh.positions) rest.push_back(p.cast<float>());
  return Shading(mesh).normals(rest, mesh.triangles);
}

}  // namespace

/// The last surface of each item, while frames are looked at.
struct SurfacePatches::Scan {
  /// A triangle by a hash of its corners' rest places, the least first.
  struct Known {
    std::array<uint64_t, 2> hash{};
    int number = 0;  // triangle, or its chain
    auto operator<=>(const Known&) const = default;
  };
  struct Last {
    std::shared_ptr<const TriMesh> surface;
    std::vector<Known> chains;  // ascending
  };
  std::map<std::pair<std::string, int>, Last> last;  // as series_

  /// Continues chains of the surface before and begins others.
  static void add(const FrameItem& item, int frame, Last& last, Series& series) {
    const TriMesh& mesh = *item.surface;
    const int version = static_cast<int>(series.versions.size());
    Version& now = series.versions.emplace_back();
    now.first_frame = frame;
    std::vector<Known> triangles;
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      const unsigned turn = first_corner(mesh, mesh.triangles[t]);
      now.links.push_back({0, turn});
      triangles.push_back({hash_of(mesh, mesh.triangles[t], turn), static_cast<int>(t)});
    }
    std::ranges::sort(triangles);
    auto before = last.chains.begin();
    for (const Known& each : triangles) {
      while (before != last.chains.end() && before->hash < each.hash) ++before;
      const bool goes_on = before != last.chains.end() && before->hash == each.hash;
      now.links[at(each.number)].chain = goes_on ? (before++)->number : -1;
    }
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      Link& link = now.links[t];
      if (link.chain < 0) {
        link.chain = static_cast<int>(series.chains.size());
        series.chains.push_back({version, version, 0, turned(mesh.triangles[t], link.turn), {}, 0});
      }
      Chain& chain = series.chains[at(link.chain)];
      chain.end = version + 1, chain.piece = item.pieces ? (*item.pieces)[t] : item.piece;
      const Triangle corners = turned(mesh.triangles[t], link.turn);
      for (size_t k = 0; k < 3; ++k) chain.corners[k] = mixed(chain.corners[k], corners[k]);
    }
    for (Known& each : triangles) each.number = now.links[at(each.number)].chain;
    last = {item.surface, std::move(triangles)};
  }
};

Result<SurfacePatches> SurfacePatches::find(const FrameSource& source, int count) {
  SurfacePatches patches;
  Scan scan;
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = source(index);
    if (!frame) return frame.error();
    std::map<std::string, int> seen;
    for (const FrameItem& item : frame->items) {
      if (!is_drawn(item)) continue;
      const std::pair key(item.name, seen[item.name]++);
      Scan::Last& last = scan.last[key];
      if (last.surface && same_surface(*last.surface, *item.surface)) continue;
      Scan::add(item, index, last, patches.series_[key]);
    }
  }
  std::erase_if(patches.series_, [](const auto& each) { return each.second.versions.size() < 2; });
  for (auto& [name, series] : patches.series_) make_patches(series, count);
  return patches;
}

void SurfacePatches::make_patches(Series& series, int frames) {
  using Key = std::tuple<int, int, int>;  // first surface, the one after the last, piece
  const auto frames_of = [&](int begin, int end) {
    const int last = at(end) < series.versions.size() ? series.versions[at(end)].first_frame : frames;
    return last - series.versions[at(begin)].first_frame;
  };
  std::map<Key, long> sizes;  // triangles times frames
  for (const Chain& chain : series.chains) {
    for (const int piece : {chain.piece, kAnyPiece}) sizes[{chain.begin, chain.end, piece}] += frames_of(chain.begin, chain.end);
  }
  std::map<Key, int> numbers;
  const auto add = [&](const Key& key, const Chain& chain) {
    const auto [place, is_new] = numbers.try_emplace(key, static_cast<int>(series.patches.size()));
    if (is_new) series.patches.push_back({chain.piece, 0, nullptr});
    series.stretches.push_back({place->second, static_cast<int>(&chain - series.chains.data()), std::get<1>(key), {}});
  };
  for (Chain& chain : series.chains) {
    chain.first_stretch = static_cast<int>(series.stretches.size());
    const Key own{chain.begin, chain.end, chain.piece}, any{chain.begin, chain.end, kAnyPiece};
    if (sizes[own] >= kMinPatch) {
      add(own, chain);
    } else if (sizes[any] >= kMinPatch) {
      add(any, chain);
    } else {
      for (int begin = chain.begin; begin < chain.end;) {
        const int end = end_of_stretch(begin, chain.end);
        add({begin, end, kFixedStretch}, chain);
        begin = end;
      }
    }
  }
  number_vertices(series);
}

/// In the order of the surface that they were first in.
void SurfacePatches::number_vertices(Series& series) {
  struct Corner {
    int patch, first;
    uint64_t vertex;
    int stretch, corner;
    auto operator<=>(const Corner&) const = default;
  };
  std::vector<Corner> corners;
  corners.reserve(3 * series.stretches.size());
  for (size_t s = 0; s < series.stretches.size(); ++s) {
    const Chain& chain = series.chains[at(series.stretches[s].chain)];
    for (size_t k = 0; k < 3; ++k) corners.push_back({series.stretches[s].patch, chain.first[k], chain.corners[k], static_cast<int>(s), static_cast<int>(k)});
  }
  std::ranges::sort(corners);
  for (size_t i = 0; i < corners.size(); ++i) {
    const Corner& corner = corners[i];
    Patch& patch = series.patches[at(corner.patch)];
    const bool is_same = i > 0 && corners[i - 1].patch == corner.patch && corners[i - 1].first == corner.first && corners[i - 1].vertex == corner.vertex;
    if (!is_same) ++patch.vertices;
    series.stretches[at(corner.stretch)].vertices[at(corner.corner)] = patch.vertices - 1;
  }
}

const SurfacePatches::Stretch& SurfacePatches::Series::stretch_of(int chain, int version) const {
  size_t s = at(chains[at(chain)].first_stretch);
  while (stretches[s].end <= version) ++s;
  return stretches[s];
}

FrameSource SurfacePatches::divide(const FrameSource& source) {
  return [this, source](int index) -> Result<Frame> {
    Result<Frame> frame = source(index);
    if (!frame) return frame;
    std::vector<FrameItem> items;
    std::map<std::string, int> seen;
    for (FrameItem& item : frame->items) {
      const auto found = is_drawn(item) ? series_.find({item.name, seen[item.name]++}) : series_.end();
      if (found == series_.end()) {
        items.push_back(std::move(item));
      } else if (const Result<void> divided = divide(item, index, found->second, items); !divided) {
        return divided.error();
      }
    }
    frame->items = std::move(items);
    return frame;
  };
}

/// Which of the surface's vertices are those of each patch, and the surfaces of patches that begin.
Result<void> SurfacePatches::take_version(const FrameItem& item, int version, Series& series) {
  const TriMesh& mesh = *item.surface;
  const std::vector<Link>& links = series.versions[at(version)].links;
  if (links.size() != mesh.triangles.size()) return input_error(fmt::format("\"{}\" has other triangles than when it was first looked at", item.name));
  series.version = version;
  series.here.clear(), series.vertices.clear();
  std::vector<int> number(series.patches.size(), -1);
  std::vector<std::vector<int>> triangles;  // #here
  for (size_t t = 0; t < links.size(); ++t) {
    const Stretch& stretch = series.stretch_of(links[t].chain, version);
    int& here = number[at(stretch.patch)];
    if (here < 0) {
      here = static_cast<int>(series.here.size());
      series.here.push_back(stretch.patch);
      series.vertices.emplace_back(at(series.patches[at(stretch.patch)].vertices), 0);
      triangles.emplace_back();
    }
    for (size_t k = 0; k < 3; ++k) series.vertices[at(here)][at(stretch.vertices[k])] = mesh.triangles[t][(links[t].turn + k) % 3];
    triangles[at(here)].push_back(static_cast<int>(t));
  }
  std::vector<Vec3f> normals;
  for (size_t h = 0; h < series.here.size(); ++h) {
    Patch& patch = series.patches[at(series.here[h])];
    if (patch.surface) continue;
    if (normals.empty()) normals = rest_normals(mesh);
    std::vector<Triangle> corners;
    for (const int t : triangles[h]) corners.push_back(series.stretch_of(links[at(t)].chain, version).vertices);
    patch.surface = patch_surface(mesh, normals, series.vertices[h], std::move(corners), triangles[h]);
  }
  return {};
}

Result<void> SurfacePatches::divide(const FrameItem& item, int frame, Series& series, std::vector<FrameItem>& into) {
  const auto after = std::ranges::upper_bound(series.versions, frame, {}, &Version::first_frame);
  const int version = static_cast<int>(after - series.versions.begin()) - 1;
  if (version != series.version) {
    if (const Result<void> taken = take_version(item, version, series); !taken) return taken;
  }
  for (size_t h = 0; h < series.here.size(); ++h) {
    const int number = series.here[h];
    FrameItem part;
    part.name = number == 0 ? item.name : fmt::format("{} {}", item.name, number + 1);
    part.body = item.body, part.piece = series.patches[at(number)].piece;
    part.surface = series.patches[at(number)].surface;
    part.place = item.place, part.look = item.look, part.doing = item.doing, part.backdrop = item.backdrop;
    for (const int v : series.vertices[h]) {
      part.positions.push_back(item.positions.empty() ? Vec3f(item.surface->positions[at(v)].cast<float>()) : item.positions[at(v)]);
      if (!item.colors.empty()) part.colors.push_back(item.colors[at(v)]);
    }
    into.push_back(std::move(part));
  }
  return {};
}

}  // namespace crumple::io

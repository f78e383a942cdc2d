#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "crumple/geometry/elements.h"
#include "crumple/io/asset_check.h"

namespace crumple::io {
namespace {

constexpr double kLongestStep = 1e6;  // per metre moved away from the cuts: a corner sharper than that is damage
constexpr double kShareNoise = 1e-2;  // how far shares may leave 0 to 1, or their sum 1
constexpr size_t kFewestCorners = 4;  // of a solid

/// Whether pieces fit the asset they belong to, whose tetrahedra are known to be fine.
class PieceChecker {
 public:
  PieceChecker(const Asset& asset, std::string_view name) : asset_(asset), pieces_(*asset.pieces), name_(name) {}

  Result<void> check() const {
    for (const auto step : {&PieceChecker::check_sizes, &PieceChecker::check_tets, &PieceChecker::check_vertices, &PieceChecker::check_corners,
                            &PieceChecker::check_surfaces, &PieceChecker::check_links}) {
      if (Result<void> fine = (this->*step)(); !fine) return fine;
    }
    return {};
  }

 private:
  template <class... Args>
  Error wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return input_error(fmt::format("{}: pieces: {}; score the asset again", name_, fmt::format(format, std::forward<Args>(args)...)));
  }

  size_t vertices() const { return asset_.tets.positions.size(); }
  size_t tets() const { return asset_.tets.tets.size(); }

  Result<void> check_sizes() const {
    if (pieces_.surfaces.empty()) return wrong("there are none");
    if (pieces_.surfaces.size() > tets()) return wrong("{} of them are more than there are tetrahedra", pieces_.surfaces.size());
    if (pieces_.of_tet.size() != tets()) return wrong("{} tetrahedra are in pieces, but there are {}", pieces_.of_tet.size(), tets());
    if (pieces_.origin.size() != vertices() || pieces_.volumes.size() != vertices()) {
      return wrong("{} origins and {} volumes do not match {} vertices", pieces_.origin.size(), pieces_.volumes.size(), vertices());
    }
    if (pieces_.first_corner.size() != pieces_.cut_tets.size() + 1) {
      return wrong("{} cut tetrahedra need one more number of a first corner, but there are {}", pieces_.cut_tets.size(),
                   pieces_.first_corner.size());
    }
    if (pieces_.inward.size() != pieces_.corners.size()) {
      return wrong("{} inward steps do not match {} corners", pieces_.inward.size(), pieces_.corners.size());
    }
    if (!(pieces_.cut.color.minCoeff() >= 0 && pieces_.cut.color.maxCoeff() <= 1)) return wrong("the colour of the cuts is not between 0 and 1");
    return {};
  }

  /// Every piece has tetrahedra, and no two share a vertex.
  Result<void> check_tets() const {
    std::vector<int> piece_of(vertices(), -1);
    std::vector<bool> filled(pieces_.surfaces.size(), false);
    for (size_t t = 0; t < tets(); ++t) {
      const int piece = pieces_.of_tet[t];
      if (piece < 0 || piece >= pieces_.count()) return wrong("tetrahedron {} is in piece {}, but there are {}", t, piece, pieces_.count());
      filled[static_cast<size_t>(piece)] = true;
      for (const int v : asset_.tets.tets[t]) {
        int& owner = piece_of[static_cast<size_t>(v)];
        if (owner >= 0 && owner != piece) return wrong("pieces {} and {} share vertex {}", owner, piece, v);
        owner = piece;
      }
    }
    const auto empty = std::find(filled.begin(), filled.end(), false);
    if (empty != filled.end()) return wrong("piece {} has no tetrahedra", empty - filled.begin());
    return {};
  }

  Result<void> check_vertices() const {
    const std::vector<double> full = lumped_masses(asset_.tets, 1.0);
    const size_t handles = asset_.handles.size();
    std::vector<int> first(vertices(), -1);  // vertex that has each origin
    for (size_t v = 0; v < vertices(); ++v) {
      const double volume = pieces_.volumes[v];
      if (!(volume >= 0 && volume <= full[v] * (1 + kShareNoise))) return wrong("vertex {} cannot have a volume of {:g} m^3", v, volume);
      const int origin = pieces_.origin[v];
      if (origin < 0 || static_cast<size_t>(origin) >= vertices())
        return wrong("vertex {} has origin {}, but there are {} vertices", v, origin, vertices());
      int& same = first[static_cast<size_t>(origin)];
      if (same < 0) same = static_cast<int>(v);
      const auto row = asset_.weights.begin() + static_cast<ptrdiff_t>(v * handles),
                 other = asset_.weights.begin() + same * static_cast<ptrdiff_t>(handles);
      if (asset_.tets.positions[v] != asset_.tets.positions[static_cast<size_t>(same)] ||
          !std::equal(row, row + static_cast<ptrdiff_t>(handles), other)) {
        return wrong("vertices {} and {} are copies of one, but differ in place or weights", same, v);
      }
    }
    return {};
  }

  Result<void> check_corners() const {
    for (size_t i = 0; i < pieces_.cut_tets.size(); ++i) {
      const int tet = pieces_.cut_tets[i], first = pieces_.first_corner[i], next = pieces_.first_corner[i + 1];
      if (tet < 0 || static_cast<size_t>(tet) >= tets() || (i > 0 && tet <= pieces_.cut_tets[i - 1])) {
        return wrong("cut tetrahedra must ascend within {}, but number {} is {}", tets(), i, tet);
      }
      if (first < 0 || next < first + static_cast<int>(kFewestCorners))
        return wrong("cut tetrahedron {} has fewer than {} corners", tet, kFewestCorners);
    }
    if (pieces_.first_corner.front() != 0 || static_cast<size_t>(pieces_.first_corner.back()) != pieces_.corners.size()) {
      return wrong("corners {} to {} are named, but there are {}", pieces_.first_corner.front(), pieces_.first_corner.back(), pieces_.corners.size());
    }
    for (size_t c = 0; c < pieces_.corners.size(); ++c) {
      double sum = 0;
      bool inside = true;
      for (const float share : pieces_.corners[c]) sum += share, inside = inside && share >= -kShareNoise && share <= 1 + kShareNoise;
      if (!inside || !(std::abs(sum - 1) <= kShareNoise)) return wrong("corner {} does not lie in its tetrahedron", c);
      if (!(pieces_.inward[c].cast<double>().norm() <= kLongestStep)) return wrong("corner {} has no sane step away from the cut", c);
    }
    return {};
  }

  Result<void> check_surfaces() const {
    for (size_t p = 0; p < pieces_.surfaces.size(); ++p) {
      const PieceSurface& surface = pieces_.surfaces[p];
      if (surface.skin.triangles.empty() && surface.cut.triangles.empty()) return wrong("nothing is drawn of piece {}", p);
      for (const TriMesh* part : {&surface.skin, &surface.cut}) {
        if (const Result<void> fine = check_mesh(*part); !fine) return wrong("piece {}: {}", p, fine.error().text);
      }
    }
    return {};
  }

  Result<void> check_links() const {
    for (size_t l = 0; l < pieces_.links.size(); ++l) {
      const PieceLink& link = pieces_.links[l];
      if (link.a < 0 || link.b <= link.a || link.b >= pieces_.count()) {
        return wrong("link {} joins pieces {} and {}; it must name two of {}, the lower first", l, link.a, link.b, pieces_.count());
      }
      if (!(link.area > 0 && link.area < kFarthest * kFarthest)) return wrong("link {} has an area of {:g} m^2", l, link.area);
      if (!(link.center.allFinite() && link.center.cwiseAbs().maxCoeff() < kFarthest)) return wrong("link {} is nowhere", l);
      if (!(std::abs(link.normal.norm() - 1) < 1e-3)) return wrong("link {} has no valid normal", l);
      const bool sane =
          link.spread.allFinite() && link.spread.cwiseAbs().maxCoeff() < kFarthest * kFarthest && link.spread.diagonal().minCoeff() >= 0;
      if (!sane) return wrong("link {} has no valid spread", l);
    }
    return {};
  }

  const Asset& asset_;
  const Pieces& pieces_;
  std::string_view name_;
};

}  // namespace

Result<void> check_pieces(const Asset& asset, std::string_view name) {
  return PieceChecker(asset, name).check();
}

}  // namespace crumple::io

#include "crumple/rig/score_tets.h"

#include <algorithm>
#include <cmath>

#include "crumple/geometry/corner_offset.h"

namespace crumple {
namespace {

constexpr double kSameShare = 1e-9;  // of barycentric coordinates
constexpr double kInside = 1e-6;     // of a face: less of it on a cut is rounding

/// A corner of what is filled of a tetrahedron.
struct Corner {
  std::array<double, 4> shares;
  Vec3 inward = Vec3::Zero();
};

Vec3 place_of(const TetMesh& mesh, const Tetrahedron& tet, const std::array<double, 4>& shares) {
  Vec3 place = Vec3::Zero();
  for (size_t k = 0; k < 4; ++k) place += shares[k] * mesh.positions[static_cast<size_t>(tet[k])];
  return place;
}

/// A face along which a piece ends.
struct Border {
  const FragmentFace* face;
  Vec3 normal;
};

/// What one piece fills of one tetrahedron: a fragment, or several that were merged.
class Filling {
 public:
  Filling(const CutBody& body, std::vector<const Fragment*> fragments) : body_(body), fragments_(std::move(fragments)) {}

  /// Corners with their steps away from cuts; none if the whole tetrahedron is filled and touches no cut.
  std::vector<Corner> corners() const {
    std::vector<Corner> corners = fragments_.size() == 1 ? own_corners(*fragments_[0]) : merged_corners();
    const bool full = body_.fragments_of(fragments_[0]->tet).size() == fragments_.size();
    const bool touches = std::any_of(corners.begin(), corners.end(), [](const Corner& corner) { return !corner.inward.isZero(0); });
    if (full && !touches) corners.clear();
    return corners;
  }

 private:
  static std::vector<Corner> own_corners(const Fragment& fragment) {
    std::vector<Corner> corners;
    for (size_t c = 0; c < fragment.corners.size(); ++c) corners.push_back({fragment.corners[c], fragment.inward[c]});
    return corners;
  }

  const HalfSpace& side_of(const Fragment& fragment, const FragmentFace& face) const {
    return body_.cells[static_cast<size_t>(fragment.cell)].sides[static_cast<size_t>(face.side)];
  }

  std::vector<Corner> merged_corners() const {
    const std::vector<Border> borders = find_borders();
    const Tetrahedron& tet = body_.mesh.tets[static_cast<size_t>(fragments_[0]->tet)];
    std::vector<Corner> corners;
    for (const Fragment* fragment : fragments_) {
      for (const std::array<double, 4>& shares : fragment->corners) {
        const auto same = [&](const Corner& other) {
          return std::equal(shares.begin(), shares.end(), other.shares.begin(), [](double a, double b) { return std::abs(a - b) < kSameShare; });
        };
        if (std::any_of(corners.begin(), corners.end(), same)) continue;
        corners.push_back({shares, inward_at(place_of(body_.mesh, tet, shares), borders)});
      }
    }
    return corners;
  }

  /// Cuts between the merged fragments are no cuts any more.
  std::vector<Border> find_borders() const {
    std::vector<Border> borders;
    for (const Fragment* fragment : fragments_) {
      for (const FragmentFace& face : fragment->cuts) {
        const Vec3& normal = side_of(*fragment, face).normal;
        if (face.tet_face >= 0 || left_of(*fragment, face, normal) > kInside) borders.push_back({&face, normal});
      }
    }
    return borders;
  }

  /// Which share of a face the other fragments do not cover.
  double left_of(const Fragment& fragment, const FragmentFace& face, const Vec3& normal) const {
    Patch whole;
    for (size_t k = 2; k < face.loop.size(); ++k) whole.add_triangle(face.loop[0], face.loop[k - 1], face.loop[k]);
    double covered = 0;
    for (const Fragment* other : fragments_) {
      if (other == &fragment) continue;
      const Patch patch =
          shared_patch(fragment, body_.cells[static_cast<size_t>(fragment.cell)], *other, body_.cells[static_cast<size_t>(other->cell)]);
      if (patch.normal.dot(normal) > 0.999 * patch.area) covered += patch.area;
    }
    return whole.area > 0 ? 1 - covered / whole.area : 0;
  }

  Vec3 inward_at(const Vec3& place, const std::vector<Border>& borders) const {
    std::vector<Vec3> normals;
    for (const Border& border : borders) {
      const auto here = [&](const Vec3& point) { return (point - place).norm() <= 1e-3 * body_.slack; };
      const auto known = [&](const Vec3& normal) { return (normal - border.normal).norm() < 1e-9; };
      if (std::any_of(border.face->loop.begin(), border.face->loop.end(), here) && std::none_of(normals.begin(), normals.end(), known)) {
        normals.push_back(border.normal);
      }
    }
    return corner_offset(normals, kLongestInward);
  }

  const CutBody& body_;
  std::vector<const Fragment*> fragments_;
};

class Copier {
 public:
  explicit Copier(const CutBody& body) : body_(body), number_(body.mesh.positions.size(), -1), copy_of_(number_) {
    for (const Tetrahedron& tet : body.mesh.tets) {
      for (const int v : tet) number_[static_cast<size_t>(v)] = 0;
    }
    int next = 0;
    for (int& number : number_) number = number < 0 ? -1 : next++;
  }

  TetCopies run() {
    std::vector<std::vector<int>> members(static_cast<size_t>(body_.pieces));  // fragments of each piece
    for (size_t i = 0; i < body_.fragments.size(); ++i) members[static_cast<size_t>(body_.piece_of[i])].push_back(static_cast<int>(i));
    result_.pieces.first_corner = {0};
    for (int p = 0; p < body_.pieces; ++p) copy_piece(p, members[static_cast<size_t>(p)]);
    return std::move(result_);
  }

 private:
  void copy_piece(int piece, const std::vector<int>& members) {
    copy_vertices(members);
    double filled = 0;
    for (size_t begin = 0; begin < members.size();) {
      std::vector<const Fragment*> fragments;
      const int tet = body_.fragments[static_cast<size_t>(members[begin])].tet;
      for (; begin < members.size() && body_.fragments[static_cast<size_t>(members[begin])].tet == tet; ++begin) {
        fragments.push_back(&body_.fragments[static_cast<size_t>(members[begin])]);
        filled += fragments.back()->volume;
      }
      copy_tet(piece, tet, fragments);
    }
    result_.filled.push_back(filled);
  }

  /// In the order in which they were.
  void copy_vertices(const std::vector<int>& members) {
    std::vector<int> used;
    for (const int i : members) {
      const Tetrahedron& tet = body_.mesh.tets[static_cast<size_t>(body_.fragments[static_cast<size_t>(i)].tet)];
      used.insert(used.end(), tet.begin(), tet.end());
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const int v : used) {
      copy_of_[static_cast<size_t>(v)] = static_cast<int>(result_.mesh.positions.size());
      result_.mesh.positions.push_back(body_.mesh.positions[static_cast<size_t>(v)]);
      result_.pieces.origin.push_back(number_[static_cast<size_t>(v)]);
      result_.pieces.volumes.push_back(0);
      result_.source.push_back(v);
    }
  }

  void copy_tet(int piece, int tet, const std::vector<const Fragment*>& fragments) {
    Tetrahedron copy = body_.mesh.tets[static_cast<size_t>(tet)];
    for (int& v : copy) v = copy_of_[static_cast<size_t>(v)];
    for (const Fragment* fragment : fragments) {
      for (size_t k = 0; k < 4; ++k) result_.pieces.volumes[static_cast<size_t>(copy[k])] += fragment->volume * fragment->center[k];
    }
    const std::vector<Corner> corners = Filling(body_, fragments).corners();
    if (!corners.empty()) {
      result_.pieces.cut_tets.push_back(static_cast<int>(result_.mesh.tets.size()));
      for (const Corner& corner : corners) {
        std::array<float, 4> shares;
        for (size_t k = 0; k < 4; ++k) shares[k] = static_cast<float>(corner.shares[k]);
        result_.pieces.corners.push_back(shares);
        result_.pieces.inward.push_back(corner.inward.cast<float>());
      }
      result_.pieces.first_corner.push_back(static_cast<int>(result_.pieces.corners.size()));
    }
    result_.mesh.tets.push_back(copy);
    result_.pieces.of_tet.push_back(piece);
  }

  const CutBody& body_;
  std::vector<int> number_;   // #vertices: counting those that tetrahedra use
  std::vector<int> copy_of_;  // #vertices: in the piece being copied
  TetCopies result_;
};

}  // namespace

TetCopies copy_tets(const CutBody& body) {
  return Copier(body).run();
}

}  // namespace crumple

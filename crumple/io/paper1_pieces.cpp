#include "crumple/io/paper1_pieces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "crumple/geometry/elements.h"
#include "crumple/io/files.h"
#include "crumple/io/ply.h"
#include "crumple/io/text_cursor.h"

namespace crumple::io {
namespace fs = std::filesystem;
namespace {

constexpr int kMaxPieces = 1000;
constexpr size_t kMaxPlanes = 24;
// Cut faces lie in one plane if their normals are this much alike and their offsets differ by no more than this share of the size.
constexpr double kSameNormal = 1e-3, kSameOffset = 1e-3;

Result<Paper1Piece> parse_piece(std::string_view text, const std::string& name, size_t vertices) {
  TextCursor cursor(text, name);
  Paper1Piece piece;
  const size_t count = cursor.count("the number of tetrahedra", 8);
  for (size_t t = 0; t < count && !cursor.failed(); ++t) {
    Tetrahedron tet;
    for (int& v : tet) v = static_cast<int>(cursor.whole("a vertex", 0, static_cast<long>(vertices) - 1));
    piece.tets.push_back(tet);
  }
  if (cursor.failed()) return cursor.error();
  piece.is_cut.assign(piece.tets.size(), 0);
  return piece;
}

Result<void> parse_cut(std::string_view text, const std::string& name, Paper1Piece& piece) {
  TextCursor cursor(text, name);
  const size_t count = cursor.count("the number of cut tetrahedra", 2);
  for (size_t i = 0; i < count && !cursor.failed(); ++i) {
    const long t = cursor.whole("a tetrahedron", 0, static_cast<long>(piece.tets.size()) - 1);
    if (!cursor.failed()) piece.is_cut[static_cast<size_t>(t)] = 1;
  }
  if (cursor.failed()) return cursor.error();
  return {};
}

Result<std::vector<CutPlane>> parse_planes(std::string_view text, const std::string& name) {
  TextCursor cursor(text, name);
  std::vector<CutPlane> planes;
  while (!cursor.failed() && !cursor.at_end()) {
    CutPlane plane;
    for (int axis = 0; axis < 3; ++axis) plane.normal[axis] = cursor.number_in_line("a plane's normal");
    plane.offset = cursor.number_in_line("a plane's offset");
    const double length = plane.normal.norm();
    if (!cursor.failed() && !(length > 1e-9 && length < 1e9)) cursor.fail("the normal of a plane has no length");
    if (!cursor.failed() && planes.size() == kMaxPlanes) cursor.fail(fmt::format("more than {} planes are too many", kMaxPlanes));
    if (cursor.failed()) break;
    plane.normal /= length, plane.offset /= length;
    planes.push_back(plane);
    cursor.skip_line();
  }
  if (cursor.failed()) return cursor.error();
  return planes;
}

/// Adds the planes of the faces that are not there yet.
void add_planes_of(const TriMesh& faces, std::vector<CutPlane>& planes) {
  Bounds box;
  for (const Vec3& p : faces.positions) box.add(p);
  const double size = box.diagonal();
  for (const Triangle& t : faces.triangles) {
    const Vec3 &a = faces.positions[static_cast<size_t>(t[0])], &b = faces.positions[static_cast<size_t>(t[1])], &c = faces.positions[static_cast<size_t>(t[2])];
    const Vec3 across = (b - a).cross(c - a);
    if (!(across.norm() > 1e-6 * size * size) || planes.size() == kMaxPlanes) continue;  // thin triangles tell no plane
    const Vec3 normal = across.normalized();
    const double offset = normal.dot(a);
    const bool known = std::any_of(planes.begin(), planes.end(), [&](const CutPlane& plane) {
      const double turn = plane.normal.dot(normal);
      return std::abs(turn) > 1 - kSameNormal && std::abs(plane.offset - std::copysign(offset, turn * offset)) < kSameOffset * size;
    });
    if (!known) planes.push_back({normal, offset});
  }
}

/// The place of each of the mesh's own vertices.
std::vector<Vec3> own_positions(const Asset& asset) {
  if (!asset.pieces) return asset.tets.positions;
  std::vector<Vec3> positions;
  for (size_t v = 0; v < asset.tets.positions.size(); ++v) {
    const auto own = static_cast<size_t>(asset.pieces->origin[v]);
    if (own >= positions.size()) positions.resize(own + 1, Vec3::Zero());
    positions[own] = asset.tets.positions[v];
  }
  return positions;
}

/// Point masses at the vertices; tetrahedra that are inside out count below 0, as theirs do.
Vec3 center_of(const Paper1Piece& piece, const std::vector<Vec3>& positions) {
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (size_t t = 0; t < piece.tets.size(); ++t) {
    const auto at = [&](int corner) -> const Vec3& { return positions[static_cast<size_t>(piece.tets[t][static_cast<size_t>(corner)])]; };
    const double volume = -(at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))) / 6 * (piece.is_cut[t] ? 0.5 : 1);
    sum += volume / 4 * (at(0) + at(1) + at(2) + at(3)), total += volume;
  }
  return total != 0 ? Vec3(sum / total) : Vec3::Zero();
}

/// Which of the authors' pieces each of ours belongs to, by the tetrahedra that both have whole; -1: none.
std::vector<int> authors_piece_of(const Asset& asset, const std::vector<Paper1Piece>& pieces) {
  std::map<Tetrahedron, int> theirs;
  for (size_t k = 0; k < pieces.size(); ++k) {
    for (size_t t = 0; t < pieces[k].tets.size(); ++t) {
      Tetrahedron tet = pieces[k].tets[t];
      std::sort(tet.begin(), tet.end());
      if (!pieces[k].is_cut[t]) theirs[tet] = static_cast<int>(k);
    }
  }
  std::vector<std::map<int, int>> votes(static_cast<size_t>(asset.pieces->count()));
  for (size_t t = 0; t < asset.tets.tets.size(); ++t) {
    Tetrahedron tet = asset.tets.tets[t];
    for (int& v : tet) v = asset.pieces->origin[static_cast<size_t>(v)];
    std::sort(tet.begin(), tet.end());
    if (const auto found = theirs.find(tet); found != theirs.end()) ++votes[static_cast<size_t>(asset.pieces->of_tet[t])][found->second];
  }
  std::vector<int> result;
  for (const std::map<int, int>& counts : votes) {
    const auto most = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    result.push_back(most == counts.end() ? -1 : most->first);
  }
  return result;
}

int shared_vertices(const Paper1Piece& a, const Paper1Piece& b) {
  const auto vertices = [](const Paper1Piece& piece) {
    std::set<int> all;
    for (const Tetrahedron& tet : piece.tets) all.insert(tet.begin(), tet.end());
    return all;
  };
  const std::set<int> first = vertices(a), second = vertices(b);
  return static_cast<int>(std::count_if(first.begin(), first.end(), [&](int v) { return second.contains(v); }));
}

}  // namespace

Result<std::vector<Paper1Piece>> read_paper1_pieces(const fs::path& folder, const Asset& asset) {
  const size_t vertices = own_positions(asset).size();
  std::vector<Paper1Piece> pieces;
  std::error_code ignored;
  for (int k = 0; k < kMaxPieces; ++k) {
    const fs::path tets = folder / fmt::format("tetmesh.{}.txt", k), cut = folder / fmt::format("cutTets.{}.txt", k);
    if (!fs::exists(tets, ignored)) break;
    const Result<std::string> text = read_file(tets);
    if (!text) return text.error();
    Result<Paper1Piece> piece = parse_piece(*text, tets.string(), vertices);
    if (!piece) return piece.error();
    if (fs::exists(cut, ignored)) {
      const Result<std::string> cut_text = read_file(cut);
      if (!cut_text) return cut_text.error();
      if (const Result<void> parsed = parse_cut(*cut_text, cut.string(), *piece); !parsed) return parsed.error();
    }
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

Result<std::vector<CutPlane>> read_paper1_planes(const fs::path& folder) {
  std::error_code ignored;
  if (const fs::path file = folder / "planes.txt"; fs::exists(file, ignored)) {
    const Result<std::string> text = read_file(file);
    if (!text) return text.error();
    return parse_planes(*text, file.string());
  }
  std::vector<CutPlane> planes;
  for (int k = 0; k < kMaxPieces; ++k) {
    const fs::path file = folder / fmt::format("clippingTriangles.{}.ply", k);
    if (!fs::exists(file, ignored)) break;
    const Result<std::string> bytes = read_file(file);
    if (!bytes) return bytes.error();
    const Result<TriMesh> faces = parse_ply(*bytes, file.string());
    if (!faces) return faces.error();
    add_planes_of(*faces, planes);
  }
  return planes;
}

Vec3 paper1_center(const Asset& asset, const std::vector<Paper1Piece>& pieces) {
  if (!pieces.empty()) {
    const std::vector<Vec3> positions = own_positions(asset);
    Vec3 sum = Vec3::Zero();
    for (const Paper1Piece& piece : pieces) sum += center_of(piece, positions);
    return sum;
  }
  const std::vector<double> masses = lumped_masses(asset.tets, 1.0);
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (size_t v = 0; v < masses.size(); ++v) sum += masses[v] * asset.tets.positions[v], total += masses[v];
  return sum / total;
}

std::vector<double> paper1_strengths(const Asset& asset, const std::vector<Paper1Piece>& pieces, double threshold) {
  const std::vector<int> theirs = authors_piece_of(asset, pieces);
  const auto pair_of = [&](const PieceLink& link) { return std::minmax({theirs[static_cast<size_t>(link.a)], theirs[static_cast<size_t>(link.b)]}); };
  std::map<std::pair<int, int>, double> areas;
  for (const PieceLink& link : asset.pieces->links) areas[pair_of(link)] += link.area;
  std::vector<double> strengths;
  for (const PieceLink& link : asset.pieces->links) {
    const std::pair<int, int> pair = pair_of(link);
    if (pair.first < 0 || pair.first == pair.second) {
      strengths.push_back(kPaper1Never);
      continue;
    }
    // The joint that bears most breaks first; impulses spread over the joints about as over the area, and have parts along three axes.
    const int joints = shared_vertices(pieces[static_cast<size_t>(pair.first)], pieces[static_cast<size_t>(pair.second)]);
    strengths.push_back(std::max(1, joints) * threshold / (std::sqrt(3.0) * areas[pair]));
  }
  return strengths;
}

}  // namespace crumple::io

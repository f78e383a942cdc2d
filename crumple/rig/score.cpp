#include "crumple/rig/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "crumple/geometry/elements.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/rigid_parts.h"
#include "crumple/rig/score_holes.h"
#include "crumple/rig/score_locate.h"
#include "crumple/rig/score_surface.h"
#include "crumple/rig/score_tets.h"

namespace crumple {
namespace {

constexpr size_t kMostCells = 4096;
constexpr double kNoPatch = 1e-12;  // of the squared diagonal: a patch that is only rounding

std::string text(const Vec3& v) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", v.x(), v.y(), v.z());
}

Result<void> check_input(const Asset& asset, std::span<const ConvexCell> cells, const ScoreSettings& settings) {
  if (asset.pieces)
    return input_error(
        fmt::format("{}: is scored already, into {} pieces; score the asset from which it was made", asset.name, asset.pieces->count()));
  if (asset.tets.tets.empty() || asset.surface.triangles.empty()) return input_error(fmt::format("{}: has nothing to cut", asset.name));
  if (cells.empty()) return input_error(fmt::format("{}: there are no cells to cut it into", asset.name));
  if (cells.size() > kMostCells) return input_error(fmt::format("{}: {} cells are too many (at most {})", asset.name, cells.size(), kMostCells));
  if (!(settings.sliver >= 0 && settings.sliver < 0.5))
    return input_error(fmt::format("a sliver is less than a share of the body from 0 to 0.5, not {}", settings.sliver));
  if (settings.most < 2) return input_error(fmt::format("at most {} pieces: scoring makes at least two", settings.most));
  for (const ConvexCell& cell : cells) {
    for (const HalfSpace& side : cell.sides) {
      if (!(std::abs(side.normal.norm() - 1) < 1e-6 && std::isfinite(side.offset)))
        return input_error("a cutting plane has no valid normal or offset");
    }
  }
  return {};
}

PieceLink link_of(int a, int b, const Patch& patch, const Vec3& from_a_to_b) {
  PieceLink link;
  link.a = a, link.b = b;
  link.area = patch.area;
  link.center = patch.first / patch.area;
  link.spread = patch.second / patch.area - link.center * link.center.transpose();
  link.spread = (0.5 * (link.spread + link.spread.transpose())).eval();
  link.spread.diagonal() = link.spread.diagonal().cwiseMax(0);
  // A piece inside another is cut off on all sides, so the normals cancel.
  const bool directed = patch.normal.norm() > 1e-6 * patch.area;
  const Vec3 direction = directed ? patch.normal : from_a_to_b;
  link.normal = direction.norm() > 0 ? direction.normalized() : Vec3::UnitX();
  return link;
}

/// One for each pair of pieces with touching tetrahedra. The area is that of the drawn cut; without one, that of the tetrahedra.
void add_links(const CutBody& body, const DrawnPieces& drawn, Pieces& pieces, ScoreReport& report) {
  const double diagonal = bounds_of(body.mesh.positions).diagonal(), least = kNoPatch * diagonal * diagonal;
  std::vector<Vec3> centers(static_cast<size_t>(body.pieces), Vec3::Zero());
  for (size_t i = 0; i < body.fragments.size(); ++i) {
    const Tetrahedron& tet = body.mesh.tets[static_cast<size_t>(body.fragments[i].tet)];
    Vec3& sum = centers[static_cast<size_t>(body.piece_of[i])];
    for (size_t k = 0; k < 4; ++k) sum += body.fragments[i].volume * body.fragments[i].center[k] * body.mesh.positions[static_cast<size_t>(tet[k])];
  }
  for (size_t p = 0; p < centers.size(); ++p) centers[p] /= report.pieces[p].tet_volume;
  for (const auto& [pair, patch] : piece_patches(body)) {
    if (patch.area <= least) continue;
    const auto seen = drawn.patches.find(pair);
    const bool rough = seen == drawn.patches.end() || seen->second.area <= least;
    const auto a = static_cast<size_t>(pair.first), b = static_cast<size_t>(pair.second);
    pieces.links.push_back(link_of(pair.first, pair.second, rough ? patch : seen->second, centers[b] - centers[a]));
    report.rough_links.push_back(rough);
    ++report.pieces[a].links, ++report.pieces[b].links;
  }
}

void copy_weights(Asset& asset, const std::vector<int>& origin_of) {
  const size_t handles = asset.handles.size();
  std::vector<float> weights(origin_of.size() * handles);
  for (size_t v = 0; v < origin_of.size(); ++v) {
    std::copy_n(asset.weights.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(origin_of[v]) * handles), handles,
                weights.begin() + static_cast<ptrdiff_t>(v * handles));
  }
  asset.weights = std::move(weights);
}

double relative(double sum, double whole) {
  return whole != 0 ? std::abs(sum - whole) / std::abs(whole) : std::abs(sum);
}

/// The surface that is cut, and the parts of it that are not.
struct DividedSurface {
  TriMesh cut;
  std::vector<TriMesh> whole;
};

/// Parts that keep their shape are not cut either.
DividedSurface divide(const TriMesh& surface, const std::vector<bool>& whole) {
  std::vector<bool> marked = whole;
  marked.resize(surface.triangles.size(), false);
  for (size_t t = 0; t < surface.rigid.size(); ++t) marked[t] = marked[t] || surface.rigid[t] > 0;
  TriMesh numbered = surface;
  mark_rigid_parts(marked, numbered);
  DividedSurface divided;
  if (numbered.rigid.empty()) {
    divided.cut = surface;
    return divided;
  }
  std::vector<std::vector<int>> parts(static_cast<size_t>(*std::ranges::max_element(numbered.rigid)) + 1);
  for (size_t t = 0; t < numbered.rigid.size(); ++t) parts[numbered.rigid[t]].push_back(static_cast<int>(t));
  divided.cut = part_of(surface, parts[0]);
  for (size_t p = 1; p < parts.size(); ++p) divided.whole.push_back(part_of(surface, parts[p]));
  return divided;
}

/// The cell that a place lies in, or the one nearest to it.
int cell_around(const Vec3& place, std::span<const ConvexCell> cells) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t c = 0; c < cells.size(); ++c) {
    double outside = -std::numeric_limits<double>::infinity();
    for (const HalfSpace& side : cells[c].sides) outside = std::max(outside, side.normal.dot(place) - side.offset);
    if (outside < least) least = outside, best = static_cast<int>(c);
  }
  return best;
}

/// Each whole part goes to the piece around its middle.
void add_whole_parts(const CutBody& body, std::span<const ConvexCell> cells, const std::vector<TriMesh>& parts, DrawnPieces& drawn) {
  const PieceLocator locator(body);
  for (const TriMesh& part : parts) {
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : part.positions) middle += p / static_cast<double>(part.positions.size());
    const int piece = locator.pieces_at(cell_around(middle, cells), {middle}).front();
    append_mesh(part, drawn.surfaces[static_cast<size_t>(piece)].skin);
  }
}

/// Until something is drawn of every piece.
DrawnPieces draw_all(CutBody& body, const std::vector<CellSurface>& cells, int closing, int& joined) {
  while (true) {
    DrawnPieces drawn = draw_pieces(body, cells, closing);
    std::vector<bool> bare;
    for (const PieceSurface& surface : drawn.surfaces) bare.push_back(surface.skin.triangles.empty() && surface.cut.triangles.empty());
    const int merged = std::count(bare.begin(), bare.end(), true) > 0 ? join_marked(body, bare) : 0;
    if (merged == 0) return drawn;
    joined += merged;
  }
}

}  // namespace

Result<ScoreReport> score_asset(Asset& asset, std::span<const ConvexCell> cells, const ScoreSettings& settings) {
  if (const Result<void> fine = check_input(asset, cells, settings); !fine) return fine.error();
  ScoreReport report;
  CutBody body = cut_body(asset.tets, cells);
  for (const Tetrahedron& tet : asset.tets.tets) report.tet_volume += std::abs(tet_volume(asset.tets.positions, tet));
  const Merged slivers = merge_slivers(body, settings.sliver * report.tet_volume);
  report.slivers = slivers.count, report.sliver_volume = slivers.volume;
  report.joined = join_islands(body);
  if (body.pieces < 2) {
    const Bounds bounds = bounds_of(asset.tets.positions);
    return input_error(fmt::format("{}: no cut goes through the body, which reaches from {} to {}{}", asset.name, text(bounds.low), text(bounds.high),
                                   slivers.count > 0 ? fmt::format("; only {} slivers come off it", slivers.count) : ""));
  }
  if (body.pieces > settings.most) {
    return input_error(fmt::format("{}: the cuts make {} pieces, more than the limit of {}; cut less often, or raise the limit", asset.name,
                                   body.pieces, settings.most));
  }
  const DividedSurface divided = divide(asset.surface, settings.whole);
  if (divided.cut.triangles.empty()) return input_error(fmt::format("{}: all of its surface is to stay whole: there is nothing to cut", asset.name));
  const ClosedSurface whole = close_holes(divided.cut);
  const std::vector<CellSurface> surfaces = cut_drawn(whole.mesh, cells, mean_edge(asset.tets));
  DrawnPieces drawn = draw_all(body, surfaces, whole.closing, report.joined);
  if (body.pieces < 2) return input_error(fmt::format("{}: the cuts miss what is drawn of the body", asset.name));

  add_whole_parts(body, cells, divided.whole, drawn);
  TetCopies copies = copy_tets(body);
  const TriMesh* whole_mesh[] = {&whole.mesh};
  report.holes = whole.holes, report.volume = measure_closed(whole_mesh).volume;
  for (size_t p = 0; p < drawn.surfaces.size(); ++p) {
    report.pieces.push_back({drawn.volumes[p], copies.filled[p], drawn.closed[p] && drawn.volumes[p] > 0, 0});
  }
  report.volume_error = relative(std::accumulate(drawn.volumes.begin(), drawn.volumes.end(), 0.0), report.volume);
  report.tet_error = relative(std::accumulate(copies.filled.begin(), copies.filled.end(), 0.0), report.tet_volume);
  add_links(body, drawn, copies.pieces, report);
  if (!(report.tet_error < 1e-6))
    return input_error(fmt::format("{}: the cells do not fill the body: {:.3g} of it is in none or in two of them", asset.name, report.tet_error));

  copies.pieces.surfaces = std::move(drawn.surfaces);
  for (PieceSurface& surface : copies.pieces.surfaces) {
    if (asset.surface.uvs.empty()) surface.skin.uvs.clear();
  }
  copies.pieces.cut = settings.cut;
  copies.pieces.dress_cuts();
  copy_weights(asset, copies.source);
  asset.tets = std::move(copies.mesh);
  asset.pieces = std::move(copies.pieces);
  asset.certificate.reset();  // it speaks of the old numbers
  return report;
}

}  // namespace crumple

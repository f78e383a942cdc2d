#include "apps/cli/score_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/look.h"

namespace crumple::cli {
namespace {

constexpr double kApart = 0.35;  // how far pieces move from the middle, of where they are

/// Tints that stay apart however many there are: hues a golden ratio apart, light and dark in turn.
Vec3f tint(size_t piece) {
  const double hue = std::fmod(0.08 + 0.6180339887 * static_cast<double>(piece), 1.0) * 6, low = piece % 2 ? 0.10 : 0.16,
               high = piece % 2 ? 0.50 : 0.72;
  const auto channel = [&](double shift) {
    const double at = std::fmod(hue + shift, 6.0);
    const double share = at < 1 ? at : at < 3 ? 1 : at < 4 ? 4 - at : 0;
    return static_cast<float>(low + (high - low) * share);
  };
  return {channel(2), channel(0), channel(4)};
}

std::vector<Vec3> piece_centers(const Asset& asset) {
  const Pieces& pieces = *asset.pieces;
  std::vector<Vec3> sums(static_cast<size_t>(pieces.count()), Vec3::Zero());
  std::vector<double> volumes(sums.size(), 0);
  std::vector<int> piece_of(asset.tets.positions.size(), 0);
  for (size_t t = 0; t < asset.tets.tets.size(); ++t) {
    for (const int v : asset.tets.tets[t]) piece_of[static_cast<size_t>(v)] = pieces.of_tet[t];
  }
  for (size_t v = 0; v < piece_of.size(); ++v) {
    sums[static_cast<size_t>(piece_of[v])] += pieces.volumes[v] * asset.tets.positions[v];
    volumes[static_cast<size_t>(piece_of[v])] += pieces.volumes[v];
  }
  for (size_t p = 0; p < sums.size(); ++p) sums[p] /= std::max(volumes[p], 1e-300);
  return sums;
}

void add_part(const TriMesh& part, const Vec3& shift, const Vec3f& color, TriMesh& all, std::vector<Vec3f>& colors) {
  const int first = static_cast<int>(all.positions.size());
  for (const Vec3& point : part.positions) all.positions.push_back(point + shift);
  for (const auto& [a, b, c] : part.triangles) all.triangles.push_back({first + a, first + b, first + c});
  colors.resize(all.positions.size(), color);
}

LookTile tile_of(const Asset& asset, double apart, const std::string& title) {
  auto surface = std::make_shared<TriMesh>();
  LookTile tile;
  const std::vector<Vec3> centers = piece_centers(asset);
  const Bounds bounds = bounds_of(asset.surface.positions);
  const Vec3 middle = 0.5 * (bounds.low + bounds.high);
  for (size_t p = 0; p < centers.size(); ++p) {
    const Vec3 shift = apart * (centers[p] - middle);
    add_part(asset.pieces->surfaces[p].skin, shift, tint(p), *surface, tile.colors);
    if (apart > 0) add_part(asset.pieces->surfaces[p].cut, shift, asset.pieces->cut.color, *surface, tile.colors);
  }
  const double sunk = bounds.low.y() - bounds_of(surface->positions).low.y();  // pulled apart it still stands on the floor
  for (Vec3& point : surface->positions) point.y() += sunk;
  tile.surface = std::move(surface);
  tile.look.roughness = 0.6;
  tile.title = title;
  return tile;
}

/// How far all pieces together are from the whole.
std::string error_text(double error) {
  return error == 0 ? "exactly the whole" : fmt::format("the whole to {:.0e}", error);
}

}  // namespace

std::string score_table(const std::string& output, const Asset& asset, const ScoreReport& report) {
  std::string text = fmt::format("{}: {} pieces, {} links\n", output, report.pieces.size(), asset.pieces->links.size());
  text += fmt::format("  {:>5}  {:>12}  {:>7}  {:>14}  {:>5}  {}\n", "piece", "volume m^3", "share", "tetrahedra m^3", "links", "surface");
  for (size_t p = 0; p < report.pieces.size(); ++p) {
    const ScoreReport::Piece& piece = report.pieces[p];
    text += fmt::format("  {:>5}  {:>12.5g}  {:>5.1f} %  {:>14.5g}  {:>5}  {}\n", p, piece.volume, 100 * piece.tet_volume / report.tet_volume,
                        piece.tet_volume, piece.links, piece.closed ? "closed" : "OPEN");
  }
  text += fmt::format("  {:>5}  {:>12}  {:>26}  {}\n", "link", "area m^2", "at", "between");
  for (size_t l = 0; l < asset.pieces->links.size(); ++l) {
    const PieceLink& link = asset.pieces->links[l];
    text += fmt::format("  {:>5}  {:>12.5g}  {:>26}  {} and {}{}\n", l, link.area,
                        fmt::format("{:.3g} {:.3g} {:.3g}", link.center.x(), link.center.y(), link.center.z()), link.a, link.b,
                        report.rough_links[l] ? " (area of the tetrahedra: nothing is drawn there)" : "");
  }
  const auto line = [&](std::string_view what, const std::string& value) { text += fmt::format("  {:<12} {}\n", what, value); };
  line("sum", fmt::format("drawn pieces {:.6g} m^3, {}; tetrahedra {:.6g} m^3, {}", report.volume, error_text(report.volume_error), report.tet_volume,
                          error_text(report.tet_error)));
  if (report.slivers > 0) {
    line("slivers", fmt::format("{} merged into neighbours, {:.3g} % of the volume", report.slivers, 100 * report.sliver_volume / report.tet_volume));
  }
  if (report.joined > 0)
    line("joined", fmt::format("{} parts that touched no other, or of which nothing is drawn, to their neighbours", report.joined));
  if (report.holes > 0)
    line("holes", fmt::format("{} in what is drawn; cut faces close them in the pieces ('crumple doctor' shows where)", report.holes));
  return text;
}

Json score_json(const std::string& output, const Asset& asset, const ScoreReport& report) {
  Json pieces = Json::array(), links = Json::array();
  for (const ScoreReport::Piece& piece : report.pieces) {
    pieces.push(Json::object({{"volume_m3", piece.volume}, {"tetrahedra_m3", piece.tet_volume}, {"closed", piece.closed}, {"links", piece.links}}));
  }
  for (size_t l = 0; l < asset.pieces->links.size(); ++l) {
    const PieceLink& link = asset.pieces->links[l];
    links.push(Json::object({{"pieces", Json::array({link.a, link.b})},
                             {"area_m2", link.area},
                             {"center", Json::array({link.center.x(), link.center.y(), link.center.z()})},
                             {"rough", static_cast<bool>(report.rough_links[l])}}));
  }
  return Json::object({{"output", output},
                       {"pieces", std::move(pieces)},
                       {"links", std::move(links)},
                       {"slivers", report.slivers},
                       {"slivers_m3", report.sliver_volume},
                       {"joined", report.joined},
                       {"holes", report.holes},
                       {"volume_m3", report.volume},
                       {"volume_error", report.volume_error},
                       {"tetrahedra_m3", report.tet_volume},
                       {"tetrahedra_error", report.tet_error}});
}

Result<void> draw_scored(const Asset& asset, const std::string& file) {
  LookOptions options;
  options.width = 760, options.height = 560;
  return draw_tiles({tile_of(asset, 0, fmt::format("{}: {} pieces", asset.name, asset.pieces->count())), tile_of(asset, kApart, "pulled apart")},
                    file, options);
}

}  // namespace crumple::cli

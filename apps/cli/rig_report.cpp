#include "apps/cli/rig_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cli/mesh_findings.h"
#include "apps/cli/next_pose.h"
#include "crumple/core/json.h"

namespace crumple::cli {
namespace {

std::string size_text(const std::vector<Vec3>& points) {
  const Bounds bounds = bounds_of(points);
  const Vec3 size = bounds.high - bounds.low;
  return fmt::format("{:.4g} x {:.4g} x {:.4g} m", size.x(), size.y(), size.z());
}

std::string volume_text(const LatticeReport& lattice) {
  std::string text = fmt::format("{:.4g} m3", lattice.volume);
  if (lattice.surface_volume > 0)
    text += fmt::format(", {:.1f} % {} than the surface", 100 * std::abs(lattice.volume_error), lattice.volume_error < 0 ? "less" : "more");
  if (lattice.enclosed == 1) return text + ", which lies inside";
  return text + fmt::format("; {:.4g} % of the surface's vertices are inside, the farthest is {:.3g} m out", 100 * lattice.enclosed,
                            lattice.farthest_outside);
}

std::string certificate_text(const RigReport& report) {
  std::string text = fmt::format("residual {:.1e}", report.weights_residual);
  if (report.target > 0) text += fmt::format(" (promised {:.0e})", report.target);
  return text + fmt::format(", rounding may leave {:.0e}; {} weights are not zero", report.noise_floor, report.weights_kept);
}

std::string refined_text(const Asset& asset, const RigReport& report) {
  if (report.surface_parents.empty()) return fmt::format("no edge was longer than {:.3g} m", report.edge);
  return fmt::format("to {} triangles with edges up to {:.3g} m", asset.surface.triangles.size(), report.edge);
}

std::string handles_text(const Asset& asset) {
  std::string text = fmt::format("{}: ", asset.handles.size());
  const size_t shown = std::min<size_t>(asset.handles.size(), 6);
  for (size_t h = 0; h < shown; ++h) {
    const Vec3& at = asset.handles[h].position;
    text += fmt::format("{}{} ({:.3g}, {:.3g}, {:.3g})", h == 0 ? "" : ", ", asset.handles[h].name, at.x(), at.y(), at.z());
  }
  return shown < asset.handles.size() ? text + ", ..." : text;
}

Json place_json(const Vec3& place) {
  return Json::array({place.x(), place.y(), place.z()});
}

}  // namespace

std::string rig_table(const RigSummary& summary, const Asset& asset, const RigReport& report) {
  std::string text = fmt::format("{}: asset \"{}\"\n", summary.output, asset.name);
  const auto line = [&](std::string_view what, const std::string& value) { text += fmt::format("  {:<12} {}\n", what, value); };
  const LatticeReport& lattice = report.lattice;
  line("model", fmt::format("{}: {} triangles, {}", summary.model, report.triangles_given, size_text(asset.surface.positions)));
  if (report.edge > 0) line("refined", refined_text(asset, report));
  for (const MeshFinding& finding : lattice.surface.findings) line("doctor", finding.text);
  line("tetrahedra", fmt::format("{} with {} vertices, {} cells of {:.3g} m along the longest side, angles {:.1f} to {:.1f} degrees", lattice.tets,
                                 lattice.vertices, report.cells, lattice.cell_size, lattice.smallest_angle, lattice.largest_angle));
  line("volume", volume_text(lattice));
  line("handles", handles_text(asset));
  if (report.mirrored) line("mirrored", fmt::format("along {}: pairs are mirror images", *report.mirrored == 0 ? "x" : "z"));
  for (const PaintedMap& map : asset.maps) {
    const auto [low, high] = std::ranges::minmax_element(map.values);
    line("painted", fmt::format("{}, factors from {:.3g} to {:.3g}", map.name, *low, *high));
  }
  line("weights", certificate_text(report));
  const RigReport::Seconds& s = report.seconds;
  line("seconds", fmt::format("doctor {:.2f}, tetrahedra {:.2f}, handles {:.2f}, weights {:.2f}; {:.2f} in all", s.doctor, s.tets, s.handles,
                              s.weights, summary.seconds));
  for (const std::string& warning : report.warnings) line("warning", warning);
  if (!summary.look.empty()) line("picture", summary.look);
  line("next", next_pose(asset, summary.output));
  return text;
}

std::string rig_json(const RigSummary& summary, const Asset& asset, const RigReport& report) {
  const LatticeReport& l = report.lattice;
  Json handles = Json::array(), warnings = Json::array();
  for (const Handle& handle : asset.handles) handles.push(Json::object({{"name", handle.name}, {"place", place_json(handle.position)}}));
  for (const std::string& warning : report.warnings) warnings.push(warning);
  const Json tets = Json::object({{"count", l.tets},
                                  {"vertices", l.vertices},
                                  {"cells", report.cells},
                                  {"cell_m", l.cell_size},
                                  {"smallest_angle", l.smallest_angle},
                                  {"largest_angle", l.largest_angle},
                                  {"volume_m3", l.volume},
                                  {"volume_error", l.volume_error},
                                  {"enclosed", l.enclosed},
                                  {"parts", l.parts},
                                  {"thin_share", l.thin_share}});
  const Json weights = Json::object(
      {{"kkt_residual", report.weights_residual}, {"noise_floor", report.noise_floor}, {"target", report.target}, {"kept", report.weights_kept}});
  const RigReport::Seconds& s = report.seconds;
  const Json seconds =
      Json::object({{"doctor", s.doctor}, {"tetrahedra", s.tets}, {"handles", s.handles}, {"weights", s.weights}, {"all", summary.seconds}});
  const Json all = Json::object({{"model", summary.model},
                                 {"asset", summary.output},
                                 {"doctor", findings_json(l.surface)},
                                 {"tetrahedra", tets},
                                 {"triangles", asset.surface.triangles.size()},
                                 {"edge_wanted_m", report.edge_wanted},
                                 {"mirrored", report.mirrored ? (*report.mirrored == 0 ? "x" : "z") : ""},
                                 {"handles", std::move(handles)},
                                 {"weights", weights},
                                 {"seconds", seconds},
                                 {"warnings", std::move(warnings)}});
  return write_json(all) + "\n";
}

}  // namespace crumple::cli

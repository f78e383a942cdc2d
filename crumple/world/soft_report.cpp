#include "crumple/world/soft_report.h"

#include <algorithm>
#include <cmath>

namespace crumple {
namespace {

void add_pieces(const clusters::State& state, SoftReport& report) {
  const clusters::Pieces found = clusters::pieces(state);
  int64_t all = 0, debris = 0;
  for (const int32_t size : found.sizes) {
    all += size;
    report.big_pieces += size >= kBigPiece ? 1 : 0;
    debris += size >= kBigPiece ? 0 : size;
  }
  report.pieces = static_cast<int>(found.sizes.size()), report.particles = static_cast<int>(all);
  if (all == 0) return;
  report.largest_piece_share = static_cast<double>(found.sizes.front()) / static_cast<double>(all);
  // A body of few particles is no debris while it is whole.
  report.debris_share = found.sizes.size() > 1 ? static_cast<double>(debris) / static_cast<double>(all) : 0;
}

void add_strains(const clusters::State& state, SoftReport& report) {
  std::vector<double> of_cluster;
  for (const clusters::Mat3f& plastic : state.plastic) of_cluster.push_back((plastic.cast<double>() - Mat3::Identity()).norm());
  double squared = 0;
  int count = 0;
  for (size_t i = 0; i < state.positions.size(); ++i) {
    if (state.entry_count[i] == 0) continue;
    double strain = 0;
    for (int32_t e = state.entry_begin[i]; e < state.entry_begin[i] + state.entry_count[i]; ++e) {
      strain += double{state.entry_share[static_cast<size_t>(e)]} * of_cluster[static_cast<size_t>(state.entry_cluster[static_cast<size_t>(e)])];
    }
    report.max_strain = std::max(report.max_strain, strain);
    squared += strain * strain, ++count;
  }
  if (count > 0) report.rms_strain = std::sqrt(squared / count);
}

}  // namespace

int frame_after(double time, double fps) {
  return time < 0 ? -1 : static_cast<int>(std::floor(time * fps + 1e-6)) + 1;
}

SoftReport soft_report(const Body& body, double fps) {
  const ClusterLayer& layer = *body.clusters;
  const clusters::State& state = layer.state;
  SoftReport report;
  report.start_particles = layer.start_particles;
  report.clusters = static_cast<int>(std::count_if(state.slot_count.begin(), state.slot_count.end(), [](int32_t count) { return count > 0; }));
  report.splits = state.totals.splits, report.outliers = state.totals.outliers;
  report.culled_particles = state.totals.culled_particles, report.culled_mass = state.totals.culled_mass;
  report.first_split_frame = frame_after(state.totals.first_split, fps);
  report.times = layer.times;
  add_pieces(state, report);
  add_strains(state, report);
  return report;
}

void add_json(Json& entry, const SoftReport& r) {
  entry["start_particles"] = r.start_particles, entry["particles"] = r.particles, entry["clusters"] = r.clusters;
  entry["splits"] = static_cast<double>(r.splits), entry["outliers"] = static_cast<double>(r.outliers);
  entry["pieces"] = r.pieces, entry["big_pieces"] = r.big_pieces;
  entry["largest_piece_share"] = r.largest_piece_share, entry["debris_share"] = r.debris_share;
  entry["first_split_frame"] = r.first_split_frame < 0 ? Json() : Json(r.first_split_frame);
  entry["culled_particles"] = static_cast<double>(r.culled_particles), entry["culled_mass"] = r.culled_mass;
  entry["max_strain"] = r.max_strain, entry["rms_strain"] = r.rms_strain;
}

Json json_of(const clusters::StepTimes& t) {
  return Json::object(
      {{"dynamics", t.dynamics}, {"plasticity", t.plasticity}, {"fracture", t.fracture}, {"collision", t.collision}, {"total", total(t)}});
}

}  // namespace crumple

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/methods/clusters/body.h"
#include "crumple/methods/clusters/presets.h"

namespace crumple::clusters {
namespace {

void add_pieces(const State& state, Outcome& report) {
  const Pieces found = pieces(state);
  int64_t all = 0, debris = 0;
  for (const int32_t size : found.sizes) {
    all += size;
    report.big_pieces += size >= kBigPiece ? 1 : 0;
    debris += size >= kBigPiece ? 0 : size;
  }
  report.pieces = static_cast<int>(found.sizes.size()), report.particles = static_cast<int>(all);
  if (all == 0) return;
  report.largest_piece_share = static_cast<double>(found.sizes.front()) / static_cast<double>(all);
  // A whole body of few particles is not debris.
  report.debris_share = found.sizes.size() > 1 ? static_cast<double>(debris) / static_cast<double>(all) : 0;
}

void add_strains(const State& state, Outcome& report) {
  std::vector<double> of_cluster;
  for (const Mat3f& plastic : state.plastic) of_cluster.push_back((plastic.cast<double>() - Mat3::Identity()).norm());
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

/// Property that colours the particles, if the scheme belongs to this method.
std::optional<ParticleColor> particle_color(std::string_view scheme) {
  if (scheme == "cluster") return ParticleColor::Cluster;
  if (scheme == "piece") return ParticleColor::Piece;
  if (scheme == "strain") return ParticleColor::Strain;
  return std::nullopt;
}

FrameItem draw_particles(const BodyModel& model, const BodyState& state, std::optional<ParticleColor> by) {
  ParticleView view = view_particles(model.clusters, state.clusters, by.value_or(ParticleColor::Piece));
  FrameItem item;
  item.look = model.look;
  item.place.translation = model.clusters.origin;
  item.ball_radius = static_cast<float>(0.5 * model.clusters.spacing);
  for (const Vec3& position : view.positions) item.positions.push_back((position - model.clusters.origin).cast<float>());
  if (by) item.colors = std::move(view.colors);
  return item;
}

std::string torn_text(const Outcome& o) {
  if (o.splits == 0) return fmt::format("nothing; {} particles in {} clusters", o.particles, o.clusters);
  return fmt::format("{} splits, the first in frame {}; {} piece{} ({} of {} particles or more, the largest {:.1f} %), debris {:.2f} %", o.splits,
                     o.first_split_frame, o.pieces, o.pieces == 1 ? "" : "s", o.big_pieces, kBigPiece, 100 * o.largest_piece_share, 100 * o.debris_share);
}

std::string flowed_text(const Outcome& o) {
  const std::string culled = o.culled_particles == 0 ? "" : fmt::format("; {} particles ({:.3g} kg) were culled", o.culled_particles, o.culled_mass);
  return fmt::format("plastic strain up to {:.3g}, rms {:.3g}; {} particles became {}{}", o.max_strain, o.rms_strain, o.start_particles, o.particles, culled);
}

std::string footer(int bodies, const crumple::Totals& totals) {
  return fmt::format("{} soft {}, {:g} splits, {:g} pieces", bodies, bodies == 1 ? "body" : "bodies", totals.at("splits"), totals.at("pieces"));
}

}  // namespace

const MethodInfo& info(const BodySettings&) {
  static constexpr ColorScheme kSchemes[] = {
      {"piece", "what hangs together"}, {"cluster", "of soft bodies"}, {"strain", "plastic, of soft bodies: blue none, red 1"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Matter,
                                       .name = "clusters",
                                       .key = "clusters",
                                       .key_help = "soft body: clusters of particles that bend, flow and tear",
                                       .paper = "paper 2",
                                       .help = "soft and tough bodies made of overlapping clusters of particles bend, flow, tear and stay torn",
                                       .need = BodyNeed::Surface,
                                       .noun = "body of clusters",
                                       .verb = "tear",
                                       .held_by = "clamps",
                                       .colors = kSchemes,
                                       .state_color = "strain",
                                       .footer = footer,
                                       .presets = kPresets};
  return kInfo;
}

std::string summary(const BodySettings& s) {
  const std::string tears = s.clusters.toughness < kNeverTears ? fmt::format("tears at a stretch of {:g}", s.clusters.toughness) : "never tears";
  const std::string flows = s.clusters.flow > 0 ? fmt::format("flows above {:g}", s.clusters.yield) : "does not flow";
  return fmt::format("{} clusters or more; {}, {}", s.clusters.clusters, flows, tears);
}

std::vector<FrameItem> draw(const BodyModel& model, const BodyState& state, const MatterView& view, Surface& drawn) {
  const std::optional<ParticleColor> by = particle_color(view.color);
  if (view.particles) return {draw_particles(model, state, by)};
  update_surface(model.clusters, model.surface, state.clusters, drawn);
  PosedSurface posed;
  pose_surface(model.clusters, model.surface, state.clusters, drawn, posed);
  std::vector<FrameItem> items = view_surface(model.surface, drawn, std::move(posed), model.look, model.inner);
  if (items.size() > 1) items[1].name = "/inner";
  if (!by) return items;
  const std::vector<Vec3f> colors = particle_colors(state.clusters, *by);
  items[0].colors = surface_colors(drawn, drawn.skin_point, colors);
  if (items.size() > 1) items[1].colors = surface_colors(drawn, drawn.inner_point, colors);
  return items;
}

std::string note(const Surface& drawn) {
  return drawn.coarse_cracks > 0 ? "is torn into more cells than are cut exactly; further cracks are drawn between its particles" : "";
}

int frame_after(double time, double fps) {
  return time < 0 ? -1 : static_cast<int>(std::floor(time * fps + 1e-6)) + 1;
}

Outcome outcome_of(const BodyModel& model, const BodyState& body, double fps) {
  const State& state = body.clusters;
  Outcome outcome;
  outcome.start_particles = static_cast<int>(model.clusters.rest.size());
  outcome.clusters = static_cast<int>(std::count_if(state.slot_count.begin(), state.slot_count.end(), [](int32_t count) { return count > 0; }));
  outcome.splits = state.totals.splits, outcome.outliers = state.totals.outliers,
  outcome.bridges = state.totals.bridges;
  outcome.culled_particles = state.totals.culled_particles, outcome.culled_mass = state.totals.culled_mass;
  outcome.first_split_frame = frame_after(state.totals.first_split, fps);
  add_pieces(state, outcome);
  add_strains(state, outcome);
  return outcome;
}

void report(const BodyModel& model, const BodyState& state, const ReportContext& context, Report& report) {
  const Outcome o = outcome_of(model, state, context.fps);
  Json& entry = report.figures;
  entry["start_particles"] = o.start_particles, entry["particles"] = o.particles, entry["clusters"] = o.clusters;
  entry["splits"] = static_cast<double>(o.splits), entry["outliers"] = static_cast<double>(o.outliers);
  entry["bridges"] = static_cast<double>(o.bridges);
  entry["pieces"] = o.pieces, entry["big_pieces"] = o.big_pieces;
  entry["largest_piece_share"] = o.largest_piece_share, entry["debris_share"] = o.debris_share;
  entry["first_split_frame"] = o.first_split_frame < 0 ? Json() : Json(o.first_split_frame);
  entry["culled_particles"] = static_cast<double>(o.culled_particles), entry["culled_mass"] = o.culled_mass;
  entry["max_strain"] = o.max_strain, entry["rms_strain"] = o.rms_strain;
  report.lines = {{"torn", torn_text(o)}, {"", flowed_text(o)}};
  if (state.dt > 0) {
    if (const std::string said = advice(model, state.dt, state.substeps, state.gravity); !said.empty()) report.lines.emplace_back("advice", said);
  }
  entry["asleep"] = state.calm.asleep > 0;
  report.totals = {{"splits", static_cast<double>(o.splits)},
                   {"pieces", static_cast<double>(o.pieces)},
                   {"first_split_frame", static_cast<double>(o.first_split_frame), true}};
  const StepTimes& t = state.times;
  report.seconds = {{"dynamics", t.dynamics}, {"plasticity", t.plasticity}, {"fracture", t.fracture}, {"collision", t.collision}};
}

}  // namespace crumple::clusters

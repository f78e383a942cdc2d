#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>
#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/geometry/point_skin.h"
#include "crumple/geometry/point_tree.h"
#include "crumple/methods/points/kernels.h"
#include "crumple/methods/points/presets.h"

namespace crumple::points {
namespace {

constexpr double kWidestGap = 2;  // times the one at the start: points that are drawn apart are still one
constexpr size_t kCarriers = 16;  // points that carry a vertex of the mesh
const Vec3f kNone(0.10f, 0.25f, 0.75f), kSome(0.95f, 0.80f, 0.15f), kMuch(0.75f, 0.04f, 0.03f);

Vec3f color_of(double strain) {
  const float share = static_cast<float>(std::min(strain, 1.0));
  return share < 0.5f ? Vec3f(kNone + 2 * share * (kSome - kNone)) : Vec3f(kSome + (2 * share - 1) * (kMuch - kSome));
}

bool is_carried(const Model& model) {
  const Settings& s = model.settings;
  return s.shown == Shown::Carried || (s.shown == Shown::Auto && !s.yield && !s.resample);
}

/// Where a vertex of the mesh is: its carriers' motion, fitted by an affine map.
Vec3 carried_vertex(const Model& model, const State& state, const Vec3& rest, std::span<const int32_t> carriers, std::span<const float> shares) {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  for (size_t k = 0; k < carriers.size(); ++k) from += double{shares[k]} * model.start[at(carriers[k])], to += double{shares[k]} * state.x[at(carriers[k])];
  Mat3 a = Mat3::Zero(), b = Mat3::Zero();
  for (size_t k = 0; k < carriers.size(); ++k) {
    const Vec3 u = model.start[at(carriers[k])] - from, x = state.x[at(carriers[k])] - to;
    a += double{shares[k]} * u * u.transpose(), b += double{shares[k]} * x * u.transpose();
  }
  // A flat set of carriers tells nothing across it.
  const double usual = a.trace() / 3;
  const bool is_flat = !(a.determinant() > 1e-4 * usual * usual * usual);
  if (is_flat) a += 1e-2 * usual * Mat3::Identity(), b += 1e-2 * usual * Mat3::Identity();
  return to + b * a.inverse() * (rest - from);
}

/// Usual distance of points from those around them, of a sample of them.
double distance_apart(std::span<const Vec3> points) {
  constexpr size_t kSample = 400, kAround = 12;
  const PointTree tree(points);
  std::vector<double> distances;
  for (size_t i = 0; i < points.size(); i += 1 + points.size() / kSample) {
    double sum = 0;
    for (const PointTree::Hit& hit : tree.nearest_few(points[i], kAround)) sum += hit.distance;
    distances.push_back(sum);
  }
  std::nth_element(distances.begin(), distances.begin() + static_cast<long>(distances.size() / 2), distances.end());
  return distances[distances.size() / 2] + 1e-300;
}

FrameItem item_of(const Model& model) {
  FrameItem item;
  item.look = model.look;
  item.place.translation = model.origin;
  return item;
}

/// Colours of the points nearest to the vertices.
std::vector<Vec3f> colors_at(const State& state, const std::vector<Vec3f>& vertices) {
  const PointTree tree(state.x);
  std::vector<Vec3f> colors(vertices.size());
  parallel_for(vertices.size(), 256, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      double sum = 0, weights = 0;
      for (const PointTree::Hit& hit : tree.nearest_few(vertices[v].cast<double>(), 6)) {
        const double weight = 1 / (hit.distance * hit.distance + 1e-12);
        sum += weight * state.strain[at(hit.point)], weights += weight;
      }
      colors[v] = color_of(weights > 0 ? sum / weights : 0);
    }
  });
  return colors;
}

std::string footer(int bodies, const Totals& totals) {
  return fmt::format("{} {} of {:g} points", bodies, bodies == 1 ? "body" : "bodies", totals.at("points"));
}

}  // namespace

const MethodInfo& info(const BodySettings&) {
  static constexpr ColorScheme kSchemes[] = {{"flow", "plastic strain of points: blue none, yellow 0.5, red 1"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Matter,
                                       .name = "points",
                                       .key = "points",
                                       .key_help = "elastic and plastic body of points: clay, dough, gum, hot metal",
                                       .paper = "thesis, ch. 3",
                                       .help = "clay, dough, gum and hot metal made of points bend, creep and flow without limit",
                                       .need = BodyNeed::Surface,
                                       .noun = "body of points",
                                       .verb = "flow",
                                       .held_by = "clamps",
                                       .colors = kSchemes,
                                       .state_color = "flow",
                                       .footer = footer,
                                       .presets = kPresets};
  return kInfo;
}

Model::Drawn start_drawing(const Model& model) {
  Model::Drawn drawn;
  if (!is_carried(model) || !model.surface) return drawn;
  const PointTree tree(model.start);
  for (const Vec3& p : model.surface->positions) {
    const std::vector<PointTree::Hit> near = tree.nearest_few(p, kCarriers);
    const double reach = 1.2 * near.back().distance + 1e-12;
    double sum = 0;
    const size_t first = drawn.shares.size();
    for (const PointTree::Hit& hit : near) {
      const double share = std::pow(std::max(1 - hit.distance * hit.distance / (reach * reach), 0.0), 3);
      drawn.of_vertex.push_back(hit.point), drawn.shares.push_back(static_cast<float>(share)), sum += share;
    }
    for (size_t k = first; k < drawn.shares.size(); ++k) drawn.shares[k] = static_cast<float>(double{drawn.shares[k]} / sum);
  }
  return drawn;
}

std::vector<FrameItem> draw(const Model& model, const State& state, const MatterView& view, Model::Drawn& drawn) {
  FrameItem item = item_of(model);
  if (view.particles) {
    item.ball_radius = static_cast<float>(0.5 * model.spacing);
    for (const Vec3& x : state.x) item.positions.push_back(x.cast<float>());
    for (size_t i = 0; !view.color.empty() && i < state.size(); ++i) item.colors.push_back(color_of(state.strain[i]));
    return {item};
  }
  if (is_carried(model) && state.size() == model.start.size()) {
    item.surface = model.surface;
    item.positions.resize(model.surface->positions.size());
    const size_t carriers = drawn.shares.size() / std::max<size_t>(item.positions.size(), 1);
    parallel_for(item.positions.size(), 256, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        const auto of = std::span<const int32_t>(drawn.of_vertex).subspan(v * carriers, carriers);
        const auto shares = std::span<const float>(drawn.shares).subspan(v * carriers, carriers);
        item.positions[v] = carried_vertex(model, state, model.surface->positions[v], of, shares).cast<float>();
      }
    });
  } else {
    SkinSettings settings;
    settings.spacing = model.spacing, settings.offset = std::clamp(model.margin / model.spacing, 0.05, 0.5);
    settings.gap *= std::clamp(distance_apart(state.x) / distance_apart(model.start), 1.0, kWidestGap);
    settings.volume = std::accumulate(state.volume.begin(), state.volume.end(), 0.0);
    Result<TriMesh> skin = skin_of_points(state.x, settings);
    if (!skin) return draw(model, state, {view.color, true}, drawn);  // dust has no skin
    item.surface = std::make_shared<const TriMesh>(std::move(*skin));
    for (const Vec3& p : item.surface->positions) item.positions.push_back(p.cast<float>());
  }
  if (!view.color.empty()) item.colors = colors_at(state, item.positions);
  return {item};
}

std::vector<StateArray> arrays(State& s) {
  return {state_rows<double>("x", std::span(s.x)), state_rows<double>("v", std::span(s.v)), state_rows<double>("e", std::span(s.e)), state_rows<double>("push", std::span(s.push)),
          state_rows<double>("pending", std::span(s.pending)), state_array("unfolded", std::span(s.unfolded), 1), state_rows<double>("last_move", std::span(s.last_move)),
          state_array("volume", std::span(s.volume), 1), state_array("mass", std::span(s.mass), 1), state_array("radius", std::span(s.radius), 1),
          state_array("strain", std::span(s.strain), 1), state_array("flowed", std::span(s.flowed), 1), state_array("own_spacing", std::span(s.own_spacing), 1),
          state_array("yield", std::span(s.yield), 1), state_array("stiffness", std::span(s.stiffness), 1), state_array("rate", std::span(s.rate), 1), state_array("original", std::span(s.original), 1), state_array("held", std::span(s.held), 1),
          state_array("is_there", std::span(s.is_there), 1), state_array("neighbor", std::span(s.neighbor), 1), state_rows<double>("u", std::span(s.u)),
          state_array("counts", std::span(s.counts), 1), state_array("clamps", std::span(&s.clamps, 1), 1),
          state_rows<float>("places", std::span(s.outside.places)), state_rows<float>("speeds", std::span(s.outside.speeds))};
}

void fit(const Model& model, State& s, const SavedArrays& saved) {
  const size_t count = saved_rows(saved, arrays(s), "x");
  s.x.resize(count), s.v.resize(count), s.e.resize(count), s.push.resize(count), s.volume.resize(count), s.mass.resize(count), s.radius.resize(count), s.strain.resize(count);
  s.pending.resize(count), s.unfolded.resize(count), s.last_move.resize(count);
  s.flowed.resize(count), s.own_spacing.resize(count), s.yield.resize(count), s.stiffness.resize(count), s.rate.resize(count), s.original.resize(count), s.held.resize(count), s.is_there.resize(count);
  s.neighbor.resize(count * model.stride()), s.u.resize(count * model.stride()), s.outside.places.resize(count), s.outside.speeds.resize(count);
  s.carried.clear();
}

Result<void> rebuilt(const Model& model, State& s) {
  const auto count = static_cast<int64_t>(s.size());
  for (const int32_t j : s.neighbor) {
    if (j < -1 || j >= count) return input_error("its points have neighbours that do not exist");
  }
  for (size_t i = 0; i < s.size(); ++i) {
    if (s.original[i] < 0 || at(s.original[i]) >= model.rest.size()) return input_error("it has points that come from nowhere");
    if (!(s.mass[i] > 0) || !(s.volume[i] >= 0) || !(s.radius[i] >= 0)) return input_error("it has points without mass or volume");
  }
  const Outside seen = s.outside;
  hand_out(s);
  s.outside.places = seen.places, s.outside.speeds = seen.speeds;
  lists_changed(model, s), measure_F(model, s);
  return {};
}

void record(const Model& model, State& s) {
  const std::vector<double> volumes = estimated_volumes(model, s);
  s.counts[kEstimated] = model.volume_scale * std::accumulate(volumes.begin(), volumes.end(), 0.0);
  s.recorded_places.clear(), s.recorded_strain.clear(), s.recorded_size.clear();
  for (size_t i = 0; i < s.size(); ++i) {
    s.recorded_places.push_back(s.x[i].cast<float>()), s.recorded_strain.push_back(static_cast<float>(s.strain[i]));
    s.recorded_size.push_back(static_cast<float>(s.volume[i]));
  }
}

std::vector<StateArray> recorded(State& s) {
  return {state_rows<float>("places", std::span(s.recorded_places)), state_array("strain", std::span(s.recorded_strain), 1),
          state_array("volume", std::span(s.recorded_size), 1), state_array("counts", std::span(s.counts), 1)};
}

void fit_recorded(const Model&, State& s, const SavedArrays& saved) {
  const size_t count = saved_rows(saved, recorded(s), "places");
  s.recorded_places.resize(count), s.recorded_strain.resize(count), s.recorded_size.resize(count);
}

Result<void> replayed(const Model&, State& s) {
  const size_t count = s.recorded_places.size();
  s.x.resize(count), s.strain.resize(count), s.volume.resize(count), s.is_there.assign(count, 1);
  for (size_t i = 0; i < count; ++i) {
    s.x[i] = s.recorded_places[i].cast<double>(), s.strain[i] = double{s.recorded_strain[i]}, s.volume[i] = double{s.recorded_size[i]};
  }
  return {};
}

void report(const Model& model, const State& s, const ReportContext&, Report& report) {
  double most = 0, squared = 0;
  for (const double strain : s.strain) most = std::max(most, strain), squared += strain * strain;
  const double rms = s.strain.empty() ? 0 : std::sqrt(squared / static_cast<double>(s.strain.size()));
  const std::vector<double>& c = s.counts;
  Json& entry = report.figures;
  entry["start_points"] = static_cast<double>(model.start.size()), entry["points"] = static_cast<double>(s.size());
  entry["estimated_volume"] = c[kEstimated];  // m^3, sum of eq. 3.3
  entry["max_strain"] = most, entry["rms_strain"] = rms;
  entry["splits"] = c[kSplits], entry["merges"] = c[kMerges], entry["merge_loss_J"] = c[kLostEnergy];
  entry["strays"] = c[kStrays], entry["stray_mass"] = c[kStrayMass];
  entry["steps"] = c[kSubsteps], entry["retried_steps"] = c[kRetries], entry["steps_left_out"] = c[kLeftSteps];
  entry["embeddings"] = c[kEmbeddings], entry["embedding_iterations"] = c[kIterations], entry["list_updates"] = c[kUpdates];
  report.lines = {{"flowed", fmt::format("strain up to {:.3g}, rms {:.3g}; {} points became {}{}", most, rms, model.start.size(), s.size(),
                                         c[kStrays] > 0 ? fmt::format("; {:.0f} strays ({:.3g} kg)", c[kStrays], c[kStrayMass]) : "")},
                  {"", fmt::format("{:.0f} steps{}, {:.0f} embeddings", c[kSubsteps], c[kRetries] > 0 ? fmt::format(" ({:.0f} retried)", c[kRetries]) : "", c[kEmbeddings])}};
  report.totals = {{"points", static_cast<double>(s.size())}, {"strays", c[kStrays]}, {"retried_steps", c[kRetries]}};
  const State::Times& t = s.times;
  report.seconds = {{"basis", t.basis}, {"viscosity", t.viscosity}, {"forces", t.forces}, {"embedding", t.embedding}, {"resampling", t.resampling}, {"neighbors", t.neighbors}, {"contact", t.collision}};
}

}  // namespace crumple::points

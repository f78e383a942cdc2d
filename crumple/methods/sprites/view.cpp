#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/methods/sprites/kernels.h"

namespace crumple::sprites {
namespace {

constexpr double kLayerDistance = 1e-3;  // of the size: between layers, along z

/// Colours of poses, evenly around the circle; the rest pose is grey.
Vec3f pose_color(size_t pose, size_t count) {
  if (pose == 0) return {0.55f, 0.55f, 0.55f};
  const double angle = 2 * M_PI * static_cast<double>(pose - 1) / static_cast<double>(std::max<size_t>(count - 1, 1));
  const auto wave = [&](double shift) { return static_cast<float>(0.45 + 0.4 * std::cos(angle - shift)); };
  return {wave(0), wave(2.1), wave(4.2)};
}

std::string footer(int bodies, const Totals& totals) {
  return fmt::format("{} {} of {:g} particles", bodies, bodies == 1 ? "sprite" : "sprites", totals.at("particles"));
}

}  // namespace

const MethodInfo& info(const Settings&) {
  static constexpr ColorScheme kSchemes[] = {{"pose", "poses in use: grey for the rest pose, a colour for each other"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Matter,
                                       .name = "sprites",
                                       .key = "sprites",
                                       .key_help = "drawing that moves by physics and by an artist's controls",
                                       .paper = "thesis, ch. 4",
                                       .help = "drawings squash, stretch, bounce and walk between the poses they were given",
                                       .need = BodyNeed::Drawing,
                                       .noun = "sprite",
                                       .verb = "come alive",
                                       .held_by = "sprites/fixed",
                                       .colors = kSchemes,
                                       .state_color = "pose",
                                       .footer = footer,
                                       .directed_by = "sprites/behaviours"};
  return kInfo;
}

std::vector<FrameItem> draw(const Model& model, const State& state, const MatterView& view, Model::Drawn&) {
  FrameItem item;
  item.look = model.look;
  // Its flight and its turn are of the place, so that an export has keys for them and shapes only for what is deformed.
  const Complex middle = middle_of(model, state.x);
  Complex turn = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Vec3& rest = model.drawing->surface.positions[i];
    turn += model.mass[i] * std::conj(Complex(state.is_left ? -rest.x() : rest.x(), rest.y())) * (state.x[i] - middle);
  }
  turn = std::abs(turn) > 0 ? turn / std::abs(turn) : 1;
  item.place.translation = model.origin + Vec3(middle.real(), middle.imag(), 0);
  item.place.rotation = Eigen::AngleAxisd(std::arg(turn), Vec3::UnitZ()).toRotationMatrix();
  const double apart = kLayerDistance * model.size;
  for (size_t i = 0; i < state.size(); ++i) {
    const Complex arm = std::conj(turn) * (state.x[i] - middle);
    const double z = view.particles ? 0 : apart * model.drawing->flat->layer[i];
    item.positions.emplace_back(static_cast<float>(arm.real()), static_cast<float>(arm.imag()), static_cast<float>(z));
  }
  if (!model.settings.behaviours.empty()) item.doing = model.settings.behaviours[at(state.behaviour)].name;
  if (view.particles) {
    item.ball_radius = static_cast<float>(0.2 * model.edge);
  } else {
    item.surface = std::shared_ptr<const TriMesh>(model.drawing, &model.drawing->surface);
  }
  if (!view.color.empty()) {
    Vec3f color = Vec3f::Zero();
    for (size_t k = 0; k < state.weights.size(); ++k) color += static_cast<float>(state.weights[k]) * pose_color(k, state.weights.size());
    item.colors.assign(item.positions.size(), color);
  }
  return {item};
}

std::vector<StateArray> arrays(State& s) {
  take_over(s);
  return {state_rows<double>("x", std::span(s.x)), state_rows<double>("v", std::span(s.v)), state_rows<double>("hit", std::span(s.hit)),
          state_rows<double>("from", std::span(s.from)), state_rows<double>("pose", std::span(s.pose)), state_array("weights", std::span(s.weights), 1),
          state_array("last_weights", std::span(s.last_weights), 1), state_array("simplex", std::span(&s.simplex, 1), 1), state_rows<double>("turn", std::span(&s.turn, 1)),
          state_array("energy", std::span(&s.energy, 1), 1), state_rows<double>("stored", std::span(&s.stored, 1)), state_array("behaviour", std::span(&s.behaviour, 1), 1),
          state_array("key", std::span(&s.key, 1), 1), state_array("is_left", std::span(&s.is_left, 1), 1), state_array("keys_held", std::span(&s.keys_held, 1), 1),
          state_array("cues", std::span(&s.cues, 1), 1), state_array("is_lost", std::span(&s.is_lost, 1), 1), state_array("since", std::span(&s.since, 1), 1),
          state_array("key_since", std::span(&s.key_since, 1), 1), state_array("grounded", std::span(&s.grounded, 1), 1), state_array("counts", std::span(s.counts), 1)};
}

void fit(const Model&, State&, const SavedArrays&) {}  // sizes never change

Result<void> rebuilt(const Model& model, State& s) {
  double sum = 0;
  for (const double a : s.weights) sum += a;
  if (s.simplex < 0 || at(s.simplex) >= model.manifold.simplices.size() || !(std::abs(sum - 1) < 1e-6)) return input_error("it has weights of poses that do not exist");
  const int64_t behaviours = std::max<int64_t>(static_cast<int64_t>(model.settings.behaviours.size()), 1);
  if (s.behaviour < 0 || s.behaviour >= behaviours || s.cues < 0 || at(s.cues) > model.settings.input.size()) return input_error("it has a behaviour that does not exist");
  const size_t keys = model.keys.empty() ? 0 : model.keys[at(s.behaviour)].size();
  if (s.key < 0 || at(s.key) >= std::max<size_t>(keys, 1)) return input_error("it has a key pose that does not exist");
  s.from_rings = pose_rings(model.rings, s.from), s.pose_rings = pose_rings(model.rings, s.pose);
  s.hulls.layers.clear();
  s.is_shown = false;
  return {};
}

void record(const Model&, State& s) {
  take_over(s);
  s.recorded_places.clear(), s.recorded_weights.clear();
  for (const Complex& x : s.x) s.recorded_places.emplace_back(static_cast<float>(x.real()), static_cast<float>(x.imag()), 0.0f);
  for (const double a : s.weights) s.recorded_weights.push_back(static_cast<float>(a));
  s.recorded_state = {static_cast<int32_t>(s.behaviour), static_cast<int32_t>(s.key), static_cast<int32_t>(s.is_left)};
}

std::vector<StateArray> recorded(State& s) {
  return {state_rows<float>("places", std::span(s.recorded_places)), state_array("weights", std::span(s.recorded_weights), 1), state_array("state", std::span(s.recorded_state), 1),
          state_array("counts", std::span(s.counts), 1)};
}

void fit_recorded(const Model& model, State& s, const SavedArrays&) {
  s.recorded_places.resize(model.particles()), s.recorded_weights.resize(model.poses.size()), s.recorded_state.resize(3);
}

Result<void> replayed(const Model&, State& s) {
  for (size_t i = 0; i < s.x.size(); ++i) s.x[i] = {double{s.recorded_places[i].x()}, double{s.recorded_places[i].y()}};
  for (size_t k = 0; k < s.weights.size(); ++k) s.weights[k] = double{s.recorded_weights[k]};
  s.behaviour = s.recorded_state[0], s.key = s.recorded_state[1], s.is_left = s.recorded_state[2];
  return {};
}

void report(const Model& model, const State& s, const ReportContext&, Report& report) {
  const std::vector<double>& c = s.counts;
  Json& entry = report.figures;
  Json weights = Json::object();
  size_t most = 0;
  for (size_t k = 0; k < s.weights.size(); ++k) {
    weights[model.poses[k]] = std::round(1e6 * s.weights[k]) / 1e6;
    if (s.weights[k] > s.weights[most]) most = k;
  }
  entry["particles"] = model.particles(), entry["weights"] = std::move(weights);
  entry["bounces"] = c[kBounces], entry["flips"] = c[kFlips], entry["newton_steps"] = c[kNewtonSteps], entry["pose_searches"] = c[kSearches];
  if (!model.settings.behaviours.empty()) entry["behaviour"] = model.settings.behaviours[at(s.behaviour)].name;
  report.lines = {{"sprite", fmt::format("{} particles; {:.0f} bounces{}; ends in \"{}\"{}", model.particles(), c[kBounces], c[kFlips] > 0 ? fmt::format(", {:.0f} flips", c[kFlips]) : "",
                                         model.poses[most], model.settings.behaviours.empty() ? "" : fmt::format(", behaviour \"{}\"", model.settings.behaviours[at(s.behaviour)].name))}};
  report.totals = {{"particles", static_cast<double>(model.particles())}, {"bounces", c[kBounces]}};
  const State::Times& t = s.times;
  report.seconds = {{"neighbourhood matching", t.rings}, {"global matching", t.whole}, {"manifold projection", t.projection}, {"contact", t.collision}, {"other", t.other}};
}

}  // namespace crumple::sprites

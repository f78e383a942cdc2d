#include "tests/toys/grains.h"

#include <cmath>

#include <fmt/format.h>

#include "crumple/methods/faults.h"

namespace crumple::grains {
namespace {

std::string footer(int bodies, const Totals& totals) {
  return fmt::format("{} heaps of {:g} grains", bodies, totals.at("grains"));
}

}  // namespace

const MethodInfo& info(const Settings&) {
  static constexpr ColorScheme kSchemes[] = {{"height", "of grains"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Matter,
                                       .name = "grains",
                                       .key = "grains",
                                       .key_help = "the body is made of grains",
                                       .paper = "none",
                                       .help = "grains fall",
                                       .need = BodyNeed::Surface,
                                       .noun = "body of grains",
                                       .verb = "fall",
                                       .held_by = "nothing",
                                       .colors = kSchemes,
                                       .state_color = "height",
                                       .footer = footer};
  return kInfo;
}

void describe(Fields& fields, Settings& settings) {
  particles::describe(fields, settings.fill);
}

Result<Model> build(const MatterSeed& seed, const Settings& settings) {
  Model model;
  model.origin = seed.place.translation, model.look = seed.look;
  model.mass = seed.mass / static_cast<double>(seed.cloud->points.size());
  model.spacing = settings.fill.spacing.value_or(std::cbrt(seed.cloud->volume / static_cast<double>(seed.cloud->points.size())));
  for (const Vec3& p : seed.cloud->points) {
    particles::Vec4f at;
    at << (seed.place * p - model.origin).cast<float>(), 1.0f;
    model.rest.push_back(at);
  }
  return model;
}

Result<State> start(const Model& model, const MatterSeed& seed, const Settings&) {
  State state;
  state.positions = model.rest;
  particles::Vec4f velocity;
  velocity << seed.velocity.cast<float>(), 0.0f;
  state.velocities.assign(model.rest.size(), velocity);
  if (Result<void> made = rebuilt(model, state); !made) return made.error();
  return state;
}

Bounds reach(const Model& model, const State& state, double dt) {
  Bounds bounds;
  double fastest = 0;
  for (size_t i = 0; i < state.positions.size(); ++i) {
    bounds.add(model.origin + state.positions[i].head<3>().cast<double>());
    fastest = std::max(fastest, double{state.velocities[i].head<3>().norm()});
  }
  const Vec3 slack = Vec3::Constant(2 * fastest * dt + model.spacing);
  return {bounds.low - slack, bounds.high + slack};
}

void step(const Model& model, State& state, MatterContext& now) {
  if (!now.frozen) {
    state.before = state.positions;
    particles::Vec4f change = particles::Vec4f::Zero();
    change.head<3>() = (now.dt * now.gravity).cast<float>();
    for (size_t i = 0; i < state.positions.size(); ++i) {
      state.velocities[i] += change;
      state.positions[i].head<3>() += static_cast<float>(now.dt) * state.velocities[i].head<3>();
    }
  }
  now.pushes = particles::collide_obstacles(particles_of(model, state), now.obstacles, now.dt);
}

std::string fault(const Model& model, const State& state) {
  Vec3 sum = Vec3::Zero(), velocity = Vec3::Zero();
  for (size_t i = 0; i < state.positions.size(); ++i) {
    sum += state.positions[i].head<3>().cast<double>(), velocity += state.velocities[i].head<3>().cast<double>();
  }
  if (!sum.allFinite() || !velocity.allFinite()) return "its grains' motion is no longer finite";
  const double count = static_cast<double>(state.positions.size());
  return runaway(velocity.norm() / count, (model.origin + sum / count).norm());
}

void freeze(const Model&, State& state) {
  state.positions = state.before;
  for (size_t i = 0; i < state.velocities.size(); ++i) state.velocities[i].setZero(), state.held[i] = 0;
}

particles::ParticleSpan particles_of(const Model& model, State& state) {
  return {model.origin, model.mass, model.spacing, state.positions, state.velocities, state.mass, state.held, state.is_there};
}

double kinetic_energy(const Model& model, const State& state) {
  double sum = 0;
  for (const particles::Vec4f& v : state.velocities) sum += 0.5 * model.mass * double{v.head<3>().squaredNorm()};
  return sum;
}

std::vector<StateArray> arrays(State& state) {
  float* positions = state.positions.empty() ? nullptr : state.positions.front().data();
  float* velocities = state.velocities.empty() ? nullptr : state.velocities.front().data();
  return {state_array("positions", std::span(positions, 4 * state.positions.size()), 4),
          state_array("velocities", std::span(velocities, 4 * state.velocities.size()), 4)};
}

void fit(const Model&, State& state, const SavedArrays& saved) {
  const size_t count = saved.rows("positions", sizeof(particles::Vec4f));
  state.positions.resize(count), state.velocities.resize(count);
}

Result<void> rebuilt(const Model& model, State& state) {
  if (state.positions.size() != model.rest.size()) return input_error("grains are missing");
  state.mass.assign(state.positions.size(), 1.0f);
  state.held.assign(state.positions.size(), -1), state.is_there.assign(state.positions.size(), 1);
  return {};
}

std::vector<FrameItem> draw(const Model& model, const State& state, const MatterView& view, Model::Drawn& drawn) {
  ++drawn.frames;
  FrameItem item;
  item.look = model.look, item.place.translation = model.origin, item.ball_radius = static_cast<float>(0.5 * model.spacing);
  for (const particles::Vec4f& p : state.positions) item.positions.push_back(p.head<3>());
  if (view.color == "height") {
    for (const particles::Vec4f& p : state.positions) item.colors.push_back(Vec3f::Constant(std::min(1.0f, std::abs(p.y()))));
  }
  return {item};
}

void report(const Model&, const State& state, const ReportContext&, Report& report) {
  report.figures["grains"] = static_cast<double>(state.positions.size());
  report.lines.emplace_back("heap", fmt::format("{} grains", state.positions.size()));
  report.totals = {{"grains", static_cast<double>(state.positions.size())}};
}

}  // namespace crumple::grains

#include "crumple/methods/clusters/body.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "crumple/geometry/refine.h"
#include "crumple/methods/clusters/stored_model.h"
#include "crumple/methods/faults.h"

namespace crumple::clusters {
namespace {

constexpr double kSags = 0.04, kStands = 0.02;  // of its height, under its own weight: worth a warning; good
constexpr float kDarker = 0.55f;      // colour of torn surfaces, relative to the outside
constexpr double kLongestEdge = 1.5;  // of the drawn surface, in spacings between particles

/// Error messages begin with the place below the body's key.
Error complaint(const Error& error) {
  constexpr std::string_view kPrefix = "clusters: ";
  const std::string_view text = error.text;
  return input_error(fmt::format(": {}", text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text));
}

/// Start positions, if they differ from the rest positions. [initialStretch of paper 2's program]
Result<void> stretch(const BodyModel& model, const MatterSeed& seed, const Vec3& by, State& state) {
  if (by == Vec3::Ones()) return {};
  for (size_t i = 0; i < state.positions.size(); ++i) {
    state.positions[i].head<3>() = (seed.place * Vec3(by.cwiseProduct(seed.cloud->points[i])) - model.clusters.origin).cast<float>();
  }
  return rebuilt(model.clusters, state);
}

void set_motion(const BodyModel& model, const MatterSeed& seed, State& state) {
  const Vec3 center = center_of_mass(model.clusters, state);
  for (size_t i = 0; i < state.velocities.size(); ++i) {
    Vec3 velocity = seed.velocity + seed.spin.cross(position(model.clusters, state, static_cast<int>(i)) - center);
    if (!seed.cloud->velocities.empty()) velocity += seed.cloud->velocities[i];
    state.velocities[i].head<3>() = velocity.cast<float>();
  }
  state.time = seed.start;
}

Appearance inner_look(const BodySettings& settings, const Appearance& skin) {
  if (settings.inner) return *settings.inner;
  Appearance inner = skin;
  inner.color = kDarker * skin.color, inner.roughness = 0.9, inner.metal = 0;
  return inner;
}

/// How deep particles lie under the drawn surface.
double margin_of(const Model& model, const TriMesh& surface, const Transform& place) {
  std::vector<Vec3> rest, drawn;
  for (const Vec4f& r : model.rest) rest.push_back(model.origin + r.head<3>().cast<double>());
  for (const Vec3& p : surface.positions) drawn.push_back(place * p);
  return particles::depth_under(drawn, rest, model.spacing);
}

/// The saved model, if there is one of the same particles: clustering again may take many times as long as drawing.
Result<Model> model_of(const Particles& particles, const Settings& settings, const SavedArrays* saved) {
  if (saved) {
    StoredModel stored;
    const std::vector<StateArray> ours = arrays(stored);
    resize(stored, {saved_rows(*saved, ours, "rest"), saved_rows(*saved, ours, "ball"), saved_rows(*saved, ours, "particle"), saved_rows(*saved, ours, "planes")});
    const std::vector<StateArray> all = arrays(stored);
    const bool is_read = std::all_of(all.begin(), all.end(), [&](const StateArray& array) { return saved->read(array); });
    if (is_read) {
      if (Result<Model> model = rebuilt(stored, particles, settings)) return model;
    }
  }
  return build(particles, settings);
}

}  // namespace

Result<BodyModel> build(const MatterSeed& seed, const BodySettings& settings) {
  if (!seed.cloud->stiffness.empty() || !seed.cloud->flow.empty()) return input_error("/paint: clusters have neither a painted stiffness nor a painted flow; paint the yield or the toughness");
  Particles particles;
  for (const Vec3& p : seed.cloud->points) particles.positions.push_back(seed.place * p);
  particles.masses = {seed.mass / static_cast<double>(std::max<size_t>(seed.cloud->points.size(), 1))};
  particles.toughness = seed.cloud->toughness, particles.yield = seed.cloud->yield;
  Result<Model> model = model_of(particles, settings.clusters, seed.saved);
  if (!model) return complaint(model.error());
  if (Result<void> checked = particles::check_boundary(starts(*model), settings.boundary); !checked) return input_error("/" + checked.error().text);
  // A long edge would stay straight while its particles bend.
  const auto drawn = std::make_shared<const TriMesh>(refined(*seed.cloud->surface, kLongestEdge * model->spacing));
  Result<SurfaceModel> surface = build_surface(*model, drawn, seed.place);
  if (!surface) return complaint(surface.error());
  BodyModel made;
  made.clusters = std::move(*model), made.surface = std::move(*surface);
  made.boundary = settings.boundary;
  particles::set_centers(starts(made.clusters), made.boundary);
  made.look = seed.look, made.inner = inner_look(settings, seed.look);
  made.surface.relief = settings.relief, made.surface.grain = settings.grain, made.surface.inner_color = made.inner.color;
  made.margin = margin_of(made.clusters, *drawn, seed.place);
  if (seed.cloud->volume > 0) made.clusters.density = seed.mass / seed.cloud->volume;
  Bounds bounds;
  for (const Vec4f& rest : made.clusters.rest) bounds.add(rest.head<3>().cast<double>());
  made.height = bounds.high.y() - bounds.low.y();
  made.may_sleep = may_sleep(settings.boundary);
  made.skin = seed.cloud->surface, made.place = seed.place;
  return made;
}

Result<BodyState> start(const BodyModel& model, const MatterSeed& seed, const BodySettings& settings) {
  BodyState made;
  made.clusters = start(model.clusters);
  if (Result<void> stretched = stretch(model, seed, settings.fill.prestretch, made.clusters); !stretched) return complaint(stretched.error());
  set_motion(model, seed, made.clusters);
  return made;
}

std::string advice(const BodyModel& model, double dt, int substeps, const Vec3& gravity) {
  const Settings& s = model.clusters.settings;
  const double now = std::min(spring_rate(model.clusters), s.overshoot / (dt * dt)), most = modulus_of(model.clusters, 1 / (dt * dt));
  const double load = 0.5 * model.clusters.density * gravity.norm() * model.height, modulus = modulus_of(model.clusters, now);
  if (!(load > kSags * modulus) || !model.boundary.clamps.empty()) return "";
  const double needed = load / kStands;
  const std::string much = load < 0.3 * modulus ? fmt::format("sags by about {:.0f} % under its own weight", 100 * load / modulus) : "lies like a puddle";
  const std::string set = s.stiffness ? "leave out \"stiffness\" and set " : needed > s.young ? "set " : "";
  const std::string young = needed > s.young || s.stiffness ? fmt::format("\"young\" to {:.1g}", 1.1 * needed) : "";
  const std::string steps = needed > most ? fmt::format("{} \"substeps\" to {:.0f}, or use fewer clusters", young.empty() ? "set" : " and", std::ceil(substeps * std::sqrt(needed / most))) : "";
  return fmt::format("{}: its springs have {:.2g} Pa, {:.2g} at most at these steps; for {:.0f} %, {}{}{}", much, modulus, most, 100 * kStands, set, young, steps);
}

Surface start_drawing(const BodyModel& model) {
  return start_surface(model.surface);
}

Bounds reach(const BodyModel& model, const BodyState& state, double dt) {
  Vec4f low = Vec4f::Constant(1e30f), high = -low;
  float fastest = 0;
  for (size_t i = 0; i < state.clusters.positions.size(); ++i) {
    if (state.clusters.entry_count[i] == 0) continue;
    low = low.cwiseMin(state.clusters.positions[i]), high = high.cwiseMax(state.clusters.positions[i]);
    fastest = std::max(fastest, state.clusters.velocities[i].head<3>().squaredNorm());
  }
  const Vec3 size = (high - low).head<3>().cast<double>();
  // Springs and strain limits move particles within the body, not far beyond it.
  const Vec3 slack = Vec3::Constant(2 * std::sqrt(static_cast<double>(fastest)) * dt + 2 * model.clusters.spacing + 0.1 * size.norm());
  const Vec3& origin = model.clusters.origin;
  return {origin + low.head<3>().cast<double>() - slack, origin + high.head<3>().cast<double>() + slack};
}

void collide(const BodyModel& model_a, BodyState& a, const BodyModel& model_b, BodyState& b, double friction) {
  if (!may_touch(model_a.clusters, a.clusters, model_b.clusters, b.clusters)) return;
  a.calm.around += 1, b.calm.around += 1;
  rouse(a.calm, b.calm);
  const bool a_sleeps = a.calm.asleep > 0, b_sleeps = b.calm.asleep > 0;
  if (a_sleeps && b_sleeps) return;
  const CpuTimer timer(a.times.collision);
  for (const BodyModel* model : {&model_a, &model_b}) {
    std::call_once(model->field->once, [&] { model->field->field = rest_field(model->clusters, *model->skin, model->place); });
  }
  const float load =
      collide_bodies({model_a.clusters, a.clusters, model_a.field->field, a_sleeps}, {model_b.clusters, b.clusters, model_b.field->field, b_sleeps}, friction, a.dt);
  if (load > 0) a.calm.now += load, b.calm.now += load;
}

void stir(const BodyModel&, BodyState& state) {
  state.calm.asleep = state.calm.quiet = 0;
}

void step(const BodyModel& model, BodyState& state, MatterContext& now) {
  state.dt = now.dt, state.substeps = now.substeps, state.gravity = now.gravity;
  if (now.frozen) {
    now.pushes = particles::collide_obstacles(particles_of(model, state), now.obstacles, now.dt);
    return;
  }
  Calm& calm = state.calm;
  // All contacts of the step before are known now.
  if (calm.asleep > 0) {
    wake(model.clusters, state.clusters, now, calm);
  } else if (model.may_sleep && now.sleeping) {
    fall_asleep(model.clusters, state.clusters, now, state.last_centers, calm);
  }
  calm.around = static_cast<float>(now.obstacles.size()), calm.now = 0;
  if (calm.asleep > 0) {
    sleep_through(model.clusters, state.clusters, now, calm);
    return;
  }
  state.positions = state.clusters.positions, state.plastic = state.clusters.plastic, state.strain = state.clusters.strain;
  state.clusters.time = now.time;
  Context context;
  context.dt = now.dt, context.gravity = now.gravity;
  context.boundary = &model.boundary, context.obstacles = now.obstacles, context.times = &state.times;
  step(model.clusters, state.clusters, context);
  now.pushes = std::move(context.pushes);
  limit_bounce(model.clusters, state.clusters, now, calm);
  for (const particles::Push& push : now.pushes) calm.now += static_cast<float>(push.strength);
}

/// Tests the sums: one non-finite number makes them non-finite.
std::string fault(const BodyModel& model, const BodyState& body) {
  const State& state = body.clusters;
  Vec4f place = Vec4f::Zero(), velocity = Vec4f::Zero();
  for (const Vec4f& x : state.positions) place += x;
  for (const Vec4f& v : state.velocities) velocity += v;
  float strain = 0;
  for (const Mat3f& plastic : state.plastic) strain += plastic.sum();
  if (!place.allFinite() || !velocity.allFinite() || !std::isfinite(strain)) return "its particles' motion is no longer finite";
  const double count = static_cast<double>(std::max<size_t>(state.positions.size(), 1));
  const double speed = velocity.head<3>().cast<double>().norm() / count;
  return runaway(speed, (model.clusters.origin + place.head<3>().cast<double>() / count).norm());
}

void freeze(const BodyModel& model, BodyState& body) {
  State& state = body.clusters;
  for (size_t i = 0; i < state.positions.size(); ++i) {
    // Particles split off in this step return to the position of their original.
    const size_t from = i < body.positions.size() ? i : static_cast<size_t>(state.original[i]);
    state.positions[i] = body.positions[from], state.velocities[i].setZero();
    state.held[i] = 0, state.positions[i][3] = 0;  // held particles are fixed, and still block others
  }
  for (size_t c = 0; c < state.plastic.size(); ++c) {
    const bool is_old = c < body.plastic.size();
    state.plastic[c] = is_old ? body.plastic[c] : Mat3f::Identity(), state.strain[c] = is_old ? body.strain[c] : 0;
    const size_t first = static_cast<size_t>(state.slot_particle[static_cast<size_t>(state.slot_begin[c])]);
    state.rotation[c].setIdentity(), state.center[c] = state.positions[first].head<3>();
  }
  (void)rebuilt(model.clusters, state);  // memberships have not changed
}

std::vector<StateArray> arrays(BodyState& state) {
  std::vector<StateArray> all = arrays(state.clusters);
  all.push_back(state_rows<float>("calm", std::span(&state.calm, 1)));
  all.push_back(state_rows<float>("last_centers", std::span(state.last_centers)));
  return all;
}

void fit(const BodyModel& model, BodyState& state, const SavedArrays& saved) {
  const std::vector<StateArray> ours = arrays(state);
  resize(model.clusters, state.clusters, {saved_rows(saved, ours, "positions"), saved_rows(saved, ours, "ball"), saved_rows(saved, ours, "planes")});
  state.last_centers.resize(saved_rows(saved, ours, "last_centers"));
}

Result<void> rebuilt(const BodyModel& model, BodyState& state) {
  return rebuilt(model.clusters, state.clusters);
}

void record(const BodyModel& model, BodyState& state) {
  record(model.clusters, state.clusters, state.recorded);
}

std::vector<StateArray> recorded(BodyState& state) {
  return arrays(state.recorded);
}

void fit_recorded(const BodyModel& model, BodyState& state, const SavedArrays& saved) {
  const std::vector<StateArray> ours = recorded(state);
  resize(model.clusters, state.recorded, {saved_rows(saved, ours, "fine"), saved_rows(saved, ours, "ball"), saved_rows(saved, ours, "planes")});
}

Result<void> replayed(const BodyModel& model, BodyState& state) {
  return replayed(model.clusters, state.recorded, state.clusters);
}

void save(const BodyModel& model, const std::function<void(std::span<const StateArray>)>& write) {
  StoredModel saved = stored(model.clusters);
  write(arrays(saved));
}

}  // namespace crumple::clusters

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/child.h"
#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/core/timer.h"
#include "crumple/methods/clusters/collide_bodies.h"
#include "crumple/methods/clusters/surface.h"
#include "crumple/scene/import/paper2_scene.h"

namespace crumple::bench {
namespace {

using namespace clusters;
using namespace particles;

constexpr int kReplays = 3;  // from the same state; what counts is each step's least time, since others use the machine too
constexpr int kThreads = 2;

/// A body and what happens to it.
struct ClusterCase {
  Particles particles;
  Settings settings;
  particles::Boundary boundary;
  Vec3 gravity = Vec3::Zero();
  double dt = kReferenceStep;
  double twist = 0;  // rad/m about x, with which it begins
  int steps = 0;
};

// ---- bodies of our own

/// Particles on a shaken lattice in a box about the origin.
Particles box_particles(const Vec3& size, double spacing) {
  Particles particles;
  Random random(7);
  const Eigen::Vector3i count = (size / spacing).array().round().cast<int>().max(1);
  for (int x = 0; x < count[0]; ++x) {
    for (int y = 0; y < count[1]; ++y) {
      for (int z = 0; z < count[2]; ++z) {
        const double dz = random.range(-0.2, 0.2);
        const double dy = random.range(-0.2, 0.2);
        const double dx = random.range(-0.2, 0.2);
        const Vec3 shaken(dx, dy, dz);
        particles.positions.push_back((Vec3(x, y, z) + shaken - 0.5 * (count.cast<double>() - Vec3::Ones())) * spacing);
      }
    }
  }
  particles.masses = {0.01};
  return particles;
}

const Vec3 kBar(1.6, 0.4, 0.4), kPlate(1, 1, 0.06);  // m

/// A bar of soft metal, clamped at both ends.
ClusterCase bar(double particles, double spin) {
  ClusterCase one;
  one.particles = box_particles(kBar, std::cbrt(kBar.prod() / particles));
  Settings& s = one.settings;
  s.clusters = std::max(4, static_cast<int>(particles / 100));
  s.stretch = 0.5, s.sweeps = 8, s.yield = 0.01, s.flow = 1, s.hardening = 0.5;
  for (const double side : {1.0, -1.0}) one.boundary.clamps.push_back(twisting_clamp(Vec3(side, 0, 0), 0.42 * kBar.x(), spin, 10));
  return one;
}

ClusterCase tearing_bar() {
  ClusterCase one = bar(5000, 0.5);
  one.settings.toughness = 0.1, one.settings.boost = 3, one.settings.falloff = 0.05;
  one.steps = 600;
  return one;
}

/// A plate held along two edges, and a ball that goes through it.
ClusterCase shot_plate() {
  ClusterCase one;
  one.particles = box_particles(kPlate, std::cbrt(kPlate.prod() / 20000));
  Settings& s = one.settings;
  s.clusters = 200, s.yield = 0.013, s.flow = 50, s.hardening = 1, s.toughness = 0.15, s.damping = 40;
  for (const double side : {1.0, -1.0}) one.boundary.clamps.push_back(moving_clamp(Vec3(0, side, 0), 0.45, 0));
  BallObstacle ball;
  ball.center = Vec3(0, 0, -0.2), ball.velocity = Vec3(0, 0, 0.6), ball.radius = 0.12;
  one.boundary.balls.push_back(ball);
  one.steps = 200;
  return one;
}

// ---- those of the authors

/// What the authors' program takes for a step of the same scene on one thread of a 2.4 GHz Zen 3, in CPU time.
struct Published {
  const char *name, *file;
  int steps;
  double authors_ms;
  bool published;
};
constexpr Published kPublished[] = {{"bar", "cubeTwistPlasticFracture", 900, 13.3, false},
                                    {"tough_bar", "cubeTwistPlastic2", 900, 15.6, false},
                                    {"plate", "projectilePlateDuctileStrong", 300, 50.0, false},
                                    {"armadillo", "armadilloTorture", 110, 160, false},
                                    {"ball", "fracturingBall", 300, 6.3, false},
                                    {"ball_published", "fracturingBall", 300, 6.3, true}};

/// The folder of data that authors published, if it lies beside the project or is named.
std::filesystem::path authors_folder() {
  const char* named = std::getenv("CRUMPLE_AUTHORS_DATA");
  return (named ? std::filesystem::path(named) : std::filesystem::path(project_file("../shared/data"))) / "clusters";
}

Result<ClusterCase> case_of(const Published& scene) {
  Result<Paper2Body> read = load_paper2_body(authors_folder() / fmt::format("{}.json", scene.file));
  if (!read) return read.error();
  ClusterCase one;
  one.particles = std::move(read->particles), one.settings = read->settings, one.boundary = read->boundary;
  one.gravity = read->gravity, one.dt = read->dt, one.steps = scene.steps;
  if (scene.published) one.settings.published = true, one.settings.flat = 0;
  return one;
}

// ---- measuring

/// Milliseconds of each step.
struct Replay {
  std::vector<double> cpu, wall;
  StepTimes times;  // s, in all
};

State start_twisted(const ClusterCase& one, const Model& model) {
  State state = start(model);
  if (one.twist == 0) return state;
  for (Vec4f& x : state.positions) {
    const Vec3f turned = Eigen::AngleAxisf(static_cast<float>(one.twist) * x[0], Vec3f::UnitX()) * Vec3f(x.head<3>());
    x.head<3>() = turned;
  }
  return state;
}

Replay replay(const ClusterCase& one, const Model& model, State& state) {
  Replay run;
  Context now;
  now.dt = one.dt, now.gravity = one.gravity, now.boundary = &one.boundary, now.times = &run.times;
  for (int k = 0; k < one.steps; ++k) {
    const double cpu = cpu_seconds(), wall = wall_seconds();
    step(model, state, now);
    run.wall.push_back(1e3 * (wall_seconds() - wall)), run.cpu.push_back(1e3 * (cpu_seconds() - cpu));
  }
  return run;
}

void keep_least(std::vector<double>& least, const std::vector<double>& next) {
  if (least.empty()) least = next;
  for (size_t k = 0; k < next.size(); ++k) least[k] = std::min(least[k], next[k]);
}

/// The best of some replays; the state is where the last one ended.
Replay best_of(const ClusterCase& one, const Model& model, int replays, State& state) {
  Replay best;
  for (int k = 0; k < replays; ++k) {
    state = start_twisted(one, model);
    const Replay next = replay(one, model, state);
    keep_least(best.cpu, next.cpu), keep_least(best.wall, next.wall);
    for (double StepTimes::*part : {&StepTimes::dynamics, &StepTimes::plasticity, &StepTimes::fracture, &StepTimes::collision})
      best.times.*part = k == 0 ? next.times.*part : std::min(best.times.*part, next.times.*part);
  }
  return best;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const size_t at = std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(at), values.end());
  return values[at];
}

Json spread_of(const std::vector<double>& ms) {
  Json json;
  json["mean"] = mean(ms), json["median"] = quantile(ms, 0.5), json["p95"] = quantile(ms, 0.95), json["worst"] = quantile(ms, 1);
  return json;
}

double state_mb(State& state) {
  size_t bytes = 0;
  for (const StateArray& array : arrays(state)) bytes += array.data.size();
  return 1e-6 * static_cast<double>(bytes);
}

/// One thread by CPU time, and how much sooner two are done by the clock.
Result<std::string> measure_here(const ClusterCase& one, double authors_ms) {
  set_thread_count(1);
  Json json;
  const double began = cpu_seconds();
  Result<Model> model = build(one.particles, one.settings);
  if (!model) return model.error();
  json["build_ms"] = 1e3 * (cpu_seconds() - began);
  State state = start(*model);
  json["particles"] = state.particles(), json["clusters"] = state.clusters();
  json["memberships"] = static_cast<double>(model->particle.size()) / state.particles();
  const Replay alone = best_of(one, *model, kReplays, state);
  json["particles_end"] = state.particles(), json["clusters_end"] = state.clusters();
  json["splits"] = static_cast<double>(state.totals.splits), json["steps"] = one.steps;
  json["ms_per_step"] = spread_of(alone.cpu);
  Json& parts = json["parts"];
  parts["dynamics"] = 1e3 * alone.times.dynamics / one.steps, parts["plasticity"] = 1e3 * alone.times.plasticity / one.steps;
  parts["fracture"] = 1e3 * alone.times.fracture / one.steps, parts["collision"] = 1e3 * alone.times.collision / one.steps;
  if (authors_ms > 0) json["authors_ms"] = authors_ms, json["authors_over_ours"] = authors_ms / mean(alone.cpu);
  json["p95_over_median"] = quantile(alone.cpu, 0.95) / quantile(alone.cpu, 0.5);
  json["state_mb"] = state_mb(state);
  set_thread_count(kThreads);
  const Replay together = best_of(one, *model, kReplays, state);
  json["wall_1"] = mean(alone.wall), json["wall_2"] = mean(together.wall), json["wall_1_over_2"] = mean(alone.wall) / mean(together.wall);
  return write_json(json, 0);
}

Result<Json> in_child(const Request& request, const std::function<Result<std::string>()>& work) {
  Result<ChildReport> report = run_in_child(work, request.cancel);
  if (!report) return report.error();
  Result<Json> json = parse_json(report->answer, "measurement", JsonDialect::Strict);
  if (json) (*json)["peak_mb"] = report->peak_mb;
  return json;
}

/// What a step and building cost a particle, at rest and twisted by a quarter turn.
Result<std::string> growth_here(double particles) {
  set_thread_count(1);
  ClusterCase one = bar(particles, 0);
  one.steps = std::clamp(static_cast<int>(1e6 / particles), 5, 100);
  const double began = cpu_seconds();
  const Result<Model> model = build(one.particles, one.settings);
  if (!model) return model.error();
  const double built = cpu_seconds() - began, count = static_cast<double>(model->rest.size());
  State state = start(*model);
  Json json;
  json["particles"] = count, json["clusters"] = state.clusters(), json["build_s"] = built, json["build_us_per_particle"] = 1e6 * built / count;
  json["state_mb"] = state_mb(state);
  const double quiet = mean(best_of(one, *model, kReplays, state).cpu);
  one.twist = 0.5 * std::numbers::pi / kBar.x();
  for (Clamp& clamp : one.boundary.clamps) clamp.spin = 0.3 * clamp.normal;
  const double twisted = mean(best_of(one, *model, kReplays, state).cpu);
  json["quiet_ms"] = quiet, json["quiet_us_per_particle"] = 1e3 * quiet / count;
  json["twisted_ms"] = twisted, json["twisted_us_per_particle"] = 1e3 * twisted / count;
  return write_json(json, 0);
}

/// What is seen of the tearing bar: topology after each tear, and places after each step.
Result<std::string> surface_here() {
  set_thread_count(1);
  const ClusterCase one = tearing_bar();
  Result<Model> model = build(one.particles, one.settings);
  if (!model) return model.error();
  double built = 0;
  Result<SurfaceModel> seen = system_error("");
  {
    const CpuTimer timer(built);
    seen = build_surface(*model, std::make_shared<TriMesh>(make_box(kBar)));
  }
  if (!seen) return seen.error();
  State state = start(*model);
  Surface surface = start_surface(*seen);
  PosedSurface posed;
  Context now;
  now.dt = one.dt, now.gravity = one.gravity, now.boundary = &one.boundary;
  std::vector<double> updates, poses;
  for (int k = 0; k < one.steps; ++k) {
    step(*model, state, now);
    const double began = cpu_seconds();
    const bool torn = update_surface(*model, *seen, state, surface);
    const double updated = cpu_seconds();
    pose_surface(*model, *seen, state, surface, posed);
    if (torn) updates.push_back(1e3 * (updated - began));
    poses.push_back(1e3 * (cpu_seconds() - updated));
  }
  Json json;
  json["build_ms"] = 1e3 * built, json["update_ms"] = spread_of(updates), json["updates"] = updates.size(), json["pose_ms"] = spread_of(poses);
  json["vertices"] = posed.skin.size() + posed.inner.size(), json["splits"] = static_cast<double>(state.totals.splits);
  return write_json(json, 0);
}

/// Contact of two blocks, of about 1000 particles each, that lie on each other.
Result<std::string> pairs_here() {
  set_thread_count(1);
  constexpr int kSteps = 200;
  const Vec3 size(0.4, 0.4, 0.4);
  Particles particles = box_particles(size, 0.04), above = particles;
  for (Vec3& p : above.positions) p.y() += size.y();
  Settings settings;
  settings.clusters = 16;
  Result<Model> low = build(particles, settings), high = build(above, settings);
  if (!low || !high) return (!low ? low : high).error();
  const TriMesh box = make_box(size);
  const double began = cpu_seconds();
  const RestField low_field = rest_field(*low, box, Transform());
  const double built = cpu_seconds() - began;
  Transform up;
  up.translation.y() = size.y();
  const RestField high_field = rest_field(*high, box, up);
  State a = start(*low), b = start(*high, Vec3(0, -0.5, 0));
  Context now;
  now.dt = kReferenceStep / 4, now.gravity = Vec3::Zero();
  double spent = 0;
  int touching = 0;
  for (int k = 0; k < kSteps; ++k) {
    step(*low, a, now), step(*high, b, now);
    for (Vec4f& v : b.velocities) v[1] -= 0.04f;  // pressed together
    for (Vec4f& v : a.velocities) v[1] += 0.04f;
    const double before = cpu_seconds();
    touching += collide_bodies({*low, a, low_field}, {*high, b, high_field}, 0.5, now.dt) > 0;
    spent += cpu_seconds() - before;
  }
  Json json;
  json["soft_pairs_us"] = 1e6 * spent / kSteps, json["touching"] = touching, json["field_ms"] = 1e3 * built;
  return write_json(json, 0);
}

/// The exponent p of time ~ size^p between the least and the greatest.
double exponent(const Json& rows, const char* key) {
  const Json &first = rows.items.front(), &last = rows.items.back();
  return std::log(last.find(key)->number / first.find(key)->number) / std::log(last.find("particles")->number / first.find("particles")->number);
}

Result<void> measure_growth(const Request& request, Json& json) {
  Json rows = Json::array();
  for (const double particles : {5e3, 20e3, 50e3, 200e3, 500e3}) {
    Result<Json> row = in_child(request, [&] { return growth_here(particles); });
    if (!row) return row.error();
    rows.push(std::move(*row));
  }
  json["growth"]["rows"] = rows;
  for (const char* key : {"quiet_ms", "twisted_ms", "build_s"}) json["growth"]["exponents"][key] = exponent(rows, key);
  return {};
}

bool wanted(const Request& request, const std::string& name) {
  return request.scenes.empty() || std::find(request.scenes.begin(), request.scenes.end(), name) != request.scenes.end();
}

/// Complains about rows that are not there.
Result<void> check_rows(const Request& request) {
  std::vector<std::string> rows = {"our_bar", "our_plate", "growth", "pairs", "surface"};
  for (const Published& scene : kPublished) rows.emplace_back(scene.name);
  for (const std::string& name : request.scenes) {
    if (std::find(rows.begin(), rows.end(), name) == rows.end()) {
      return input_error(fmt::format("bench clusters: there is no row \"{}\"; the rows are {}", name, fmt::join(rows, ", ")));
    }
  }
  return {};
}

}  // namespace

Result<Json> run_clusters(const Request& request) {
  if (const Result<void> known = check_rows(request); !known) return known.error();
  Json json;
  const auto measure = [&](const std::string& name, const ClusterCase& one, double authors_ms) -> Result<void> {
    Result<Json> measured = in_child(request, [&] { return measure_here(one, authors_ms); });
    if (!measured) return measured.error();
    json["scenes"][name] = std::move(*measured);
    return {};
  };
  const std::pair<const char*, ClusterCase (*)()> own[] = {{"our_bar", tearing_bar}, {"our_plate", shot_plate}};
  for (const auto& [name, make] : own) {
    if (!wanted(request, name)) continue;
    if (const Result<void> done = measure(name, make(), 0); !done) return done.error();
  }
  std::error_code ignored;
  for (const Published& scene : kPublished) {
    if (!wanted(request, scene.name) || !std::filesystem::exists(authors_folder() / fmt::format("{}.json", scene.file), ignored)) continue;
    const Result<ClusterCase> one = case_of(scene);
    if (!one) return one.error();
    if (const Result<void> done = measure(scene.name, *one, scene.authors_ms); !done) return done.error();
  }
  if (wanted(request, "growth")) {
    if (const Result<void> done = measure_growth(request, json); !done) return done.error();
  }
  if (wanted(request, "pairs")) {
    Result<Json> pairs = in_child(request, pairs_here);
    if (!pairs) return pairs.error();
    json["soft_pairs_us"] = pairs->find("soft_pairs_us")->number, json["pairs"] = std::move(*pairs);
  }
  if (wanted(request, "surface")) {
    Result<Json> seen = in_child(request, surface_here);
    if (!seen) return seen.error();
    json["surface"] = std::move(*seen);
  }
  json["machine_load"] = machine_load();
  return json;
}

}  // namespace crumple::bench

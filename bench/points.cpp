#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/mpm.h"
#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/geometry/curve_order.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::bench {
namespace {

// Clay of figure 3.4.
constexpr mpm::Clay kClay{1000, 1e5, 0.3, 100, 200};
constexpr double kClayStep = 1e-3;       // s; stable at the spacing below, in one internal step
constexpr double kClaySpacing = 0.03;    // m
constexpr double kFrameSeconds = 1.0 / 30;
constexpr double kFallSpeed = 1, kSquash = 3;  // m/s, 1/s
constexpr int kWarmSteps = 4;            // until contact and flow are what they will be
constexpr int kSteadySteps = 3;          // without an embedding, before one is timed: its residual is relative, so more change little
constexpr double kEmbedTolerance = 1e-2; // that of a step
const Vec3 kDown(0, -9.81, 0);

/// Measured from one embedding to a later one, so that each comes with all of its steps.
struct BlockCase {
  const char* name;
  int count, from, to;
};
constexpr BlockCase kBlocks[] = {{"block_5000", 5000, 1, 12}, {"block_36000", 36000, 1, 4}, {"block_300000", 300000, 0, 1}};
constexpr BlockCase kBaselineBlock = kBlocks[1];

/// Rows of the thesis, table 3.1.
struct ThesisCase {
  const char* name;
  int count;
  double dt, seconds;  // of a step, and what a frame took
};
constexpr ThesisCase kThesis[] = {{"figure_3.2", 5000, 1e-3, 2.36},
                                  {"figure_3.4", 5408, 1e-3, 1.2},
                                  {"figure_3.7", 36675, 4e-4, 278},
                                  {"figure_3.8", 10470, 5e-3, 2.39},
                                  {"figure_3.9", 21708, 1e-4, 92}};
// Coarse enough that clay which is soft enough for the longest of these steps still carries its own weight.
constexpr double kThesisSpacing = 0.1;

/// A jittered lattice of exactly `count` points on the ground, in motion: it falls, and is squashed by an even flow, so that all of it yields from the
/// beginning. A block that is merely dropped would yield layer by layer, for as many steps as it has layers.
points::Start falling_block(int count, double spacing) {
  points::Start start;
  Random random(7);
  const int side = static_cast<int>(std::ceil(std::cbrt(count) - 1e-9));
  const auto jittered = [&](double cell) { return spacing * (cell + random.range(-0.1, 0.1)); };
  std::vector<Vec3> places;
  for (int k = 0; k < count; ++k) {
    const double x = jittered(k % side - 0.5 * (side - 1)), z = jittered(k / side % side - 0.5 * (side - 1));
    places.emplace_back(x, jittered(k / (side * side) + 0.1), z);
  }
  for (const int k : curve_order(places)) {  // as bodies of scenes are
    const Vec3& p = places[static_cast<size_t>(k)];
    start.places.push_back(p);
    start.velocities.emplace_back(0.5 * kSquash * p.x(), -kFallSpeed - kSquash * p.y(), 0.5 * kSquash * p.z());
  }
  start.volume = count * spacing * spacing * spacing, start.mass = kClay.density * start.volume;
  return start;
}

struct ClayBlock {
  points::Model model;
  points::State state;
  double time = 0;
};

/// Stiffer clay relaxes faster, so that it resists the flow by the same viscosity (2 mu / flow) and does not stop at once.
Result<ClayBlock> make_clay(const points::Start& start, double young) {
  points::Settings settings;
  settings.young = young, settings.poisson = kClay.poisson, settings.yield = kClay.yield, settings.flow = kClay.flow * young / kClay.young;
  Result<points::Model> model = points::make_model(start, settings);
  if (!model) return model.error();
  points::State state = points::make_state(*model, start);
  model->boundary.planes.emplace_back();
  return ClayBlock{std::move(*model), std::move(state), 0};
}

struct Spent {
  double wall = 0, cpu = 0;  // s
};

template <class Work>
Spent time_spent(const Work& work) {
  const double wall = wall_seconds(), cpu = cpu_seconds();
  work();
  return {wall_seconds() - wall, cpu_seconds() - cpu};
}

void step_clay(ClayBlock& block, double dt, int steps) {
  for (int k = 0; k < steps; ++k) {
    MatterContext now;
    now.dt = dt, now.time = block.time, now.gravity = kDown;
    step(block.model, block.state, now);
    block.time += dt;
  }
}

/// Until so many embeddings have been made.
void embed_clay(ClayBlock& block, double dt, int embeddings) {
  constexpr int kMostSteps = 500;  // if nothing flows
  for (int k = 0; k < kMostSteps && block.state.counts[points::kEmbeddings] < embeddings; ++k) step_clay(block, dt, 1);
}

Result<void> check_clay(const ClayBlock& block, const char* row) {
  const std::string fault = points::fault(block.model, block.state);
  if (fault.empty()) return {};
  return system_error(fmt::format("bench points: {}: {}", row, fault));
}

Json shares_of(const points::State::Times& t, double whole) {
  const double known = t.basis + t.viscosity + t.forces + t.embedding + t.resampling + t.neighbors + t.collision;
  Json json;
  json["basis"] = 100 * t.basis / whole, json["viscosity"] = 100 * t.viscosity / whole, json["forces"] = 100 * t.forces / whole;
  json["embedding"] = 100 * t.embedding / whole, json["resampling"] = 100 * t.resampling / whole, json["neighbors"] = 100 * t.neighbors / whole;
  json["collision"] = 100 * t.collision / whole, json["rest"] = 100 * (whole - known) / whole;
  return json;
}

/// Table 3.2. Forces are with plastic offsets, as ours are.
Json shares_of_thesis() {
  points::State::Times t;
  t.basis = 3.54, t.viscosity = 17.19, t.forces = 4.55 + 3.73, t.embedding = 41.70, t.resampling = 2.24, t.neighbors = 22.91, t.collision = 0.19;
  Json json = shares_of(t, 100);
  json["rest"] = 0.36;  // the integration; the printed numbers do not add up to 100
  return json;
}

/// An embedding and all lists, after some flow that none has followed yet. Adds to the row.
void time_updates(ClayBlock& block, Json& row) {
  block.model.settings.update = false;
  step_clay(block, kClayStep, kSteadySteps);
  int iterations = 0;
  row["embed_ms"] = 1e3 * time_spent([&] { iterations = embed(block.model, block.state, kEmbedTolerance); }).wall;
  row["embed_iterations"] = iterations;
  row["neighbors_ms"] = 1e3 * time_spent([&] { update_lists(block.model, block.state, {}); }).wall;
}

Result<void> measure_block(const BlockCase& one, Json& json) {
  Result<ClayBlock> made = make_clay(falling_block(one.count, kClaySpacing), kClay.young);
  if (!made) return made.error();
  ClayBlock& block = *made;
  embed_clay(block, kClayStep, one.from);
  block.state.times = {};
  const std::vector<double> before = block.state.counts;
  const auto counted = [&](points::Count count) { return block.state.counts[count] - before[count]; };
  const Spent spent = time_spent([&] { embed_clay(block, kClayStep, one.to); });
  if (const Result<void> fine = check_clay(block, one.name); !fine) return fine;
  const double steps = counted(points::kSubsteps);
  Json& row = json["blocks"][one.name];
  row["points"] = block.state.size(), row["ms_per_step"] = 1e3 * spent.wall / steps, row["cpu_ms_per_step"] = 1e3 * spent.cpu / steps;
  row["s_per_frame"] = spent.wall / steps * kFrameSeconds / kClayStep;
  row["steps"] = steps, row["embeddings"] = counted(points::kEmbeddings);
  row["points_per_s"] = static_cast<double>(block.state.size()) * steps / spent.wall;
  json["shares_percent"][one.name] = shares_of(block.state.times, spent.cpu);
  time_updates(block, row);
  return {};
}

/// Young's modulus for which a step of `dt` is one internal step, also once the block is squashed: half of what is stable at rest.
Result<double> young_for(double dt) {
  const Result<ClayBlock> sample = make_clay(falling_block(1000, kThesisSpacing), kClay.young);
  if (!sample) return sample.error();
  const double stable = 0.5 * stable_step(sample->model, sample->state);
  return kClay.young * stable * stable / (dt * dt);  // the stable step goes with 1 / sqrt(Young)
}

/// A frame, but no fewer steps than have some embeddings among them, and no more than says anything new.
Result<void> measure_against_thesis(const ThesisCase& one, Json& json) {
  const Result<double> young = young_for(one.dt);
  if (!young) return young.error();
  Result<ClayBlock> block = make_clay(falling_block(one.count, kThesisSpacing), *young);
  if (!block) return block.error();
  step_clay(*block, one.dt, kWarmSteps);
  const std::vector<double> before = block->state.counts;
  const int steps = std::clamp(static_cast<int>(std::lround(kFrameSeconds / one.dt)), 20, 100);
  const Spent spent = time_spent([&] { step_clay(*block, one.dt, steps); });
  const double frames = steps * one.dt / kFrameSeconds;
  if (const Result<void> fine = check_clay(*block, one.name); !fine) return fine;
  Json& row = json["thesis"][one.name];
  row["points"] = one.count, row["dt"] = one.dt, row["young"] = *young;
  row["steps"] = steps, row["internal_steps"] = block->state.counts[points::kSubsteps] - before[points::kSubsteps];
  row["embeddings"] = block->state.counts[points::kEmbeddings] - before[points::kEmbeddings];
  row["cpu_s_per_frame"] = spent.cpu / frames, row["s_per_frame"] = spent.wall / frames;
  row["thesis_s_per_frame"] = one.seconds, row["over_thesis"] = one.seconds * frames / spent.wall;
  return {};
}

/// The same block, step and number of threads by MLS-MPM. The ratio is one of CPU times, which other programs disturb less.
void measure_mpm(Json& json) {
  constexpr int kSteps = 100;
  const points::Start start = falling_block(kBaselineBlock.count, kClaySpacing);
  mpm::Block block = mpm::make_block(start.places, start.velocities, kClaySpacing, kClay);
  const auto run = [&](int steps) {
    for (int k = 0; k < steps; ++k) mpm::step(block, kClayStep, kDown);
  };
  run(kWarmSteps);
  const Spent spent = time_spent([&] { run(kSteps); });
  json["mpm_ms_per_step"] = 1e3 * spent.wall / kSteps, json["mpm_cpu_ms_per_step"] = 1e3 * spent.cpu / kSteps;
  json["mpm_points_per_s"] = kBaselineBlock.count * kSteps / spent.wall;
  json["mpm_over_points"] = json["blocks"][kBaselineBlock.name]["cpu_ms_per_step"].number / (1e3 * spent.cpu / kSteps);
}

constexpr const char* kMpmRow = "mpm";

Result<void> check_point_rows(const Request& request) {
  std::vector<std::string> rows;
  for (const BlockCase& one : kBlocks) rows.emplace_back(one.name);
  for (const ThesisCase& one : kThesis) rows.emplace_back(one.name);
  rows.emplace_back(kMpmRow);
  for (const std::string& name : request.scenes) {
    if (std::find(rows.begin(), rows.end(), name) == rows.end()) {
      return input_error(fmt::format("bench points: there is no row \"{}\"; the rows are {}", name, fmt::join(rows, ", ")));
    }
  }
  return {};
}

}  // namespace

/// Blocks of three sizes, rows of the thesis's table 3.1 and a baseline. Wall times of `request.threads` threads.
Result<Json> run_points(const Request& request) {
  if (const Result<void> known = check_point_rows(request); !known) return known.error();
  const auto is_asked = [&](const std::string& name) {
    if (request.cancel && request.cancel->requested()) return false;
    return request.scenes.empty() || std::find(request.scenes.begin(), request.scenes.end(), name) != request.scenes.end();
  };
  set_thread_count(request.threads);
  Json json;
  json["threads"] = thread_count();
  for (const BlockCase& one : kBlocks) {
    if (!is_asked(one.name) && !(one.name == kBaselineBlock.name && is_asked(kMpmRow))) continue;
    if (const Result<void> done = measure_block(one, json); !done) return done.error();
  }
  if (json.find("shares_percent")) json["shares_percent"]["thesis"] = shares_of_thesis();
  for (const ThesisCase& one : kThesis) {
    if (!is_asked(one.name)) continue;
    if (const Result<void> done = measure_against_thesis(one, json); !done) return done.error();
  }
  if (is_asked(kMpmRow)) measure_mpm(json);
  json["machine_load"] = machine_load();
  return json;
}

}  // namespace crumple::bench

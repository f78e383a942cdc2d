#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/bench.h"
#include "crumple/core/timer.h"
#include "crumple/methods/structures/structures.h"
#include "crumple/rigid/world.h"

namespace crumple::bench {
namespace {

constexpr double kFrame = 1.0 / 60.0;  // s
constexpr int kCalm = 600, kQuiet = 120;     // frames: until a long beam has stopped swinging, and then
constexpr int kSettle = 120, kImpact = 60;  // the same before and after a blow

using rigid::JointKind;

structures::Settings steel_structure() {
  structures::Settings settings;
  settings.material.emplace().steel = 250e6;
  return settings;
}

/// A steel beam that is clamped at one end and carries its own weight easily. So long that 512 pieces do not come near each other's second neighbours.
structures::Settings chain(int pieces) {
  structures::Settings settings = steel_structure();
  settings.section.emplace().rect = {0.3, 0.9};
  structures::Bar& bar = settings.bars.emplace_back();
  bar.name = "beam", bar.to = Vec3(24, 0, 0), bar.pieces = pieces;
  settings.supports.emplace_back();
  return settings;
}

/// Two columns and a beam, clamped at their feet: 49 joints.
structures::Settings portal() {
  structures::Settings settings = steel_structure();
  settings.section.emplace().rect = {0.2, 0.3};
  const Vec3 corners[] = {Vec3(0, 0, 0), Vec3(0, 4, 0), Vec3(6, 4, 0), Vec3(6, 0, 0)};
  for (int i = 0; i < 3; ++i) {
    structures::Bar& bar = settings.bars.emplace_back();
    bar.name = fmt::format("bar {}", i), bar.from = corners[i], bar.to = corners[i + 1], bar.pieces = 16;
  }
  settings.supports.resize(2);
  settings.supports[1].at = corners[3];
  return settings;
}

/// A plate of 3 m by 3 m, 10 mm thick, clamped all around.
structures::Settings plate(int cells) {
  structures::Settings settings = steel_structure();
  structures::Plate& plate = settings.plates.emplace_back();
  plate.name = "plate", plate.size = {3, 3}, plate.cells = {cells, cells};
  const Vec3 corners[] = {Vec3(-1.5, 0, -1.5), Vec3(1.5, 0, -1.5), Vec3(1.5, 0, 1.5), Vec3(-1.5, 0, 1.5)};
  for (int i = 0; i < 4; ++i) {
    structures::Support& support = settings.supports.emplace_back();
    support.at = corners[i], support.until = corners[(i + 1) % 4];
  }
  return settings;
}

/// What falls on it.
struct Blow {
  Vec3 at;
  double mass, speed;
};

/// A structure alone in a world.
struct Bench {
  rigid::World world{{Vec3(0, -9.81, 0), 10, false}};
  rigid::Loads loads;

  /// With the structure's own joints, or with the engine's six-DoF constraints in their place.
  Bench(const structures::Model& model, JointKind kind) {
    for (const structures::Piece& piece : model.pieces) {
      rigid::PartSettings part;
      part.shape = rigid::Box{piece.box.value_or(Vec3::Ones())};
      part.mass = piece.mass.mass, part.inertia = piece.mass.inertia;
      part.state.place = {piece.mass.axes, piece.mass.center};
      if (piece.box) part.state.place.rotation = piece.place.rotation, part.inertia = box_inertia(piece);
      world.add_part(part);
    }
    for (const auto& [a, b] : model.touching) world.ignore_contact(a, b);
    for (const structures::Joint& joint : model.joints) {
      rigid::JointSettings settings;
      settings.kind = kind, settings.part_a = joint.a, settings.part_b = joint.b, settings.at = joint.frame.translation;
      settings.axis = joint.frame.rotation.col(0), settings.width = joint.frame.rotation.col(1);
      settings.plastic = joint.law;
      world.add_joint(settings);
    }
  }

  static Vec3 box_inertia(const structures::Piece& piece) {
    const Mat3 turned = piece.place.rotation.transpose() * piece.mass.axes;
    return (turned * piece.mass.inertia.asDiagonal() * turned.transpose()).diagonal();
  }

  void add(const Blow& blow) {
    rigid::PartSettings ball;
    const double radius = std::cbrt(blow.mass / 7800 * 0.75 / 3.14159265);
    ball.shape = rigid::Sphere{radius};
    ball.mass = blow.mass, ball.inertia = Vec3::Constant(0.4 * blow.mass * radius * radius);
    ball.state.place.translation = blow.at + Vec3(0, radius, 0);
    ball.state.velocity = Vec3(0, -blow.speed, 0);
    world.add_part(ball);
  }

  /// Milliseconds of CPU for each of some frames.
  std::vector<double> frames(int count, int substeps) {
    std::vector<double> ms;
    for (int frame = 0; frame < count; ++frame) {
      const double start = cpu_seconds();
      for (int i = 0; i < substeps; ++i) world.step(kFrame / substeps, loads);
      ms.push_back(1e3 * (cpu_seconds() - start));
    }
    return ms;
  }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct StructureCase {
  std::string name;
  structures::Settings settings;
  Blow blow;
};

Result<structures::Model> model_of(const structures::Settings& settings) {
  return structures::build(settings, {}, 7800);
}

/// Quiet frames with one step each, and with the steps that are advised where something hits.
Result<Json> measure(const StructureCase& one) {
  const Result<structures::Model> model = model_of(one.settings);
  if (!model) return model.error();
  constexpr int kImpactSteps = 4;
  Bench quiet(*model, JointKind::Plastic), hit(*model, JointKind::Plastic);
  quiet.frames(kCalm, 1);
  const std::vector<double> calm = quiet.frames(kQuiet, 1);
  hit.frames(kSettle, kImpactSteps);
  hit.add(one.blow);
  const std::vector<double> stormy = hit.frames(kImpact, kImpactSteps);
  const rigid::World::StructureHealth health = hit.world.structure_health();
  Json json;
  json["pieces"] = model->pieces.size(), json["joints"] = model->joints.size();
  json["quiet_substeps"] = 1, json["quiet"] = median(calm), json["quiet_worst"] = *std::max_element(calm.begin(), calm.end());
  json["impact_substeps"] = kImpactSteps, json["impact"] = mean(stormy), json["impact_worst"] = *std::max_element(stormy.begin(), stormy.end());
  json["most_factors"] = health.most_factors, json["unconverged"] = static_cast<double>(health.unconverged);
  return json;
}

/// Least over some tries of the median quiet frame.
Result<double> quiet_ms(const structures::Settings& settings, JointKind kind) {
  const Result<structures::Model> model = model_of(settings);
  if (!model) return model.error();
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    Bench bench(*model, kind);
    bench.frames(kCalm, 1);
    least = std::min(least, median(bench.frames(kQuiet, 1)));
  }
  return least;
}

/// The exponent p of time ~ size^p by least squares.
double exponent(const std::vector<double>& sizes, const std::vector<double>& times) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const double x = std::log(sizes[i]), y = std::log(times[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Result<double> growth(const std::vector<int>& sizes, structures::Settings (*make)(int), bool squared) {
  std::vector<double> counts, times;
  for (const int size : sizes) {
    const Result<double> ms = quiet_ms(make(size), JointKind::Plastic);
    if (!ms) return ms.error();
    counts.push_back(squared ? static_cast<double>(size) * size : size), times.push_back(*ms);
  }
  return exponent(counts, times);
}

}  // namespace

Result<Json> run_joints(const Request&) {
  const Blow on_tip = {Vec3(23, 0.6, 0), 20000, 5}, on_beam = {Vec3(3, 4.3, 0), 2000, 5}, on_plate = {Vec3(0, 0.1, 0), 2000, 4};
  const StructureCase cases[] = {{"chain_16", chain(16), on_tip}, {"chain_64", chain(64), on_tip},       {"chain_512", chain(512), on_tip},
                        {"portal_49", portal(), on_beam}, {"plate_12x12", plate(12), on_plate}};
  Json json;
  for (const StructureCase& one : cases) {
    Result<Json> measured = measure(one);
    if (!measured) return measured.error();
    json["ms_per_frame"][one.name] = std::move(*measured);
  }
  const Result<double> ours = quiet_ms(chain(64), JointKind::Plastic), stock = quiet_ms(chain(64), JointKind::Fixed);
  if (!ours) return ours.error();
  if (!stock) return stock.error();
  json["over_stock"] = *ours / *stock;
  json["stock_ms_per_frame"] = *stock;
  const Result<double> of_chains = growth({16, 32, 64, 128, 256, 512}, chain, false), of_plates = growth({6, 12, 24}, plate, true);
  if (!of_chains) return of_chains.error();
  if (!of_plates) return of_plates.error();
  json["growth"]["chains"] = *of_chains, json["growth"]["plates"] = *of_plates;
  json["machine_load"] = machine_load();
  return json;
}

}  // namespace crumple::bench

#include "crumple/rig/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "crumple/math/single.h"
#include "crumple/rig/cell_choice.h"
#include "crumple/rig/fit_bones.h"
#include "crumple/rig/fit_carry.h"
#include "crumple/rig/fit_decompose.h"
#include "crumple/rig/fit_input.h"
#include "crumple/rig/fit_start.h"
#include "crumple/rig/rigged_body.h"

namespace crumple {
namespace {

constexpr double kSmallestWeight = 1e-4;  // below it, weights are dropped
constexpr double kPull = 0.03;            // how much all goals of vertices count beside the surface
constexpr double kFinerRms = 0.5;         // of the wanted error: what cells may leave before finer ones are tried
constexpr double kFinerMost = 0.01;       // of the diagonal: the same for the worst vertex
constexpr double kFiner = 0.75;           // of a cell: the next finer one
constexpr int kMaxFitFills = 6;
constexpr double kWellHeld = 0.8;  // of a bone's greatest weight
constexpr double kLongTurn = 170;  // degrees

/// Tells that a stage begins and adds its wall time to `total` when it ends.
class FitStage {
 public:
  FitStage(const FitWatch& watch, int number, const std::string& name, double& total) : timer_(total) {
    if (watch.stage) watch.stage(number, name, 0);
  }

 private:
  WallTimer timer_;
};

void round_to_float(std::vector<Vec3>& points) {
  for (Vec3& point : points) point = to_single(point);
}

class RigFitter {
 public:
  RigFitter(const TriMesh& rest, FitInput input, const FitSettings& settings, FitReport& report, const FitWatch& watch)
      : given_(rest), input_(std::move(input)), settings_(settings), report_(report), watch_(watch) {
    report_.diagonal = input_.diagonal;
    asset_.surface = given_;
    round_to_float(asset_.surface.positions);
  }

  Result<Asset> run() {
    for (const auto stage : {&RigFitter::make_tets, &RigFitter::find_bones, &RigFitter::make_asset, &RigFitter::measure}) {
      if (const Result<void> done = (this->*stage)(); !done) return done.error();
      if (cancelled()) return input_error("interrupted: the rig was not finished");
    }
    return std::move(asset_);
  }

 private:
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) {
    report_.warnings.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  bool cancelled() const { return watch_.cancel != nullptr && watch_.cancel->requested(); }
  void tell(int stage, const std::string& name, double share) const {
    if (watch_.stage) watch_.stage(stage, name, share);
  }

  /// Tetrahedra fine enough to follow the examples, if there may be so many.
  Result<void> make_tets() {
    TriMesh solid = given_;
    LatticeSettings lattice = settings_.lattice;
    {
      const FitStage stage(watch_, 0, "tetrahedra", report_.seconds.tets);
      doctor_ = repair(solid);
      lattice.repair = false, lattice.cells = settings_.cells, lattice.cell_size = 0;
      if (settings_.cells == 0) {
        lattice.thin_allowed = 1;
        if (!solid.triangles.empty())
          lattice.cell_size = choose_cell(solid, doctor_.volume, settings_.lattice.thin_allowed, settings_.most_tets).cell;
      }
    }
    for (int round = 1; !cancelled(); ++round) {
      if (const Result<void> done = fill(solid, lattice); !done) return done;
      const double tets = static_cast<double>(asset_.tets.tets.size()), most = static_cast<double>(settings_.most_tets);
      const bool too_many = settings_.cells == 0 && tets > most;
      if (!too_many) {
        if (const Result<void> done = carry(); !done) return done;
      }
      if (round == kMaxFitFills && too_many)
        return input_error(fmt::format("the body needs more than {} tetrahedra; give --cells", settings_.most_tets));
      const bool finer = settings_.cells == 0 && !too_many && report_.helpful_cell > 0 && tets / (kFiner * kFiner * kFiner) <= most;
      if (round == kMaxFitFills || (!finer && !too_many)) break;
      lattice.cell_size *= finer ? kFiner : 1.02 * std::cbrt(tets / most);
    }
    tell_about_tets();
    return {};
  }

  Result<void> fill(const TriMesh& solid, const LatticeSettings& lattice) {
    const FitStage stage(watch_, 0, "tetrahedra", report_.seconds.tets);
    Result<TetMesh> tets = fill_with_tets(solid, lattice, report_.lattice);
    if (!tets) return tets.error();
    report_.lattice.surface = doctor_;
    asset_.tets = std::move(*tets);
    const Bounds bounds = bounds_of(solid.positions);
    report_.cells = static_cast<int>(std::lround((bounds.high - bounds.low).maxCoeff() / report_.lattice.cell_size));
    round_to_float(asset_.tets.positions);
    const double least = 1e-4 * std::pow(report_.lattice.cell_size, 3);
    for (const Tetrahedron& tet : asset_.tets.tets) {
      if (tet_volume(asset_.tets.positions, tet) > least) continue;
      return input_error(
          fmt::format("the model is {:.3g} m large but lies at {:.4g} {:.4g} {:.4g}, where single precision cannot tell its tetrahedra apart: "
                      "move it to the origin, or give the right unit",
                      report_.diagonal, input_.center.x(), input_.center.y(), input_.center.z()));
    }
    return {};
  }

  Vec3 normal_place(const Vec3& point) const { return (point - input_.center) / report_.diagonal; }

  /// The problem for these tetrahedra, and what they leave of the examples at best.
  Result<void> carry() {
    const FitStage stage(watch_, 1, "carry", report_.seconds.carry);
    problem_ = {};
    problem_.examples = static_cast<int>(input_.examples.size());
    const Embedding embedding = embed(asset_.tets, asset_.surface.positions);
    TetMesh mesh = asset_.tets;
    for (Vec3& p : mesh.positions) p = normal_place(p);
    std::vector<Vec3> points;
    for (size_t v = 0; v < given_.positions.size(); ++v) {
      if (input_.importance[v] == 0) continue;
      const auto& share = embedding.weights[v];
      points.push_back(normal_place(asset_.surface.positions[v]));
      problem_.corners.push_back(asset_.tets.tets[static_cast<size_t>(embedding.tet[v])]);
      problem_.shares.push_back({share[0], share[1], share[2], share[3]});
      problem_.importance.push_back(input_.importance[v]);
      for (const FitExample& example : input_.examples) problem_.shapes.push_back(normal_place(example.positions[v]));
    }
    Result<std::vector<Vec3>> goals =
        carry_to_tets(mesh, problem_.corners, problem_.shares, problem_.importance, points, problem_.shapes, problem_.examples);
    if (!goals) return goals.error();
    problem_.goals = std::move(*goals);
    problem_.rest = std::move(mesh.positions);
    problem_.pull.assign(problem_.vertices(), kPull / static_cast<double>(problem_.vertices()));
    link_problem(problem_, asset_.tets.tets);
    measure_cells();
    return {};
  }

  void measure_cells() {
    double excess = 0;
    for (int e = 0; e < problem_.examples; ++e) {
      FittedExample& fitted = report_.examples[static_cast<size_t>(e)];
      double sum = 0, most = 0;
      for (size_t p = 0; p < problem_.points(); ++p) {
        Vec3 place = Vec3::Zero();
        for (size_t k = 0; k < 4; ++k) place += problem_.shares[p][k] * problem_.goals[problem_.at(static_cast<size_t>(problem_.corners[p][k]), e)];
        const double error = (place - problem_.shapes[problem_.at(p, e)]).squaredNorm();
        sum += error, most = std::max(most, error);
      }
      fitted.cells_rms = std::sqrt(sum / static_cast<double>(problem_.points())), fitted.cells_most = std::sqrt(most);
      excess = std::max({excess, fitted.cells_rms / (kFinerRms * settings_.wanted), fitted.cells_most / kFinerMost});
    }
    // Errors of linear elements fall with the square of their size where the shape is smooth.
    report_.helpful_cell = excess > 1 ? report_.lattice.cell_size / std::sqrt(std::min(excess, 64.0)) : 0;
  }

  void tell_about_tets() {
    const LatticeReport& lattice = report_.lattice;
    if (lattice.parts > 1) warn("the body is made of {} parts that do not touch", lattice.parts);
    if (lattice.thin_share > settings_.lattice.thin_allowed)
      warn("{:.0f} % of the surface is thinner than a cell of {:.3g} m: the tetrahedra are thicker there, the drawn surface is not",
           100 * lattice.thin_share, lattice.cell_size);
    if (report_.helpful_cell > 0) {
      const auto worst = std::max_element(report_.examples.begin(), report_.examples.end(),
                                          [](const FittedExample& a, const FittedExample& b) { return a.cells_most < b.cells_most; });
      warn(
          "example \"{}\" has detail smaller than a cell of {:.3g} m: the tetrahedra alone miss it by up to {:.2g} % of the diagonal; cells of "
          "{:.2g} m (--cells {:.0f}) would follow it",
          worst->name, lattice.cell_size, 100 * worst->cells_most, report_.helpful_cell,
          std::ceil(report_.cells * lattice.cell_size / report_.helpful_cell));
    }
  }

  Result<void> find_bones() {
    const FitStage stage(watch_, 2, "bones", report_.seconds.bones);
    DecomposeSettings settings;
    settings.bones = settings_.bones, settings.most_bones = settings_.most_bones, settings.influences = settings_.influences;
    settings.wanted = settings_.wanted;
    for (const FittedExample& example : report_.examples) settings.wanted = std::max(settings.wanted, 1.2 * example.cells_rms);
    DecomposeWatch watch;
    watch.cancel = watch_.cancel;
    watch.progress = [&](double share) { tell(2, "bones", share); };
    state_ = decompose(problem_, settings, watch);
    if (cancelled()) return {};
    remove_idle_bones(problem_, state_);
    drop_small_weights();
    improve_motions(problem_, FitTerms{0, 1e-6, settings_.influences}, 20, state_);
    report_.bones = state_.bones;
    if (state_.bones < settings_.bones) warn("{} bones instead of {}: more would hold nothing", state_.bones, settings_.bones);
    return {};
  }

  /// As the asset will hold them.
  void drop_small_weights() {
    for (size_t v = 0; v < problem_.vertices(); ++v) {
      const auto row = state_.row(v);
      double sum = 0;
      for (double& weight : row) weight = weight < kSmallestWeight ? 0 : weight, sum += weight;
      for (double& weight : row) weight = static_cast<float>(weight / sum), report_.weights_kept += weight != 0;
    }
  }

  Result<void> make_asset() {
    const std::vector<int> order = order_bones();
    for (size_t v = 0; v < problem_.vertices(); ++v) {
      for (const int b : order) asset_.weights.push_back(static_cast<float>(state_.row(v)[static_cast<size_t>(b)]));
    }
    asset_.examples = {{"rest", std::vector<HandleTransform>(asset_.handles.size())}};
    bool far = false;
    for (int e = 0; e < problem_.examples; ++e) {
      Example example{input_.examples[static_cast<size_t>(e)].name, {}};
      for (const int b : order) {
        const Transform& motion = state_.motion(b, e, problem_.examples);
        HandleTransform to;
        to.rotation = Quat(motion.rotation).normalized();
        if (to.rotation.w() < 0) to.rotation.coeffs() *= -1;
        // In metres: x = c + D (R (u - c) / D + t).
        to.translation = input_.center + report_.diagonal * motion.translation - to.rotation * input_.center;
        far |= degrees(motion.rotation) > kLongTurn;
        example.handles.push_back(to);
      }
      asset_.examples.push_back(std::move(example));
    }
    if (far) warn("some bones turn by about half a turn or more: between rest and example they take the shorter way");
    return {};
  }

  /// Makes the handles, along the longest side of the body, so that neighbouring numbers are neighbours.
  std::vector<int> order_bones() {
    std::vector<int> vertices, order;
    for (int b = 0; b < state_.bones; ++b) vertices.push_back(static_cast<int>(middle_vertex(b))), order.push_back(b);
    int axis = 0;
    const Bounds bounds = bounds_of(problem_.rest);
    (bounds.high - bounds.low).maxCoeff(&axis);
    const auto along = [&](int bone) { return problem_.rest[static_cast<size_t>(vertices[static_cast<size_t>(bone)])][axis]; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return along(a) < along(b); });
    for (const int b : order) {
      asset_.handles.push_back(
          {fmt::format("bone {}", asset_.handles.size() + 1), asset_.tets.positions[static_cast<size_t>(vertices[static_cast<size_t>(b)])]});
    }
    return order;
  }

  /// Blends turn about handles, so a handle stands amid what its bone holds best, at a vertex.
  size_t middle_vertex(int bone) const {
    const auto column = static_cast<size_t>(bone);
    Vec3 middle = Vec3::Zero();
    double all = 0, greatest = 0;
    for (size_t v = 0; v < problem_.vertices(); ++v) {
      const double weight = state_.row(v)[column], counts = std::pow(weight, 4);
      middle += counts * problem_.rest[v], all += counts, greatest = std::max(greatest, weight);
    }
    if (all > 0) middle /= all;
    size_t best = 0;
    double nearest = 1e300;
    for (size_t v = 0; v < problem_.vertices(); ++v) {
      const double distance = (problem_.rest[v] - middle).squaredNorm();
      if (state_.row(v)[column] >= kWellHeld * greatest && distance < nearest) nearest = distance, best = v;
    }
    return best;
  }

  /// What is reported is what will be seen: skinned in single precision, carried to the surface's vertices.
  Result<void> measure() {
    const FitStage stage(watch_, 3, "measure", report_.seconds.measure);
    const auto body = rig_body(asset_);
    const size_t vertices = asset_.tets.positions.size(), count = asset_.examples.size();
    for (size_t e = 1; e < count; ++e) {
      std::vector<float> blend(vertices * count, 0.0f);
      for (size_t v = 0; v < vertices; ++v) blend[v * count + e] = 1;
      std::vector<Vec3f> moved(vertices);
      skin_all(body->skin, blend, moved);
      const std::vector<Vec3f> seen = carried_surface(*body, moved);
      measure_example(seen, input_.examples[e - 1].positions, report_.examples[e - 1]);
    }
    return {};
  }

  void measure_example(const std::vector<Vec3f>& seen, const std::vector<Vec3>& wanted, FittedExample& fitted) const {
    double sum = 0, drawn = 0;
    for (size_t v = 0; v < seen.size(); ++v) {
      if (input_.importance[v] == 0) continue;
      const double error = (seen[v].cast<double>() - wanted[v]).norm() / report_.diagonal;
      sum += error * error, ++drawn;
      if (error > fitted.most) fitted.most = error, fitted.worst_at = given_.positions[v];
    }
    fitted.rms = std::sqrt(sum / drawn);
  }

  const TriMesh& given_;
  FitInput input_;
  const FitSettings& settings_;
  FitReport& report_;
  const FitWatch& watch_;
  MeshReport doctor_;
  FitProblem problem_;
  Decomposition state_;
  Asset asset_;
};

}  // namespace

Result<Asset> fit_rig(const TriMesh& rest, std::vector<FitExample> examples, const FitSettings& settings, FitReport& report, const FitWatch& watch) {
  report = {};
  Result<FitInput> input = prepare_input(rest, std::move(examples), settings, report);
  if (!input) return input.error();
  return RigFitter(rest, std::move(*input), settings, report, watch).run();
}

}  // namespace crumple

#include "crumple/rig/make_rig.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "crumple/core/timer.h"
#include "crumple/geometry/refine.h"
#include "crumple/math/single.h"
#include "crumple/rig/cell_choice.h"
#include "crumple/rig/handles.h"
#include "crumple/rig/mirror.h"
#include "crumple/rig/surface_detail.h"

namespace crumple {
namespace {

constexpr int kMaxHandles = 1000;
constexpr size_t kMaxTriangles = 400000;  // of a refined surface
constexpr double kLonger = 1.0001;        // times: places are rounded
constexpr int kMaxFills = 5;  // until the tetrahedra are no more than allowed

/// Tells that a stage begins and adds its wall time to `total` when it ends.
class Stage {
 public:
  Stage(const RigWatch& watch, int number, const std::string& name, double& total) : timer_(total) {
    if (watch.stage) watch.stage(number, name);
  }

 private:
  WallTimer timer_;
};

Result<void> check_settings(const RigSettings& settings) {
  const long wanted = std::max<long>(settings.handles, static_cast<long>(settings.fixed.size()));
  if (settings.refine && !(*settings.refine >= 0 && std::isfinite(*settings.refine)))
    return input_error(fmt::format("edges of {} m: give a length above 0", *settings.refine));
  if (settings.handles < 0 || wanted < 1 || wanted > kMaxHandles) return input_error(fmt::format("{} handles: give 1 to {}", wanted, kMaxHandles));
  if (settings.cells != 0 && (settings.cells < 2 || settings.cells > 1000)) {
    return input_error(fmt::format("{} cells along the longest side: give 2 to 1000, or 0 to have them chosen", settings.cells));
  }
  std::set<std::string> names;
  for (const Handle& handle : settings.fixed) {
    if (!handle.position.allFinite()) return input_error(fmt::format("handle \"{}\" is at no finite place", handle.name));
    if (!handle.name.empty() && !names.insert(handle.name).second)
      return input_error(fmt::format("two handles are named \"{}\": names must differ", handle.name));
  }
  return {};
}

double longest_side(const TriMesh& surface) {
  const Bounds bounds = bounds_of(surface.positions);
  return bounds.empty() ? 0 : (bounds.high - bounds.low).maxCoeff();
}

class RigMaker {
 public:
  RigMaker(const TriMesh& surface, const RigSettings& settings, RigReport& report, const RigWatch& watch)
      : given_(surface), settings_(settings), report_(report), watch_(watch) {}

  Result<Asset> run() {
    report_ = {};
    if (const Result<void> good = check_settings(settings_); !good) return good.error();
    for (const auto stage : {&RigMaker::examine_surface, &RigMaker::make_tets, &RigMaker::place_handles, &RigMaker::solve_weights}) {
      if (watch_.cancel != nullptr && watch_.cancel->requested()) return input_error("interrupted: the rig was not finished");
      if (const Result<void> done = (this->*stage)(); !done) return done.error();
    }
    asset_.examples = {{"rest", std::vector<HandleTransform>(asset_.handles.size())}};
    return std::move(asset_);
  }

 private:
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) {
    report_.warnings.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  /// Two copies: one welded and closed for the tetrahedra, one to be drawn that keeps every crease, hole and texture seam.
  Result<void> examine_surface() {
    const Stage stage(watch_, 0, "doctor", report_.seconds.doctor);
    solid_ = given_, asset_.surface = given_;
    RepairSettings thorough;
    thorough.drop_tiny = true;  // drawn specks follow the nearest tetrahedra; handles of their own would be wasted
    doctor_ = report_.lattice.surface = repair(solid_, thorough);
    RepairSettings gentle;
    gentle.weld = false, gentle.largest_hole = 0;
    report_.surface_vertices = repair(asset_.surface, gentle).kept;
    round_to_float(asset_.surface.positions);
    return {};
  }

  Result<void> make_tets() {
    const Stage stage(watch_, 1, "tetrahedra", report_.seconds.tets);
    LatticeSettings lattice = settings_.lattice;
    lattice.repair = false, lattice.cells = settings_.cells, lattice.cell_size = 0;
    if (settings_.thicken) lattice.thin_allowed = 1;
    if (settings_.cells == 0 && !solid_.triangles.empty()) {
      const CellChoice choice = choose_cell(solid_, doctor_.volume, settings_.lattice.thin_allowed, settings_.most_tets);
      if (choice.cell > choice.wanted && !settings_.thicken) return too_thin(choice);
      lattice.cell_size = choice.cell;
    }
    Result<TetMesh> tets = fill(lattice);
    if (!tets) return tets.error();
    asset_.tets = std::move(*tets);
    report_.cells = static_cast<int>(std::lround(longest_side(solid_) / report_.lattice.cell_size));
    tell_about_tets();
    return {};
  }

  /// The number of tetrahedra is only known afterwards: too many of our own choosing are made anew from larger cells.
  Result<TetMesh> fill(LatticeSettings& lattice) {
    for (int round = 1;; ++round) {
      Result<TetMesh> tets = fill_with_tets(solid_, lattice, report_.lattice);
      report_.lattice.surface = doctor_;
      if (!tets || settings_.cells != 0 || round == kMaxFills || tets->tets.size() <= settings_.most_tets) return tets;
      const double excess = static_cast<double>(tets->tets.size()) / static_cast<double>(settings_.most_tets);
      lattice.cell_size *= 1.03 * std::sqrt(excess);  // thin bodies have as many as their area takes
    }
  }

  Error too_thin(const CellChoice& choice) const {
    const double cells = std::ceil(longest_side(solid_) / choice.wanted);
    const std::string finer = cells <= 1000 ? fmt::format("give --cells {:.0f}, make them thicker", cells) : std::string("make them thicker");
    return input_error(fmt::format(
        "thin parts need cells of {:.3g} m ({:.0f} along the longest side, about {:.2g} tetrahedra), but at most {} tetrahedra are allowed: "
        "{}, or let their tetrahedra be {:.3g} m thick",
        choice.wanted, cells, choice.wanted_tets, settings_.most_tets, finer, choice.cell));
  }

  void tell_about_tets() {
    const LatticeReport& lattice = report_.lattice;
    if (lattice.thin_share > settings_.lattice.thin_allowed) {
      warn(
          "{:.0f} % of the surface is thinner than a cell of {:.3g} m (thinnest {:.3g} m near {:.3g} {:.3g} {:.3g}): the tetrahedra are thicker "
          "there, the drawn surface is not",
          100 * lattice.thin_share, lattice.cell_size, lattice.thinnest, lattice.thinnest_at.x(), lattice.thinnest_at.y(), lattice.thinnest_at.z());
    }
    if (lattice.volume_error > 0.25) {
      warn("the tetrahedra have {:.3g} times the volume of the surface: give bodies a mass rather than a density, or use more cells",
           lattice.volume / lattice.surface_volume);
    }
    if (lattice.parts > 1) warn("the body is made of {} parts that do not touch: each has handles of its own and moves by itself", lattice.parts);
  }

  Result<void> place_handles() {
    const Stage stage(watch_, 2, "handles", report_.seconds.handles);
    HandleBinding binding(asset_.tets, report_.lattice.cell_size);
    for (const Handle& handle : settings_.fixed) {
      const Result<int> vertex = binding.bind(handle);
      if (!vertex) return vertex.error();
      held_.push_back(*vertex);
    }
    round_to_float(asset_.tets.positions);
    if (const Result<void> good = check_rounded(); !good) return good;
    std::vector<Vec3> taken;
    for (const int v : held_) taken.push_back(asset_.tets.positions[v]);
    const int wanted = settings_.handles - static_cast<int>(held_.size());
    std::vector<int> chosen = spread_handles(wanted, taken);
    order_along(asset_.tets, chosen);
    if (static_cast<int>(chosen.size()) < wanted)
      warn("only {} handles: the surface of the tetrahedra has no more vertices", held_.size() + chosen.size());
    if (wanted > 0 && static_cast<int>(chosen.size()) > wanted)
      warn("{} handles instead of {}: every part of the body needs one", held_.size() + chosen.size(), settings_.handles);
    asset_.handles = settings_.fixed;
    for (Handle& handle : asset_.handles) handle.position = to_single(handle.position);
    for (const int v : chosen) asset_.handles.push_back({"", asset_.tets.positions[v]});
    held_.insert(held_.end(), chosen.begin(), chosen.end());
    name_handles(asset_.handles);
    report_.handles = asset_.handles.size();
    refine_surface();
    return {};
  }

  std::vector<int> spread_handles(int wanted, const std::vector<Vec3>& taken) {
    if (settings_.mirror && wanted > 1) {
      const std::optional<MirrorPlane> plane = mirror_plane(solid_);
      std::vector<int> chosen = plane ? choose_mirrored_handles(asset_.tets, wanted, taken, *plane, report_.lattice.cell_size) : std::vector<int>();
      if (!chosen.empty()) report_.mirrored = plane->axis;
      if (!chosen.empty()) return chosen;
    }
    return choose_handles(asset_.tets, wanted, taken);
  }

  /// Only now it is known how far apart the handles are.
  void refine_surface() {
    report_.triangles_given = asset_.surface.triangles.size();
    report_.edge_wanted = edge_to_follow(asset_.handles, report_.lattice.cell_size);
    if (settings_.refine) {
      const double length = *settings_.refine > 0 ? *settings_.refine : report_.edge_wanted;
      asset_.surface = refined(std::move(asset_.surface), length, kMaxTriangles, &report_.surface_parents);
      round_to_float(asset_.surface.positions);
      report_.edge = length;
      if (share_with_longer_edges(asset_.surface, kLonger * length) > 0)
        warn("the surface would have more than {} triangles: some edges stay longer than {:.3g} m", kMaxTriangles, length);
    } else if (const double share = share_with_longer_edges(asset_.surface, kCoarse * report_.edge_wanted); share > kCoarseShare) {
      warn(
          "{:.0f} % of the surface is flat triangles with edges over {:.3g} m, which cannot crease between handles that near: --refine splits them "
          "(to {:.3g} m)",
          100 * share, kCoarse * report_.edge_wanted, report_.edge_wanted);
    }
  }

  static void round_to_float(std::vector<Vec3>& points) {
    for (Vec3& point : points) point = to_single(point);
  }

  /// A small model far from the origin loses its shape in single precision.
  Result<void> check_rounded() const {
    const double least = 1e-4 * std::pow(report_.lattice.cell_size, 3);
    for (const Tetrahedron& tet : asset_.tets.tets) {
      if (tet_volume(asset_.tets.positions, tet) > least) continue;
      const Vec3& at = asset_.tets.positions[tet[0]];
      return input_error(
          fmt::format("the model is {:.3g} m large but lies at {:.4g} {:.4g} {:.4g}, where single precision cannot tell its tetrahedra apart: "
                      "move it to the origin, or give the right unit",
                      doctor_.diagonal, at.x(), at.y(), at.z()));
    }
    return {};
  }

  Result<void> solve_weights() {
    const Stage stage(watch_, 3, "weights", report_.seconds.weights);
    std::vector<WeightHandle> handles;
    for (size_t h = 0; h < held_.size(); ++h) handles.push_back({asset_.handles[h].name, CageHandle{{held_[h]}}});
    Result<WeightsResult> solved = compute_weights(asset_.tets, handles, settings_.weights);
    if (!solved) return solved.error();
    report_.warnings.insert(report_.warnings.end(), solved->warnings.begin(), solved->warnings.end());
    report_.weights_residual = solved->kkt_residual, report_.noise_floor = solved->noise_floor, report_.target = solved->target;
    for (const float weight : solved->weights) report_.weights_kept += weight != 0;
    WeightCertificate certificate{solved->kkt_residual, solved->noise_floor, solved->target, {}, std::move(solved->raw)};
    for (HandleReport& handle : solved->handles) certificate.held.push_back(std::move(handle.vertices));
    asset_.weights = std::move(solved->weights);
    asset_.certificate = std::move(certificate);
    return {};
  }

  const TriMesh& given_;
  const RigSettings& settings_;
  RigReport& report_;
  const RigWatch& watch_;
  MeshReport doctor_;
  TriMesh solid_;          // repaired, to be filled
  std::vector<int> held_;  // #handles: the vertex of each
  Asset asset_;
};

}  // namespace

Result<Asset> make_rig(const TriMesh& surface, const RigSettings& settings, RigReport& report, const RigWatch& watch) {
  return RigMaker(surface, settings, report, watch).run();
}

}  // namespace crumple

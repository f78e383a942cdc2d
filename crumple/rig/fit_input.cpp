#include "crumple/rig/fit_input.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "crumple/rig/fit_align.h"
#include "crumple/rig/fit_weights.h"
#include "crumple/rig/skin.h"

namespace crumple {
namespace {

constexpr double kSame = 1e-6;     // of the diagonal: a shape that differs by less is the rest shape
constexpr double kFarthestShape = 1e3;  // diagonals: a shape that reaches farther is a mistake
constexpr double kAbsurd = 1e12;   // metres

Result<void> check_settings(const FitSettings& settings) {
  if (settings.bones < 0 || settings.bones > kMaxBones)
    return input_error(fmt::format("{} bones: give 1 to {}, or 0 to have them counted", settings.bones, kMaxBones));
  if (settings.most_bones < 1 || settings.most_bones > kMaxBones)
    return input_error(fmt::format("at most {} bones: give 1 to {}", settings.most_bones, kMaxBones));
  if (!(settings.wanted > 0)) return input_error("the error wanted must be above 0");
  if (settings.influences < 1) return input_error("a vertex needs at least one bone that holds it");
  if (settings.cells != 0 && (settings.cells < 2 || settings.cells > 1000)) {
    return input_error(fmt::format("{} cells along the longest side: give 2 to 1000, or 0 to have them chosen", settings.cells));
  }
  return {};
}

bool is_sane(const Vec3& point) {
  return point.allFinite() && point.cwiseAbs().maxCoeff() < kAbsurd;
}

Result<void> check_rest(const TriMesh& rest) {
  if (rest.triangles.empty()) return input_error("the rest shape has no triangles");
  for (size_t v = 0; v < rest.positions.size(); ++v) {
    if (!is_sane(rest.positions[v])) return input_error(fmt::format("vertex {} of the rest shape is at no finite place, or absurdly far away", v));
  }
  for (size_t t = 0; t < rest.triangles.size(); ++t) {
    for (const int v : rest.triangles[t]) {
      if (v >= 0 && static_cast<size_t>(v) < rest.positions.size()) continue;
      return input_error(fmt::format("triangle {} of the rest shape asks for vertex {}, but there are {}", t, v, rest.positions.size()));
    }
  }
  return {};
}

Result<void> check_example(const FitExample& example, const TriMesh& rest) {
  if (example.positions.size() != rest.positions.size()) {
    return input_error(
        fmt::format("example \"{}\" has {} vertices, but the rest shape has {}: examples must keep the rest shape's vertices and their order",
                    example.name, example.positions.size(), rest.positions.size()));
  }
  for (size_t v = 0; v < example.positions.size(); ++v) {
    if (is_sane(example.positions[v])) continue;
    return input_error(fmt::format("vertex {} of example \"{}\" is at no finite place, or absurdly far away", v, example.name));
  }
  return {};
}

/// How much each vertex counts: half by the area around it, half like any other that is drawn, so that neither small nor large
/// triangles are forgotten.
std::vector<double> importance_of(const TriMesh& mesh) {
  std::vector<double> area(mesh.positions.size(), 0.0);
  std::vector<char> used(mesh.positions.size(), 0);
  double all = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const double third = (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm() / 6;
    for (const int v : {a, b, c}) area[v] += third, used[v] = 1;
    all += 3 * third;
  }
  const auto drawn = static_cast<double>(std::count(used.begin(), used.end(), 1));
  for (size_t v = 0; v < area.size(); ++v) area[v] = used[v] ? 0.5 * (all > 0 ? area[v] / all : 1 / drawn) + 0.5 / drawn : 0;
  return area;
}

std::string own_name(const std::string& name, std::set<std::string>& taken) {
  std::string own = name;
  for (int number = 2; !taken.insert(own).second; ++number) own = fmt::format("{} {}", name, number);
  return own;
}

Result<void> check(const TriMesh& rest, const std::vector<FitExample>& examples, const FitSettings& settings) {
  if (const Result<void> good = check_settings(settings); !good) return good;
  if (const Result<void> good = check_rest(rest); !good) return good;
  if (examples.empty()) return input_error("no examples: give at least one shape beside the rest shape");
  if (examples.size() >= Skin::kMaxExamples) {
    return input_error(fmt::format("{} examples are too many (at most {} beside the rest shape)", examples.size(), Skin::kMaxExamples - 1));
  }
  for (const FitExample& example : examples) {
    if (const Result<void> good = check_example(example, rest); !good) return good;
  }
  return {};
}

/// Takes the motion of the whole out of an example, if that is wanted.
void align(const TriMesh& rest, const FitInput& input, FitSettings::Align mode, FitExample& example, FittedExample& fitted) {
  if (mode == FitSettings::Align::Never) return;
  if (mode == FitSettings::Align::Auto && !was_moved(rest.positions, example.positions, input.importance, input.diagonal)) return;
  fitted.aligned = true;
  fitted.motion = whole_motion(rest.positions, example.positions, input.importance, input.diagonal);
  const Transform back = fitted.motion.inverse();
  for (Vec3& p : example.positions) p = back * p;
}

double longest_way(const TriMesh& rest, const FitInput& input, const std::vector<Vec3>& positions) {
  double way = 0;
  for (size_t v = 0; v < positions.size(); ++v) {
    if (input.importance[v] > 0) way = std::max(way, (positions[v] - rest.positions[v]).norm());
  }
  return way;
}

FitInput measure_rest(const TriMesh& rest) {
  FitInput input;
  input.importance = importance_of(rest);
  Bounds bounds;
  for (size_t v = 0; v < rest.positions.size(); ++v) {
    if (input.importance[v] > 0) bounds.add(rest.positions[v]);
  }
  input.diagonal = bounds.diagonal(), input.center = 0.5 * (bounds.low + bounds.high);
  return input;
}

}  // namespace

Result<FitInput> prepare_input(const TriMesh& rest, std::vector<FitExample> examples, const FitSettings& settings, FitReport& report) {
  if (const Result<void> good = check(rest, examples, settings); !good) return good.error();
  FitInput input = measure_rest(rest);
  if (!(input.diagonal > 0)) return input_error("the rest shape has no size");
  std::set<std::string> names = {"rest"};
  for (size_t i = 0; i < examples.size(); ++i) {
    FitExample& example = examples[i];
    FittedExample fitted;
    fitted.given = i;
    align(rest, input, settings.align, example, fitted);
    const double way = longest_way(rest, input, example.positions);
    if (!(way <= kFarthestShape * input.diagonal)) {
      return input_error(
          fmt::format("example \"{}\" reaches {:.3g} m from a rest shape of {:.3g} m: is it in another unit?", example.name, way, input.diagonal));
    }
    if (way <= kSame * input.diagonal) {
      report.warnings.push_back(
          fmt::format("example \"{}\" is left out: it is the rest shape{}", example.name, fitted.aligned ? ", moved as a whole" : ""));
      continue;
    }
    fitted.name = example.name = own_name(example.name.empty() ? "example" : example.name, names);
    if (fitted.aligned && settings.align == FitSettings::Align::Auto) {
      report.warnings.push_back(fmt::format("example \"{}\" was moved as a whole, by {:.3g} m and {:.3g} degrees: that is taken out", fitted.name,
                                            (fitted.motion * input.center - input.center).norm(), degrees(fitted.motion.rotation)));
    }
    report.examples.push_back(fitted);
    input.examples.push_back(std::move(example));
  }
  if (input.examples.empty()) return input_error("no example differs from the rest shape: there is nothing to fit");
  return input;
}

double degrees(const Mat3& rotation) {
  return Eigen::AngleAxisd(rotation).angle() * 180 / M_PI;
}

}  // namespace crumple

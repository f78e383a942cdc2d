#include "apps/cli/shot_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "crumple/core/json.h"
#include "crumple/rig/pose.h"
#include "crumple/scene/scene.h"

namespace crumple::cli {
namespace {

constexpr double kUsualSize = 2;  // m: for it the numbers below are meant
constexpr double kUsualYield = 0.4, kUsualGain = 300, kUsualLag = 0.9;
constexpr double kUsualFrames = 120;  // per second: slow motion, so that the impact has frames of its own
constexpr double kRadius = 0.45;      // of damage, over the size of the body
constexpr double kApproach = 0.6;     // way to go before the impact, over the size of the body
constexpr double kFall = 0.35;        // the same of a model that falls: all of it should be in the picture
constexpr double kClear = 0.002;      // height above the ground, over the size of the body

constexpr std::array<const char*, 4> kSides = {"+x", "-x", "+z", "-z"};

/// Four digits, as a person would write it.
std::string rounded(double value) {
  return fmt::format("{:.4g}", std::abs(value) < 1e-9 ? 0.0 : value);
}

std::string vector_text(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", rounded(v.x()), rounded(v.y()), rounded(v.z()));
}

/// The turn about y that takes a side of the model to +x, degrees.
double heading_of(const std::string& front) {
  return front == "+z" ? 90 : front == "-z" ? -90 : front == "-x" ? 180 : 0;
}

const std::vector<Vec3>& seen_points(const Asset& asset) {
  return asset.surface.positions.empty() ? asset.tets.positions : asset.surface.positions;
}

/// The model as it stands in the shot, without being moved.
struct Standing {
  Vec3 turn;                 // degrees, as a scene has it
  std::vector<Vec3> points;  // of the surface
  Bounds bounds;             // of these
  double lowest = 0;         // point of the tetrahedra
};

Standing standing(const Asset& asset, const std::string& front, const Vec3& tilt) {
  const Mat3 turned = rotation_from_degrees(tilt) * rotation_from_degrees(Vec3(0, heading_of(front), 0));
  Standing result;
  const double degrees = 180 / std::numbers::pi;
  result.turn =
      degrees * Vec3(std::atan2(turned(2, 1), turned(2, 2)), -std::asin(std::clamp(turned(2, 0), -1.0, 1.0)), std::atan2(turned(1, 0), turned(0, 0)));
  for (const Vec3& p : seen_points(asset)) {
    result.points.push_back(turned * p);
    result.bounds.add(result.points.back());
  }
  result.lowest = result.bounds.low.y();
  for (const Vec3& p : asset.tets.positions) result.lowest = std::min(result.lowest, (turned * p).y());
  return result;
}

std::string body_line(const ShotPlan& plan, const Standing& model, double size, const Vec3& at, const Vec3& velocity) {
  const double yield = kUsualYield * std::sqrt(size / kUsualSize), lag = std::pow(kUsualLag, 1 / plan.slowness);
  return fmt::format(R"(    {{"name": "{0}", "asset": "{0}", "at": {1}, "turn": {2}, "velocity": {3}, "density": 300,
     // gain: how readily hits turn into damage; yield: the speed change (m/s) that leaves a mark; radius: how far damage spreads (m)
     "examples": {{"gain": {4}, "yield": {5}, "radius": {6}, "lag": {7}}}}})",
                     plan.name, vector_text(at), vector_text(model.turn), vector_text(velocity), rounded(plan.gain), rounded(yield),
                     rounded(kRadius * size), rounded(lag));
}

/// The lower corner of the front comes down first.
std::string drop(const ShotPlan& plan, const Asset& asset, double size) {
  const Standing model = standing(asset, plan.front, Vec3(15, 0, -20));
  return body_line(plan, model, size, Vec3(0, kFall * size - model.lowest, 0), Vec3(0, -plan.speed, 0));
}

/// A wall little larger than the model, which shall not hide it.
std::string wall(const ShotPlan& plan, const Asset& asset, double size) {
  const Standing model = standing(asset, plan.front, Vec3::Zero());
  const double thick = 0.15 * size, high = 1.15 * (model.bounds.high.y() - model.bounds.low.y()) + 0.05 * size,
               wide = 1.3 * (model.bounds.high.z() - model.bounds.low.z()) + 0.1 * size;
  const Vec3 at(model.bounds.high.x() + kApproach * size + 0.5 * thick, 0.5 * high, 0.5 * (model.bounds.low.z() + model.bounds.high.z()));
  const std::string wall = fmt::format(
      R"(    {{"name": "wall", "box": {}, "at": {}, "motion": "static", "look": {{"color": [0.36, 0.35, 0.33], "roughness": 0.9}}}},
)",
      vector_text({thick, high, wide}), vector_text(at));
  return wall + body_line(plan, model, size, Vec3(0, kClear * size - model.lowest, 0), Vec3(plan.speed, 0, 0));
}

/// A block falls on the front half.
std::string block(const ShotPlan& plan, const Asset& asset, double size) {
  const Standing model = standing(asset, plan.front, Vec3::Zero());
  const double stand = kClear * size - model.lowest, edge = 0.35 * size;
  const Vec3 middle = 0.5 * (model.bounds.low + model.bounds.high);
  const double ahead = std::max(0.0, 0.5 * (model.bounds.high.x() - model.bounds.low.x()) - 0.5 * edge);
  const Vec3 at(middle.x() + 0.5 * ahead, stand + model.bounds.high.y() + kApproach * size + 0.6 * edge, middle.z());
  return body_line(plan, model, size, Vec3(0, stand, 0), Vec3::Zero()) + fmt::format(R"(,
    {{"name": "block", "box": {}, "at": {}, "turn": [10, 20, 15], "velocity": {}, "density": 2500}})",
                                                                                     vector_text(Vec3::Constant(edge)), vector_text(at),
                                                                                     vector_text({0, -plan.speed, 0}));
}

/// The point of the surface farthest in front, rather in the middle and at two thirds of the height.
Vec3 bulls_eye(const Standing& model) {
  const Vec3 middle = 0.5 * (model.bounds.low + model.bounds.high);
  const double high = model.bounds.low.y() + 0.65 * (model.bounds.high.y() - model.bounds.low.y());
  Vec3 best = middle;
  double most = -1e300;
  for (const Vec3& p : model.points) {
    const double value = p.x() - std::abs(p.y() - high) - std::abs(p.z() - middle.z());
    if (value > most) most = value, best = p;
  }
  return best;
}

/// The ball comes from the front, a little from above and aside.
std::string ball(const ShotPlan& plan, const Asset& asset, double size) {
  const Standing model = standing(asset, plan.front, Vec3::Zero());
  const double stand = kClear * size - model.lowest, radius = 0.11 * size;
  const Vec3 aim = bulls_eye(model) + Vec3(0, stand, 0), back = Vec3(1, 0.15, -0.3).normalized();
  const Vec3 from = aim + (kApproach * size + radius) * back;
  return body_line(plan, model, size, Vec3(0, stand, 0), Vec3::Zero()) +
         fmt::format(R"(,
    {{"name": "ball", "sphere": {}, "at": {}, "velocity": {}, "density": 2000, "look": {{"color": [0.05, 0.05, 0.055], "metal": 0.7, "roughness": 0.3}}}})",
                     rounded(radius), vector_text({from.x(), std::max(from.y(), 1.01 * radius), from.z()}), vector_text(-plan.speed * back));
}

/// Heights and widths of slices of one half of the surface, from the end of an axis to its middle, over those of the whole.
using Profile = std::array<double, 16>;
Profile profile_of_end(const Asset& asset, int axis, bool high_end) {
  constexpr int kSlices = 8;
  const Bounds bounds = bounds_of(seen_points(asset));
  const Vec3 extent = (bounds.high - bounds.low).cwiseMax(1e-12);
  const int side = axis == 0 ? 2 : 0;
  Profile profile = {};
  for (const Vec3& p : seen_points(asset)) {
    const double from_end = (high_end ? bounds.high[axis] - p[axis] : p[axis] - bounds.low[axis]) / extent[axis];
    const size_t slice = static_cast<size_t>(2 * kSlices * from_end);
    if (slice >= kSlices) continue;
    profile[slice] = std::max(profile[slice], (p.y() - bounds.low.y()) / extent.y());
    profile[kSlices + slice] = std::max(profile[kSlices + slice], std::abs(2 * p[side] - bounds.low[side] - bounds.high[side]) / extent[side]);
  }
  return profile;
}

/// How much slimmer the end at the high side is than the other one, and how different they are.
struct Ends {
  double slimmer = 0, different = 0;
};
Ends compare_ends(const Asset& asset, int axis) {
  const Profile high = profile_of_end(asset, axis, true), low = profile_of_end(asset, axis, false);
  Ends ends;
  for (size_t i = 0; i < high.size(); ++i) {
    ends.slimmer += (low[i] - high[i]) / static_cast<double>(high.size());
    ends.different += std::abs(low[i] - high[i]) / static_cast<double>(high.size());
  }
  return ends;
}

/// How far the examples push in the handles at each of the four sides, summed.
std::array<double, 4> pushed_in(const Asset& asset) {
  std::array<double, 4> sums = {};
  const Bounds bounds = bounds_of(seen_points(asset));
  const Vec3 middle = 0.5 * (bounds.low + bounds.high), half = (0.5 * (bounds.high - bounds.low)).cwiseMax(1e-12);
  for (size_t e = 1; e < asset.examples.size(); ++e) {
    for (size_t b = 0; b < asset.handles.size(); ++b) {
      const Vec3& rest = asset.handles[b].position;
      const HandleTransform& to = asset.examples[e].handles[b];
      const Vec3 moved = to.rotation * (to.stretch * rest) + to.translation - rest, place = (rest - middle).cwiseQuotient(half);
      const std::array<double, 4> outward = {place.x(), -place.x(), place.z(), -place.z()}, inward = {-moved.x(), moved.x(), -moved.z(), moved.z()};
      for (size_t side = 0; side < 4; ++side) sums[side] += outward[side] > 0.3 ? std::max(0.0, inward[side]) : 0;
    }
  }
  return sums;
}

double reference_frames(double slowness) {
  static constexpr std::array kRates = {24.0, 30.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 3840.0, 7680.0};
  const double wanted = kUsualFrames / slowness;
  return *std::min_element(kRates.begin(), kRates.end(),
                           [&](double a, double b) { return std::abs(std::log(a / wanted)) < std::abs(std::log(b / wanted)); });
}

}  // namespace

Front favoured_front(const Asset& asset) {
  const std::array<double, 4> pushed = pushed_in(asset);
  return {kSides[static_cast<size_t>(std::max_element(pushed.begin(), pushed.end()) - pushed.begin())], "the examples push in this side most"};
}

Front guess_front(const Asset& asset) {
  const Vec3 extent = bounds_of(seen_points(asset)).high - bounds_of(seen_points(asset)).low;
  const std::array<Ends, 2> ends = {compare_ends(asset, 0), compare_ends(asset, 2)};
  const bool is_long = std::max(extent.x(), extent.z()) > 1.15 * std::min(extent.x(), extent.z());
  // What drives or flies has left and right alike, but not front and back.
  const bool is_lopsided = std::max(ends[0].different, ends[1].different) > 2 * std::min(ends[0].different, ends[1].different) + 0.03;
  if (!is_long && !is_lopsided) return favoured_front(asset);
  const bool along_x = is_lopsided ? ends[0].different > ends[1].different : extent.x() > extent.z();
  const size_t first = along_x ? 0 : 2;
  const double slimmer = ends[along_x ? 0 : 1].slimmer;
  const std::string why = fmt::format("{} {}", is_lopsided ? "its ends differ along" : "it is longer along", along_x ? "x" : "z");
  if (std::abs(slimmer) > 0.02) return {kSides[slimmer > 0 ? first : first + 1], why + ", and this end is slimmer"};
  const std::array<double, 4> pushed = pushed_in(asset);
  return {kSides[pushed[first] >= pushed[first + 1] ? first : first + 1], why + ", and the examples push in this end most"};
}

double usual_speed(const std::string& kind, double size) {
  return (kind == "wall" || kind == "ball" ? 12 : 7) * std::sqrt(size / kUsualSize);
}

ShotPlan plan_shot(const Asset& asset, const std::string& kind, double speed) {
  const double size = diagonal_of(asset);
  ShotPlan plan;
  plan.kind = kind, plan.speed = speed;
  plan.slowness = size / speed / (kUsualSize / usual_speed(kind, kUsualSize));
  plan.gain = kUsualGain / std::sqrt(size / kUsualSize);
  plan.seconds = 1.5 * plan.slowness;
  return plan;
}

std::string shot_text(const ShotPlan& plan, const Asset& asset) {
  const double size = diagonal_of(asset);
  const std::string bodies = plan.kind == "drop"   ? drop(plan, asset, size)
                             : plan.kind == "wall" ? wall(plan, asset, size)
                             : plan.kind == "ball" ? ball(plan, asset, size)
                                                   : block(plan, asset, size);
  const double friction = plan.kind == "wall" ? 0.1 : 0.5;  // wheels would roll
  const std::string camera = !plan.camera
                                 ? ""
                                 : fmt::format("  \"camera\": {{\"eye\": {}, \"target\": {}, \"fov\": {}}},\n", vector_text(plan.camera->eye),
                                               vector_text(plan.camera->target), rounded(plan.camera->fov_degrees));
  const std::string joints =
      !plan.pin ? "" : fmt::format(",\n  \"joints\": [{{\"name\": \"pin\", \"kind\": \"fixed\", \"body\": \"{}\", \"at\": [0, 0, 0]}}]", plan.name);
  return fmt::format(R"({{
  "crumple": 1,
  "title": "{0}: {1}",
  "fps": {2},
  "substeps": 2,
  "seconds": {3},
  "assets": {{"{0}": {4}}},
{5}  "bodies": [
    {{"name": "ground", "plane": [0, 1, 0, 0], "material": {{"friction": {6}}}, "look": {{"color": [0.3, 0.29, 0.27], "roughness": 0.9}}}},
{7}
  ]{8}
}}
)",
                     plan.name, plan.kind, rounded(reference_frames(plan.slowness)), rounded(plan.seconds), write_json(Json(plan.path)), camera,
                     friction, bodies, joints);
}

}  // namespace crumple::cli

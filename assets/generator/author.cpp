#include "assets/generator/author.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace crumple::generator {

Vec3 Sketch::rest(std::string_view handle) const {
  const auto found = std::find_if(handles_.begin(), handles_.end(), [&](const Handle& h) { return h.name == handle; });
  return found == handles_.end() ? Vec3::Zero() : found->position;  // author() complains of names there are not
}

Sketch& Sketch::move(std::initializer_list<std::string_view> handles, const Vec3& shift) {
  for (const std::string_view handle : handles) goals_[std::string(handle)].move += shift;
  return *this;
}

Sketch& Sketch::turn(std::string_view handle, const Quat& turn) {
  goals_[std::string(handle)].turn = turn;
  return *this;
}

void Sketch::carry_one(std::string_view handle, const Quat& turn, const Vec3& pivot, const Vec3& shift) {
  Goal& goal = goals_[std::string(handle)];
  const Vec3 rest_place = rest(handle), place = rest_place + goal.move;
  goal.move = turn * (place - pivot) + pivot + shift - rest_place;
  goal.turn = turn * goal.turn.value_or(Quat::Identity());
}

Sketch& Sketch::carry(std::initializer_list<std::string_view> handles, const Quat& turn, const Vec3& pivot, const Vec3& shift) {
  for (const std::string_view handle : handles) carry_one(handle, turn, pivot, shift);
  return *this;
}

Sketch& Sketch::carry(const std::vector<std::string>& handles, const Quat& turn, const Vec3& pivot, const Vec3& shift) {
  for (const std::string& handle : handles) carry_one(handle, turn, pivot, shift);
  return *this;
}

Sketch& Sketch::free(std::initializer_list<std::string_view> handles) {
  for (const std::string_view handle : handles) goals_[std::string(handle)].free = true;
  return *this;
}

namespace {

std::string other_side(std::string name) {
  for (const auto& [from, to] : {std::pair{"left", "right"}, std::pair{"right", "left"}})
    if (name.ends_with(from)) return name.substr(0, name.size() - std::string_view(from).size()) + to;
  return name;
}

}  // namespace

Sketch Sketch::mirrored(std::string name) const {
  Sketch other(std::move(name), handles_);
  for (const auto& [handle, goal] : goals_) {
    Goal& flipped = other.goals_[other_side(handle)];
    flipped = goal;
    flipped.move.z() = -goal.move.z();
    if (goal.turn) flipped.turn = Quat(goal.turn->w(), -goal.turn->x(), -goal.turn->y(), goal.turn->z());
  }
  return other;
}

namespace {

RigSettings rig_settings(const Design& design) {
  RigSettings settings;
  settings.fixed = design.handles;
  settings.handles = std::max(design.total_handles, int(design.handles.size()));
  settings.cells = design.cells;
  settings.lattice.thin_allowed = design.thin_allowed;
  settings.lattice.enclose = design.enclose;
  return settings;
}

Result<std::vector<PoseGoal>> goals_of(const Sketch& sketch, const Asset& asset) {
  std::vector<PoseGoal> goals;
  for (const auto& [name, goal] : sketch.goals()) {
    const auto found = std::find_if(asset.handles.begin(), asset.handles.end(), [&wanted = name](const Handle& handle) { return handle.name == wanted; });
    if (found == asset.handles.end())
      return input_error(fmt::format("{}: example \"{}\" moves the handle \"{}\", which there is not", asset.name, sketch.name(), name));
    goals.push_back({int(found - asset.handles.begin()), goal.move, goal.turn, goal.free});
  }
  return goals;
}

// A part of the way to the goals.
std::vector<PoseGoal> partly(std::vector<PoseGoal> goals, double part) {
  for (PoseGoal& goal : goals) {
    goal.move *= part;
    if (goal.turn) goal.turn = Quat::Identity().slerp(part, *goal.turn);
  }
  return goals;
}

// In stages, each starting from the last: turns found for a far pose at once may be those of a body folded the other way.
Example pose(const Poser& poser, const Sketch& sketch, const std::vector<PoseGoal>& goals) {
  constexpr int kStages = 4;
  std::vector<HandleTransform> transforms;
  for (int stage = 1; stage <= kStages; ++stage) transforms = poser.solve(partly(goals, double(stage) / kStages), transforms);
  return {sketch.name(), std::move(transforms)};
}

}  // namespace

Result<void> add_examples(Asset& asset, const std::vector<Sketch>& sketches) {
  const Poser poser(asset);
  for (const Sketch& sketch : sketches) {
    const auto goals = goals_of(sketch, asset);
    if (!goals) return goals.error();
    asset.examples.push_back(pose(poser, sketch, *goals));
  }
  return {};
}

Result<Asset> author(const Design& design, RigReport* report) {
  RigReport own_report;
  Result<Asset> asset = make_rig(design.surface, rig_settings(design), report ? *report : own_report);
  if (!asset) return input_error(fmt::format("{}: {}", design.name, asset.error().text));
  asset->name = design.name;
  asset->color = design.look.color;
  asset->metal = design.look.metal;
  asset->roughness = design.look.roughness;
  if (auto posed = add_examples(*asset, design.examples); !posed) return posed.error();
  return asset;
}

}  // namespace crumple::generator

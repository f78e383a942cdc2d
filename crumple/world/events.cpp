#include "crumple/world/events.h"

#include <algorithm>

#include "crumple/world/engine.h"

namespace crumple {
namespace {

constexpr int kActive = 1;  // of the engine's states of activation

bool touches(const WorldState& w, const When& when, int a, int b) {
  const BodyDescription &one = *w.body(a).description, &other = *w.body(b).description;
  const auto is_pair = [&](const BodyDescription& first, const BodyDescription& second) {
    return is_meant(first, when.contact[0]) && (when.contact.size() < 2 || is_meant(second, when.contact[1]));
  };
  return is_pair(one, other) || is_pair(other, one);
}

/// Impulses of the last step between bodies, summed over the contacts of each pair.
std::map<std::pair<int, int>, double> impulses_of_pairs(const WorldState& w) {
  std::map<std::pair<int, int>, double> impulses;
  for (const rigid::Contact& contact : w.loads.contacts) {
    const int a = w.owner_of_part[static_cast<size_t>(contact.part_a)].first, b = w.owner_of_part[static_cast<size_t>(contact.part_b)].first;
    impulses[std::minmax(a, b)] += contact.impulse;
  }
  for (const MatterTouch& touch : w.matter_touches) impulses[std::minmax(touch.body, touch.other)] += touch.impulse;
  return impulses;
}

bool is_released(const WorldState& w, const BodyDescription& body) {
  const std::optional<double> begin = begin_of(w, body.release);
  return begin && w.time() >= *begin - 1e-9;
}

}  // namespace

bool is_meant(const BodyDescription& body, const std::string& word) {
  return body.name == word || (!body.group.empty() && body.group == word);
}

void number_events(WorldState& w) {
  const auto add = [&](const std::optional<When>& when) {
    if (!when) return;
    w.number_of_event.emplace(&*when, static_cast<int>(w.happened.size()));
    w.happened.push_back(-1);
  };
  for (const BodyDescription& body : w.scene.bodies) {
    add(body.when), add(body.release);
    for (const ScriptStep& stretch : body.script) add(stretch.when);
    if (body.animation) add(body.animation->when);
  }
  for (const ForceDescription& force : w.scene.forces) add(force.when);
}

void note_events(WorldState& w) {
  if (std::none_of(w.happened.begin(), w.happened.end(), [](double time) { return time < 0; })) return;
  const std::map<std::pair<int, int>, double> impulses = impulses_of_pairs(w);
  for (const auto& [when, number] : w.number_of_event) {
    double& happened = w.happened[static_cast<size_t>(number)];
    if (happened >= 0) continue;
    for (const auto& [pair, impulse] : impulses) {
      if (impulse >= when->impulse && touches(w, *when, pair.first, pair.second)) happened = w.time();
    }
  }
}

std::optional<double> begin_of(const WorldState& w, const std::optional<When>& when) {
  if (!when) return 0;
  const double happened = w.happened[static_cast<size_t>(w.number_of_event.at(&*when))];
  if (happened < 0) return std::nullopt;
  return happened + when->delay;
}

void hold_bodies(WorldState& w) {
  for (Body& body : w.bodies) body.held = body.description->release && !is_released(w, *body.description);
}

bool release_bodies(WorldState& w) {
  bool any = false;
  for (size_t i = 0; i < w.bodies.size(); ++i) {
    Body& body = w.bodies[i];
    if (!body.held || !is_released(w, *body.description)) continue;
    body.held = false;
    if (!body.is_present()) continue;
    any = true;
    remove_parts(w, static_cast<int>(i));
    Vec3 center = Vec3::Zero();
    for (const Part& part : body.parts) center += part.mass / body.mass * part.state.place.translation;
    for (Part& part : body.parts) {
      part.state.spin = body.description->spin;
      part.state.velocity = body.description->velocity + body.description->spin.cross(part.state.place.translation - center);
      part.state.activation = kActive, part.state.idle_time = 0;
      part.last_good = part.state;
    }
    add_parts(w, static_cast<int>(i));
  }
  return any;
}

}  // namespace crumple

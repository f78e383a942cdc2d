#include <algorithm>

#include <fmt/format.h>

#include "crumple/scene/presets.h"
#include "crumple/scene/scene.h"

namespace crumple {
namespace {

template <class Settings>
std::vector<NamedSpeed> speeds_in(const Settings& settings) {
  return speeds(settings);
}

/// Everything that is said to move, with the key that says so.
std::vector<std::pair<std::string, double>> speeds_of(const BodyDescription& body) {
  std::vector<std::pair<std::string, double>> speeds = {{"velocity", body.velocity.norm()}};
  for (size_t i = 0; i < body.script.size(); ++i) {
    if (body.script[i].velocity) speeds.emplace_back(fmt::format("script/{}/velocity", i), body.script[i].velocity->norm());
  }
  for (size_t i = 0; i < body.particles.size(); ++i) {
    speeds.emplace_back(fmt::format("particles/{}/velocity", i), (body.velocity + body.particles[i].velocity).norm());
  }
  for_each_method(body.methods, [&](const auto& settings) {
    if (!settings) return;
    for (const NamedSpeed& named : speeds_in(*settings)) speeds.emplace_back(fmt::format("{}/{}", info_of(settings).key, named.where), named.speed);
  });
  return speeds;
}

/// Methods of a body that its preset says nothing about.
std::vector<std::string> methods_without_values(const BodyDescription& body) {
  std::vector<std::string> methods;
  for (const Preset& preset : presets()) {
    if (preset.name != body.preset) continue;
    const std::vector<std::string> known = methods_of(preset);
    for_each_method(body.methods, [&](const auto& settings) {
      if (settings && std::find(known.begin(), known.end(), info_of(settings).key) == known.end()) methods.emplace_back(info_of(settings).key);
    });
  }
  return methods;
}

}  // namespace

std::vector<std::string> scene_warnings(const Scene& scene) {
  std::vector<std::string> warnings;
  for (const BodyDescription& body : scene.bodies) {
    for (const std::string& method : methods_without_values(body)) {
      warnings.push_back(fmt::format("{}: /bodies/{}/preset: \"{}\" has no values for \"{}\"; its defaults count", place_in_file(scene, body.line), body.name,
                                     body.preset, method));
    }
    for (const auto& [key, speed] : speeds_of(body)) {
      if (speed <= kFastest) continue;
      warnings.push_back(fmt::format("{}: /bodies/{}/{}: {:g} m/s; bodies faster than {:g} m/s are frozen", place_in_file(scene, body.line), body.name, key,
                                     speed, kFastest));
    }
  }
  return warnings;
}

}  // namespace crumple

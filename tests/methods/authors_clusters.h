#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include "crumple/core/json.h"
#include "crumple/io/files.h"
#include "crumple/io/particles.h"
#include "crumple/methods/clusters/clusters.h"

namespace crumple {

/// A scene of the program that the authors of paper 2 published, as our method takes it.
struct AuthorsClusters {
  clusters::Particles particles;
  clusters::Settings settings;
  clusters::Loads loads;
  Vec3 gravity = Vec3(0, -9.81, 0);
  double dt = 1.0 / 60;
};

namespace authors {

inline double number(const Json& json, const char* key, double standard) {
  const Json* found = json.find(key);
  return found && found->is_number() ? found->number : standard;
}
inline Vec3 vector(const Json* json, const Vec3& standard) {
  if (!json || json->items.size() < 3) return standard;
  return {json->items[0].number, json->items[1].number, json->items[2].number};
}
inline const std::vector<Json>& list(const Json& json, const char* key) {
  static const std::vector<Json> kNone;
  const Json* found = json.find(key);
  return found ? found->items : kNone;
}
inline bool off(const Json& json, const char* key) {
  const Json* found = json.find(key);
  return found && found->text == "off";
}
/// A share that goes in each of their steps, as a rate.
inline double rate(double share, double dt) {
  return -std::log(std::max(1 - share, 1e-12)) / dt;
}

inline void read_settings(const Json& json, AuthorsClusters& scene) {
  clusters::Settings& s = scene.settings;
  s.clusters = static_cast<int>(number(json, "nClusters", 1));
  s.radius = number(json, "neighborRadius", 0.1);
  s.core = 0.01;
  s.seeding = clusters::Seeding::Libcxx;
  s.stiffness = number(json, "alpha", 1);
  s.damping = rate(number(json, "springDamping", 0), scene.dt);
  s.damp_spin = true;
  s.stretch = number(json, "maxStretch", number(json, "gamma", 0.1));
  s.sweeps = static_cast<int>(number(json, "numConstraintIters", 5));
  s.relax = number(json, "omega", 1);
  s.yield = number(json, "yield", 0);
  s.flow = number(json, "nu", 0);
  s.hardening = number(json, "hardening", 0) / scene.dt;
  s.toughness = number(json, "toughness", 1e12);
  s.boost = number(json, "toughnessBoost", 0);
  s.falloff = number(json, "toughnessFalloff", 1e9);
  s.boosted_at_start = true;
  s.delay = !off(json, "delayRepeatedFracture");
  s.held_toughness = s.boost > 0 ? 1 : 10;
  s.outlier = number(json, "outlierThreshold", 2);
  s.self_collision = !off(json, "selfCollisions");
  s.give = number(json, "collisionRestitution", 0.5);
  s.flat = number(json, "collisionGeometryThreshold", 0.5);
  if (off(json, "fracture")) s.toughness = 1e12;
}

inline void read_loads(const Json& json, AuthorsClusters& scene) {
  using namespace clusters;
  const Touch touch{0, rate(0.6, scene.dt)};
  for (const Json& p : list(json, "planes")) {
    PlaneObstacle plane;
    plane.normal = vector(&p, Vec3::UnitY()), plane.offset = p.items[3].number, plane.touch = touch;
    scene.loads.planes.push_back(plane);
  }
  for (const Json& p : list(json, "movingPlanes")) {
    Clamp clamp = moving_clamp(vector(p.find("normal"), Vec3::UnitY()), number(p, "offset", 0), number(p, "velocity", 0));
    clamp.touch = touch;
    scene.loads.clamps.push_back(clamp);
  }
  for (const Json& p : list(json, "twistingPlanes")) {
    scene.loads.clamps.push_back(twisting_clamp(vector(p.find("normal"), Vec3::UnitY()), number(p, "offset", 0), number(p, "angularVelocity", 0),
                                                number(p, "lifetime", kForever)));
  }
  for (const Json& p : list(json, "projectiles")) {
    BallObstacle ball;
    ball.center = vector(p.find("start"), Vec3::Zero()), ball.velocity = vector(p.find("velocity"), Vec3::Zero()),
    ball.radius = number(p, "radius", 0.1);
    ball.push = number(p, "momentumScale", 0) / scene.dt;
    scene.loads.balls.push_back(ball);
  }
}

}  // namespace authors

/// `folder` holds scenes and particle files side by side, whatever folders the scene names.
inline Result<AuthorsClusters> read_authors_clusters(const std::filesystem::path& folder, const std::string& name) {
  const auto text = io::read_file(folder / (name + ".json"));
  if (!text) return text.error();
  const auto json = parse_json(*text, name, JsonDialect::Foreign);
  if (!json) return json.error();
  AuthorsClusters scene;
  scene.dt = authors::number(*json, "dt", 1.0 / 60);
  authors::read_settings(*json, scene);
  authors::read_loads(*json, scene);
  scene.gravity = authors::vector(json->find("gravity"), scene.gravity);
  std::vector<std::pair<std::string, Vec3>> files;
  for (const Json& file : authors::list(*json, "particleFiles")) files.emplace_back(file.text, Vec3::Zero());
  for (const Json& file : authors::list(*json, "movingParticleFiles"))
    files.emplace_back(file.find("filename")->text, authors::vector(file.find("offset"), Vec3::Zero()));
  for (const auto& [file, offset] : files) {
    const auto points = io::read_particles(folder / std::filesystem::path(file).filename());
    if (!points) return points.error();
    for (const Vec3& p : *points) scene.particles.positions.push_back(p + offset);
  }
  scene.particles.masses = {authors::number(*json, "mass", 0.1)};
  return scene;
}

}  // namespace crumple

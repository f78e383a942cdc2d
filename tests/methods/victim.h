#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/methods/examples/examples.h"
#include "tests/shapes.h"

namespace crumple::examples {

inline constexpr double kMass = 20;

/// One body that is hit by hand.
struct Victim {
  std::shared_ptr<const RiggedBody> body;
  Model model;
  State state;
  Effects effects;

  Victim(std::shared_ptr<const RiggedBody> made, const Settings& settings, double restitution = 0.5) : body(std::move(made)) {
    Result<Model> built = build(LayerSeed{body.get(), restitution}, settings);
    EXPECT_TRUE(built) << built.error().text;
    model = std::move(*built);
    state = start(model);
  }
  void take(std::vector<Hit> hits, double dt = kReferenceStep) {
    for (Hit& hit : hits) hit.mass = kMass;
    LayerContext now;
    now.dt = dt, now.hits = hits;
    step(model, state, now);
    effects = now.effects;
  }
  void settle(double dt = kReferenceStep) {
    for (int i = 0; i < 100000 && is_busy(state); ++i) take({}, dt);
    EXPECT_FALSE(is_busy(state));
  }
  const Vec3f& position(int vertex) const { return state.positions[static_cast<size_t>(vertex)]; }
  std::vector<double> row(int vertex) const {
    const auto first = state.weights.begin() + static_cast<long>(vertex) * body->skin.examples;
    return {first, first + body->skin.examples};
  }
};

inline std::shared_ptr<const RiggedBody> bar() {
  static const std::shared_ptr<const RiggedBody> body = rig_body(bar_asset(3));
  return body;
}

/// The whole of the impulse on one corner of a face.
inline Hit hit_on_corner(int face, int corner, const Vec3& impulse) {
  Hit hit;
  hit.face = face;
  hit.barycentric[corner] = 1;
  hit.impulse = impulse;
  hit.other = 0;
  return hit;
}

/// A hit on the vertex that lies farthest along `direction`.
inline Hit hit_at(const RiggedBody& body, const Vec3& direction, const Vec3& impulse) {
  int face = 0, corner = 0;
  double farthest = -1e9;
  for (size_t f = 0; f < body.faces.size(); ++f) {
    for (size_t c = 0; c < 3; ++c) {
      const double along = direction.dot(body.asset.tets.positions[static_cast<size_t>(body.faces[f][c])]);
      if (along > farthest) farthest = along, face = static_cast<int>(f), corner = static_cast<int>(c);
    }
  }
  return hit_on_corner(face, corner, impulse);
}

inline int vertex_of(const RiggedBody& body, const Hit& hit) {
  int corner = 0;
  hit.barycentric.maxCoeff(&corner);
  return body.faces[static_cast<size_t>(hit.face)][static_cast<size_t>(corner)];
}

inline Vec3 random_direction(Random& random) {
  return Vec3(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)).normalized();
}

inline Hit random_hit(const RiggedBody& body, Random& random, double speed_change) {
  Hit hit;
  hit.face = random.below(static_cast<int>(body.faces.size()));
  hit.barycentric = Vec3(random.unit() + 0.01, random.unit(), random.unit());
  hit.barycentric /= hit.barycentric.sum();
  hit.impulse = kMass * speed_change * random_direction(random);
  hit.friction = 0.3 * hit.impulse.cross(random_direction(random));
  hit.other = random.below(3);
  return hit;
}

inline std::string bytes_of(State& state) {
  std::string bytes;
  for (const StateArray& array : arrays(state)) bytes.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return bytes.append(reinterpret_cast<const char*>(state.positions.data()), state.positions.size() * sizeof(Vec3f));
}

}  // namespace crumple::examples

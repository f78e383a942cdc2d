#include "crumple/methods/examples/checks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace crumple::examples {
namespace {

constexpr double kSame = 1e-4;   // of the body's diagonal: too little to be seen
constexpr double kStays = 0.01;  // of the farthest that an example moves anything
constexpr float kRaised = 1e-3f;

double greatest_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

/// The farthest that a shape moves its boundary inwards, m.
double farthest_in(const RiggedBody& body, std::span<const Vec3> rest, std::span<const Vec3> shape) {
  double most = 0;
  for (const auto& [a, b, c] : body.faces) {
    const Vec3 normal = (rest[b] - rest[a]).cross(rest[c] - rest[a]).normalized();
    for (const int v : {a, b, c}) most = std::max(most, normal.dot(rest[v] - shape[v]));
  }
  return most;
}

std::vector<std::vector<Vec3>> all_shapes(const Skin& skin) {
  std::vector<std::vector<Vec3>> shapes;
  for (int e = 0; e < skin.examples; ++e) shapes.push_back(example_shape(skin, e));
  return shapes;
}

}  // namespace

std::vector<std::string> idle_examples(const Model& model) {
  std::vector<std::string> notes;
  const Asset& asset = model.body->asset;
  const std::vector<std::vector<Vec3>> shapes = all_shapes(model.body->skin);
  const double size = bounds_of(shapes[0]).diagonal();
  const auto say = [&](size_t example, const std::string& what) {
    notes.push_back(fmt::format("asset \"{}\": example \"{}\" {}", asset.name, asset.examples[example].name, what));
  };
  for (size_t e = 1; e < shapes.size(); ++e) {
    if (greatest_distance(shapes[e], shapes[0]) < kSame * size) {
      say(e, "equals the rest pose, so it changes nothing; pose it, or remove it");
      continue;
    }
    for (size_t before = 1; before < e; ++before) {
      if (greatest_distance(shapes[e], shapes[before]) < kSame * size)
        say(e, fmt::format("equals \"{}\"; one of them is enough", asset.examples[before].name));
    }
    if (model.emphasis[e] == 0) continue;  // asked for
    if (!model.settings.friction && farthest_in(*model.body, shapes[0], shapes[e]) < kSame * size) {
      say(e, "moves the surface nowhere inwards, so no hit can raise it; hits push inwards");
    }
  }
  return notes;
}

void note_hit(State& state, int vertex, std::span<const Vec3> jacobian, const Vec3& dx) {
  state.reached.resize(jacobian.size(), {});
  const double push = dx.norm();
  for (size_t e = 1; e < jacobian.size() && push > 0; ++e) {
    State::Reached& reached = state.reached[e];
    const Vec3 moves = jacobian[e] - jacobian[0];
    if (moves.norm() > reached.moves || reached.vertex < 0) reached.moves = moves.norm(), reached.vertex = vertex;
    reached.along = std::max(reached.along, moves.dot(dx) / push);
  }
}

std::vector<Unused> unused_examples(const Model& model, const State& state) {
  std::vector<Unused> unused;
  const size_t examples = state.reached.size();
  if (examples == 0) return unused;
  std::vector<float> largest(examples, 0.0f);
  for (size_t i = 0; i < state.weights.size(); ++i) largest[i % examples] = std::max(largest[i % examples], state.weights[i]);
  const std::vector<std::vector<Vec3>> shapes = all_shapes(model.body->skin);
  for (size_t e = 1; e < examples; ++e) {
    if (largest[e] > kRaised) continue;
    const State::Reached& reached = state.reached[e];
    const double most = greatest_distance(shapes[e], shapes[0]);
    const char* why = model.emphasis[e] == 0           ? "has an emphasis of 0"
                      : reached.moves <= kStays * most ? "does not move where the hits landed"
                      : reached.along <= kStays * most ? "moves against the hits or across them"
                                                       : "moves along the hits, but gains too little: more gain, or a larger radius";
    unused.push_back({model.body->asset.examples[e].name, why});
  }
  return unused;
}

}  // namespace crumple::examples

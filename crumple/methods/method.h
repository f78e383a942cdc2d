#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/core/result.h"
#include "crumple/math/types.h"
#include "crumple/rig/rigged_body.h"

namespace crumple {

/// One contact as a layer sees it: in the rest frame of its own body, on a triangle of its boundary.
struct Hit {
  int face = 0;                     // in RiggedBody::faces
  Vec3 barycentric = Vec3::Zero();  // where on that triangle
  Vec3 impulse = Vec3::Zero();      // N s, normal part, pushes the body
  Vec3 friction = Vec3::Zero();     // N s
  int part = 0;                     // of its own body, which may have broken into several
  double mass = 0;                  // kg, of that part
  int other = -1;                   // the part it touched: hits of one pair are pooled
};

/// What a layer asks of its body after a step.
struct Effects {
  bool reshaped = false;     // vertices moved
  std::span<const int> moved;  // blocks of Skin::kLanes vertices that did; valid until the next step
  double restitution = 0;    // to be used from the next step on
};

struct StepContext {
  double dt = 0;                 // s
  std::span<const Hit> hits;     // of the last rigid step
  std::span<const uint8_t> broken;  // links of a scored body; empty while all hold
  Effects effects;
};

/// One array of a State, under its name. arrays() gives all of them, exactly: that is what checkpoints and fingerprints hold.
/// shown_arrays() gives what a recorded frame needs to be drawn, as small as it looks right.
struct StateArray {
  std::string_view name;
  size_t row_bytes;
  std::span<std::byte> data;
  bool (*all_finite)(std::span<const std::byte> data);
};

template <class T>
bool all_finite_as(std::span<const std::byte> data) {
  for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof(T));
    if (!std::isfinite(static_cast<double>(value))) return false;
  }
  return true;
}

template <class T>
StateArray state_array(std::string_view name, std::span<T> values, size_t columns) {
  return {name, columns * sizeof(T), std::as_writable_bytes(values), all_finite_as<T>};
}

/// What every method offers, in these words. A method that forgets one does not compile.
template <class Settings, class Model, class State>
concept Method = requires(Fields& fields, Settings& settings, const RiggedBody& body, const Model& model, State& state, StepContext& now) {
  describe(fields, settings);
  { build(body, std::as_const(settings), 0.5) } -> std::same_as<Result<Model>>;
  { start(model) } -> std::same_as<State>;
  { interest(model, 0.01) } -> std::same_as<double>;
  { is_busy(std::as_const(state)) } -> std::same_as<bool>;
  { step(model, state, now) } -> std::same_as<void>;
  { view(model, state) } -> std::same_as<const std::vector<Vec3f>&>;
  { arrays(state) } -> std::same_as<std::vector<StateArray>>;
  { restored(model, state) } -> std::same_as<void>;
  { shown_arrays(state) } -> std::same_as<std::vector<StateArray>>;
  { shown_restored(model, state) } -> std::same_as<void>;
};

}  // namespace crumple

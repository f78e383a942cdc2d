#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/core/result.h"
#include "crumple/core/state_array.h"
#include "crumple/math/types.h"
#include "crumple/methods/info.h"
#include "crumple/methods/report.h"

/// What the world and a method say to each other. There are three kinds of method: layers, bonds and matter. What each has to offer stands in
/// layer.h, bonds.h and matter.h; here is what all have in common.
namespace crumple {

/// All methods: words for everything that changes. `arrays` are exact, for checkpoints and fingerprints; `recorded` are what a frame needs to be
/// drawn, as small as it looks right. Sizes may change: `fit` and `fit_recorded` make room before arrays are overwritten, `rebuilt` and `replayed`
/// make everything else anew afterwards. After `replayed` a state can be looked at, not continued.
template <class A>
concept Method = requires(Fields& fields, typename A::Settings& settings, const typename A::Model& model, typename A::State& state,
                          const SavedArrays& saved, const ReportContext& context, Report& out) {
  { info(std::as_const(settings)) } -> std::same_as<const MethodInfo&>;
  describe(fields, settings);
  { summary(std::as_const(settings)) } -> std::same_as<std::string>;
  { files(settings) } -> std::same_as<std::vector<FileName>>;
  { bodies_named(std::as_const(settings)) } -> std::same_as<std::vector<BodyName>>;
  { speeds(std::as_const(settings)) } -> std::same_as<std::vector<NamedSpeed>>;
  { arrays(state) } -> std::same_as<std::vector<StateArray>>;
  { fit(model, state, saved) } -> std::same_as<void>;
  { rebuilt(model, state) } -> std::same_as<Result<void>>;
  { record(model, state) } -> std::same_as<void>;
  { recorded(state) } -> std::same_as<std::vector<StateArray>>;
  { fit_recorded(model, state, saved) } -> std::same_as<void>;
  { replayed(model, state) } -> std::same_as<Result<void>>;
  { report(model, std::as_const(state), context, out) } -> std::same_as<void>;
};

}  // namespace crumple

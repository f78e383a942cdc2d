#pragma once

#include <optional>
#include <tuple>
#include <variant>

#include "crumple/methods/bends/settings.h"
#include "crumple/methods/clusters/settings.h"
#include "crumple/methods/dents/settings.h"
#include "crumple/methods/examples/settings.h"
#include "crumple/methods/pieces/settings.h"
#include "crumple/methods/points/settings.h"
#include "crumple/methods/sprites/settings.h"
#include "crumple/methods/structures/settings.h"

#ifdef CRUMPLE_MORE_SETTINGS
#include CRUMPLE_MORE_SETTINGS  // a build may add methods of its own, as the tests do
#else
#define CRUMPLE_MORE_LAYERS
#define CRUMPLE_MORE_MATTER
#endif

/// All methods there are, by kind, in the order of their keys. Adding one: its settings.h above and its name here, and its header in methods.h.
namespace crumple {

/// A method at work on one body.
template <class MethodSettings, class MethodModel, class MethodState>
struct AtWork {
  using Settings = MethodSettings;
  using Model = MethodModel;
  using State = MethodState;
  Model model;
  State state;
};

using Layer = std::variant<AtWork<dents::Settings, dents::Model, dents::State>, AtWork<examples::Settings, examples::Model, examples::State> CRUMPLE_MORE_LAYERS>;
using Bonds = std::variant<AtWork<pieces::Settings, pieces::Model, pieces::State>, AtWork<structures::Settings, structures::Model, structures::State>,
                           AtWork<bends::Settings, bends::Model, bends::State>>;
using Matter = std::variant<AtWork<clusters::BodySettings, clusters::BodyModel, clusters::BodyState>, AtWork<points::BodySettings, points::Model, points::State>,
                            AtWork<sprites::Settings, sprites::Model, sprites::State> CRUMPLE_MORE_MATTER>;

/// The settings of every method that a body has. Models and states need not be known.
template <class A>
struct SettingsOf;
template <class S, class M, class T>
struct SettingsOf<AtWork<S, M, T>> {
  using Type = std::optional<S>;
};
template <class... A, class... B, class... C>
struct SettingsOf<std::tuple<std::variant<A...>, std::variant<B...>, std::variant<C...>>> {
  using Type = std::tuple<typename SettingsOf<A>::Type..., typename SettingsOf<B>::Type..., typename SettingsOf<C>::Type...>;
};
using MethodSettings = SettingsOf<std::tuple<Layer, Bonds, Matter>>::Type;

/// Calls f(optional settings) for every method.
template <class Settings, class F>
void for_each_method(Settings& settings, const F& f) {
  std::apply([&](auto&... each) { (f(each), ...); }, settings);
}

/// What a method says about itself, whether a body has it or not.
template <class Settings>
const MethodInfo& info_of(const std::optional<Settings>&) {
  static const Settings kDefault;
  return info(kDefault);
}

}  // namespace crumple

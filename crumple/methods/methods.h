#pragma once

#include "crumple/methods/bends/bends.h"
#include "crumple/methods/bonds.h"
#include "crumple/methods/clusters/body.h"
#include "crumple/methods/dents/dents.h"
#include "crumple/methods/examples/examples.h"
#include "crumple/methods/layer.h"
#include "crumple/methods/list.h"
#include "crumple/methods/matter.h"
#include "crumple/methods/pieces/pieces.h"
#include "crumple/methods/points/points.h"
#include "crumple/methods/sprites/sprites.h"
#include "crumple/methods/structures/structures.h"

#ifdef CRUMPLE_MORE_METHODS
#include CRUMPLE_MORE_METHODS
#endif

/// Methods at work. A method that forgets a verb does not compile.
namespace crumple {

template <class... A>
consteval bool all_are_layers(const std::variant<A...>*) {
  return (LayerMethod<A> && ...);
}
template <class... A>
consteval bool all_are_bonds(const std::variant<A...>*) {
  return (BondMethod<A> && ...);
}
template <class... A>
consteval bool all_are_matter(const std::variant<A...>*) {
  return (MatterMethod<A> && ...);
}
static_assert(all_are_layers(static_cast<const Layer*>(nullptr)));
static_assert(all_are_bonds(static_cast<const Bonds*>(nullptr)));
static_assert(all_are_matter(static_cast<const Matter*>(nullptr)));

/// What viewers keep of bodies of matter.
template <class List>
struct DrawnOf;
template <class... A>
struct DrawnOf<std::variant<A...>> {
  using Variant = std::variant<typename A::Model::Drawn...>;
};
using MatterDrawn = DrawnOf<Matter>::Variant;

/// What a method at work says about itself.
template <class A>
const MethodInfo& info_of(const A&) {
  static const typename A::Settings kDefault;
  return info(kDefault);
}

}  // namespace crumple

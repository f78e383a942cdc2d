#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/suggest.h"
#include "crumple/methods/sprites/kernels.h"

namespace crumple::sprites {
namespace {

constexpr size_t kRepresentatives = 12;  // of the thesis's projection
constexpr size_t kMostKeys = 62;         // bits

/// Edges that only one triangle has, with paint on their left.
std::vector<OutlineEdge> outline_of(const TriMesh& surface) {
  std::map<std::pair<int, int>, int> uses;
  for (const Triangle& t : surface.triangles) {
    for (size_t k = 0; k < 3; ++k) ++uses[std::minmax(t[k], t[(k + 1) % 3])];
  }
  std::vector<OutlineEdge> outline;
  for (const Triangle& t : surface.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      if (uses[std::minmax(t[k], t[(k + 1) % 3])] == 1) outline.push_back({t[k], t[(k + 1) % 3]});
    }
  }
  return outline;
}

/// Sorts an outline by layers and returns where each begins.
std::vector<int32_t> by_layers(std::vector<OutlineEdge>& outline, const FlatRig& flat) {
  const auto layer = [&](const OutlineEdge& edge) { return flat.layer[at(edge.a)]; };
  std::stable_sort(outline.begin(), outline.end(), [&](const OutlineEdge& a, const OutlineEdge& b) { return layer(a) < layer(b); });
  std::vector<int32_t> begin;
  for (size_t e = 0; e < outline.size(); ++e) {
    if (e == 0 || layer(outline[e]) != layer(outline[e - 1])) begin.push_back(static_cast<int32_t>(e));
  }
  begin.push_back(static_cast<int32_t>(outline.size()));
  return begin;
}

/// Particles that are far from each other, each with the mass that is nearest to it.
Representatives representatives_of(const TriMesh& surface, std::span<const double> masses) {
  Representatives some;
  std::vector<double> distance(surface.positions.size(), 1e300);
  std::vector<size_t> nearest(surface.positions.size(), 0);
  size_t next = 0;
  while (some.particles.size() < std::min(kRepresentatives, surface.positions.size())) {
    some.particles.push_back(static_cast<int>(next));
    for (size_t i = 0; i < distance.size(); ++i) {
      const double here = (surface.positions[i] - surface.positions[next]).norm();
      if (here < distance[i]) distance[i] = here, nearest[i] = some.particles.size() - 1;
    }
    next = static_cast<size_t>(std::max_element(distance.begin(), distance.end()) - distance.begin());
  }
  some.masses.assign(some.particles.size(), 0);
  for (size_t i = 0; i < nearest.size(); ++i) some.masses[nearest[i]] += masses[i];
  return some;
}

class Builder {
 public:
  Builder(const MatterSeed& seed, const Settings& settings) : seed_(seed), settings_(settings) {}

  Result<Model> build() {
    model_.settings = settings_, model_.drawing = seed_.drawing, model_.look = seed_.look;
    model_.origin = seed_.place.translation;
    const Elements elements = seed_.drawing->elements();
    model_.mass = lumped_masses(elements, 1);
    for (const double m : model_.mass) model_.total += m;
    const double density = seed_.mass / model_.total;
    for (double& m : model_.mass) m *= density;
    model_.total = seed_.mass, model_.edge = mean_edge(elements), model_.size = bounds_of(seed_.drawing->surface.positions).diagonal();
    for (const Example& example : seed_.drawing->examples) model_.poses.push_back(example.name);
    Result<Manifold> manifold = make_manifold(*seed_.drawing, model_.mass, settings_, model_.poses);
    if (!manifold) return manifold.error();
    model_.manifold = std::move(*manifold);
    const TriMesh& surface = seed_.drawing->surface;
    model_.rings = make_rings(surface.positions.size(), surface.triangles, settings_.rings, model_.mass, settings_.printed_rings);
    model_.representatives = representatives_of(surface, model_.mass);
    model_.outline = outline_of(surface), model_.layer_begin = by_layers(model_.outline, *seed_.drawing->flat), model_.pins = seed_.drawing->flat->pins;
    for (const auto step : {&Builder::find_poses, &Builder::find_keys}) {
      if (const Result<void> done = (this->*step)(); !done) return done.error();
    }
    set_home();
    return std::move(model_);
  }

 private:
  void set_home() {
    model_.home_turn = Complex(seed_.place.rotation(0, 0), seed_.place.rotation(1, 0));
    std::vector<Complex> posed(model_.particles());
    pose_particles(model_.manifold, model_.equilibrium, posed);
    const Complex middle = middle_of(model_, posed);
    model_.home = model_.home_turn * (settings_.faces_left ? -std::conj(middle) : middle);
  }

  Result<int> pose_named(const std::string& name, const std::string& where) const {
    const auto found = std::find(model_.poses.begin(), model_.poses.end(), name);
    if (found != model_.poses.end()) return static_cast<int>(found - model_.poses.begin());
    return input_error(fmt::format("{}: there is no pose \"{}\"{}", where, name, suggestion(name, model_.poses, fmt::format("; the drawing has {}", fmt::join(model_.poses, ", ")))));
  }

  Result<Place> place_of_blend(const Blend& blend, const std::string& where) const {
    std::vector<double> a(model_.poses.size(), 0.0);
    const Result<int> first = pose_named(blend.pose, where + "/pose");
    if (!first) return first.error();
    a[at(*first)] = 1;
    if (!blend.with.empty()) {
      const Result<int> second = pose_named(blend.with, where + "/with");
      if (!second) return second.error();
      a[at(*first)] -= blend.share, a[at(*second)] += blend.share;
    }
    Place place = place_of(model_.manifold, a);
    if (place.simplex < 0) return input_error(fmt::format("{}: \"{}\"{} in no simplex of the complex", where, blend.pose, blend.with.empty() ? " is" : fmt::format(" and \"{}\" are", blend.with)));
    return place;
  }

  Result<void> find_poses() {
    Blend equilibrium = settings_.equilibrium.value_or(Blend());
    if (equilibrium.pose.empty()) equilibrium.pose = model_.poses[0];
    Result<Place> place = place_of_blend(equilibrium, "/equilibrium");
    if (!place) return place.error();
    model_.equilibrium = *place;
    const auto find = [&](const std::string& pose, const char* where, Place& to) -> Result<void> {
      Result<Place> found = place_of_blend({pose, "", 0}, where);
      if (!found) return found.error();
      to = *found;
      return {};
    };
    if (settings_.energy) {
      if (Result<void> found = find(settings_.energy->pose, "/energy", model_.energy); !found) return found;
    }
    if (settings_.speed) {
      if (Result<void> found = find(settings_.speed->pose, "/speed", model_.speed); !found) return found;
    }
    if (settings_.drag) {
      if (Result<void> found = find(settings_.drag->pose, "/drag", model_.drag); !found) return found;
    }
    return {};
  }

  Result<void> find_keys() {
    for (size_t b = 0; b < settings_.behaviours.size(); ++b) {
      model_.keys.emplace_back();
      for (size_t k = 0; k < settings_.behaviours[b].keys.size(); ++k) {
        Result<Place> place = place_of_blend(settings_.behaviours[b].keys[k].pose, fmt::format("/behaviours/{}/keys/{}", b, k));
        if (!place) return place.error();
        model_.keys.back().push_back(std::move(*place));
      }
    }
    const auto add = [&](const std::string& key) {
      if (!key.empty() && std::find(model_.key_names.begin(), model_.key_names.end(), key) == model_.key_names.end()) model_.key_names.push_back(key);
    };
    for (const Rule& rule : settings_.rules) add(rule.key), add(rule.without);
    for (const KeyCue& cue : settings_.input) add(cue.key);
    if (model_.key_names.size() > kMostKeys) return input_error(fmt::format("/input: {} keys are too many; at most {}", model_.key_names.size(), kMostKeys));
    return {};
  }

  const MatterSeed& seed_;
  const Settings& settings_;
  Model model_;
};

}  // namespace

Result<Model> build(const MatterSeed& seed, const Settings& settings) {
  return Builder(seed, settings).build();
}

Result<State> start(const Model& model, const MatterSeed& seed, const Settings& settings) {
  State state;
  const size_t count = model.particles();
  state.counts.assign(kCounts, 0.0);
  state.x.resize(count), state.v.resize(count), state.hit.assign(count, 0), state.pose.resize(count), state.shape.resize(count);
  state.is_left = settings.faces_left ? 1 : 0;
  // Set twice: nothing was there before.
  const Place& place = model.keys.empty() || model.keys[0].empty() ? model.equilibrium : model.keys[0][0];
  for (int k = 0; k < 2; ++k) state.weights = place.a, set_pose(model, state, place);
  for (size_t i = 0; i < count; ++i) state.x[i] = model.home_turn * state.pose[i];
  state.turn = model.home_turn;
  const Complex middle = middle_of(model, state.x), i1(0, 1);
  for (size_t i = 0; i < count; ++i) state.v[i] = Complex(seed.velocity.x(), seed.velocity.y()) + i1 * seed.spin.z() * (state.x[i] - middle);
  return state;
}

}  // namespace crumple::sprites

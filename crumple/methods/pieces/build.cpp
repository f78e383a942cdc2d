#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "crumple/geometry/mass.h"
#include "crumple/methods/pieces/kernels.h"

namespace crumple::pieces {

void describe(Fields& fields, Settings& s) {
  fields.number("strength", s.strength, more_than(0),
                {"impulse within 1/60 s per area of cut at which a link breaks; from 1e12 on, none breaks", "N s/m^2"});
  fields.numbers("link_strength", s.link_strength, 0, {"likewise for each link of the asset by itself, in its order, instead of `strength`; from 1e9 on, it never breaks", "N s/m^2"});
  fields.number("settle", s.settle, at_least(0), {"time after the body has appeared in which nothing breaks", "s"});
  fields.object("hinge", s.hinge, {"plastic hinges in place of links that carry too much, which turn and stretch before they part; absent: links part at once"});
}

void describe(Fields& fields, Hinge& h) {
  fields.number("turn", h.turn, more_than(0), {"plastic turning at which a hinge parts", "degrees"});
  fields.number("pull", h.pull, more_than(0), {"plastic stretch at which a hinge parts, as a share of the size of the cut (the root of its area)"});
  fields.number("resistance", h.resistance, between(0.001, 1), {"force and moment that a hinge resists with, as a share of the link's strength over 1/60 s"});
  fields.flag("collide", h.collide, {"whether the two pieces collide while a hinge holds them: on for lids and doors, off where a section bends"});
}

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Vertices as point masses, as everywhere else, so that pieces together weigh and turn as the body does.
Result<std::vector<Piece>> weigh(const Asset& asset, std::span<const int> of_vertex, std::span<const double> masses) {
  const size_t count = static_cast<size_t>(asset.pieces->count());
  std::vector<std::vector<Vec3f>> positions(count);
  std::vector<std::vector<double>> weights(count);
  for (size_t v = 0; v < of_vertex.size(); ++v) {
    positions[static_cast<size_t>(of_vertex[v])].push_back(asset.tets.positions[v].cast<float>());
    weights[static_cast<size_t>(of_vertex[v])].push_back(masses[v]);
  }
  std::vector<Piece> pieces;
  for (size_t k = 0; k < count; ++k) {
    const PointMassProperties points = mass_of_points(positions[k], weights[k]);
    if (!(points.mass > 0)) return input_error(fmt::format("\"{}\": piece {} weighs nothing; score it again", asset.name, k));
    pieces.push_back({points.mass, points.center, points.inertia});
  }
  return pieces;
}

/// For each piece, the vertices it has copies of: (number of the original, vertex), ascending.
using Copies = std::vector<std::vector<std::pair<int, int>>>;

Copies copies_of(const Pieces& pieces, std::span<const int> of_vertex) {
  Copies copies(static_cast<size_t>(pieces.count()));
  for (size_t v = 0; v < of_vertex.size(); ++v) {
    copies[static_cast<size_t>(of_vertex[v])].emplace_back(pieces.origin[v], static_cast<int>(v));
  }
  for (auto& list : copies) std::sort(list.begin(), list.end());
  return copies;
}

/// Where the piece comes nearest to the patch.
double factor_near(const RiggedBody& body, const std::vector<std::pair<int, int>>& copies, const Vec3& at) {
  double nearest = kInfinite, factor = 1;
  for (const auto& [origin, v] : copies) {
    const double distance = (body.asset.tets.positions[static_cast<size_t>(v)] - at).squaredNorm();
    if (distance < nearest) nearest = distance, factor = body.paint.strength[static_cast<size_t>(v)];
  }
  return factor;
}

/// What is painted along the cut: the mean over the vertices that both pieces have copies of.
double painted_factor(const RiggedBody& body, const PieceLink& link, const Copies& copies) {
  const auto& a = copies[static_cast<size_t>(link.a)];
  const auto& b = copies[static_cast<size_t>(link.b)];
  double sum = 0;
  int shared = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->first != j->first) {
      i->first < j->first ? ++i : ++j;
      continue;
    }
    sum += 0.5 * (double{body.paint.strength[static_cast<size_t>(i->second)]} + double{body.paint.strength[static_cast<size_t>(j->second)]});
    ++shared, ++i, ++j;
  }
  return shared > 0 ? sum / shared : 0.5 * (factor_near(body, a, link.center) + factor_near(body, b, link.center));
}

Result<void> check_link(const Asset& asset, const PieceLink& link) {
  const int count = asset.pieces->count();
  const bool there = link.a >= 0 && link.b >= 0 && link.a < count && link.b < count && link.a != link.b;
  if (!there) return input_error(fmt::format("\"{}\": a link joins pieces {} and {} of {}", asset.name, link.a, link.b, count));
  if (link.area > 0 && std::isfinite(link.area) && link.center.allFinite() && link.spread.allFinite()) return {};
  return input_error(
      fmt::format("\"{}\": the link between pieces {} and {} has an area of {:g} m^2; score it again", asset.name, link.a, link.b, link.area));
}

Result<std::vector<Weld>> make_links(const RiggedBody& body, const Settings& settings, std::span<const int> of_vertex) {
  const bool painted = !body.paint.strength.empty();
  const Copies copies = painted ? copies_of(*body.asset.pieces, of_vertex) : Copies();
  std::vector<Weld> links;
  for (const PieceLink& link : body.asset.pieces->links) {
    if (const Result<void> fine = check_link(body.asset, link); !fine) return fine.error();
    const double given = settings.link_strength ? (*settings.link_strength)[links.size()] : settings.strength;
    const double strength = given < (settings.link_strength ? kListNeverBreaks : kNeverBreaks) ? given * (painted ? painted_factor(body, link, copies) : 1.0) : kInfinite;
    links.push_back(rigid::make_weld(link.a, link.b, link.area, strength * link.area, link.center, link.spread));
  }
  return links;
}

}  // namespace

Result<Model> build(const RiggedBody& body, const Settings& settings, std::span<const double> masses) {
  const Asset& asset = body.asset;
  if (!asset.pieces) return input_error(fmt::format("\"{}\" has no pieces to break into; score it first: crumple score", asset.name));
  if (!(settings.strength > 0)) return input_error(fmt::format("strength is {:g}; it must be more than 0 N s/m^2", settings.strength));
  if (settings.link_strength) {
    if (settings.link_strength->size() != asset.pieces->links.size()) {
      return input_error(fmt::format("link_strength has {} numbers, but \"{}\" has {} links; give one for each", settings.link_strength->size(), asset.name, asset.pieces->links.size()));
    }
    for (const double strength : *settings.link_strength) {
      if (!(strength > 0)) return input_error(fmt::format("a link_strength is {:g}; each must be more than 0 N s/m^2", strength));
    }
  }
  if (!(settings.settle >= 0)) return input_error(fmt::format("settle is {:g}; it must be at least 0 s", settings.settle));
  assert(masses.size() == asset.tets.positions.size());
  const std::vector<int> of_vertex = piece_of_vertices(asset);
  Result<std::vector<Piece>> pieces = weigh(asset, of_vertex, masses);
  if (!pieces) return pieces.error();
  Result<std::vector<Weld>> links = make_links(body, settings, of_vertex);
  if (!links) return links.error();
  Model model{{std::move(*pieces), std::move(*links)}, settings, {}, {}, kInfinite};
  if (settings.hinge) add_hinges(body, model);
  for (const Weld& link : model.links) model.weakest = std::min(model.weakest, link.limit);
  return model;
}

State start(const Model& model, double dt) {
  State state;
  state.broken.assign(model.links.size(), 0);
  state.hinged.assign(model.hinges.size(), 0), state.histories.resize(model.hinges.size());
  if (std::isfinite(model.weakest)) state.window.assign(static_cast<size_t>(window_of(dt).places) * model.pieces.size() * 6, 0.0);
  (void)rebuilt(model, state);
  return state;
}

std::vector<StateArray> arrays(State& state) {
  std::vector<StateArray> all = {state_array("broken", std::span(state.broken), 1), state_array("window", std::span(state.window), 6),
                                 state_array("age", std::span(&state.age, 1), 1), state_array("next", std::span(&state.next, 1), 1)};
  if (!state.hinged.empty()) all.push_back(state_array("hinged", std::span(state.hinged), 1)), all.push_back(rigid::history_array(state.histories));
  return all;
}

std::vector<StateArray> recorded(State& state) {
  if (state.hinged.empty()) return {};
  return {state_array("hinged", std::span(state.hinged), 1), rigid::history_array(state.histories)};
}

Result<void> rebuilt(const Model& model, State& state) {
  state.groups = connected(model, state.broken);
  state.factors = make_factors(model, state.broken, state.groups);
  return {};
}

}  // namespace crumple::pieces

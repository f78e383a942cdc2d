#include "crumple/world/view.h"

#include <algorithm>

#include <fmt/format.h>

#include "crumple/geometry/rigid_parts.h"

namespace crumple {
namespace {

FrameItem item_of(const Body& body, int index, const Transform& place) {
  FrameItem item;
  item.name = body.description->name;
  item.body = index;
  item.place = place;
  item.look = body.look;
  item.backdrop = body.description->plane.has_value();
  return item;
}

/// The scheme of a method selected by a view; empty: none.
std::string_view scheme_of(const MethodInfo& method, const View& view) {
  if (view.color == "state") return method.state_color;
  const bool is_its_own = std::any_of(method.colors.begin(), method.colors.end(), [&](const ColorScheme& scheme) { return scheme.name == view.color; });
  return is_its_own ? std::string_view(view.color) : std::string_view();
}

/// Colours of the last layer that has the scheme, at points carried by the tetrahedra; none if there is no such layer.
std::vector<Vec3f> layer_colors(const Body& body, const Embedding& embedding, const View& view) {
  std::vector<Vec3f> found;
  for (const Layer& layer : body.layers) {
    std::visit(
        [&](const auto& at_work) {
          const std::string_view scheme = scheme_of(info_of(at_work), view);
          if (!scheme.empty()) found = colors(at_work.model, at_work.state, scheme, embedding);
        },
        layer);
  }
  return found;
}

/// Detail of the layers on a surface that the tetrahedra carry.
std::vector<int32_t> draw_details(const Body& body, int piece, const View& view, FrameItem& item) {
  std::vector<int32_t> parents;  // of vertices that were added
  const bool skinned = is_skinned(body);
  const auto scheme = [&](const Layer& layer) { return std::visit([&](const auto& at_work) { return scheme_of(info_of(at_work), view); }, layer); };
  const Layer* colored = nullptr;  // as for what the tetrahedra carry, the last one
  for (const Layer& layer : body.layers) {
    if (!scheme(layer).empty()) colored = &layer;
  }
  for (const Layer& layer : body.layers) {
    DrawnSurface drawn{piece, &layer == colored ? scheme(layer) : std::string_view(), &body.shape, skinned, item.surface, item.positions, item.colors, parents};
    std::visit([&](const auto& at_work) { draw_over(at_work.model, at_work.state, drawn); }, layer);
  }
  return parents;
}

/// Colours of the bonds of a divided body, if they have the scheme.
void color_by_bonds(const Body& body, const View& view, std::span<const int32_t> parents, FrameItem& item) {
  std::visit(
      [&](const auto& bonds) {
        const std::string_view scheme = scheme_of(info_of(bonds), view);
        if (!scheme.empty()) item.colors = colors(bonds.model, bonds.state, scheme, -1);
        if (!scheme.empty()) add_between(parents, item.colors);
      },
      *body.bonds);
}

/// A divided body whose pieces have turned against each other is skinned over them.
void bend(const Body& body, std::span<const Transform> places, std::span<const int32_t> parents, FrameItem& item) {
  if (item.positions.empty()) {
    for (const Vec3& p : item.surface->positions) item.positions.push_back(p.cast<float>());
  }
  item.positions = bent_points(body, places, item.place, {.piece = -1, .points = item.positions, .parents = parents});
}

FrameItem draw_whole(const Body& body, int index, std::span<const Transform> places, const View& view) {
  FrameItem item = item_of(body, index, places.front());
  item.surface = body.surface;
  std::vector<int32_t> parents;
  if (!body.layers.empty()) {
    item.positions = carried_surface(*body.rig, body.shape.vertices);
    item.colors = layer_colors(body, body.rig->embedding, view);
    parents = draw_details(body, -1, view, item);
  }
  if (!body.is_divided()) return item;
  color_by_bonds(body, view, parents, item);
  if (is_bent(places)) bend(body, places, parents, item);
  return item;
}

FrameItem draw_side(const Body& body, int index, size_t piece, bool cut, std::span<const Transform> places, const View& view) {
  const RiggedBody& rig = *body.rig;
  const Embedding& embedding = cut ? rig.pieces[piece].cut : rig.pieces[piece].skin;
  FrameItem item = item_of(body, index, places[piece]);
  item.name = fmt::format("{}/{}{}", body.description->name, piece, cut ? " cut" : "");
  item.piece = static_cast<int>(piece);
  item.surface = cut ? body.cuts[piece] : body.skins[piece];
  if (cut) item.look = body.cut_look;
  if (!body.layers.empty()) item.positions = carried_points(rig, embedding, body.shape.vertices);
  if (!body.layers.empty() && !cut) item.colors = layer_colors(body, embedding, view);
  bool any_joint = false;
  each_hold(body, [&](Hold hold) { any_joint = any_joint || hold == Hold::Jointed; });
  if (!any_joint) {
    if (!body.layers.empty() && !cut) draw_details(body, static_cast<int>(piece), view, item);
    return item;
  }
  std::vector<Vec3f> points = item.positions;
  if (points.empty()) {
    for (const Vec3& p : item.surface->positions) points.push_back(p.cast<float>());
  }
  const PieceSide side{static_cast<int>(piece), cut, points};
  std::vector<Vec3f> posed = std::visit([&](const auto& bonds) { return pose(bonds.model, bonds.state, side, places); }, *body.bonds);
  if (!posed.empty()) item.positions = std::move(posed);
  if (!body.layers.empty() && !cut) draw_details(body, static_cast<int>(piece), view, item);
  return item;
}

FrameItem draw_own_piece(const Body& body, int index, int piece, std::span<const Transform> places, const View& view) {
  FrameItem item = item_of(body, index, places[static_cast<size_t>(piece)]);
  item.name = fmt::format("{}/{}", body.description->name, own_pieces(body)[static_cast<size_t>(piece)].name);
  item.piece = piece;
  item.surface = body.skins[static_cast<size_t>(piece)];
  std::vector<int32_t> parents;
  if (!body.layers.empty()) {
    const Embedding& embedding = body.rig->pieces[static_cast<size_t>(piece)].skin;
    item.positions = carried_points(*body.rig, embedding, body.shape.vertices);
    item.colors = layer_colors(body, embedding, view);
    parents = draw_details(body, piece, view, item);
  }
  std::visit(
      [&](const auto& bonds) {
        std::vector<Vec3f> posed = pose(bonds.model, bonds.state, PieceSide{piece, false, item.positions, parents}, places);
        if (!posed.empty()) item.positions = std::move(posed);
        const std::string_view scheme = scheme_of(info_of(bonds), view);
        if (scheme.empty()) return;
        item.colors = colors(bonds.model, bonds.state, scheme, piece);
        add_between(parents, item.colors);
      },
      *body.bonds);
  return item;
}

/// Items of matter are named by their suffix after the body's name.
std::vector<FrameItem> draw_matter(const Body& body, int index, const View& view, ViewCache& cache) {
  return std::visit(
      [&](const auto& matter) {
        using Drawn = typename std::decay_t<decltype(matter.model)>::Drawn;
        Drawn& drawn = std::get<Drawn>(cache.drawn(body, index));
        const MatterView wanted{scheme_of(info_of(matter), view), view.particles};
        std::vector<FrameItem> items = draw(matter.model, matter.state, wanted, drawn);
        for (FrameItem& item : items) item.name = body.description->name + item.name, item.body = index;
        return items;
      },
      *body.matter);
}

}  // namespace

bool is_bent(std::span<const Transform> places) {
  const auto differs = [&](const Transform& place) { return place.rotation != places.front().rotation || place.translation != places.front().translation; };
  return std::any_of(places.begin(), places.end(), differs);
}

std::vector<Transform> seen_from(const Transform& from, std::span<const Transform> places) {
  std::vector<Transform> seen;
  const Transform back = from.inverse();
  for (const Transform& place : places) seen.push_back(back * place);
  return seen;
}

std::vector<Vec3f> bent_points(const Body& body, std::span<const Transform> places, const Transform& from, const PieceSide& side) {
  return std::visit([&](const auto& bonds) { return pose(bonds.model, bonds.state, side, seen_from(from, places)); }, *body.bonds);
}

std::vector<Vec3f> points_of_pieces(const Body& body, std::span<const Transform> places, const Transform& from, const PieceSide& side) {
  const std::vector<Transform> seen = seen_from(from, places);
  std::vector<Vec3f> points(side.points.begin(), side.points.end());
  const auto move = [&](size_t begin, size_t end, const Transform& by) {
    for (size_t i = begin; i < end; ++i) points[i] = (by * points[i].cast<double>()).cast<float>();
    if (side.turns) side.turns->resize(end, by.rotation);
  };
  if (side.vertices) {
    const std::vector<int>& first = body.rig->first_vertex;
    for (size_t piece = 0; piece + 1 < first.size(); ++piece) move(static_cast<size_t>(first[piece]), static_cast<size_t>(first[piece + 1]), seen[piece]);
    return points;
  }
  const Transform& own = seen[static_cast<size_t>(side.piece)];
  std::vector<Vec3f> posed = std::visit([&](const auto& bonds) { return pose(bonds.model, bonds.state, side, seen); }, *body.bonds);
  if (posed.empty()) {
    move(0, points.size(), own);
    return points;
  }
  for (Vec3f& p : posed) p = (own * p.cast<double>()).cast<float>();
  if (side.turns) {
    for (Mat3& turn : *side.turns) turn = own.rotation * turn;
  }
  return posed;
}

std::vector<ColorScheme> color_schemes() {
  std::vector<ColorScheme> schemes = {{"plain", "appearance"}};
  const MethodSettings all;
  for_each_method(all, [&](const auto& settings) {
    for (const ColorScheme& scheme : info_of(settings).colors) schemes.push_back(scheme);
  });
  return schemes;
}

MatterDrawn& ViewCache::drawn(const Body& body, int index) {
  const auto found = drawn_.find(index);
  if (found != drawn_.end()) return found->second;
  return drawn_.emplace(index, std::visit([](const auto& matter) -> MatterDrawn { return start_drawing(matter.model); }, *body.matter)).first->second;
}

namespace {

std::vector<FrameItem> draw_items(const Body& body, int index, std::span<const Transform> places, bool in_pieces, const View& view, ViewCache& cache) {
  if (body.matter) return draw_matter(body, index, view, cache);
  std::vector<FrameItem> items;
  if (!own_pieces(body).empty()) {
    for (int piece = 0; piece < body.piece_count(); ++piece) items.push_back(draw_own_piece(body, index, piece, places, view));
    return items;
  }
  if (!in_pieces || body.is_divided()) return {draw_whole(body, index, places, view)};
  for (size_t piece = 0; piece < body.skins.size(); ++piece) {
    for (const bool cut : {false, true}) {
      const TriMesh& side = cut ? *body.cuts[piece] : *body.skins[piece];
      if (!side.triangles.empty()) items.push_back(draw_side(body, index, piece, cut, places, view));
    }
  }
  return items;
}

}  // namespace

std::vector<FrameItem> draw_body(const Body& body, int index, std::span<const Transform> places, bool in_pieces, const View& view, ViewCache& cache) {
  std::vector<FrameItem> items = draw_items(body, index, places, in_pieces, view, cache);
  for (FrameItem& item : items) {
    if (item.surface) keep_rigid_parts(*item.surface, item.positions);
  }
  return items;
}

std::string note_of(const Body& body, int index, ViewCache& cache) {
  if (!body.matter) return "";
  return std::visit([](const auto& drawn) { return note(drawn); }, cache.drawn(body, index));
}

}  // namespace crumple

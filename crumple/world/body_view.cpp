#include <cmath>

#include <fmt/format.h>

#include "crumple/world/body.h"

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

bool by_weights(ColorBy color) {
  return color == ColorBy::Weights || color == ColorBy::State;
}

/// The examples' colours at points carried by the tetrahedra.
std::vector<Vec3f> colors_of(const Body& body, const Embedding& embedding) {
  return std::visit([&](const auto& layer) { return examples::weight_colors(layer.model, layer.state, embedding); }, body.layers.back());
}

FrameItem draw_whole(const Body& body, int index, const Transform& place, ColorBy color) {
  FrameItem item = item_of(body, index, place);
  item.surface = body.surface;
  if (const std::vector<Vec3f>* shape = current_shape(body)) item.positions = carried_surface(*body.loaded->rig, *shape);
  if (by_weights(color) && !body.layers.empty()) item.colors = colors_of(body, body.loaded->rig->embedding);
  return item;
}

FrameItem draw_side(const Body& body, int index, int piece, bool cut, const Transform& place, ColorBy color) {
  const RiggedBody& rig = *body.loaded->rig;
  const Embedding& embedding = cut ? rig.pieces[piece].cut : rig.pieces[piece].skin;
  FrameItem item = item_of(body, index, place);
  item.name = fmt::format("{}/{}{}", body.description->name, piece, cut ? " cut" : "");
  item.piece = piece;
  item.surface = cut ? body.cuts[piece] : body.skins[piece];
  if (cut) item.look = body.cut_look;
  if (const std::vector<Vec3f>* shape = current_shape(body)) item.positions = carried_points(rig, embedding, *shape);
  if (by_weights(color) && !cut && !body.layers.empty()) item.colors = colors_of(body, embedding);
  return item;
}

FrameItem draw_structure_piece(const Body& body, int index, int piece, std::span<const Transform> places, ColorBy color) {
  const auto& [model, state] = *body.structure;
  FrameItem item = item_of(body, index, places[static_cast<size_t>(piece)]);
  item.name = fmt::format("{}/{}", body.description->name, model.pieces[static_cast<size_t>(piece)].name);
  item.piece = piece;
  item.surface = body.skins[static_cast<size_t>(piece)];
  item.positions = structures::drawn(model, state, piece, places);
  if (color == ColorBy::Utilisation || color == ColorBy::State) item.colors = structures::utilisation_colors(model, state, piece);
  return item;
}

}  // namespace

const std::vector<Vec3f>* current_shape(const Body& body) {
  if (body.layers.empty()) return nullptr;
  return std::visit([](const auto& layer) { return &view(layer.model, layer.state); }, body.layers.back());
}

std::vector<FrameItem> draw_body(const Body& body, int index, std::span<const Transform> places, bool in_pieces, ColorBy color, SoftView soft) {
  if (body.clusters && soft == SoftView::Particles) return {draw_soft_particles(body, index, color)};
  if (body.clusters) return draw_soft_surface(body, index, color);
  std::vector<FrameItem> items;
  if (body.structure) {
    for (int piece = 0; piece < body.piece_count(); ++piece) items.push_back(draw_structure_piece(body, index, piece, places, color));
    return items;
  }
  if (!in_pieces) return {draw_whole(body, index, places.front(), color)};
  for (int piece = 0; piece < body.piece_count(); ++piece) {
    for (const bool cut : {false, true}) {
      const TriMesh& side = cut ? *body.cuts[piece] : *body.skins[piece];
      if (!side.triangles.empty()) items.push_back(draw_side(body, index, piece, cut, places[piece], color));
    }
  }
  return items;
}

Damage damage_of(const Body& body) {
  Damage damage;
  const std::vector<Vec3f>* shape = current_shape(body);
  if (!shape || shape->empty()) return damage;
  const std::vector<Vec3>& rest = body.loaded->rig->asset.tets.positions;
  double squared = 0;
  for (size_t v = 0; v < shape->size(); ++v) {
    const double distance = ((*shape)[v].cast<double>() - rest[v]).norm();
    damage.max_displacement = std::max(damage.max_displacement, distance);
    squared += distance * distance;
  }
  damage.rms_displacement = std::sqrt(squared / static_cast<double>(shape->size()));
  const auto& layer = std::get<ExampleLayer>(body.layers.back());
  const size_t examples = static_cast<size_t>(layer.model.body->skin.examples);
  size_t deformed = 0;
  for (size_t i = 0; i < layer.state.weights.size(); i += examples) {
    const double rest_weight = layer.state.weights[i];
    damage.min_rest_weight = std::min(damage.min_rest_weight, rest_weight);
    if (rest_weight < 0.99) ++deformed;
  }
  damage.deformed_share = static_cast<double>(deformed) / static_cast<double>(shape->size());
  return damage;
}

}  // namespace crumple

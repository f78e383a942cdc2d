#include <fmt/format.h>

#include "crumple/world/body.h"

namespace crumple {
namespace {

/// What particles are coloured by, if colours stand for something of theirs.
std::optional<clusters::ParticleColor> particle_color(ColorBy color) {
  switch (color) {
    case ColorBy::Cluster:
      return clusters::ParticleColor::Cluster;
    case ColorBy::Piece:
      return clusters::ParticleColor::Piece;
    case ColorBy::State:
    case ColorBy::Strain:
      return clusters::ParticleColor::Strain;
    case ColorBy::Look:
    case ColorBy::Weights:
    case ColorBy::Utilisation:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<FrameItem> draw_soft_surface(const Body& body, int index, ColorBy color) {
  const ClusterLayer& layer = *body.clusters;
  clusters::update_surface(layer.model, layer.surface, layer.state, *layer.drawn);
  clusters::PosedSurface posed;
  clusters::pose_surface(layer.model, layer.surface, layer.state, *layer.drawn, posed);
  std::vector<FrameItem> items = clusters::view_surface(layer.surface, *layer.drawn, std::move(posed), body.look, layer.inner);
  for (FrameItem& item : items) item.name = body.description->name, item.body = index;
  if (items.size() > 1) items[1].name += "/inner";
  const std::optional<clusters::ParticleColor> by = particle_color(color);
  if (!by) return items;
  const std::vector<Vec3f> colors = clusters::particle_colors(layer.state, *by);
  items[0].colors = clusters::surface_colors(*layer.drawn, layer.drawn->skin_point, colors);
  if (items.size() > 1) items[1].colors = clusters::surface_colors(*layer.drawn, layer.drawn->inner_point, colors);
  return items;
}

FrameItem draw_soft_particles(const Body& body, int index, ColorBy color) {
  const ClusterLayer& layer = *body.clusters;
  const std::optional<clusters::ParticleColor> by = particle_color(color);
  clusters::ParticleView view = clusters::view_particles(layer.model, layer.state, by.value_or(clusters::ParticleColor::Piece));
  FrameItem item;
  item.name = body.description->name, item.body = index, item.look = body.look;
  item.place.translation = layer.model.origin;
  item.ball_radius = static_cast<float>(0.5 * layer.model.spacing);
  for (const Vec3& position : view.positions) item.positions.push_back((position - layer.model.origin).cast<float>());
  if (by) item.colors = std::move(view.colors);
  return item;
}

}  // namespace crumple

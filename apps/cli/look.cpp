#include "apps/cli/look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "crumple/io/asset_check.h"
#include "crumple/io/image.h"
#include "crumple/render/flat.h"
#include "crumple/render/preview.h"
#include "crumple/render/sheet.h"
#include "crumple/render/text.h"
#include "crumple/rig/pose.h"

namespace crumple::cli {
namespace {

const Vec3f kMoved = Vec3f(0.85f, 0.22f, 0.02f), kStaying = Vec3f(0.02f, 0.07f, 0.25f);
constexpr render::Rgb kInk = {24, 26, 34}, kHalo = {250, 250, 249}, kFaint = {128, 131, 138};

Vec3 position_of(const LookTile& tile, size_t vertex) {
  return tile.positions.empty() ? tile.surface->positions[vertex] : Vec3(tile.positions[vertex].cast<double>());
}

Bounds bounds_of_tile(const LookTile& tile) {
  Bounds bounds;
  for (size_t v = 0; v < tile.surface->positions.size(); ++v) bounds.add(position_of(tile, v));
  for (const Mark& mark : tile.marks) bounds.add(mark.at);
  return bounds;
}

/// Of eight three-quarter views the one that sees most of `facing` neither head-on, where a dent hides, nor from behind; the usual one
/// unless another is clearly better.
Vec3 view_direction(const Bounds& rest, const std::vector<Vec3>& facing) {
  const Vec3 usual = render::kPleasantDirection, center = 0.5 * (rest.low + rest.high);
  const Vec3 half = (0.5 * (rest.high - rest.low)).cwiseMax(1e-9 * rest.diagonal());
  Vec3 best = usual;
  double most = -1e300;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 direction = usual.cwiseProduct(Vec3(corner & 1 ? -1 : 1, corner & 4 ? -1 : 1, corner & 2 ? -1 : 1)).normalized();
    double score = corner & 4 ? -0.4 * static_cast<double>(facing.size()) : 0;  // from below only what is at the bottom
    for (const Vec3& place : facing) {
      const Vec3 outward = (place - center).cwiseQuotient(half);
      const double off = outward.dot(direction) / std::max(outward.norm(), 1e-9) - 0.65;
      score -= off * off;
    }
    if (score > most + 0.02 * static_cast<double>(facing.size())) most = score, best = direction;
  }
  return best;
}

FrameItem ball(const Mark& mark, double radius) {
  FrameItem item;
  item.name = "mark " + mark.label;
  item.surface = std::make_shared<const TriMesh>(make_sphere(radius));
  item.place.translation = mark.at;
  item.look.color = mark.color;
  item.look.roughness = 0.4;
  return item;
}

FrameItem floor_at(double height, double size) {
  FrameItem item;
  item.name = "floor";
  item.surface = std::make_shared<const TriMesh>(make_plane_patch(Vec3::UnitY(), height, size));
  item.look.color = Vec3f(0.62f, 0.63f, 0.64f);
  item.look.roughness = 0.9;
  item.backdrop = true;
  return item;
}

/// Does a triangle stand between the eye and a place?
bool is_hidden(const LookTile& tile, const Vec3& eye, const Vec3& place, double radius) {
  const Vec3 ray = place - eye;
  const double limit = 1 - 1.5 * radius / ray.norm();
  for (const Triangle& triangle : tile.surface->triangles) {
    const Vec3 a = position_of(tile, static_cast<size_t>(triangle[0]));
    const Vec3 ab = position_of(tile, static_cast<size_t>(triangle[1])) - a, ac = position_of(tile, static_cast<size_t>(triangle[2])) - a;
    const Vec3 p = ray.cross(ac), from = eye - a;
    const double determinant = ab.dot(p);
    if (determinant == 0) continue;
    const double u = from.dot(p) / determinant;
    const Vec3 q = from.cross(ab);
    const double v = ray.dot(q) / determinant, along = ac.dot(q) / determinant;
    if (u >= 0 && v >= 0 && u + v <= 1 && along > 0 && along < limit) return true;
  }
  return false;
}

/// How all tiles are seen.
struct SideView {
  render::Camera camera;
  int width = 0, height = 0;  // pixels
  Vec3 sun = Vec3::UnitY();
  double floor = 0;
};

struct Spot {
  double x = 0, y = 0, radius = 0;  // pixels
};

Spot project(const SideView& view, const Vec3& place, double radius) {
  const render::CameraAxes axes = render::axes_of(view.camera);
  const Vec3 ray = place - view.camera.eye;
  const double depth = std::max(ray.dot(axes.forward), 1e-9);
  const double scale = 0.5 * view.height / std::tan(0.5 * view.camera.fov_degrees * std::numbers::pi / 180) / depth;
  return {0.5 * view.width + scale * ray.dot(axes.right), 0.5 * view.height - scale * ray.dot(axes.up), scale * radius};
}

/// Sees all points of all tiles, closely: long bodies get wide tiles.
SideView fitted_view(const std::vector<LookTile>& tiles, const Vec3& direction, const LookOptions& options) {
  SideView view;
  view.width = options.width, view.height = options.height, view.floor = 1e300;
  std::vector<Bounds> points;  // one for each: tighter than a box around them
  for (const LookTile& tile : tiles) {
    const auto add = [&](const Vec3& point) {
      points.push_back({point, point});
      view.floor = std::min(view.floor, point.y());
    };
    for (size_t v = 0; v < tile.surface->positions.size(); ++v) add(position_of(tile, v));
    for (const Mark& mark : tile.marks) add(mark.at);
  }
  render::FitSettings fit;
  fit.direction = direction;
  fit.aspect = static_cast<double>(view.width) / view.height;
  view.camera = render::fit_camera(points, fit);
  Bounds seen;
  for (const Bounds& point : points) {
    const Spot spot = project(view, point.low, 0);
    seen.add({spot.x, spot.y, 0});
  }
  const Vec3 extent = seen.high - seen.low;
  fit.aspect = std::clamp(extent.x() / std::max(extent.y(), 1.0), 1.0, 2.4);
  view.height = static_cast<int>(std::lround(view.width / fit.aspect / 2)) * 2;
  fit.margin = 0.09;  // labels need room
  view.camera = render::fit_camera(points, fit);
  const auto side = [&](int axis) { return direction[axis] * render::kPleasantDirection[axis] < 0 ? -1.0 : 1.0; };
  view.sun = render::RenderSettings().sun.cwiseProduct(Vec3(side(0), 1, side(2)));  // always over the same shoulder
  return view;
}

void draw_ring(io::Image& image, const Spot& spot, render::Rgb color) {
  const int reach = static_cast<int>(std::ceil(spot.radius)) + 2;
  for (int y = std::max(0, static_cast<int>(spot.y) - reach); y <= std::min(image.height - 1, static_cast<int>(spot.y) + reach); ++y) {
    for (int x = std::max(0, static_cast<int>(spot.x) - reach); x <= std::min(image.width - 1, static_cast<int>(spot.x) + reach); ++x) {
      const double off = std::abs(std::hypot(x + 0.5 - spot.x, y + 0.5 - spot.y) - spot.radius);
      const double cover = std::clamp(1.2 - off, 0.0, 1.0);
      uint8_t* pixel = image.pixel(x, y);
      for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(std::lround(pixel[c] + cover * (color[c] - pixel[c])));
    }
  }
}

/// Dark letters with a light edge can be read on anything.
void draw_label(io::Image& image, const Spot& spot, const std::string& text, bool hidden) {
  const double height = std::max(9.0, image.width / 54.0) * (hidden ? 0.85 : 1), x = spot.x + spot.radius + 2,
               y = spot.y - spot.radius - 0.8 * height;
  if (!hidden) {
    for (const auto& [dx, dy] : {std::pair{-1.0, 0.0}, {1.0, 0.0}, {0.0, -1.0}, {0.0, 1.0}, {-1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}, {1.0, -1.0}}) {
      render::draw_text(image, x + 1.4 * dx, y + 1.4 * dy, height, text, kHalo);
    }
  }
  render::draw_text(image, x, y, height, text, hidden ? kFaint : kInk);
}

/// The same size and place on the floor as the view of the others, from another side.
SideView view_from(const LookTile& tile, const SideView& like) {
  SideView view = like;
  std::vector<Bounds> points;
  const Bounds bounds = bounds_of_tile(tile);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 point(corner & 1 ? bounds.high.x() : bounds.low.x(), corner & 2 ? bounds.high.y() : bounds.low.y(),
                     corner & 4 ? bounds.high.z() : bounds.low.z());
    points.push_back({point, point});
  }
  render::FitSettings fit;
  fit.direction = *tile.from, fit.aspect = static_cast<double>(view.width) / view.height, fit.margin = 0.09;
  view.camera = render::fit_camera(points, fit);
  return view;
}

Result<io::Image> draw_tile(const LookTile& tile, const SideView& view, double radius, double size, int samples) {
  Frame frame;
  FrameItem body;
  body.name = "body", body.body = 0;
  body.surface = tile.surface, body.positions = tile.positions, body.colors = tile.colors, body.look = tile.look;
  frame.items.push_back(std::move(body));
  for (const Mark& mark : tile.marks) frame.items.push_back(ball(mark, radius));
  frame.items.push_back(floor_at(view.floor, 50 * size));
  render::RenderSettings settings;
  settings.width = view.width, settings.height = view.height, settings.sun = view.sun;
  settings.samples = samples;
  if (!tile.colors.empty()) settings.color = render::ColorMode::Weights;
  render::Watch watch;
  watch.cancel = &interrupts();
  Result<io::Image> image = render::render_frame(frame, view.camera, settings, watch);
  if (!image) return image;
  for (const bool hidden : {true, false}) {
    for (const Mark& mark : tile.marks) {
      if (is_hidden(tile, view.camera.eye, mark.at, radius) != hidden) continue;
      const Spot spot = project(view, mark.at, radius);
      if (hidden) draw_ring(*image, spot, kFaint);
      draw_label(*image, spot, mark.label, hidden);
    }
  }
  return image;
}

/// A drawing, seen straight on.
io::Image draw_flat_tile(const LookTile& tile, const render::FlatWindow& window, int width, int height) {
  Frame frame;
  FrameItem body;
  body.name = "body", body.body = 0;
  body.surface = tile.surface, body.positions = tile.positions, body.colors = tile.colors, body.look = tile.look;
  frame.items.push_back(std::move(body));
  render::FlatSettings settings;
  settings.width = width, settings.height = height;
  io::Image image = render::to_image(render::render_flat(frame, window, settings));
  const double scale = height / window.height;
  for (const Mark& mark : tile.marks) {
    const Spot spot{0.5 * width + scale * (mark.at.x() - window.center.x()), 0.5 * height - scale * (mark.at.y() - window.center.y()), 0.009 * width};
    for (int k = 0; k < 3; ++k) draw_ring(image, {spot.x, spot.y, spot.radius - 1.5 * k}, mark.color == kMoved ? render::Rgb{232, 93, 4} : render::Rgb{250, 215, 40});
    draw_ring(image, {spot.x, spot.y, spot.radius + 1.5}, kInk);
    draw_label(image, spot, mark.label, false);
  }
  return image;
}

std::vector<io::Image> draw_flat_tiles(const std::vector<LookTile>& tiles, const LookOptions& options) {
  Bounds all;
  for (const LookTile& tile : tiles) {
    const Bounds bounds = bounds_of_tile(tile);
    all.add(bounds.low), all.add(bounds.high);
  }
  const Vec3 size = (all.high - all.low).cwiseMax(1e-6), middle = 0.5 * (all.low + all.high);
  const double aspect = std::clamp(size.x() / size.y(), 0.75, 2.4);
  const int width = options.width, height = static_cast<int>(std::lround(width / aspect));
  const render::FlatWindow window{{middle.x(), middle.y()}, 1.16 * std::max(size.y(), size.x() / aspect)};
  std::vector<io::Image> images;
  for (const LookTile& tile : tiles) images.push_back(draw_flat_tile(tile, window, width, height));
  return images;
}

}  // namespace

Result<void> draw_tiles(const std::vector<LookTile>& tiles, const std::string& file, const LookOptions& options) {
  if (tiles.empty() || bounds_of_tile(tiles[0]).empty()) return input_error("there is nothing to draw");
  const Bounds rest = bounds_of_tile(tiles[0]);
  const double size = std::max(rest.diagonal(), 1e-9), radius = options.mark_size * size;
  if (tiles[0].is_flat) {
    const std::vector<io::Image> flat = draw_flat_tiles(tiles, options);
    std::vector<std::string> names;
    for (const LookTile& tile : tiles) names.push_back(tile.title);
    return io::write_png(file, render::contact_sheet(flat, std::min(options.columns, static_cast<int>(flat.size())), names, options.footer));
  }
  SideView view = fitted_view(tiles, view_direction(rest, options.facing), options);
  view.floor -= 1e-3 * size;
  std::vector<io::Image> images;
  std::vector<std::string> titles;
  for (const LookTile& tile : tiles) {
    Result<io::Image> image = draw_tile(tile, tile.from ? view_from(tile, view) : view, radius, size, options.samples);
    if (!image) return image.error();
    images.push_back(std::move(*image));
    titles.push_back(tile.title);
  }
  return io::write_png(file, render::contact_sheet(images, std::min(options.columns, static_cast<int>(images.size())), titles, options.footer));
}

LookTile asset_tile(const Asset& asset, int example) {
  LookTile tile;
  const Example& shown = asset.examples[static_cast<size_t>(example)];
  auto surface = std::make_shared<TriMesh>(asset.surface.triangles.empty() ? io::boundary_surface(asset.tets) : asset.surface);
  const std::vector<Vec3> moved = posed_positions(asset, shown.handles);
  tile.is_flat = asset.flat.has_value();
  for (size_t v = 0; tile.is_flat && v < moved.size(); ++v) tile.positions.push_back(moved[v].cast<float>());
  const Embedding embedding = tile.is_flat ? Embedding() : embed(asset.tets, surface->positions);
  for (size_t i = 0; i < embedding.tet.size(); ++i) {
    const Tetrahedron& tet = asset.tets.tets[static_cast<size_t>(embedding.tet[i])];
    Vec3 place = Vec3::Zero();
    for (size_t k = 0; k < 4; ++k) place += static_cast<double>(embedding.weights[i][k]) * moved[static_cast<size_t>(tet[k])];
    tile.positions.push_back(place.cast<float>());
  }
  tile.surface = std::move(surface);
  tile.look.color = asset.color, tile.look.metal = asset.metal, tile.look.roughness = asset.roughness;
  tile.title = shown.name;
  const double diagonal = diagonal_of(asset);
  for (size_t b = 0; b < asset.handles.size(); ++b) {
    const Vec3& rest = asset.handles[b].position;
    const Vec3 now = shown.handles[b].rotation * (shown.handles[b].stretch * rest) + shown.handles[b].translation;
    tile.marks.push_back({now, (now - rest).norm() > 1e-3 * diagonal ? kMoved : kStaying, fmt::format("{}", b)});
  }
  return tile;
}

std::vector<LookTile> handle_tiles(const Asset& asset) {
  const LookTile rest = asset_tile(asset, 0);
  if (rest.is_flat) return {rest};
  std::vector<LookTile> tiles;
  for (const auto& [title, from] :
       {std::pair{"handles, seen along -z", Vec3(0, 0.12, 1)}, {"seen along -x", Vec3(1, 0.12, 0)}, {"seen from above", Vec3(0, 1, 0.02)}}) {
    tiles.push_back(rest);
    tiles.back().title = title, tiles.back().from = from;
  }
  return tiles;
}

Result<void> draw_asset(const Asset& asset, std::span<const int> examples, const std::string& file, const LookOptions& options) {
  std::vector<LookTile> tiles;
  for (const int example : examples) tiles.push_back(asset_tile(asset, example));
  LookOptions chosen = options;
  if (chosen.facing.empty()) {
    for (const LookTile& tile : tiles) {
      for (size_t b = 0; b < tile.marks.size(); ++b) {
        if (tile.marks[b].color == kMoved) chosen.facing.push_back(asset.handles[b].position);
      }
    }
  }
  return draw_tiles(tiles, file, chosen);
}

}  // namespace crumple::cli

#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/methods/clusters/surface.h"

namespace crumple::clusters {
namespace {

Vec3f mixed_color(const Vec3f& a, const Vec3f& b, float share) {
  return a + share * (b - a);
}

}  // namespace

Vec3f number_color(int number) {
  // Steps of the golden angle around the colour wheel: consecutive numbers differ widely in hue.
  const float hue = static_cast<float>(std::fmod(0.61803398875 * number, 1.0)) * 6;
  const auto wave = [&](float shift) { return std::clamp(std::abs(std::fmod(hue + shift, 6.0f) - 3) - 1, 0.0f, 1.0f); };
  const float pale = number % 3 == 1 ? 0.35f : 0.12f, strength = number % 2 ? 0.55f : 0.8f;
  return strength * mixed_color(Vec3f(wave(0), wave(4), wave(2)), Vec3f::Ones(), pale);
}

Vec3f strain_color(float strain) {
  const float x = std::clamp(std::sqrt(std::max(strain, 0.0f)), 0.0f, 1.0f);
  const Vec3f stops[] = {{0.05f, 0.12f, 0.45f}, {0.10f, 0.50f, 0.55f}, {0.75f, 0.65f, 0.15f}, {0.70f, 0.06f, 0.03f}};
  const int k = std::min(static_cast<int>(3 * x), 2);
  return mixed_color(stops[k], stops[k + 1], 3 * x - static_cast<float>(k));
}

std::vector<Vec3f> particle_colors(const State& state, ParticleColor by) {
  std::vector<Vec3f> colors(state.positions.size(), Vec3f::Zero());
  const Pieces found = by == ParticleColor::Piece ? pieces(state) : Pieces();
  for (size_t i = 0; i < colors.size(); ++i) {
    const size_t begin = at(state.entry_begin[i]), end = begin + at(state.entry_count[i]);
    if (begin == end) continue;
    if (by == ParticleColor::Piece) {
      colors[i] = number_color(found.of_particle[i]);
      continue;
    }
    size_t most = begin;
    float strain = 0;
    for (size_t e = begin; e < end; ++e) {
      most = state.entry_share[e] > state.entry_share[most] ? e : most;
      strain += state.entry_share[e] * (state.plastic[at(state.entry_cluster[e])] - Mat3f::Identity()).norm();
    }
    colors[i] = by == ParticleColor::Strain ? strain_color(strain) : number_color(state.entry_cluster[most]);
  }
  return colors;
}

ParticleView view_particles(const Model& model, const State& state, ParticleColor by) {
  const std::vector<Vec3f> colors = particle_colors(state, by);
  ParticleView view;
  for (size_t i = 0; i < colors.size(); ++i) {
    if (state.entry_count[i] == 0) continue;
    view.positions.push_back(position(model, state, static_cast<int>(i)));
    view.colors.push_back(colors[i]);
    view.particle.push_back(static_cast<int32_t>(i));
  }
  return view;
}

std::vector<Vec3f> surface_colors(const Surface& surface, const std::vector<int32_t>& vertex_point, const std::vector<Vec3f>& particle_colors) {
  std::vector<Vec3f> colors;
  colors.reserve(vertex_point.size());
  for (const int32_t point : vertex_point) colors.push_back(particle_colors[at(surface.owner[at(point)])]);
  return colors;
}

std::vector<FrameItem> view_surface(const SurfaceModel& surface_model, const Surface& surface, PosedSurface posed, const Appearance& skin,
                                    const Appearance& inner) {
  std::vector<FrameItem> items(surface.inner->triangles.empty() ? 1 : 2);
  items[0].surface = surface.skin, items[0].positions = std::move(posed.skin), items[0].look = skin;
  items[0].place = surface_model.place;
  if (items.size() == 1) return items;
  items[1].surface = surface.inner, items[1].positions = std::move(posed.inner), items[1].look = inner;
  items[1].place = surface_model.place;
  return items;
}

}  // namespace crumple::clusters

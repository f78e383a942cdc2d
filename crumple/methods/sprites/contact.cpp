#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/timer.h"
#include "crumple/methods/sprites/kernels.h"

namespace crumple::sprites {

void take_over(State& state) {
  if (state.handed.places.size() != state.size()) return;
  for (size_t i = 0; i < state.size(); ++i) {
    const Vec4f place = state.outside.places[i] - state.handed.places[i], speed = state.outside.speeds[i] - state.handed.speeds[i];
    if (place != Vec4f::Zero()) state.x[i] += Complex(double{place.x()}, double{place.y()});
    if (speed == Vec4f::Zero()) continue;
    const Complex change(double{speed.x()}, double{speed.y()});
    state.v[i] += change, state.hit[i] += change;
  }
  state.handed.places = state.outside.places, state.handed.speeds = state.outside.speeds;
}

void hand_out(const Model& model, State& state) {
  state.outside.places.resize(state.size()), state.outside.speeds.resize(state.size()), state.outside.mass.resize(state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    state.outside.places[i] << static_cast<float>(state.x[i].real()), static_cast<float>(state.x[i].imag()), 0.0f, 1.0f;
    state.outside.speeds[i] << static_cast<float>(state.v[i].real()), static_cast<float>(state.v[i].imag()), 0.0f, 0.0f;
    state.outside.mass[i] = static_cast<float>(model.mass[i]);
  }
  state.handed = state.outside;
  state.held.assign(state.size(), -1), state.is_there.assign(state.size(), 1);
}

namespace {

/// Notes whether what touched it bears it: what changes its momentum points up.
void note_ground(const Model& model, State& state, const Complex& impulse, const Complex& up, double dt) {
  const bool is_borne = std::abs(impulse) > 1e-3 * model.total * std::abs(up) * dt && dotted(impulse, up) > 0.5 * std::abs(impulse) * std::abs(up);
  state.grounded = is_borne ? 0 : state.grounded + dt;
}

/// How far a particle has gone in this step beyond its velocity: matching did that.
Complex slid_of(const State& state, size_t i) {
  return state.began.size() == state.size() ? state.x[i] - state.began[i] - state.stepped * state.v[i] : Complex(0);
}

/// What matching does to particles that stick would let a sprite creep: it is taken back, up to the friction of how far they were pushed out.
void hold_fast(State& state, std::span<const Vec4f> handed, double friction) {
  double depths = 0;
  state.stands_at = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Vec4f out = state.handed.places[i] - handed[i];
    const Complex pushed(double{out.x()}, double{out.y()});
    const double depth = std::abs(pushed);
    if (!(depth > 0)) continue;
    state.stands_at += depth * state.x[i], depths += depth;
    const Complex normal = pushed / depth, slid = slid_of(state, i);
    const Complex along = slid - dotted(slid, normal) * normal;
    const double length = std::abs(along);
    if (length > 0) state.x[i] -= std::min(1.0, friction * depth / length) * along;
  }
  state.stands = depths > 0;
  if (state.stands) state.stands_at /= depths;
}

Complex momentum_of(const Model& model, const State& state) {
  Complex sum = 0;
  for (size_t i = 0; i < state.size(); ++i) sum += model.mass[i] * state.v[i];
  return sum;
}

}  // namespace

void collide_with_parts(const Model& model, State& state, MatterContext& now) {
  const CpuTimer timer(state.times.collision);
  // A sprite bounces by its own controls.
  std::vector<particles::Obstacle> obstacles(now.obstacles.begin(), now.obstacles.end());
  for (particles::Obstacle& obstacle : obstacles) obstacle.restitution = 0;
  now.pushes = particles::collide_obstacles(particles_of(model, state), obstacles, now.dt);
  for (Vec4f& place : state.outside.places) place.z() = 0;
  for (Vec4f& speed : state.outside.speeds) speed.z() = 0;
  if (now.frozen) return;
  double friction = 0;
  for (size_t k = 0; k < now.pushes.size(); ++k) friction = std::max(friction, now.pushes[k].contacts > 0 ? obstacles[k].friction : 0.0);
  const Complex before = momentum_of(model, state);
  const std::vector<Vec4f> handed = state.handed.places;
  take_over(state);
  state.stands = false;
  if (friction > 0) hold_fast(state, handed, friction);
  const Complex up(-now.gravity.x(), -now.gravity.y());
  note_ground(model, state, momentum_of(model, state) - before, up, now.dt);
}

particles::ParticleSpan particles_of(const Model& model, State& state) {
  return {model.origin, 1, model.edge, state.outside.places, state.outside.speeds, state.outside.mass, state.held, state.is_there};
}

namespace {

/// Triangles of a sprite by cells.
const State::Cells& cells_of(const Model& model, State& state) {
  State::Cells& cells = state.cells;
  if (cells.is_made) return cells;
  Complex low(1e300, 1e300), high(-1e300, -1e300);
  for (const Complex& x : state.x) low = {std::min(low.real(), x.real()), std::min(low.imag(), x.imag())}, high = {std::max(high.real(), x.real()), std::max(high.imag(), x.imag())};
  cells.low = low, cells.cell = 1.5 * model.edge;
  const auto count = [&](double length) { return std::clamp(static_cast<int>(length / cells.cell) + 1, 1, 256); };
  cells.columns = count(high.real() - low.real()), cells.rows = count(high.imag() - low.imag());
  cells.cell = std::max({cells.cell, (high.real() - low.real()) / cells.columns, (high.imag() - low.imag()) / cells.rows});
  const std::vector<Triangle>& triangles = model.drawing->surface.triangles;
  const auto each_cell = [&](const Triangle& t, const auto& visit) {
    const Complex &a = state.x[at(t[0])], &b = state.x[at(t[1])], &c = state.x[at(t[2])];
    const auto column = [&](double x) { return std::clamp(static_cast<int>((x - low.real()) / cells.cell), 0, cells.columns - 1); };
    const auto row = [&](double y) { return std::clamp(static_cast<int>((y - low.imag()) / cells.cell), 0, cells.rows - 1); };
    for (int y = row(std::min({a.imag(), b.imag(), c.imag()})); y <= row(std::max({a.imag(), b.imag(), c.imag()})); ++y) {
      for (int x = column(std::min({a.real(), b.real(), c.real()})); x <= column(std::max({a.real(), b.real(), c.real()})); ++x) visit(at(y * cells.columns + x));
    }
  };
  cells.begin.assign(at(cells.columns * cells.rows) + 1, 0);
  for (const Triangle& t : triangles) each_cell(t, [&](size_t cell) { ++cells.begin[cell + 1]; });
  for (size_t c = 0; c + 1 < cells.begin.size(); ++c) cells.begin[c + 1] += cells.begin[c];
  cells.triangles.resize(at(cells.begin.back()));
  std::vector<int32_t> next(cells.begin.begin(), cells.begin.end() - 1);
  for (size_t t = 0; t < triangles.size(); ++t) each_cell(triangles[t], [&](size_t cell) { cells.triangles[at(next[cell]++)] = static_cast<int32_t>(t); });
  cells.is_made = true;
  return cells;
}

/// The layer of the triangle that a place is in; -1: none.
int layer_at(const Model& model, const State& state, const State::Cells& cells, const Complex& place) {
  const int column = static_cast<int>(std::floor((place.real() - cells.low.real()) / cells.cell)), row = static_cast<int>(std::floor((place.imag() - cells.low.imag()) / cells.cell));
  if (column < 0 || row < 0 || column >= cells.columns || row >= cells.rows) return -1;
  const size_t cell = at(row * cells.columns + column);
  for (int32_t k = cells.begin[cell]; k < cells.begin[cell + 1]; ++k) {
    const Triangle& t = model.drawing->surface.triangles[at(cells.triangles[at(k)])];
    const Complex &a = state.x[at(t[0])], &b = state.x[at(t[1])], &c = state.x[at(t[2])];
    const double ab = crossed(b - a, place - a), bc = crossed(c - b, place - b), ca = crossed(a - c, place - c);
    const bool is_in = state.is_left ? ab <= 0 && bc <= 0 && ca <= 0 : ab >= 0 && bc >= 0 && ca >= 0;
    if (is_in && std::abs(ab + bc + ca) > 0) return model.drawing->flat->layer[at(t[0])];
  }
  return -1;
}

/// The way out of a layer: the nearest point of its outline. Through thin parts the nearest is not always where a particle came from: ways that lead on
/// with its motion (`velocity`), or away from the rest of its sprite (`home`), count as longer.
struct Exit {
  const OutlineEdge* edge = nullptr;
  double along = 0, depth = 0, cost = 1e300;
  Complex normal = 0;
};
constexpr double kAwayFromHome = 3;
Exit exit_of(const Model& model, const State& state, int layer, const Complex& place, const Complex& velocity, const Complex& home) {
  Exit exit;
  for (const OutlineEdge& edge : model.outline) {
    if (model.drawing->flat->layer[at(edge.a)] != layer) continue;
    const Complex &a = state.x[at(edge.a)], &b = state.x[at(edge.b)], along = b - a;
    const double length = std::norm(along), share = length > 0 ? std::clamp(dotted(place - a, along) / length, 0.0, 1.0) : 0.0;
    const double depth = std::abs(place - a - share * along);
    if (depth >= exit.cost) continue;
    const Complex out = Complex(0, state.is_left ? 1 : -1) * along / std::sqrt(std::max(length, 1e-300));  // paint is on the left
    Complex normal = depth > 1e-9 * model.size ? (a + share * along - place) / depth : out;
    if (dotted(normal, out) < 0) normal = out;  // beyond a corner
    const Complex relative = velocity - (1 - share) * state.v[at(edge.a)] - share * state.v[at(edge.b)];
    const double cost = depth * (dotted(normal, home - place) < 0 ? kAwayFromHome : 1) + kUnit * std::max(dotted(relative, normal), 0.0);
    if (cost < exit.cost) exit = {&edge, share, depth, cost, normal};
  }
  return exit;
}

/// Particles of one sprite that are inside another leave it. Both give way by their masses; momentum stays.
void push_out(const Model& model_a, State& a, const Model& model_b, State& b, double friction) {
  const Complex shift(model_b.origin.x() - model_a.origin.x(), model_b.origin.y() - model_a.origin.y());
  const State::Cells& cells = cells_of(model_b, b);
  const Complex home = middle_of(model_a, a.x) - shift;
  for (size_t i = 0; i < a.size(); ++i) {
    const Complex place = a.x[i] - shift;
    const int layer = layer_at(model_b, b, cells, place);
    if (layer < 0) continue;
    const Exit exit = exit_of(model_b, b, layer, place, a.v[i], home);
    if (!exit.edge) continue;
    const size_t p = at(exit.edge->a), q = at(exit.edge->b);
    const double sp = 1 - exit.along, sq = exit.along;
    const double light = model_a.settings.fixed ? 0.3 : 1, other_light = model_b.settings.fixed ? 0.3 : 1;  // what is fixed gives way less, and the world holds it
    const double wi = light / model_a.mass[i], wp = other_light * sp / model_b.mass[p], wq = other_light * sq / model_b.mass[q], all = wi + sp * wp + sq * wq;
    const Complex out = exit.depth / all * exit.normal;
    // In the plane of the contact they stick, as hold_fast does it.
    Complex slid = slid_of(a, i) - sp * slid_of(b, p) - sq * slid_of(b, q);
    slid -= dotted(slid, exit.normal) * exit.normal;
    const double way = std::abs(slid), back = way > 0 ? std::min(1.0, friction * exit.depth / way) : 0.0;
    const Complex move = out - back / all * slid;
    a.x[i] += wi * move, b.x[p] -= wp * move, b.x[q] -= wq * move;
    const Complex difference = a.v[i] - sp * b.v[p] - sq * b.v[q];
    const double approach = -dotted(difference, exit.normal);
    if (!(approach > 0)) continue;
    const Complex slide = difference + approach * exit.normal;
    const double slip = std::abs(slide), rubs = std::min(friction * approach, slip);
    const Complex impulse = (approach * exit.normal - (slip > 1e-12 ? rubs / slip * slide : Complex(0))) / all;
    const auto change = [&](State& of, size_t k, const Complex& by) { of.v[k] += by, of.hit[k] += by; };
    change(a, i, wi * impulse), change(b, p, -wp * impulse), change(b, q, -wq * impulse);
  }
}

}  // namespace

void collide(const Model& model_a, State& a, const Model& model_b, State& b, double friction) {
  const CpuTimer timer(a.times.collision);
  const Complex before_a = momentum_of(model_a, a), before_b = momentum_of(model_b, b);
  push_out(model_a, a, model_b, b, friction);
  push_out(model_b, b, model_a, a, friction);
  // Standing on another sprite is standing. Up is against gravity, which is not known here: along y.
  const auto note = [](const Model& model, State& state, const Complex& impulse) {
    if (impulse.imag() > 1e-3 * model.total && impulse.imag() > 0.5 * std::abs(impulse)) state.grounded = 0;
  };
  note(model_a, a, momentum_of(model_a, a) - before_a), note(model_b, b, momentum_of(model_b, b) - before_b);
  hand_out(model_a, a), hand_out(model_b, b);
}

}  // namespace crumple::sprites

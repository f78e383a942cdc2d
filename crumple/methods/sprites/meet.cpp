#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/timer.h"
#include "crumple/core/wide.h"
#include "crumple/methods/sprites/kernels.h"

/// Contact of sprites with sprites: particles of one that are inside the outline of another leave it.
namespace crumple::sprites {
namespace {

using Octagon = State::Octagon;
constexpr size_t kAxes = 4;

std::array<double, kAxes> along_axes(const Complex& place) {
  return {place.real(), place.imag(), place.real() + place.imag(), place.real() - place.imag()};
}

bool is_in(const Octagon& octagon, const Complex& place) {
  const std::array<double, kAxes> at = along_axes(place);
  bool is_in = true;
  for (size_t k = 0; k < kAxes; ++k) is_in = is_in && at[k] > octagon.low[k] && at[k] < octagon.high[k];
  return is_in;
}

/// Octagons of the layers and of all, and the outline; made again after each step.
const State::Hulls& hulls_of(const Model& model, State& state) {
  State::Hulls& hulls = state.hulls;
  if (!hulls.layers.empty()) return hulls;
  hulls.layers.assign(model.layer_begin.size(), {});
  for (std::vector<float>* numbers : {&hulls.ax, &hulls.ay, &hulls.bx, &hulls.by, &hulls.shortness}) numbers->resize(model.outline.size());
  hulls.px.resize(state.size()), hulls.py.resize(state.size());
  for (size_t i = 0; i < state.size(); ++i) hulls.px[i] = static_cast<float>(state.x[i].real()), hulls.py[i] = static_cast<float>(state.x[i].imag());
  Octagon& all = hulls.layers.back();
  for (size_t l = 0; l + 1 < model.layer_begin.size(); ++l) {
    Octagon& layer = hulls.layers[l];
    for (size_t e = at(model.layer_begin[l]); e < at(model.layer_begin[l + 1]); ++e) {
      const Complex &a = state.x[at(model.outline[e].a)], &b = state.x[at(model.outline[e].b)];
      hulls.ax[e] = static_cast<float>(a.real()), hulls.ay[e] = static_cast<float>(a.imag()), hulls.bx[e] = static_cast<float>(b.real()), hulls.by[e] = static_cast<float>(b.imag());
      hulls.shortness[e] = static_cast<float>(1 / std::max(std::norm(b - a), 1e-30));
      const std::array<double, kAxes> here = along_axes(a);
      for (size_t k = 0; k < kAxes; ++k) layer.low[k] = std::min(layer.low[k], here[k]), layer.high[k] = std::max(layer.high[k], here[k]);
    }
    for (size_t k = 0; k < kAxes; ++k) all.low[k] = std::min(all.low[k], layer.low[k]), all.high[k] = std::max(all.high[k], layer.high[k]);
  }
  return hulls;
}

/// The way out of a layer: the nearest point of its outline. Through thin parts the nearest is not always where a particle came from: ways that lead on
/// with its motion (`velocity`), or away from the rest of its sprite (`home`), count as longer.
struct Exit {
  const OutlineEdge* edge = nullptr;
  double along = 0, depth = 0, cost = 1e300;
  Complex normal = 0;
};
constexpr double kAwayFromHome = 3;

/// How often edges wind around a place; 0: it is outside.
CRUMPLE_WIDE int winding(const float* ax, const float* ay, const float* bx, const float* by, int count, float x, float y) {
  int turns = 0;
  for (int e = 0; e < count; ++e) {
    const float side = (bx[e] - ax[e]) * (y - ay[e]) - (by[e] - ay[e]) * (x - ax[e]);
    const int from = ay[e] <= y, to = by[e] <= y, left = side > 0, right = side < 0;
    turns += (from & (1 - to) & left) - ((1 - from) & to & right);
  }
  return turns;
}

bool is_painted(const Model& model, const State::Hulls& hulls, size_t layer, const Complex& place) {
  const size_t begin = at(model.layer_begin[layer]);
  return winding(&hulls.ax[begin], &hulls.ay[begin], &hulls.bx[begin], &hulls.by[begin], model.layer_begin[layer + 1] - model.layer_begin[layer], static_cast<float>(place.real()),
                 static_cast<float>(place.imag())) != 0;
}

/// Squared distances of a place from edges.
CRUMPLE_WIDE void distances(const float* ax, const float* ay, const float* bx, const float* by, const float* shortness, int count, float x, float y, float* squares) {
  for (int e = 0; e < count; ++e) {
    const float ux = bx[e] - ax[e], uy = by[e] - ay[e], px = x - ax[e], py = y - ay[e];
    float share = (px * ux + py * uy) * shortness[e];
    share = share < 0 ? 0 : share;
    share = share > 1 ? 1 : share;
    const float dx = px - share * ux, dy = py - share * uy;
    squares[e] = dx * dx + dy * dy;
  }
}

/// The exit by one edge.
Exit exit_by(const Model& model, const State& state, const OutlineEdge& edge, const Complex& place, const Complex& velocity, const Complex& home) {
  const Complex &a = state.x[at(edge.a)], &b = state.x[at(edge.b)], along = b - a;
  const double length = std::norm(along), share = length > 0 ? std::clamp(dotted(place - a, along) / length, 0.0, 1.0) : 0.0;
  const Complex way = a + share * along - place;
  const double depth = std::sqrt(std::norm(way));
  const Complex out = Complex(0, state.is_left ? 1 : -1) * along / std::sqrt(std::max(length, 1e-300));  // paint is on the left
  Complex normal = depth > 1e-9 * model.size ? way / depth : out;
  if (dotted(normal, out) < 0) normal = out;  // beyond a corner
  const Complex relative = velocity - (1 - share) * state.v[at(edge.a)] - share * state.v[at(edge.b)];
  const double cost = depth * (dotted(normal, home - place) < 0 ? kAwayFromHome : 1) + kUnit * std::max(dotted(relative, normal), 0.0);
  return {&edge, share, depth, cost, normal};
}

Exit exit_of(const Model& model, const State& state, const State::Hulls& hulls, size_t layer, const Complex& place, const Complex& velocity, const Complex& home) {
  thread_local std::vector<float> squares;
  const size_t begin = at(model.layer_begin[layer]), count = at(model.layer_begin[layer + 1]) - begin;
  squares.resize(count);
  distances(&hulls.ax[begin], &hulls.ay[begin], &hulls.bx[begin], &hulls.by[begin], &hulls.shortness[begin], static_cast<int>(count), static_cast<float>(place.real()),
            static_cast<float>(place.imag()), squares.data());
  const size_t nearest = static_cast<size_t>(std::min_element(squares.begin(), squares.end()) - squares.begin());
  Exit exit = exit_by(model, state, model.outline[begin + nearest], place, velocity, home);
  for (size_t e = 0; e < count; ++e) {
    if (e == nearest || double{squares[e]} >= exit.cost * exit.cost) continue;  // its cost is at least its depth
    const Exit other = exit_by(model, state, model.outline[begin + e], place, velocity, home);
    if (other.cost < exit.cost) exit = other;
  }
  return exit;
}

/// One particle leaves the other sprite by a way. Both give way by their masses; momentum stays. Returns the impulse on it.
Complex leave(const Model& model_a, State& a, size_t i, const Model& model_b, State& b, const Exit& exit, double friction) {
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
  if (!(approach > 0)) return 0;
  const Complex slide = difference + approach * exit.normal;
  const double slip = std::abs(slide), rubs = std::min(friction * approach, slip);
  const Complex impulse = (approach * exit.normal - (slip > 1e-12 ? rubs / slip * slide : Complex(0))) / all;
  const auto change = [&](State& of, size_t k, const Complex& by) { of.v[k] += by, of.hit[k] += by; };
  change(a, i, wi * impulse), change(b, p, -wp * impulse), change(b, q, -wq * impulse);
  return impulse;
}

/// Marks points within slabs along x, y, x + y and x - y.
CRUMPLE_WIDE void mark_inside(const float* x, const float* y, int count, const float* low, const float* high, int32_t* inside) {
  for (int i = 0; i < count; ++i) {
    const float sum = x[i] + y[i], difference = x[i] - y[i];
    inside[i] = (x[i] > low[0]) & (x[i] < high[0]) & (y[i] > low[1]) & (y[i] < high[1]) & (sum > low[2]) & (sum < high[2]) & (difference > low[3]) & (difference < high[3]);
  }
}

struct Pushed {
  bool any = false;
  Complex impulse = 0;
};
/// Particles of one sprite leave the other.
Pushed push_out(const Model& model_a, State& a, const Model& model_b, State& b, double friction) {
  const Complex shift(model_b.origin.x() - model_a.origin.x(), model_b.origin.y() - model_a.origin.y());
  const State::Hulls &hulls = hulls_of(model_b, b), &own = hulls_of(model_a, a);
  thread_local std::vector<int32_t> inside;
  inside.resize(a.size());
  std::array<float, kAxes> low, high;
  const std::array<double, kAxes> moved = along_axes(shift);
  for (size_t k = 0; k < kAxes; ++k) low[k] = static_cast<float>(hulls.layers.back().low[k] + moved[k]), high[k] = static_cast<float>(hulls.layers.back().high[k] + moved[k]);
  mark_inside(own.px.data(), own.py.data(), static_cast<int>(a.size()), low.data(), high.data(), inside.data());
  Pushed pushed;
  Complex home = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!inside[i]) continue;
    const Complex place = a.x[i] - shift;
    for (size_t l = 0; l + 1 < hulls.layers.size(); ++l) {
      if (!is_in(hulls.layers[l], place) || !is_painted(model_b, hulls, l, place)) continue;
      if (!pushed.any) home = middle_of(model_a, a.x) - shift, pushed.any = true;
      pushed.impulse += leave(model_a, a, i, model_b, b, exit_of(model_b, b, hulls, l, place, a.v[i], home), friction);
      break;
    }
  }
  return pushed;
}

bool overlap(const Octagon& a, const Octagon& b, const Complex& shift) {
  const std::array<double, kAxes> moved = along_axes(shift);
  bool overlaps = true;
  for (size_t k = 0; k < kAxes; ++k) overlaps = overlaps && a.low[k] < b.high[k] + moved[k] && b.low[k] + moved[k] < a.high[k];
  return overlaps;
}

}  // namespace

void collide(const Model& model_a, State& a, const Model& model_b, State& b, double friction) {
  const WallTimer timer(a.times.collision);
  take_over(a), take_over(b);
  const Complex shift(model_b.origin.x() - model_a.origin.x(), model_b.origin.y() - model_a.origin.y());
  if (!overlap(hulls_of(model_a, a).layers.back(), hulls_of(model_b, b).layers.back(), shift)) return;
  const Pushed one = push_out(model_a, a, model_b, b, friction), other = push_out(model_b, b, model_a, a, friction);
  if (!one.any && !other.any) return;
  // Standing on another sprite is standing. Up is against gravity, which is not known here: along y.
  const Complex impulse = one.impulse - other.impulse;
  const auto note = [](const Model& model, State& state, const Complex& lift) {
    if (lift.imag() > 1e-3 * model.total && lift.imag() > 0.5 * std::abs(lift)) state.grounded = 0;
  };
  note(model_a, a, impulse), note(model_b, b, -impulse);
}

}  // namespace crumple::sprites

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <tuple>

#include <Eigen/SVD>

#include "crumple/methods/dents/details.h"

namespace crumple::dents {
namespace {

// While a pair touches, or has touched within this time, it is one impact: a hit counts only if it goes deeper.
constexpr double kSameImpact = 0.1;  // s
constexpr double kDeeper = 1.02;
// Of the volume before: a tetrahedron that a dent would leave with less is moved less.
constexpr double kMinVolume = 0.1;
constexpr int kHalvings = 6;
// Edges are refined to this share of the softness, or of the half width of hard prints.
constexpr double kEdge = 1.25, kHardEdge = 1.0 / 32;
// Of the depth: what a triangle may miss of it.
constexpr double kShown = 0.02;
constexpr double kMinMove = 1e-9;  // m

/// Parts are numbered anew when a body breaks: pairs are known by the lowest piece of the surface that was hit.
double* find_pair(State& state, const LayerContext& now, int piece, int other_body, int other_number) {
  const auto surface_of = [&](auto p) { return static_cast<size_t>(p) < now.surface_of_piece.size() ? now.surface_of_piece[static_cast<size_t>(p)] : 0; };
  for (size_t i = 0; i < state.pairs.size(); i += kPairColumns) {
    const double* pair = &state.pairs[i];
    if (surface_of(pair[kPiece]) == surface_of(piece) && pair[kOtherBody] == other_body && pair[kOtherPart] == other_number) return &state.pairs[i];
  }
  return nullptr;
}

void forget_old(State& state, const LayerContext& now) {
  size_t kept = 0;
  for (size_t i = 0; i < state.pairs.size(); i += kPairColumns) {
    if ((static_cast<double>(now.step) - state.pairs[i + kLast]) * now.dt > kSameImpact) continue;
    std::copy_n(&state.pairs[i], static_cast<size_t>(kPairColumns), &state.pairs[kept]);
    kept += kPairColumns;
  }
  state.pairs.resize(kept);
}

/// All contacts of a pair in one step are one press.
struct Press {
  const OtherShape* other = nullptr;
  Vec3 at = Vec3::Zero(), normal = Vec3::Zero(), way = Vec3::Zero();
  double speed = 0;  // m/s, normal
  double mass = 0;   // kg, of its own part
};

Press press_of(const LayerContext& now, const OtherShape& other) {
  Press press;
  press.other = &other;
  double weight = 0;
  for (const Hit& hit : now.hits) {
    if (hit.part != other.part || hit.other != other.other) continue;
    const double w = hit.impulse.norm() + 1e-12, speed = hit.approach.dot(hit.normal);
    press.at += w * hit.at, press.normal += w * hit.normal, weight += w;
    press.mass = hit.mass;
    if (speed > press.speed) press.speed = speed, press.way = hit.approach;
  }
  if (weight > 0) press.at /= weight;
  if (press.normal.norm() > 1e-9 * weight) press.normal.normalize();
  return press;
}

double reduced_mass(double a, double b) {
  return b > 0 ? a * b / (a + b) : a;
}

/// Whether it is always drawn as a whole, however many parts its pieces move in.
bool is_one_surface(const Model& model) {
  return model.drawn.size() == 1;
}

/// Which of the drawn surfaces may show a print: the whole body while it is, and the skins of its pieces.
std::vector<size_t> sheets_of(const Model& model, const LayerContext& now, const OtherShape& other) {
  if (is_one_surface(model)) return {0};
  std::vector<size_t> sheets;
  const bool is_whole = std::all_of(now.surface_of_piece.begin(), now.surface_of_piece.end(), [](int p) { return p == 0; });
  if (is_whole && !model.drawn.front()->triangles.empty()) sheets.push_back(0);
  for (const int piece : other.pieces) sheets.push_back(static_cast<size_t>(piece) + 1);
  return sheets;
}

/// Offsets that are being dented: those of the goal if dents take their time.
std::vector<Vec3f>& target_of(State& state) {
  return state.goals.empty() ? state.offsets : state.goals;
}
std::vector<Vec3f>& target_of(SheetState& sheet) {
  return sheet.goals.empty() ? sheet.offsets : sheet.goals;
}

Vec3 to_rest(const Mat3& turn, const Vec3& move) {
  constexpr double kMinStretch = 0.2;
  const Eigen::JacobiSVD<Mat3> svd(turn, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixV() * svd.singularValues().cwiseMax(kMinStretch).cwiseInverse().asDiagonal() * svd.matrixU().transpose() * move;
}

double volume_of(const RiggedBody& body, const std::vector<Vec3f>& offsets, int tet) {
  const Tetrahedron& t = body.asset.tets.tets[static_cast<size_t>(tet)];
  const auto at = [&](size_t i) { return Vec3(body.asset.tets.positions[static_cast<size_t>(t[i])] + offsets[static_cast<size_t>(t[i])].cast<double>()); };
  return (at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))) / 6;
}

/// How far a print moves a vertex of the tetrahedra, in rest space.
struct Move {
  int vertex;
  Vec3f by;
  float share = 1;  // of it that is made
};

std::vector<Move> moves_of(const Model& model, const LayerContext& now, const Print& print, const OtherShape& other) {
  const std::vector<int>& first = model.body->first_vertex;
  std::vector<Move> moves;
  std::vector<Vec3f> bent;
  std::vector<Mat3> turns;
  if (now.bend) bent = now.shape->vertices, turns = now.bend(other.piece, -1, {}, bent);
  const std::vector<Vec3f>& vertices = now.bend ? bent : now.shape->vertices;
  for (const int piece : other.pieces) {
    for (int v = first[static_cast<size_t>(piece)]; v < first[static_cast<size_t>(piece) + 1]; ++v) {
      Vec3 move = print.move(vertices[static_cast<size_t>(v)].cast<double>());
      if (move.squaredNorm() < kMinMove * kMinMove) continue;
      if (now.bend) move = turns[static_cast<size_t>(v)].transpose() * move;
      moves.push_back({v, (now.is_skinned ? to_rest(turn_at_vertex(model, *now.shape, v), move) : move).cast<float>()});
    }
  }
  return moves;
}

/// The tetrahedra that have some of the vertices, ascending.
std::vector<int> tets_around(const Model& model, std::span<const Move> moves) {
  std::vector<int> tets;
  for (const Move& move : moves) {
    const std::vector<int>& around = model.tets_of[static_cast<size_t>(move.vertex)];
    tets.insert(tets.end(), around.begin(), around.end());
  }
  std::sort(tets.begin(), tets.end());
  tets.erase(std::unique(tets.begin(), tets.end()), tets.end());
  return tets;
}

/// Moves the vertices of the tetrahedra; those of a tetrahedron that would nearly vanish move less. What is drawn does not depend on it.
void dent_tets(const Model& model, State& state, const LayerContext& now, const Print& print, const OtherShape& other) {
  std::vector<Vec3f>& offsets = target_of(state);
  std::vector<Move> moves = moves_of(model, now, print, other);
  const std::vector<int> tets = tets_around(model, moves);
  std::vector<double> least;  // #tets, m^3
  for (const int tet : tets) least.push_back(kMinVolume * volume_of(*model.body, offsets, tet));
  std::vector<Vec3f> before;  // #moves
  for (const Move& move : moves) before.push_back(offsets[static_cast<size_t>(move.vertex)]);
  for (int pass = 0; pass <= kHalvings; ++pass) {
    for (size_t i = 0; i < moves.size(); ++i) {
      const float share = pass == kHalvings && moves[i].share < 1 ? 0.0f : moves[i].share;
      offsets[static_cast<size_t>(moves[i].vertex)] = before[i] + share * moves[i].by;
    }
    std::set<int> too_far;
    for (size_t i = 0; i < tets.size(); ++i) {
      if (volume_of(*model.body, offsets, tets[i]) >= least[i]) continue;
      const Tetrahedron& corners = model.body->asset.tets.tets[static_cast<size_t>(tets[i])];
      too_far.insert(corners.begin(), corners.end());
    }
    if (too_far.empty()) break;
    for (Move& move : moves) move.share *= too_far.contains(move.vertex) ? 0.5f : 1.0f;
  }
  for (const Move& move : moves) state.moved.push_back(move.vertex / Skin::kLanes);
}

/// A drawn surface as it is seen from the rest frame of a piece.
struct SeenSurface {
  std::vector<Vec3f> points;
  std::vector<Mat3> turns;  // #points: by bending; none while the body is straight
};
SeenSurface seen_from(const Model& model, const State& state, const LayerContext& now, size_t index, int piece) {
  SeenSurface seen;
  seen.points = drawn_positions(model, state, index, *now.shape, now.is_skinned);
  if (now.bend) seen.turns = now.bend(piece, static_cast<int>(index), state.sheets[index].sheet.parents(), seen.points);
  return seen;
}

/// Refines a drawn surface under a print and presses it in.
void dent_sheet(const Model& model, State& state, const LayerContext& now, const Print& print, size_t index, int piece) {
  SheetState& sheet = state.sheets[index];
  SeenSurface seen = seen_from(model, state, now, index, piece);
  std::vector<Vec3f>& positions = seen.points;
  const double edge = std::max(kEdge * print.sigma, kHardEdge * print.half_width);
  const auto at = [&](int v) { return Vec3(positions[static_cast<size_t>(v)].cast<double>()); };
  const auto is_coarse = [&](const Triangle& t) {
    const Vec3 a = at(t[0]), b = at(t[1]), c = at(t[2]);
    const double longest = std::sqrt(std::max({(a - b).squaredNorm(), (b - c).squaredNorm(), (c - a).squaredNorm()}));
    if (longest <= edge || (a - print.middle).norm() > print.radius + longest) return false;
    if (longest > print.half_width) return print.overlaps(a, b, c);
    // A triangle that moves as its corners do shows the print as it is.
    const Vec3 ma = print.move(a), mb = print.move(b), mc = print.move(c);
    const auto differs = [&](double wa, double wb, double wc) {
      return (print.move(wa * a + wb * b + wc * c) - (wa * ma + wb * mb + wc * mc)).squaredNorm() > kShown * kShown * print.deepest * print.deepest;
    };
    constexpr double third = 1.0 / 3;
    return differs(0.5, 0.5, 0) || differs(0, 0.5, 0.5) || differs(0.5, 0, 0.5) || differs(third, third, third) || differs(0.6, 0.2, 0.2) || differs(0.2, 0.6, 0.2) || differs(0.2, 0.2, 0.6);
  };
  const auto added = [&](int a, int b) {
    const auto mean = [&](std::vector<Vec3f>& values) {
      if (!values.empty()) values.push_back(0.5f * (values[static_cast<size_t>(a)] + values[static_cast<size_t>(b)]));
    };
    mean(positions), mean(sheet.offsets), mean(sheet.goals);
  };
  if (!sheet.sheet.refine(is_coarse, static_cast<size_t>(model.settings.triangles), added)) ++state.figures[kUnrefined];
  sheet.parents = sheet.sheet.parents();
  sheet.sheet.finish();
  if (positions.size() > seen.turns.size() && now.bend) seen = seen_from(model, state, now, index, piece);
  std::vector<Vec3f>& offsets = target_of(sheet);
  const std::vector<Mat3> turns = now.is_skinned ? turns_of(model, state, index, *now.shape) : std::vector<Mat3>();
  for (size_t v = 0; v < positions.size(); ++v) {
    Vec3 move = print.move(positions[v].cast<double>());
    if (move.squaredNorm() < kMinMove * kMinMove) continue;
    if (now.bend) move = seen.turns[v].transpose() * move;
    offsets[v] += (turns.empty() ? move : to_rest(turns[v], move)).cast<float>();
  }
}

/// A press that is deep enough to be made.
struct Wanted {
  Press press;
  Contour contour;
  double depth = 0, before = 0;  // m: of all, and of what is there already
  double share = 1;
};

std::vector<SurfaceNow> surfaces_of(const OtherShape& other) {
  std::vector<SurfaceNow> surfaces;
  for (const OtherShape::Surface& surface : other.surfaces) surfaces.push_back({surface.points, surface.mesh->triangles});
  return surfaces;
}

/// The drawn surfaces of a part as they are now, kept as long as the views of them.
struct OwnSurfaces {
  std::vector<std::vector<Vec3f>> points;
  std::vector<SurfaceNow> views;
};
OwnSurfaces own_surfaces(const Model& model, const State& state, const LayerContext& now, const OtherShape& other) {
  OwnSurfaces own;
  std::vector<size_t> sheets = sheets_of(model, now, other);
  if (sheets.front() == 0) sheets.resize(1);  // the whole surface is that of all pieces
  for (const size_t i : sheets) own.points.push_back(seen_from(model, state, now, i, other.piece).points);
  for (size_t i = 0; i < sheets.size(); ++i) own.views.push_back({own.points[i], state.sheets[sheets[i]].sheet.triangles()});
  return own;
}

std::optional<Wanted> wanted_of(const Model& model, State& state, const LayerContext& now, const OtherShape& other) {
  const Settings& settings = model.settings;
  Wanted wanted;
  wanted.press = press_of(now, other);
  const Press& press = wanted.press;
  if (!(press.speed > model.threshold) || press.normal.norm() < 0.5) return {};
  const OwnSurfaces own = own_surfaces(model, state, now, other);
  wanted.contour = find_contour(press_frame(press.at, press.normal, press.way, settings.steepest * std::numbers::pi / 180), own.views, surfaces_of(other), settings.print.from_plane);
  if (!wanted.contour.touches) return {};
  if (settings.hardness) {
    const double energy = 0.5 * reduced_mass(press.mass, other.mass) * press.speed * press.speed * (1 - other.restitution * other.restitution);
    wanted.depth = depth_by_energy(wanted.contour, energy, *settings.hardness, settings.deepest);
  } else {
    wanted.depth = std::min(settings.deepest, settings.depth * (press.speed - model.threshold));
  }
  if (const double* pair = find_pair(state, now, other.piece, other.other_body, other.other_number)) wanted.before = pair[kDepth];
  if (!(wanted.depth > kDeeper * wanted.before)) return {};
  if (other.gives > 0 && settings.both == Both::Share) wanted.share = gives(model) / (gives(model) + other.gives);
  return wanted;
}

/// What presses on several parts of one surface at once leaves one print. They are sorted, the deepest first.
void keep_deepest(const LayerContext& now, std::vector<Wanted>& all) {
  const auto key = [&](const Wanted& wanted) {
    const OtherShape& other = *wanted.press.other;
    return std::tuple(now.surface_of_piece[static_cast<size_t>(other.piece)], other.other_body, other.other_number);
  };
  std::set<std::tuple<int, int, int>> seen;
  std::erase_if(all, [&](const Wanted& wanted) { return !seen.insert(key(wanted)).second; });
}

void make_dent(const Model& model, State& state, LayerContext& now, const Wanted& wanted) {
  const OtherShape& other = *wanted.press.other;
  const OwnSurfaces own = own_surfaces(model, state, now, other);
  const Print print = make_print(wanted.contour, own.views, surfaces_of(other), wanted.depth - wanted.before, wanted.share, model.settings.print);
  if (print.empty()) return;
  for (const size_t sheet : sheets_of(model, now, other)) dent_sheet(model, state, now, print, sheet, other.piece);
  dent_tets(model, state, now, print, other);
  if (double* pair = find_pair(state, now, other.piece, other.other_body, other.other_number)) pair[kDepth] = wanted.depth;
  if (wanted.before == 0) ++state.figures[kDents];
  state.figures[kDeepest] = std::max(state.figures[kDeepest], wanted.depth * wanted.share);
  state.figures[kVolume] += print.volume, state.figures[kMissing] += print.missing_volume;
  if (print.coarsened) ++state.figures[kCoarsened];
  if (model.settings.projectile == Projectile::Moved) {
    now.effects.sunk.push_back({other.other, other.piece, (wanted.depth - wanted.before) * wanted.share * wanted.contour.frame.way});
  }
  state.figures[kTimeLeft] = model.settings.over;
}

/// Dents that take their time go on.
void go_on(State& state, double dt) {
  double& left = state.figures[kTimeLeft];
  if (!(left > 0)) return;
  const float share = static_cast<float>(std::min(1.0, dt / left));
  const auto approach = [&](std::vector<Vec3f>& offsets, const std::vector<Vec3f>& goals, bool note) {
    for (size_t v = 0; v < offsets.size(); ++v) {
      const Vec3f way = goals[v] - offsets[v];
      if (way.isZero(0)) continue;
      offsets[v] = share == 1 ? goals[v] : Vec3f(offsets[v] + share * way);
      if (note) state.moved.push_back(static_cast<int>(v) / Skin::kLanes);
    }
  };
  approach(state.offsets, state.goals, true);
  for (SheetState& sheet : state.sheets) approach(sheet.offsets, sheet.goals, false);
  left = std::max(0.0, left - dt);
}

}  // namespace

void select_hits(const Model& model, State& state, const LayerContext& now, std::span<Touching> touching) {
  forget_old(state, now);
  for (Touching& touched : touching) {
    if (touched.other < 0) continue;
    if (double* pair = find_pair(state, now, touched.piece, touched.other_body, touched.other_number)) pair[kLast] = static_cast<double>(now.step);
    if (touched.approach > model.threshold) touched.wanted = touched.shape_wanted = true;
  }
}

void step(const Model& model, State& state, LayerContext& now) {
  state.moved.clear();
  std::vector<Wanted> all;
  for (const OtherShape& other : now.others) {
    if (std::optional<Wanted> wanted = wanted_of(model, state, now, other)) all.push_back(std::move(*wanted));
  }
  std::stable_sort(all.begin(), all.end(), [](const Wanted& a, const Wanted& b) { return a.depth > b.depth; });
  keep_deepest(now, all);
  if (all.size() > static_cast<size_t>(model.settings.most)) {
    state.figures[kLeftOut] += static_cast<double>(all.size()) - model.settings.most;
    all.resize(static_cast<size_t>(model.settings.most));
  }
  now.yielded.assign(all.empty() ? 0 : now.hits.size(), 0);
  for (const Wanted& wanted : all) {
    const OtherShape& other = *wanted.press.other;
    if (!find_pair(state, now, other.piece, other.other_body, other.other_number)) {
      state.pairs.insert(state.pairs.end(), {static_cast<double>(now.surface_of_piece[static_cast<size_t>(other.piece)]), static_cast<double>(other.other_body), static_cast<double>(other.other_number),
                                             static_cast<double>(now.step), 0.0});
    }
    make_dent(model, state, now, wanted);
    for (size_t i = 0; i < now.hits.size(); ++i) {
      if (now.hits[i].part == other.part && now.hits[i].other == other.other) now.yielded[i] = 1;
    }
  }
  go_on(state, now.dt);
  std::sort(state.moved.begin(), state.moved.end());
  state.moved.erase(std::unique(state.moved.begin(), state.moved.end()), state.moved.end());
  now.effects.reshaped = !state.moved.empty(), now.effects.moved = state.moved;
}

void put_shape(const Model&, const State& state, std::span<const int> blocks, Shape& shape) {
  for (const int block : blocks) {
    const size_t begin = static_cast<size_t>(block) * Skin::kLanes, end = std::min(begin + Skin::kLanes, shape.vertices.size());
    for (size_t v = begin; v < end; ++v) {
      shape.vertices[v] += state.offsets[v];
      if (!shape.offsets.empty()) shape.offsets[v] += state.offsets[v];
    }
  }
}

}  // namespace crumple::dents

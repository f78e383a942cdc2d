#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "crumple/methods/structures/structures.h"
#include "crumple/methods/structures/presets.h"

namespace crumple::structures {
namespace {

/// Where a point of the rest shape has come to, and how the shape is turned there.
struct Pose {
  Vec3 rest, at;
  Quat turn;
};

/// x = turn * rest + shift
struct Affine {
  Mat3 turn;
  Vec3 shift;
};

Pose carry(const Pose& pose, const Vec3& rest) {
  return {rest, pose.at + pose.turn * (rest - pose.rest), pose.turn};
}

/// On the way from one middle to the next: a curve that leaves the one and reaches the other straight along them. Blended points would draw a bar
/// that grows thin where it bends sharply, and blended turns about the joint one that swings out before the bend.
Pose between(const Pose& a, const Pose& b, double t) {
  const Vec3 way = b.rest - a.rest, chord = b.at - a.at;
  const Vec3 leave = a.turn * way, reach = b.turn * way;
  // Hermite's cubic; the straight line first, so that what has not bent stays straight to the last digit.
  const Vec3 at = a.at + t * chord + t * (1 - t) * ((1 - t) * (leave - chord) - t * (reach - chord));
  return {a.rest + t * way, at, a.turn.slerp(t, b.turn)};
}

double smooth(double t) {
  return t * t * (3 - 2 * t);
}

/// Draws the vertices of one piece.
class Drawing {
 public:
  Drawing(const Model& model, const State& state, int piece, std::span<const Transform> places)
      : model_(model), state_(state), own_(piece), places_(places) {}

  /// How the surroundings of a vertex have moved.
  Affine motion(const Follow& follow) {
    choose_if_new(follow);
    Affine motion{pose_.turn.toRotationMatrix(), pose_.at - pose_.turn * pose_.rest};
    if (share_ == 1) return motion;
    const Mat3 apart = apart_.turn.toRotationMatrix();
    return {(1 - share_) * apart + share_ * motion.turn, (1 - share_) * (apart_.at - apart * apart_.rest) + share_ * motion.shift};
  }

  Vec3 draw(const Vec3& rest, const Follow& follow) {
    choose_if_new(follow);
    const Vec3 at = carry(pose_, rest).at;
    return share_ == 1 ? at : Vec3((1 - share_) * carry(apart_, rest).at + share_ * at);
  }

 private:
  void choose_if_new(const Follow& follow) {
    if (!(follow.pieces == last_.pieces && follow.weights == last_.weights)) last_ = follow, choose(follow);
  }

  /// Sets the pose of a vertex, and where a crack ends beside it, the pose that it would have if the crack went on.
  void choose(const Follow& follow) {
    const auto& [a, b, c, d] = follow.pieces;
    share_ = 1;
    const double u = follow.weights[1] + follow.weights[3], v = follow.weights[2] + follow.weights[3];
    if (c < 0 || c == a) {
      pose_ = pair(a, b, u);
    } else if (b == a) {
      pose_ = pair(a, c, v);
    } else {
      pose_ = quad(follow.pieces, u, v);
    }
  }

  Pose pair(int a, int b, double t) const { return b >= 0 && a != b && joined(a, b) ? between(pose_of(a), pose_of(b), t) : pose_of(own_); }

  /// Among four cells around a corner, those that hang together with the own one.
  Pose quad(const std::array<int, 4>& cells, double u, double v) {
    const size_t own = static_cast<size_t>(std::find(cells.begin(), cells.end(), own_) - cells.begin());
    assert(own < 4);
    const auto holds = [&](size_t a, size_t b) { return joined(cells[a], cells[b]); };
    const size_t beside = own ^ 1, across = own ^ 2, opposite = own ^ 3;
    const bool to_beside = holds(own, beside), to_across = holds(own, across);
    std::array<bool, 4> member = {};
    member[own] = true;
    if (to_beside || to_across) {
      const bool round_beside = holds(beside, opposite), round_across = holds(across, opposite);
      member[opposite] = (to_beside && round_beside) || (to_across && round_across);
      member[beside] = to_beside || (member[opposite] && round_beside);
      member[across] = to_across || (member[opposite] && round_across);
    }
    // The crack beside a cell closes towards the corner if the cells hang together around it.
    if (member[beside] && !to_beside) {
      share_ = smooth(2 * (own & 2 ? 1 - v : v));
      apart_ = pair(cells[own & 1], cells[(own & 1) | 2], v);
    } else if (member[across] && !to_across) {
      share_ = smooth(2 * (own & 1 ? 1 - u : u));
      apart_ = pair(cells[own & 2], cells[(own & 2) | 1], u);
    }
    return blend(cells, member, u, v);
  }

  /// First along the rows, then across; a missing cell is replaced by the row or cell beside it, extended rigidly.
  Pose blend(const std::array<int, 4>& cells, const std::array<bool, 4>& member, double u, double v) const {
    std::array<Pose, 2> rows;
    std::array<bool, 2> there = {};
    std::array<Vec3, 2> rest;
    for (size_t r = 0; r < 2; ++r) {
      const Pose low = pose_of(cells[2 * r]), high = pose_of(cells[2 * r + 1]);
      rest[r] = (1 - u) * low.rest + u * high.rest;
      there[r] = member[2 * r] || member[2 * r + 1];
      if (member[2 * r] && member[2 * r + 1]) {
        rows[r] = between(low, high, u);
      } else {
        rows[r] = carry(member[2 * r] ? low : high, rest[r]);
      }
    }
    if (there[0] && there[1]) return between(rows[0], rows[1], v);
    return carry(there[0] ? rows[0] : rows[1], (1 - v) * rest[0] + v * rest[1]);
  }

  bool joined(int a, int b) const {
    for (const int j : model_.joints_of[static_cast<size_t>(a)]) {
      const Joint& joint = model_.joints[static_cast<size_t>(j)];
      if ((joint.a == b || joint.b == b) && state_.histories[static_cast<size_t>(j)].broken_at < 0) return true;
    }
    return false;
  }

  Pose pose_of(int piece) const {
    const Vec3& middle = model_.pieces[static_cast<size_t>(piece)].mass.center;
    const Transform& place = places_[static_cast<size_t>(piece)];
    return {middle, place * middle, Quat(place.rotation)};
  }

  const Model& model_;
  const State& state_;
  int own_;
  std::span<const Transform> places_;
  Follow last_;  // neighbouring vertices often follow alike
  Pose pose_, apart_;
  double share_ = 1;  // of pose_; the rest is of apart_
};

}  // namespace

std::vector<Vec3f> pose(const Model& model, const State& state, int piece, std::span<const Transform> places) {
  const std::vector<Follow>& follow = model.follow[static_cast<size_t>(piece)];
  const std::vector<Vec3>& rest = model.pieces[static_cast<size_t>(piece)].surface.positions;
  if (follow.empty()) return {};
  assert(follow.size() == rest.size() && places.size() == model.pieces.size());
  const Transform back = places[static_cast<size_t>(piece)].inverse();
  Drawing drawing(model, state, piece, places);
  std::vector<Vec3f> points;
  points.reserve(rest.size());
  for (size_t v = 0; v < rest.size(); ++v) points.push_back((back * drawing.draw(rest[v], follow[v])).cast<float>());
  return points;
}

std::vector<Vec3f> pose(const Model& model, const State& state, const PieceSide& side, std::span<const Transform> places) {
  if (side.points.empty()) return pose(model, state, side.piece, places);
  const std::vector<Follow>& follow = model.follow[static_cast<size_t>(side.piece)];
  if (follow.empty()) return {};
  const Transform back = places[static_cast<size_t>(side.piece)].inverse();
  Drawing drawing(model, state, side.piece, places);
  std::vector<Affine> motions;
  motions.reserve(side.points.size());
  for (const Follow& one : follow) motions.push_back(drawing.motion(one));
  for (size_t i = 0; i + 1 < side.parents.size(); i += 2) {
    const Affine &a = motions[static_cast<size_t>(side.parents[i])], &b = motions[static_cast<size_t>(side.parents[i + 1])];
    motions.push_back({0.5 * (a.turn + b.turn), 0.5 * (a.shift + b.shift)});
  }
  assert(motions.size() == side.points.size());
  std::vector<Vec3f> points;
  points.reserve(side.points.size());
  for (size_t v = 0; v < side.points.size(); ++v) points.push_back((back * (motions[v].turn * side.points[v].cast<double>() + motions[v].shift)).cast<float>());
  if (side.turns) {
    for (const Affine& motion : motions) side.turns->push_back(back.rotation * motion.turn);
  }
  return points;
}

namespace {

const Vec3f kUnused(0.03f, 0.10f, 0.80f), kHalf(0.05f, 0.60f, 0.10f), kYield(0.95f, 0.80f, 0.03f), kUltimate(0.80f, 0.01f, 0.01f);
const Vec3f kBroken(0.01f, 0.01f, 0.01f);

Vec3f mix(const Vec3f& a, const Vec3f& b, double share) {
  return a + static_cast<float>(share) * (b - a);
}

struct Shade {
  double level = 0;   // up to 1 the utilisation, from there to 2 the share of the ultimate flow that is used up
  double broken = 0;  // 1 where it is
};

Shade shade_of(const rigid::PlasticLaw& law, const rigid::JointHistory& book) {
  if (book.broken_at >= 0) return {2, 1};
  if (book.turn == 0 && book.elongation == 0) return {std::clamp(book.utilisation, 0.0, 1.0), 0};
  return {1 + std::clamp(std::max(book.turn / law.ultimate_rotation, book.elongation / law.ultimate_elongation), 0.0, 1.0), 0};
}

Vec3f color_of(const Shade& shade) {
  const double level = shade.level;
  const Vec3f whole = level < 0.5 ? mix(kUnused, kHalf, 2 * level)
                      : level < 1 ? mix(kHalf, kYield, 2 * level - 1)
                                  : mix(kYield, kUltimate, level - 1);
  return mix(whole, kBroken, shade.broken);
}

/// Between the joints of a piece, those along one direction only if one is given.
Shade shade_at(const Model& model, const State& state, int piece, const Vec3& at, const Vec3* direction) {
  Shade sum;
  double weights = 0;
  for (const int j : model.joints_of[static_cast<size_t>(piece)]) {
    const Joint& joint = model.joints[static_cast<size_t>(j)];
    if (direction && std::abs(joint.frame.rotation.col(0).dot(*direction)) < 0.9) continue;
    // Mostly by the distance from the cut that the joint stands for: there, both its pieces agree.
    const Vec3 away = at - joint.frame.translation;
    const double along = away.dot(joint.frame.rotation.col(0));
    const double weight = 1 / (along * along + (direction ? 1e-6 : 0.02) * away.squaredNorm() + 1e-18);
    const Shade shade = shade_of(joint.law, state.histories[static_cast<size_t>(j)]);
    sum.level += weight * shade.level, sum.broken += weight * shade.broken, weights += weight;
  }
  return weights > 0 ? Shade{sum.level / weights, sum.broken / weights} : Shade{};
}

/// Of a plate: of what is bent along x and what is bent along z, whichever is used more.
Shade shade_of_plate(const Model& model, const State& state, const Follow& follow, const Vec3& at) {
  Shade worst;
  const Mat3& axes = model.pieces[static_cast<size_t>(follow.pieces[0])].place.rotation;
  for (const int axis : {0, 2}) {
    const Vec3 direction = axes.col(axis);
    Shade mean;
    for (size_t k = 0; k < 4; ++k) {
      if (follow.weights[k] == 0) continue;
      const Shade one = shade_at(model, state, follow.pieces[k], at, &direction);
      mean.level += follow.weights[k] * one.level, mean.broken += follow.weights[k] * one.broken;
    }
    worst = {std::max(worst.level, mean.level), std::max(worst.broken, mean.broken)};
  }
  return worst;
}

}  // namespace

std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view, int piece) {
  const std::vector<Vec3>& rest = model.pieces[static_cast<size_t>(piece)].surface.positions;
  const std::vector<Follow>& follow = model.follow[static_cast<size_t>(piece)];
  std::vector<Vec3f> colors;
  colors.reserve(rest.size());
  for (size_t v = 0; v < rest.size(); ++v) {
    const bool of_plate = !follow.empty() && follow[v].pieces[2] >= 0;
    colors.push_back(color_of(of_plate ? shade_of_plate(model, state, follow[v], rest[v]) : shade_at(model, state, piece, rest[v], nullptr)));
  }
  return colors;
}

namespace {

std::string footer(int, const Totals& totals) {
  return fmt::format("{:g} of {:g} joints broken, {:.3g} J", totals.at("broken_joints"), totals.at("joints"), totals.at("work"));
}

}  // namespace

const MethodInfo& info(const Settings&) {
  static constexpr ColorScheme kSchemes[] = {{"utilisation", "of joints"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Bonds,
                                       .name = "structures",
                                       .key = "structure",
                                       .key_help = "structure of bars, plates and pieces held together by elastic-plastic joints",
                                       .paper = "paper 5",
                                       .help = "structures of bars, plates and pieces sag, yield, dissipate and snap at elastic-plastic joints",
                                       .need = BodyNeed::OwnShape,
                                       .noun = "structure",
                                       .verb = "yield",
                                       .held_by = "supports",
                                       .colors = kSchemes,
                                       .state_color = "utilisation",
                                       .footer = footer,
                                       .order = 0,
                                       .skins = false,
                                       .arrays = "joints",
                                       .presets = kPresets};
  return kInfo;
}

std::vector<FileName> files(Settings& settings) {
  std::vector<FileName> names;
  for (size_t i = 0; i < settings.pieces.size(); ++i) {
    if (!settings.pieces[i].mesh.empty()) names.push_back({fmt::format("pieces/{}/mesh", i), &settings.pieces[i].mesh});
  }
  return names;
}

std::vector<BodyName> bodies_named(const Settings& settings) {
  std::vector<BodyName> names;
  for (size_t i = 0; i < settings.supports.size(); ++i) names.push_back({fmt::format("supports/{}/to", i), settings.supports[i].to});
  return names;
}

Result<Model> build(const BondSeed& seed, const Settings& settings) {
  std::vector<const TriMesh*> meshes;
  auto next = seed.meshes.begin();
  for (const SinglePiece& piece : settings.pieces) meshes.push_back(piece.mesh.empty() ? nullptr : *next++);
  return build(settings, meshes, seed.density);
}

std::vector<Link> links(const Model& model) {
  std::vector<Link> links;
  for (const Joint& joint : model.joints) links.push_back({.a = joint.a, .b = joint.b, .start = Hold::Jointed, .name = joint.name, .to = joint.to, .frame = joint.frame, .law = joint.law});
  return links;
}

void report(const Model&, const State& state, const ReportContext&, Report& report) {
  double broken = 0;
  for (const rigid::JointHistory& joint : state.histories) broken += joint.broken_at >= 0 ? 1 : 0;
  report.totals = {{"joints", static_cast<double>(state.histories.size())}, {"broken_joints", broken}, {"work", total_work(state)}};
}

}  // namespace crumple::structures

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "crumple/core/suggest.h"
#include "crumple/methods/structures/build.h"
#include "crumple/methods/structures/checks.h"
#include "crumple/methods/structures/kernels.h"

namespace crumple::structures {
namespace {

using Names = std::map<std::string, int>;
using JointOfPair = std::map<std::pair<int, int>, size_t>;  // the joints that are there without being asked for

Result<int> find_piece(const Names& names, const std::string& name, const std::string& where) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  std::vector<std::string> all;
  for (const auto& [known, index] : names) all.push_back(known);
  return input_error(fmt::format("{}: there is no piece \"{}\"{}", where, name,
                                 suggestion(name, all, "; pieces of bars are called \"rail 1\", cells of plates \"deck 1 1\"")));
}

double half_extent(const Piece& piece, const Vec3& direction) {
  double low = 1e300, high = -1e300;
  for (const Vec3& point : outline(piece)) low = std::min(low, point.dot(direction)), high = std::max(high, point.dot(direction));
  return 0.5 * (high - low);
}

/// From middle to middle along the joint's axis; of pieces side by side, straight.
double length_between(const Piece& a, const Piece* b, const Vec3& axis) {
  if (!b) return half_extent(a, axis);
  const Vec3 apart = b->mass.center - a.mass.center;
  const double along = std::abs(apart.dot(axis));
  return along > 1e-3 * apart.norm() ? along : apart.norm();
}

Result<void> add_joint(Draft& draft, const SingleJoint& joint, const Names& names, JointOfPair& there, const std::string& where) {
  if (const auto wrong = check(joint)) return input_error(fmt::format("{}{}{}: {}", where, wrong->key.empty() ? "" : "/", wrong->key, wrong->text));
  const Result<int> a = find_piece(names, joint.a, where + "/a");
  if (!a) return a.error();
  Result<int> b = -1;
  if (!joint.b.empty()) b = find_piece(names, joint.b, where + "/b");
  if (!b) return b.error();
  const Result<Stock> stock = make_stock(draft.section_of(joint.section), draft.material_of(joint.material), draft.density);
  if (!stock) return input_error(where + stock.error().text);
  std::vector<Piece>& pieces = draft.model.pieces;
  const Mat3 axes = section_axes(joint.axis, joint.up);
  const double length = joint.length > 0
                            ? joint.length
                            : length_between(pieces[static_cast<size_t>(*a)], *b < 0 ? nullptr : &pieces[static_cast<size_t>(*b)], axes.col(0));
  if (!(length >= kSmallestSize)) return input_error(where + "/length: the two pieces have the same middle; say how long the bar is that bends");
  draft.add_joint(*a, *b, joint.at, axes, law_of(*stock, draft.settings().behaviour, length), joint.name);
  if (const auto old = there.find(std::minmax(*a, *b)); old != there.end()) {
    std::vector<Joint>& joints = draft.model.joints;
    joints[old->second] = std::move(joints.back());
    joints.pop_back();
    there.erase(old);  // a second one between the same two is one more
  }
  return {};
}

}  // namespace

Result<void> add_single_joints(Draft& draft) {
  Names names;
  for (size_t p = 0; p < draft.model.pieces.size(); ++p) names[draft.model.pieces[p].name] = static_cast<int>(p);
  JointOfPair there;
  for (size_t j = 0; j < draft.model.joints.size(); ++j) there[std::minmax(draft.model.joints[j].a, draft.model.joints[j].b)] = j;
  const std::vector<SingleJoint> joints = draft.settings().joints;
  for (size_t i = 0; i < joints.size(); ++i) {
    if (Result<void> done = add_joint(draft, joints[i], names, there, fmt::format("/joints/{}", i)); !done) return done;
  }
  return {};
}

namespace {

constexpr double kNear = 1e-4;  // of the structure's size: places in scenes are rounded

/// A way to hold one piece.
struct Grip {
  int piece;
  Vec3 at;
  Mat3 axes;
  const Stock* stock;
  double length;  // of bar that bends between the middle of the piece and the support
  bool flat;      // of a plate
};

std::vector<Grip> grips_of(const CutBar& bar) {
  const double half = 0.5 * bar.piece_length();
  return {{bar.first, bar.from, bar.axes, &bar.stock, half, false},
          {bar.first + bar.count - 1, bar.point(bar.length), bar.axes, &bar.stock, half, false}};
}

std::vector<Grip> grips_of(const CutPlate& plate) {
  std::vector<Grip> grips;
  for (int direction = 0; direction < 2; ++direction) {
    const size_t d = static_cast<size_t>(direction);
    for (const int side : {-1, 1}) {
      const int border = side < 0 ? 0 : plate.cells[d] - 1;
      for (int k = 0; k < plate.cells[1 - d]; ++k) {
        const int i = direction == 0 ? border : k, j = direction == 0 ? k : border;
        grips.push_back({plate.piece(i, j), plate.side(i, j, direction, side), plate.axes(direction), &plate.stock[d], 0.5 * plate.cell[d], true});
      }
    }
  }
  return grips;
}

std::vector<Grip> all_grips(const Draft& draft) {
  std::vector<Grip> all;
  for (const CutBar& bar : draft.bars) {
    for (const Grip& grip : grips_of(bar)) all.push_back(grip);
  }
  for (const CutPlate& plate : draft.plates) {
    for (const Grip& grip : grips_of(plate)) all.push_back(grip);
  }
  return all;
}

double distance(const Support& support, const Vec3& point) {
  if (!support.until) return (point - support.at).norm();
  const Vec3 way = *support.until - support.at;
  const double share = way.squaredNorm() > 0 ? std::clamp((point - support.at).dot(way) / way.squaredNorm(), 0.0, 1.0) : 0.0;
  return (point - support.at - share * way).norm();
}

/// Somewhere within a bar, a cell or a single piece; false if there is none.
Result<bool> grip_inside(const Draft& draft, const Vec3& at, Stock& own, Grip& grip) {
  const std::vector<Piece>& pieces = draft.model.pieces;
  size_t piece = 0;
  while (piece < pieces.size() && !contains(pieces[piece], at, kNear * draft.size)) ++piece;
  if (piece == pieces.size()) return false;
  const int index = static_cast<int>(piece);
  for (const CutBar& bar : draft.bars) {
    if (index >= bar.first && index < bar.first + bar.count) return grip = {index, at, bar.axes, &bar.stock, 0.5 * bar.piece_length(), false}, true;
  }
  for (const CutPlate& plate : draft.plates) {
    if (index < plate.first || index >= plate.first + plate.cells[0] * plate.cells[1]) continue;
    return grip = {index, at, plate.axes(0), &plate.stock[0], 0.5 * plate.cell[0], true}, true;
  }
  Result<Stock> stock = make_stock(draft.section_of({}), draft.material_of({}), draft.density);
  if (!stock) return input_error("/at: here is a single piece; to hold it the structure needs \"section\" and \"material\", or use \"joints\"");
  own = std::move(*stock);
  grip = {index, at, section_axes(Vec3::UnitX(), {}), &own, half_extent(pieces[piece], Vec3::UnitX()), false};
  return true;
}

void hold(Draft& draft, const Support& support, const Grip& grip) {
  rigid::PlasticLaw law = law_of(*grip.stock, draft.settings().behaviour, grip.length);
  if (support.hold != SupportKind::Clamped) law.stiffness.tail<3>().setZero();
  if (support.hold == SupportKind::Roller) law.stiffness.head(grip.flat ? 2 : 1).setZero();
  draft.add_joint(grip.piece, -1, grip.at, grip.axes, law, "", support.to);
}

Error nothing_there(const Draft& draft, const Support& support, const std::vector<Grip>& grips) {
  const Grip* nearest = nullptr;
  for (const Grip& grip : grips) {
    if (!nearest || distance(support, grip.at) < distance(support, nearest->at)) nearest = &grip;
  }
  std::string text = "/at: there is no end of a bar and no border of a plate here";
  if (nearest) {
    text += fmt::format("; the nearest is \"{}\" at [{:g}, {:g}, {:g}]", draft.model.pieces[static_cast<size_t>(nearest->piece)].name,
                        nearest->at.x(), nearest->at.y(), nearest->at.z());
  }
  return input_error(text);
}

Result<void> add_support(Draft& draft, const Support& support, const std::vector<Grip>& grips) {
  if (const auto wrong = check(support)) return input_error(fmt::format("/{}: {}", wrong->key, wrong->text));
  bool any = false;
  for (const Grip& grip : grips) {
    if (distance(support, grip.at) > kNear * draft.size) continue;
    hold(draft, support, grip);
    any = true;
  }
  if (any) return {};
  if (support.until) return nothing_there(draft, support, grips);
  Grip grip{};
  Stock own;
  const Result<bool> found = grip_inside(draft, support.at, own, grip);
  if (!found) return found.error();
  if (!*found) return nothing_there(draft, support, grips);
  hold(draft, support, grip);
  return {};
}

}  // namespace

Result<void> add_supports(Draft& draft) {
  const std::vector<Grip> grips = all_grips(draft);
  const std::vector<Support> supports = draft.settings().supports;
  for (size_t i = 0; i < supports.size(); ++i) {
    if (Result<void> done = add_support(draft, supports[i], grips); !done) return input_error(fmt::format("/supports/{}{}", i, done.error().text));
  }
  return {};
}

}  // namespace crumple::structures

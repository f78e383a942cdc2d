#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "crumple/methods/structures/build.h"
#include "crumple/methods/structures/checks.h"
#include "crumple/methods/structures/kernels.h"

namespace crumple::structures {
namespace {

constexpr int kRoundSides = 16;  // of the hull that a round bar collides as

bool is_round(const Section& section) {
  return section.shape == SectionShape::Circle || section.shape == SectionShape::Tube;
}

/// A prism with the area of the circle, so that it neither rests nor rolls noticeably lower or higher.
std::vector<Vec3> round_hull(const Transform& place, double length, double radius) {
  const double step = 2 * std::numbers::pi / kRoundSides;
  const double corner = radius * std::sqrt(step / std::sin(step));
  std::vector<Vec3> hull;
  for (const double end : {-0.5, 0.5}) {
    for (int k = 0; k < kRoundSides; ++k) {
      hull.push_back(place * Vec3(end * length, corner * std::cos((k + 0.5) * step), corner * std::sin((k + 0.5) * step)));
    }
  }
  return hull;
}

/// Of the true section, not of the box around it.
rigid::MassProperties weigh(const JointSection& section, double length, const Transform& place) {
  rigid::MassProperties mass;
  mass.mass = section.mass * length;
  mass.center = place.translation;
  mass.axes = place.rotation;
  const double slender = length * length / 12;
  const SectionGeometry& of = section.geometry;
  mass.inertia = mass.mass * Vec3((of.second_moment_1 + of.second_moment_2) / of.area, slender + of.second_moment_1 / of.area,
                                  slender + of.second_moment_2 / of.area);
  return mass;
}

Piece cut_piece(const CutBar& bar, int k, const std::string& name) {
  const double length = bar.piece_length();
  Piece piece;
  piece.name = fmt::format("{} {}", name, k + 1);
  piece.place = {bar.axes, bar.point((k + 0.5) * length)};
  if (is_round(*bar.stock.shape)) {
    piece.hull = round_hull(piece.place, length, bar.half_width);
  } else {
    piece.box = Vec3(length, 2 * bar.half_width, 2 * bar.half_height);
  }
  piece.mass = weigh(*bar.stock.section, length, piece.place);
  return piece;
}

Result<CutBar> cut(const Draft& draft, const Bar& bar) {
  if (const auto wrong = check(bar)) return input_error(fmt::format("{}{}: {}", wrong->key.empty() ? "" : "/", wrong->key, wrong->text));
  Result<Stock> stock = make_stock(draft.section_of(bar.section), draft.material_of(bar.material), draft.density);
  if (!stock) return stock.error();
  if (!stock->shape) return input_error("/section: a bar needs a shape: \"rect\", \"circle\", \"tube\" or \"i\"");
  CutBar made;
  made.first = static_cast<int>(draft.model.pieces.size()), made.count = bar.pieces;
  made.from = bar.from;
  made.length = (bar.to - bar.from).norm();
  made.axes = section_axes(bar.to - bar.from, bar.up);
  const Section& shape = *stock->shape;
  made.half_width = 0.5 * (is_round(shape) ? shape.diameter : shape.width),
  made.half_height = 0.5 * (is_round(shape) ? shape.diameter : shape.height);
  made.stock = *stock;
  if (!(made.stock.section->mass * made.piece_length() > 0)) return input_error("/section: its pieces weigh nothing");
  return made;
}

}  // namespace

Result<void> cut_bars(Draft& draft) {
  for (size_t i = 0; i < draft.settings().bars.size(); ++i) {
    const Bar& bar = draft.settings().bars[i];
    Result<CutBar> made = cut(draft, bar);
    if (!made) return input_error(fmt::format("/bars/{}{}", i, made.error().text));
    for (int k = 0; k < made->count; ++k) draft.model.pieces.push_back(cut_piece(*made, k, bar.name));
    const rigid::PlasticLaw law = law_of(made->stock, draft.settings().behaviour, made->piece_length());
    for (int k = 1; k < made->count; ++k) {
      draft.add_joint(made->first + k - 1, made->first + k, made->point(k * made->piece_length()), made->axes, law);
    }
    draft.bars.push_back(std::move(*made));
  }
  return {};
}

int piece_at(const CutBar& bar, double along) {
  const int k = static_cast<int>(std::ceil(along / bar.piece_length() - 1e-6)) - 1;
  return bar.first + std::clamp(k, 0, bar.count - 1);
}

namespace {

struct End {
  int bar;
  int side;  // 0: from, 1: to
  Vec3 at;
  int piece;
};

std::vector<End> ends_of(const std::vector<CutBar>& bars) {
  std::vector<End> ends;
  for (size_t i = 0; i < bars.size(); ++i) {
    const CutBar& bar = bars[i];
    ends.push_back({static_cast<int>(i), 0, bar.from, bar.first});
    ends.push_back({static_cast<int>(i), 1, bar.point(bar.length), bar.first + bar.count - 1});
  }
  return ends;
}

/// Place within the bar's own frame, from its beginning.
Vec3 seen_from(const CutBar& bar, const Vec3& at) {
  return bar.axes.transpose() * (at - bar.from);
}

double bending_capacity(const CutBar& bar) {
  return std::min(bar.stock.capacity.bending_1, bar.stock.capacity.bending_2);
}

double half_extent(const CutBar& bar, const Vec3& direction) {
  return bar.half_width * std::abs(direction.dot(bar.axes.col(1))) + bar.half_height * std::abs(direction.dot(bar.axes.col(2)));
}

/// Joins bars where their ends are. What bends at the joint is half a piece of each.
class BarJoiner {
 public:
  explicit BarJoiner(Draft& draft) : draft_(draft), ends_(ends_of(draft.bars)), first_(ends_.size()) {
    for (size_t e = 0; e < ends_.size(); ++e) first_[e] = static_cast<int>(e);
  }

  Result<void> join() {
    Result<Pairs> near = neighbours();
    if (!near) return near.error();
    const int count = static_cast<int>(ends_.size());
    const double same_place = 1e-6 * draft_.size;
    for (const auto& [a, b] : *near) {
      if (b < count && (end(a).at - end(b).at).norm() <= same_place) merge(a, b);
    }
    for (int e = 0; e < count; ++e) {
      if (const int first = group(e); first != e) join_ends(end(first), end(e));
    }
    for (const auto& [e, b] : *near) {
      if (e < count && b >= count && group(e) == e) join_to_bar(e, b - count);
    }
    return {};
  }

 private:
  const End& end(int e) const { return ends_[static_cast<size_t>(e)]; }
  CutBar& bar(int index) { return draft_.bars[static_cast<size_t>(index)]; }

  /// The strongest of the ends that are at one place, the first of equals: the middle of a star. What hangs on a weak bar would tear it off.
  int group(int e) const {
    while (first_[static_cast<size_t>(e)] != e) e = first_[static_cast<size_t>(e)];
    return e;
  }
  void merge(int a, int b) {
    const auto [low, high] = std::minmax({group(a), group(b)});
    const bool later = bending_capacity(bar(end(high).bar)) > bending_capacity(bar(end(low).bar));
    first_[static_cast<size_t>(later ? low : high)] = later ? high : low;
  }

  /// Of ends (numbered first) with ends and with whole bars.
  Result<Pairs> neighbours() const {
    std::vector<Bounds> bounds;
    for (const End& e : ends_) {
      bounds.emplace_back();
      bounds.back().add(e.at - Vec3::Constant(1e-6 * draft_.size)), bounds.back().add(e.at + Vec3::Constant(1e-6 * draft_.size));
    }
    for (const CutBar& b : draft_.bars) {
      bounds.emplace_back();
      const Vec3 grown = Vec3::Constant(std::hypot(b.half_width, b.half_height) * 1.01);
      for (const Vec3& at : {b.from, b.point(b.length)}) bounds.back().add(at - grown), bounds.back().add(at + grown);
    }
    constexpr size_t kMost = 2'000'000;
    Pairs pairs = overlapping(bounds, kMost);
    if (pairs.size() > kMost) return input_error("/bars: too many of them meet at one place");
    return pairs;
  }

  void join_ends(const End& a, const End& b) {
    const CutBar &one = bar(a.bar), &other = bar(b.bar);
    const CutBar& weaker = bending_capacity(other) < bending_capacity(one) ? other : one;
    const double length = 0.5 * (one.piece_length() + other.piece_length());
    if (a.piece == b.piece || !joined_.insert(std::minmax(a.piece, b.piece)).second) return;
    draft_.add_joint(a.piece, b.piece, a.at, weaker.axes, law_of(weaker.stock, draft_.settings().behaviour, length));
    // Not quite to the other's far side: faces in one plane flicker.
    const Vec3 along = one.axes.col(0);
    if (std::abs(along.dot(other.axes.col(0))) < 0.8) {
      double& overhang = bar(a.bar).overhang[a.side];
      overhang = std::max(overhang, 0.998 * half_extent(other, along));
    }
  }

  /// An end that lies in another bar or on its surface, but not where that one ends.
  void join_to_bar(int e, int index) {
    for (int other = 0; other < 2; ++other) {
      if (group(2 * index + other) == e) return;
    }
    const CutBar &through = bar(index), &ending = bar(end(e).bar);
    const double slack = 1e-3 * std::max(through.half_width, through.half_height);
    const Vec3 at = seen_from(through, end(e).at);
    if (std::abs(at.y()) > through.half_width + slack || std::abs(at.z()) > through.half_height + slack) return;
    if (at.x() < -slack || at.x() > through.length + slack) return;
    const int piece = piece_at(through, at.x());
    if (piece == end(e).piece || !joined_.insert(std::minmax(piece, end(e).piece)).second) return;
    draft_.add_joint(end(e).piece, piece, end(e).at, ending.axes, law_of(ending.stock, draft_.settings().behaviour, 0.5 * ending.piece_length()));
  }

  Draft& draft_;
  std::vector<End> ends_;   // two of every bar
  std::vector<int> first_;  // of each end: a stronger or earlier one at the same place, or itself
  std::set<std::pair<int, int>> joined_;
};

}  // namespace

Result<void> join_bars(Draft& draft) {
  return BarJoiner(draft).join();
}

}  // namespace crumple::structures

#include "crumple/methods/structures/skin.h"

#include <cmath>
#include <numbers>

#include "crumple/methods/structures/build.h"

namespace crumple::structures {
namespace {

constexpr int kSides = 24;  // of a round bar
constexpr int kRings = 6;   // stretches that a piece of a bar is drawn in; even, so that one ends in the middle
constexpr int kFine = 4;    // stretches of a cell, each way; likewise
constexpr int kCoarse = 2;  // the same where there are very many cells
constexpr int kManyCells = 2500;

Loop circle(double radius, bool hollow) {
  Loop loop;
  loop.smooth = true;
  for (int k = 0; k < kSides; ++k) {
    const double angle = (hollow ? -2 : 2) * std::numbers::pi * k / kSides;
    loop.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  return loop;
}

Profile rectangle(double width, double height) {
  const double w = 0.5 * width, h = 0.5 * height;
  Profile profile;
  profile.cap = {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
  profile.loops = {{profile.cap, false}};
  profile.triangles = {{0, 1, 2}, {0, 2, 3}};
  return profile;
}

Profile disc(double radius) {
  Profile profile;
  profile.loops = {circle(radius, false)};
  profile.cap = profile.loops[0].points;
  for (int k = 2; k < kSides; ++k) profile.triangles.push_back({0, k - 1, k});
  return profile;
}

Profile ring(double outer, double inner) {
  Profile profile;
  profile.loops = {circle(outer, false), circle(inner, true)};
  profile.cap = profile.loops[0].points;
  for (const Vec2& point : circle(inner, false).points) profile.cap.push_back(point);
  for (int k = 0; k < kSides; ++k) {
    const int next = (k + 1) % kSides;
    profile.triangles.push_back({k, next, kSides + next});
    profile.triangles.push_back({k, kSides + next, kSides + k});
  }
  return profile;
}

Profile i_profile(const Section& s) {
  const double w = 0.5 * s.width, h = 0.5 * s.height, t = 0.5 * s.web, f = h - s.flange;
  Profile profile;
  profile.cap = {{-w, -h}, {w, -h}, {w, -f}, {t, -f}, {t, f}, {w, f}, {w, h}, {-w, h}, {-w, f}, {-t, f}, {-t, -f}, {-w, -f}};
  profile.loops = {{profile.cap, false}};
  // each flange as a fan around a far corner, and the web between them
  profile.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 10}, {0, 10, 11}, {6, 7, 8}, {6, 8, 9}, {6, 9, 4}, {6, 4, 5}, {3, 4, 9}, {3, 9, 10}};
  return profile;
}

}  // namespace

Profile profile_of(const Section& section) {
  switch (section.shape) {
    case SectionShape::Circle:
      return disc(section.diameter / 2);
    case SectionShape::Tube:
      return ring(section.diameter / 2, section.diameter / 2 - section.wall);
    case SectionShape::I:
      return i_profile(section);
    case SectionShape::Rectangle:
      break;
  }
  return rectangle(section.width, section.height);
}

namespace {

/// A vertex of a bar's piece k follows the two pieces whose middles it lies between; beyond the first and the last middle, one. `along`: from the
/// beginning of the bar, in pieces.
Follow follow_along(const CutBar& bar, double along) {
  Follow follow;
  const double from_first = std::clamp(along - 0.5, 0.0, static_cast<double>(bar.count - 1));
  const int before = std::min(static_cast<int>(from_first), bar.count - 2);
  const double share = from_first - before;
  follow.pieces = {bar.first + before, bar.first + before + 1, -1, -1};
  follow.weights = {static_cast<float>(1 - share), static_cast<float>(share), 0, 0};
  return follow;
}

/// One piece of a bar, ring by ring. `follow` stays empty for a bar of one piece.
class BarSkin {
 public:
  BarSkin(const CutBar& bar, const Profile& profile, int k, TriMesh& mesh, std::vector<Follow>& follow)
      : bar_(bar), profile_(profile), k_(k), stretches_(bar.count > 1 ? kRings : 1), mesh_(mesh), follow_(follow) {}

  void draw() {
    for (const Loop& loop : profile_.loops) draw_wall(loop);
    draw_cap(0, true);
    draw_cap(stretches_, false);
  }

 private:
  int vertex(int ring, const Vec2& point) {
    const double along = k_ + static_cast<double>(ring) / stretches_;
    double place = along * bar_.piece_length();
    if (k_ == 0 && ring == 0) place -= bar_.overhang[0];
    if (k_ == bar_.count - 1 && ring == stretches_) place += bar_.overhang[1];
    mesh_.positions.push_back(bar_.point(place) + bar_.axes.rightCols<2>() * point);
    if (bar_.count > 1) follow_.push_back(follow_along(bar_, along));
    return static_cast<int>(mesh_.positions.size()) - 1;
  }

  /// Sharp outlines have two vertices at each corner, one for each face.
  void draw_wall(const Loop& loop) {
    const int corners = static_cast<int>(loop.points.size()), row = loop.smooth ? corners : 2 * corners;
    const int base = static_cast<int>(mesh_.positions.size());
    for (int ring = 0; ring <= stretches_; ++ring) {
      for (int c = 0; c < corners; ++c) {
        vertex(ring, loop.points[static_cast<size_t>(c)]);
        if (!loop.smooth) vertex(ring, loop.points[static_cast<size_t>((c + 1) % corners)]);
      }
    }
    for (int ring = 0; ring < stretches_; ++ring) {
      for (int c = 0; c < corners; ++c) {
        const int left = loop.smooth ? c : 2 * c, right = loop.smooth ? (c + 1) % corners : 2 * c + 1;
        const int a = base + ring * row + left, b = base + ring * row + right;
        mesh_.triangles.push_back({a, b, b + row});
        mesh_.triangles.push_back({a, b + row, a + row});
      }
    }
  }

  void draw_cap(int ring, bool looks_back) {
    const int base = static_cast<int>(mesh_.positions.size());
    for (const Vec2& point : profile_.cap) vertex(ring, point);
    for (const auto& [a, b, c] : profile_.triangles) {
      looks_back ? mesh_.triangles.push_back({base + a, base + c, base + b}) : mesh_.triangles.push_back({base + a, base + b, base + c});
    }
  }

  const CutBar& bar_;
  const Profile& profile_;
  int k_, stretches_;
  TriMesh& mesh_;
  std::vector<Follow>& follow_;
};

}  // namespace

void draw_bars(Draft& draft) {
  for (const CutBar& bar : draft.bars) {
    const Profile profile = profile_of(*bar.stock.shape);
    for (int k = 0; k < bar.count; ++k) {
      const size_t piece = static_cast<size_t>(bar.first + k);
      BarSkin(bar, profile, k, draft.model.pieces[piece].surface, draft.model.follow[piece]).draw();
    }
  }
}

namespace {

/// Between which two of `count` middles a place lies (in cells from the border), and how far on the way. With one cell, both are the same.
struct Between {
  int low, high;
  double share;
};
Between between(double along, int count) {
  const double from_first = std::clamp(along - 0.5, 0.0, static_cast<double>(count - 1));
  const int low = std::min(static_cast<int>(from_first), std::max(count - 2, 0));
  return {low, std::min(low + 1, count - 1), from_first - low};
}

/// One cell of a plate: two faces and four walls.
class CellSkin {
 public:
  CellSkin(const CutPlate& plate, int i, int j, TriMesh& mesh, std::vector<Follow>& follow)
      : plate_(plate), i_(i), j_(j), steps_(plate.cells[0] * plate.cells[1] > kManyCells ? kCoarse : kFine), mesh_(mesh), follow_(follow) {}

  void draw() {
    for (const double face : {-0.5, 0.5}) {
      grid(steps_, steps_, face > 0, [&](int u, int v) { vertex(u, face, v); });
    }
    for (const int border : {0, steps_}) {
      grid(1, steps_, border == 0, [&](int u, int v) { vertex(border, u - 0.5, v); });
      grid(steps_, 1, border == 0, [&](int u, int v) { vertex(u, v - 0.5, border); });
    }
  }

 private:
  void vertex(int u, double face, int v) {
    const double x = i_ + static_cast<double>(u) / steps_, z = j_ + static_cast<double>(v) / steps_;
    mesh_.positions.push_back(
        plate_.place * Vec3((x - 0.5 * plate_.cells[0]) * plate_.cell[0], face * plate_.thickness, (z - 0.5 * plate_.cells[1]) * plate_.cell[1]));
    const Between along_x = between(x, plate_.cells[0]), along_z = between(z, plate_.cells[1]);
    const float s = static_cast<float>(along_x.share), t = static_cast<float>(along_z.share);
    Follow follow;
    follow.pieces = {plate_.piece(along_x.low, along_z.low), plate_.piece(along_x.high, along_z.low), plate_.piece(along_x.low, along_z.high),
                     plate_.piece(along_x.high, along_z.high)};
    follow.weights = {(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t};
    follow_.push_back(follow);
  }

  template <class Vertex>
  void grid(int columns, int rows, bool flip, const Vertex& vertex) {
    const int base = static_cast<int>(mesh_.positions.size());
    for (int v = 0; v <= rows; ++v) {
      for (int u = 0; u <= columns; ++u) vertex(u, v);
    }
    for (int v = 0; v < rows; ++v) {
      for (int u = 0; u < columns; ++u) {
        const int a = base + v * (columns + 1) + u, b = a + 1, c = b + columns + 1, d = c - 1;
        flip ? mesh_.triangles.insert(mesh_.triangles.end(), {{a, c, b}, {a, d, c}})
             : mesh_.triangles.insert(mesh_.triangles.end(), {{a, b, c}, {a, c, d}});
      }
    }
  }

  const CutPlate& plate_;
  int i_, j_, steps_;
  TriMesh& mesh_;
  std::vector<Follow>& follow_;
};

}  // namespace

void draw_plates(Draft& draft) {
  for (const CutPlate& plate : draft.plates) {
    for (int j = 0; j < plate.cells[1]; ++j) {
      for (int i = 0; i < plate.cells[0]; ++i) {
        const size_t piece = static_cast<size_t>(plate.piece(i, j));
        CellSkin(plate, i, j, draft.model.pieces[piece].surface, draft.model.follow[piece]).draw();
      }
    }
  }
}

}  // namespace crumple::structures

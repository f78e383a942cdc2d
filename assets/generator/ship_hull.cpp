#include "assets/generator/ship_hull.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crumple::generator {

Vec3 HullLines::across(double along, double height, double z) const {
  const double from = stern(height), to = stem(height);
  const double widest = std::max(1e-6, breadth(0.5, height));
  const double drawn_in = round_stern * (z / widest) * (z / widest) * std::pow(1.0 - along, 12);
  return Vec3(from + (to - from) * along + drawn_in, height, z);
}

std::vector<double> gathered_shares(int count) {
  std::vector<double> shares;
  for (int i = 0; i <= count; ++i) {
    const double t = double(i) / count;
    shares.push_back(0.5 * t + 0.25 * (1 - std::cos(std::numbers::pi * t)));
  }
  return shares;
}

namespace {

class Hull {
 public:
  Hull(TriMesh& mesh, const HullLines& lines, const HullBuild& build)
      : mesh_(mesh), lines_(lines), build_(build), stations_(int(build.along.size())) {}

  void add() {
    add_skin();
    add_bottom();
    add_stern();
    add_stem();
    if (build_.bulwark > 0) {
      add_rail();
      add_inside();
    }
    add_deck();
  }

 private:
  enum class Band { Bottom, Line, Side, Strake };

  // Heights of the skin's rows at one station; the painted lines are rows of their own.
  std::vector<double> heights(double along) const {
    const double keel = lines_.keel(along), rail = lines_.rail(along);
    std::vector<double> rows;
    for (int i = 0; i < build_.rows_below; ++i) {
      // Closer at the bottom, where the skin turns.
      const double t = double(i) / build_.rows_below;
      rows.push_back(keel * (1 - t * t * (1.6 - 0.6 * t)));
    }
    rows.insert(rows.end(), {0.0, build_.line});
    const double top = rail - build_.strake;
    for (int i = 1; i <= build_.rows_above; ++i) rows.push_back(build_.line + (top - build_.line) * i / build_.rows_above);
    if (build_.strake > 0) rows.push_back(rail);
    return rows;
  }

  Band band(int row) const {
    if (row < build_.rows_below) return Band::Bottom;
    if (row == build_.rows_below) return Band::Line;
    return row <= build_.rows_below + build_.rows_above ? Band::Side : Band::Strake;
  }
  Vec3f skin_color(int row) const {
    switch (band(row)) {
      case Band::Bottom:
        return build_.paint.bottom;
      case Band::Line:
        return build_.paint.line;
      case Band::Side:
        return build_.paint.side;
      default:
        return build_.paint.strake;
    }
  }
  CellColor by_row() const {
    return [this](int row, int) { return skin_color(row); };
  }

  void add_both(const Grid& grid, const CellColor& color) {
    add_sheet(mesh_, grid, color);
    add_sheet(mesh_, mirrored(grid), color);
  }

  void add_skin() {
    Grid grid(int(heights(0).size()), stations_);
    for (int s = 0; s < stations_; ++s) {
      const double along = build_.along[s];
      const auto rows = heights(along);
      for (int r = 0; r < grid.rows; ++r) grid.at(r, s) = lines_.starboard(along, rows[r]);
    }
    add_both(grid, by_row());
  }

  // Between the lowest rows of both sides.
  void add_bottom() {
    constexpr int kAcross = 4;
    Grid grid(stations_, kAcross + 1);
    for (int s = 0; s < stations_; ++s) {
      const double along = build_.along[s], keel = lines_.keel(along), half = lines_.breadth(along, keel);
      for (int c = 0; c <= kAcross; ++c) grid.at(s, c) = lines_.across(along, keel, half * (2.0 * c / kAcross - 1));
    }
    Grid turned(kAcross + 1, stations_);
    for (int s = 0; s < stations_; ++s)
      for (int c = 0; c <= kAcross; ++c) turned.at(c, s) = grid.at(s, c);
    add_sheet(mesh_, turned, plain(build_.paint.bottom));
  }

  // Seen from behind, port is left.
  Grid across_at(double along, const std::vector<double>& rows, double inset, int columns) const {
    Grid grid(int(rows.size()), columns + 1);
    for (int r = 0; r < grid.rows; ++r) {
      const double half = std::max(0.0, lines_.breadth(along, rows[r]) - inset);
      for (int c = 0; c <= columns; ++c) {
        grid.at(r, c) = lines_.across(along, rows[r], half * (2.0 * c / columns - 1));
        grid.at(r, c).x() += inset;
      }
    }
    return grid;
  }

  void add_stern() { add_sheet(mesh_, across_at(0, heights(0), 0, 8), by_row()); }

  // The blunt edge that both sides meet in.
  void add_stem() {
    const auto rows = heights(1);
    Grid grid(int(rows.size()), 2);
    for (int r = 0; r < grid.rows; ++r) {
      grid.at(r, 0) = lines_.starboard(1, rows[r]);
      grid.at(r, 1) = grid.at(r, 0).cwiseProduct(Vec3(1, 1, -1));
    }
    add_sheet(mesh_, grid, by_row());
  }

  double deck_height(double along) const { return lines_.rail(along) - build_.bulwark; }

  // The skin's own point moved inwards by the thickness of the bulwark, never across the middle.
  Vec3 inner(double along, double height) const {
    const Vec3 outer = lines_.starboard(along, height);
    const double skin = build_.skin, from = lines_.stern(height) + skin, to = lines_.stem(height) - 2 * skin;
    Vec3 point = outer;
    point.z() = std::max(0.0, outer.z() - skin);
    point.x() = std::clamp(outer.x() + skin * std::pow(1 - along, 12), from, std::max(from, to));
    return point;
  }

  void add_rail() {
    Grid grid(2, stations_);
    for (int s = 0; s < stations_; ++s) {
      const double along = build_.along[s], rail = lines_.rail(along);
      grid.at(0, s) = lines_.starboard(along, rail);
      grid.at(1, s) = inner(along, rail);
    }
    add_both(grid, plain(build_.paint.rail));
    constexpr int kAcross = 8;
    Grid stern(2, kAcross + 1);
    for (int c = 0; c <= kAcross; ++c) {
      const double t = 2.0 * c / kAcross - 1, rail = lines_.rail(0);
      const Vec3 corner = inner(0, rail);
      stern.at(0, c) = lines_.across(0, rail, lines_.breadth(0, rail) * t);
      stern.at(1, c) = Vec3(lines_.across(0, rail, corner.z() * t).x() + build_.skin, rail, corner.z() * t);
    }
    add_sheet(mesh_, stern, plain(build_.paint.rail));
  }

  void add_inside() {
    constexpr int kRows = 3;
    Grid grid(kRows, stations_);
    for (int s = 0; s < stations_; ++s) {
      const double along = build_.along[stations_ - 1 - s], rail = lines_.rail(along), deck = deck_height(along);
      for (int r = 0; r < kRows; ++r) grid.at(r, s) = inner(along, deck + (rail - deck) * r / (kRows - 1));
    }
    add_both(grid, plain(build_.paint.inside));
    Grid stern(kRows, 9);
    for (int r = 0; r < kRows; ++r) {
      const double height = deck_height(0) + build_.bulwark * r / (kRows - 1), half = inner(0, height).z();
      for (int c = 0; c < 9; ++c) {
        const double z = half * (1 - c / 4.0);
        stern.at(r, c) = Vec3(lines_.across(0, height, z).x() + build_.skin, height, z);
      }
    }
    add_sheet(mesh_, stern, plain(build_.paint.inside));
  }

  void add_deck() {
    const int across = 2 * build_.deck_columns;
    Grid grid(across + 1, stations_);
    for (int s = 0; s < stations_; ++s) {
      const double along = build_.along[s], height = deck_height(along);
      const Vec3 edge = build_.bulwark > 0 ? inner(along, height) : lines_.starboard(along, height);
      for (int c = 0; c <= across; ++c) {
        const double t = 1.0 - 2.0 * c / across;
        Vec3 point(edge.x(), height + 0.03 * edge.z() * (1 - t * t), edge.z() * t);  // cambered, so that water runs off
        if (s == 0) point.x() = lines_.across(along, height, point.z()).x() + (build_.bulwark > 0 ? build_.skin : 0.0);
        grid.at(c, s) = point;
      }
    }
    add_sheet(mesh_, grid, plain(build_.paint.deck));
  }

  TriMesh& mesh_;
  const HullLines& lines_;
  const HullBuild& build_;
  int stations_;
};

}  // namespace

void add_hull(TriMesh& mesh, const HullLines& lines, const HullBuild& build) {
  Hull(mesh, lines, build).add();
}

void add_propeller(TriMesh& mesh, const Vec3& centre, double radius, const Vec3f& color) {
  for (int blade = 0; blade < 4; ++blade) {
    const Eigen::AngleAxisd turn(std::numbers::pi / 2 * blade + 0.4, Vec3::UnitX()), pitch(0.6, Vec3::UnitY());
    Block flat = upright_block(radius * Vec3(-0.04, 0.05, -0.28), radius * Vec3(0.04, 1, 0.28));
    for (auto* ring : {&flat.floor, &flat.roof})
      for (Vec3& corner : *ring) corner = centre + turn * (pitch * corner);
    add_block(mesh, flat, 2 * radius, color);
  }
}

void add_both_sides(std::vector<Handle>& handles, const std::string& name, const Vec3& starboard) {
  handles.push_back({name + " starboard", starboard});
  handles.push_back({name + " port", starboard.cwiseProduct(Vec3(1, 1, -1))});
}

}  // namespace crumple::generator

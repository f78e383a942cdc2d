#include "crumple/geometry/triangulate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/geometry/planar_mesh.h"
#include "crumple/geometry/rings.h"

namespace crumple {
namespace {

struct Polygon {
  std::vector<Vec2> points;
  std::vector<Ring> rings;

  void add(const std::vector<Vec2>& corners, bool hole = false) {
    Ring ring;
    for (const Vec2& corner : corners) {
      ring.push_back(static_cast<int>(points.size()));
      points.push_back(corner);
    }
    if (hole) std::reverse(ring.begin(), ring.end());
    rings.push_back(ring);
  }
  double area() const {
    double sum = 0;
    for (const Ring& ring : rings) sum += 0.5 * doubled_area(points, ring);
    return sum;
  }
  double size() const {
    double sum = 0;
    for (const Ring& ring : rings) sum += 0.5 * std::abs(doubled_area(points, Ring(ring.begin(), ring.begin() + static_cast<long>(ring.size() / 2))));
    return sum;
  }
  size_t edges() const {
    size_t count = 0;
    for (const Ring& ring : rings) count += ring.size();
    return count;
  }
};

std::vector<Vec2> circle(const Vec2& center, double radius, int count, double turned = 0) {
  std::vector<Vec2> points;
  for (int i = 0; i < count; ++i) {
    const double angle = turned + 2 * std::numbers::pi * i / count;
    points.push_back(center + radius * Vec2(std::cos(angle), std::sin(angle)));
  }
  return points;
}

/// Points on the sides of a polygon, each side in so many parts.
std::vector<Vec2> divided(const std::vector<Vec2>& corners, int parts) {
  std::vector<Vec2> points;
  for (size_t i = 0; i < corners.size(); ++i) {
    for (int k = 0; k < parts; ++k) points.push_back(corners[i] + (corners[(i + 1) % corners.size()] - corners[i]) * k / parts);
  }
  return points;
}

double area_of(const std::vector<Vec2>& points, const Triangle& t) {
  const Vec2 ab = points[static_cast<size_t>(t[1])] - points[static_cast<size_t>(t[0])],
             ac = points[static_cast<size_t>(t[2])] - points[static_cast<size_t>(t[0])];
  return 0.5 * (ab.x() * ac.y() - ab.y() * ac.x());
}

/// Every edge of a ring once, everything else in pairs: directed edges less those of the rings sum to nothing.
bool keeps_rings(const Polygon& polygon, const std::vector<Triangle>& triangles) {
  std::map<std::pair<int, int>, int> net;
  const auto add = [&](int a, int b, int sign) { net[{std::min(a, b), std::max(a, b)}] += a < b ? sign : -sign; };
  for (const Triangle& t : triangles) {
    for (size_t k = 0; k < 3; ++k) add(t[k], t[(k + 1) % 3], 1);
  }
  for (const Ring& ring : polygon.rings) {
    for (size_t i = 0; i < ring.size(); ++i) add(ring[i], ring[(i + 1) % ring.size()], -1);
  }
  return std::all_of(net.begin(), net.end(), [](const auto& edge) { return edge.second == 0; });
}

/// All that must hold of a polygon whose rings do not cross; `flat` triangles without area are allowed where rings touch.
void expect_good(const Polygon& polygon, std::vector<Triangle> triangles, int flat = 0) {
  ASSERT_TRUE(keeps_rings(polygon, triangles));
  EXPECT_EQ(triangles.size(), polygon.edges() + 2 * polygon.rings.size() - 4);  // Euler
  for (int pass = 0; pass < 2; ++pass) {
    double sum = 0;
    int flats = 0;
    for (const auto& [a, b, c] : triangles) {
      const int turn =
          orientation(polygon.points[static_cast<size_t>(a)], polygon.points[static_cast<size_t>(b)], polygon.points[static_cast<size_t>(c)]);
      ASSERT_GE(turn, 0) << "a triangle lies face down";
      flats += turn == 0;
      sum += area_of(polygon.points, {a, b, c});
    }
    EXPECT_NEAR(sum, polygon.area(), 1e-12 * polygon.size());
    EXPECT_LE(flats, flat);
    make_delaunay(polygon.points, triangles);
    ASSERT_TRUE(keeps_rings(polygon, triangles));
  }
}

void expect_good(const Polygon& polygon, int flat = 0) {
  expect_good(polygon, triangulate_polygon(polygon.points, polygon.rings), flat);
}

/// A polygon around the origin with a radius of its own in each direction.
std::vector<Vec2> random_star(Random& random, int count, double least, double most) {
  std::vector<Vec2> points = circle(Vec2::Zero(), 1, count, random.range(0, 1));
  for (Vec2& p : points) p *= random.range(least, most);
  return points;
}

/// A spiral wall: out along one side and back along the other.
std::vector<Vec2> spiral(int half, double turns, double width) {
  std::vector<Vec2> points;
  const auto add = [&](int i, double offset) {
    const double angle = 2 * std::numbers::pi * turns * i / (half - 1), radius = 0.5 + angle / (2 * std::numbers::pi) + offset;
    points.push_back(radius * Vec2(std::cos(angle), std::sin(angle)));
  };
  for (int i = 0; i < half; ++i) add(i, width);
  for (int i = half; i-- > 0;) add(i, 0);
  return points;
}

}  // namespace

TEST(Orientation, tells_points_on_a_line_from_points_beside_it) {
  // A line of slope 1/3 is not exact in binary: nudge by one unit in the last place, and the answer must be the sign of the exact determinant.
  const Vec2 a(0.5, 0.5), b(12, 12);
  for (int i = -40; i <= 40; ++i) {
    for (int j = -40; j <= 40; ++j) {
      const Vec2 c(24 + i * 0x1p-48, 24 + j * 0x1p-48);
      const int exact = (j > i) - (j < i);  // above the diagonal is to its left
      EXPECT_EQ(orientation(a, b, c), exact);
      EXPECT_EQ(orientation(c, a, b), exact);
      EXPECT_EQ(orientation(b, a, c), -exact);
    }
  }
}

TEST(Triangulate, divides_convex_and_star_shaped_polygons) {
  for (const int count : {3, 4, 5, 17, 400}) {
    Polygon round;
    round.add(circle({3, -2}, 2, count));
    expect_good(round);
  }
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    Polygon star;
    star.add(random_star(random, 5 + random.below(200), 0.05, 1));
    expect_good(star);
  }
}

TEST(Triangulate, divides_spirals_of_thousands_of_points) {
  for (const double width : {0.5, 0.9, 1e-3}) {
    Polygon wall;
    wall.add(spiral(1000, 6, width));
    expect_good(wall);
  }
  Polygon long_wall;
  long_wall.add(spiral(10000, 30, 0.4));
  expect_good(long_wall);
}

TEST(Triangulate, leaves_holes_open) {
  Polygon plate;
  plate.add({{0, 0}, {20, 0}, {20, 20}, {0, 20}});
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) plate.add(circle({2 + 2.0 * i, 2 + 2.0 * j}, 0.8, 3 + (i + j) % 9, 0.1 * i), true);
  }
  expect_good(plate);
  Polygon ring;
  ring.add(circle({0, 0}, 1, 2500));
  ring.add(circle({0, 0}, 0.999, 2500, 0.0003), true);
  expect_good(ring);
}

TEST(Triangulate, fills_random_polygons_with_random_holes) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    Polygon polygon;
    polygon.add(random_star(random, 8 + random.below(120), 2.5, 5));
    const int rows = 1 + random.below(4);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < rows; ++j) {
        std::vector<Vec2> hole = random_star(random, 3 + random.below(12), 0.05, 1.2 / rows);
        for (Vec2& p : hole) p += Vec2(-1.4 + 2.8 * (i + 0.5) / rows, -1.4 + 2.8 * (j + 0.5) / rows);
        polygon.add(hole, true);
      }
    }
    expect_good(polygon);
  }
}

TEST(Triangulate, takes_points_on_straight_sides) {
  Polygon box;
  std::vector<Vec2> rim;
  for (int i = 0; i < 50; ++i) rim.emplace_back(i, 0);
  for (int i = 0; i < 7; ++i) rim.emplace_back(50, i);
  for (int i = 50; i > 0; i -= 5) rim.emplace_back(i, 7);
  rim.emplace_back(0, 7);
  box.add(rim);
  std::vector<Vec2> slot;
  for (int i = 10; i < 40; ++i) slot.emplace_back(i, 2);
  for (int i = 40; i > 10; --i) slot.emplace_back(i, 4);
  slot.emplace_back(10, 4);
  box.add(slot, true);
  expect_good(box);
  Polygon triangle;  // all but two corners on one line
  triangle.add({{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 5}});
  expect_good(triangle);
}

TEST(Triangulate, takes_points_that_come_twice) {
  Polygon twice;
  twice.add({{0, 0}, {2, 0}, {2, 0}, {2, 2}, {1, 1}, {1, 1}, {0, 2}});
  expect_good(twice, 2);
  Polygon pinched;  // two squares that touch in a corner, as one ring
  pinched.add({{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}, {0, 1}});
  expect_good(pinched, 2);
  Polygon spike;  // out and back
  spike.add({{0, 0}, {4, 0}, {4, 4}, {2, 4}, {2, 1}, {2, 4}, {0, 4}});
  expect_good(spike);
}

TEST(Triangulate, takes_holes_that_touch) {
  Polygon corner;  // the hole touches the outer ring in a corner of both
  corner.add({{0, 0}, {4, 0}, {4, 4}, {0, 4}});
  corner.add({{0, 0}, {2, 1}, {1, 2}}, true);
  expect_good(corner, 2);  // on both sides of a bridge without length
  Polygon pair;            // two holes touch in a corner
  pair.add({{0, 0}, {6, 0}, {6, 4}, {0, 4}});
  pair.add({{1, 1}, {3, 2}, {1, 3}}, true);
  pair.add({{3, 2}, {5, 1}, {5, 3}}, true);
  expect_good(pair, 2);
  Polygon edge;  // a corner of the hole lies on a side: that cannot be drawn without one triangle of no area
  edge.add({{0, 0}, {4, 0}, {4, 4}, {0, 4}});
  edge.add({{2, 0}, {3, 2}, {1, 2}}, true);
  expect_good(edge, 1);
  Polygon chain;  // a row of holes from side to side
  chain.add({{0, 0}, {6, 0}, {6, 2}, {6, 4}, {0, 4}, {0, 2}});
  chain.add({{0, 2}, {1, 1}, {2, 2}, {1, 3}}, true);
  chain.add({{2, 2}, {3, 1}, {4, 2}, {3, 3}}, true);
  chain.add({{4, 2}, {5, 1}, {5.5, 2}, {5, 3}}, true);
  expect_good(chain, 6);
}

TEST(Triangulate, keeps_the_rim_of_tangles) {
  Random random(8);
  for (int round = 0; round < 30; ++round) {
    Polygon tangle;
    std::vector<Vec2> points;
    for (int i = 0; i < 60; ++i) points.emplace_back(random.range(-1, 1), random.range(-1, 1));
    tangle.add(points);
    std::vector<Triangle> triangles = triangulate_polygon(tangle.points, tangle.rings);
    double sum = 0;
    for (const Triangle& t : triangles) sum += area_of(tangle.points, t);
    EXPECT_TRUE(keeps_rings(tangle, triangles));
    EXPECT_NEAR(sum, tangle.area(), 1e-12);
    make_delaunay(tangle.points, triangles);
    EXPECT_TRUE(keeps_rings(tangle, triangles));
  }
}

TEST(Triangulate, pays_little_for_small_crossings) {
  Random random(13);
  for (int round = 0; round < 200; ++round) {
    Polygon blob;
    std::vector<Vec2> rim;
    for (const Vec2& p : random_star(random, 30, 0.3, 1)) {
      rim.push_back(p);
      for (int knot = 0; knot < 2; ++knot) rim.push_back(p + 1e-4 * Vec2(random.range(-1, 1), random.range(-1, 1)));
    }
    blob.add(rim);
    std::vector<Triangle> triangles = triangulate_polygon(blob.points, blob.rings);
    make_delaunay(blob.points, triangles);
    EXPECT_TRUE(keeps_rings(blob, triangles));
    double down = 0;
    for (const Triangle& t : triangles) down += std::max(0.0, -area_of(blob.points, t));
    EXPECT_LT(down, 3e-3);  // 30 knots of a ten-thousandth, each with an edge of length 1
  }
}

TEST(Delaunay, leaves_no_point_in_the_circle_of_a_triangle) {
  Polygon round;
  Random random(2);
  round.add(circle({0, 0}, 1, 60));
  std::vector<Triangle> triangles = triangulate_polygon(round.points, round.rings);
  divide_inside(round.points, triangles, 0.15, 10000);
  for (const Triangle& t : triangles) {
    const Vec2 &a = round.points[static_cast<size_t>(t[0])], b = round.points[static_cast<size_t>(t[1])] - a,
               c = round.points[static_cast<size_t>(t[2])] - a;
    const double area = 2 * (b.x() * c.y() - b.y() * c.x());
    const Vec2 center = a + Vec2(c.y() * b.squaredNorm() - b.y() * c.squaredNorm(), b.x() * c.squaredNorm() - c.x() * b.squaredNorm()) / area;
    for (const Vec2& p : round.points) EXPECT_GE((p - center).norm(), (a - center).norm() - 1e-9);
  }
}

TEST(Delaunay, divides_until_no_inner_edge_is_longer_than_asked) {
  Polygon plate;
  plate.add(divided({{0, 0}, {3, 0}, {3, 2}, {0, 2}}, 25));
  plate.add(circle({1, 1}, 0.5, 40), true);
  std::vector<Triangle> triangles = triangulate_polygon(plate.points, plate.rings);
  const size_t corners = plate.points.size();
  const auto added = divide_inside(plate.points, triangles, 0.15, 100000);
  EXPECT_EQ(plate.points.size(), corners + added.size());
  EXPECT_TRUE(keeps_rings(plate, triangles));
  double sum = 0, longest = 0;
  for (const Triangle& t : triangles) {
    EXPECT_GT(area_of(plate.points, t), 0);
    sum += area_of(plate.points, t);
    for (size_t k = 0; k < 3; ++k) {
      longest = std::max(longest, (plate.points[static_cast<size_t>(t[k])] - plate.points[static_cast<size_t>(t[(k + 1) % 3])]).norm());
    }
  }
  EXPECT_NEAR(sum, plate.area(), 1e-12 * sum);
  EXPECT_LE(longest, 0.15);
  // Not many more than needed: triangles of side 0.15 have an area of 0.0097.
  EXPECT_LT(static_cast<double>(triangles.size()), 6 * sum / 0.0097);
}

TEST(Delaunay, comes_to_an_end_beside_long_edges) {
  Polygon plate;
  plate.add({{0, 0}, {3, 0}, {3, 2}, {0, 2}});
  std::vector<Triangle> triangles = triangulate_polygon(plate.points, plate.rings);
  EXPECT_LT(divide_inside(plate.points, triangles, 0.1, 100000).size(), 2500u);
  EXPECT_TRUE(keeps_rings(plate, triangles));
  Polygon limited;
  limited.add(divided({{0, 0}, {3, 0}, {3, 2}, {0, 2}}, 40));
  triangles = triangulate_polygon(limited.points, limited.rings);
  EXPECT_EQ(divide_inside(limited.points, triangles, 0.08, 100).size(), 100u);
}

TEST(Rings, touch_but_do_not_cross) {
  // Two squares that share a corner are two rings; a square hole that touches its square in a corner is one ring with it.
  const std::vector<Vec2> points = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 1}, {2, 2}, {1, 2}};
  const std::vector<DirectedEdge> squares = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 4}, {4, 5}, {5, 6}, {6, 2}};
  const std::vector<Ring> two = trace_rings(points, squares);
  ASSERT_EQ(two.size(), 2u);
  for (const Ring& ring : two) EXPECT_NEAR(doubled_area(points, ring), 2, 1e-15);
  const std::vector<Vec2> nested = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 0.5}, {2, 2}, {0.5, 2}};
  const std::vector<DirectedEdge> touching = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 6}, {6, 5}, {5, 4}, {4, 0}};
  const std::vector<Ring> one = trace_rings(nested, touching);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].size(), 8u);
}

TEST(Rings, find_the_ring_around_a_hole) {
  Polygon drawn;
  drawn.add(circle({0, 0}, 5, 40));        // 0: around all
  drawn.add(circle({0, 0}, 4, 30), true);  // 1: its hole
  drawn.add(circle({0, 0}, 3, 30));        // 2: an island
  drawn.add(circle({0, 0}, 1, 20), true);  // 3: its hole, of another group
  drawn.add(circle({9, 0}, 1, 20), true);  // 4: a hole in nothing
  drawn.add(circle({5, 0}, 1, 20), true);  // 5: crosses the outer ring from another group
  const std::vector<int> groups = {0, 0, 0, 1, 2, 3};
  const std::vector<PlanarRegion> regions = nest_rings(drawn.points, drawn.rings, groups);
  ASSERT_EQ(regions.size(), 4u);
  EXPECT_EQ(regions[0].rings, (std::vector<Ring>{drawn.rings[0], drawn.rings[1]}));
  EXPECT_EQ(regions[1].rings, (std::vector<Ring>{drawn.rings[2], drawn.rings[3]}));
  EXPECT_TRUE(regions[2].turned && regions[3].turned);
  EXPECT_FALSE(regions[0].turned || regions[1].turned);
}

}  // namespace crumple

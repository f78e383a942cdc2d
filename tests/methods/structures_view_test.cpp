#include <cmath>
#include <map>
#include <numbers>

#include "crumple/core/random.h"
#include "tests/methods/structures_of.h"

namespace crumple::structures {
namespace {

Transform turned(const Vec3& axis, double angle, const Vec3& about, const Vec3& move = Vec3::Zero()) {
  const Mat3 rotation = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  return {rotation, about - rotation * about + move};
}

/// What is drawn of a piece, in the world.
std::vector<Vec3> seen(const Model& model, const State& state, int piece, const std::vector<Transform>& places) {
  const std::vector<Vec3f> points = pose(model, state, piece, places);
  const std::vector<Vec3>& rest = model.pieces[static_cast<size_t>(piece)].surface.positions;
  std::vector<Vec3> world;
  for (size_t v = 0; v < rest.size(); ++v)
    world.push_back(places[static_cast<size_t>(piece)] * (points.empty() ? rest[v] : Vec3(points[v].cast<double>())));
  return world;
}

/// The largest distance in the drawing between vertices that are one at rest, between two pieces.
double widest_gap(const Model& model, const State& state, int a, int b, const std::vector<Transform>& places) {
  const auto key = [](const Vec3& p) { return std::array<long, 3>{std::lround(p.x() * 1e7), std::lround(p.y() * 1e7), std::lround(p.z() * 1e7)}; };
  const std::vector<Vec3> one = seen(model, state, a, places), other = seen(model, state, b, places);
  std::map<std::array<long, 3>, Vec3> at;
  for (size_t v = 0; v < one.size(); ++v) at[key(model.pieces[static_cast<size_t>(a)].surface.positions[v])] = one[v];
  double gap = -1;
  for (size_t v = 0; v < other.size(); ++v) {
    const auto found = at.find(key(model.pieces[static_cast<size_t>(b)].surface.positions[v]));
    if (found != at.end()) gap = std::max(gap, (found->second - other[v]).norm());
  }
  return gap;  // -1: they share nothing
}

double volume_seen(const Model& model, const State& state, const std::vector<Transform>& places) {
  double volume = 0;
  for (size_t p = 0; p < model.pieces.size(); ++p) {
    TriMesh mesh = model.pieces[p].surface;
    mesh.positions = seen(model, state, static_cast<int>(p), places);
    volume += rigid::mass_properties(mesh, 1).mass;
  }
  return volume;
}

/// Every edge is used once each way, vertices at one place being one.
bool is_closed(const TriMesh& mesh) {
  std::map<std::array<long, 3>, int> number;
  std::vector<int> of;
  for (const Vec3& p : mesh.positions) {
    of.push_back(number.try_emplace({std::lround(p.x() * 1e8), std::lround(p.y() * 1e8), std::lround(p.z() * 1e8)}, static_cast<int>(number.size()))
                     .first->second);
  }
  std::map<std::pair<int, int>, int> edges;
  for (const Triangle& t : mesh.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      const int a = of[static_cast<size_t>(t[k])], b = of[static_cast<size_t>(t[(k + 1) % 3])];
      a < b ? ++edges[{a, b}] : --edges[{b, a}];
    }
  }
  return std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.second == 0; });
}

std::vector<Model> one_of_each() {
  std::vector<Model> models = {built(of_plate(3, 4)), built(of_plate(1, 4)), built(of_plate(3, 1)), built(of_plate(1, 1))};
  for (const SectionChoice& section : {rect(0.1, 0.2), circle(0.1), tube(0.1, 0.01), i_beam(0.2, 0.1, 0.01, 0.02)}) {
    Settings settings = of_bars({bar({1, 2, 3}, {3, 2, 4}, 4)});
    settings.section = section;
    models.push_back(built(settings));
  }
  return models;
}

std::vector<Transform> shaken(size_t count, double much, uint64_t seed) {
  Random random(seed);
  std::vector<Transform> places;
  for (size_t p = 0; p < count; ++p) {
    const auto number = [&] { return random.range(-much, much); };
    const Vec3 axis(number(), number(), number()), move(number(), number(), number());
    places.push_back(turned(axis, axis.norm(), Vec3(2, 2, 3), move));
  }
  return places;
}

TEST(JointsView, every_piece_has_a_closed_surface_of_the_right_volume) {
  for (const Model& model : one_of_each()) {
    for (const Piece& piece : model.pieces) {
      EXPECT_TRUE(is_closed(piece.surface)) << piece.name;
      const double volume = rigid::mass_properties(piece.surface, 1).mass, exact = piece.mass.mass / 7800;
      const bool round = !piece.box;
      EXPECT_NEAR(volume, exact, (round ? 0.012 : 1e-9) * exact) << piece.name;  // a circle of 24 sides
      EXPECT_LE(volume, exact * (1 + 1e-9));
    }
  }
}

TEST(JointsView, at_rest_it_draws_the_rest_shape_wherever_the_structure_is) {
  for (const Model& model : one_of_each()) {
    const State state = start(model);
    for (const Transform& place : {Transform(), turned({1, 2, 3}, 2.5, {0, 1, 0}, {3, -4, 5})}) {
      const std::vector<Transform> places(model.pieces.size(), place);
      for (size_t p = 0; p < model.pieces.size(); ++p) {
        const std::vector<Vec3f> points = pose(model, state, static_cast<int>(p), places);
        for (size_t v = 0; v < points.size(); ++v) ASSERT_NEAR((points[v].cast<double>() - model.pieces[p].surface.positions[v]).norm(), 0, 2e-6);
      }
    }
  }
}

TEST(JointsView, pieces_stay_watertight_however_they_move) {
  for (const Model& model : one_of_each()) {
    const State state = start(model);
    const std::vector<Transform> places = shaken(model.pieces.size(), 0.2, 5);
    int shared = 0;
    for (const Joint& joint : model.joints) {
      const double gap = widest_gap(model, state, joint.a, joint.b, places);
      EXPECT_GE(gap, 0);
      EXPECT_LT(gap, 2e-6) << joint.name;
      ++shared;
    }
    EXPECT_EQ(shared, static_cast<int>(model.joints.size()));
  }
}

TEST(JointsView, a_bar_bent_by_a_right_angle_keeps_its_volume_and_its_height) {
  for (const SectionChoice& section : {rect(0.1, 0.2), circle(0.1), tube(0.1, 0.01), i_beam(0.2, 0.1, 0.01, 0.02)}) {
    Settings settings = of_bars({bar({0, 0, 0}, {4, 0, 0}, 4)});
    settings.section = section;
    const Model model = built(settings);
    const State state = start(model);
    std::vector<Transform> places(4);
    places[2] = places[3] = turned(Vec3::UnitZ(), std::numbers::pi / 2, {2, 0, 0});
    const double straight = volume_seen(model, state, std::vector<Transform>(4)), bent = volume_seen(model, state, places);
    EXPECT_NEAR(bent / straight, 1, 0.07);  // the bend takes a short cut: 0.2 m of 4 m
    // The ring in the middle of the bend is as high as ever, and leans halfway.
    const std::vector<Vec3> before = model.pieces[1].surface.positions, after = seen(model, state, 1, places);
    double low = 1e9, high = -1e9;
    for (size_t v = 0; v < before.size(); ++v) {
      if (std::abs(before[v].x() - 2) > 1e-9) continue;
      const double across = after[v].dot(Vec3(-std::sqrt(0.5), std::sqrt(0.5), 0));
      low = std::min(low, across), high = std::max(high, across);
    }
    const double height = section.circle ? *section.circle : section.tube ? (*section.tube)[0] : 0.2;
    EXPECT_NEAR(high - low, height, 1e-3);
  }
}

TEST(JointsView, a_bend_is_smooth_and_never_swings_out) {
  const Model model = built(of_bars({bar({0, 0, 0}, {4, 0, 0}, 4)}));
  const State state = start(model);
  std::vector<Transform> places(4);
  places[2] = places[3] = turned(Vec3::UnitZ(), 1.0, {2, 0, 0});
  std::map<double, Vec3> middle;  // of each ring, by its place along the bar
  std::map<double, int> count;
  for (int p = 0; p < 4; ++p) {
    const std::vector<Vec3> points = seen(model, state, p, places);
    for (size_t v = 0; v < points.size(); ++v) {
      const double along = std::round(model.pieces[static_cast<size_t>(p)].surface.positions[v].x() * 1e6);
      const auto [at, fresh] = middle.try_emplace(along, Vec3::Zero());
      at->second += points[v], ++count[along];
    }
  }
  std::vector<Vec3> axis;
  for (const auto& [along, sum] : middle) axis.push_back(sum / count[along]);
  double before = 0;
  for (size_t k = 1; k < axis.size(); ++k) {
    const Vec3 way = axis[k] - axis[k - 1];
    const double angle = std::atan2(way.y(), way.x());
    EXPECT_GE(angle, before - 1e-6);
    EXPECT_LE(angle, before + 0.3);
    before = angle;
  }
  EXPECT_NEAR(before, 1.0, 1e-6);
}

TEST(JointsView, broken_joints_separate) {
  const Model model = built(of_bars({bar({0, 0, 0}, {4, 0, 0}, 4)}));
  State state = start(model);
  state.histories[1].broken_at = 0.5;
  std::vector<Transform> places(4);
  places[2] = places[3] = turned(Vec3::UnitZ(), 0.7, {2, 0, 0}, {0.5, 0, 0});
  EXPECT_LT(widest_gap(model, state, 0, 1, places), 1e-6);
  EXPECT_NEAR(widest_gap(model, state, 1, 2, places), 0.5, 0.2);
  for (int p = 0; p < 4; ++p) {  // each half is straight
    const std::vector<Vec3f> points = pose(model, state, p, places);
    for (size_t v = 0; v < points.size(); ++v)
      EXPECT_NEAR((points[v].cast<double>() - model.pieces[static_cast<size_t>(p)].surface.positions[v]).norm(), 0, 1e-6);
  }
}

int joint_called(const Model& model, const std::string& name) {
  for (size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].name == name) return static_cast<int>(j);
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(JointsView, a_crack_in_a_plate_opens_where_joints_broke_and_nowhere_else) {
  const Model model = built(of_plate(4, 4));
  State state = start(model);
  // The first two joints between columns 2 and 3: a crack from the border to the middle.
  for (const char* name : {"deck 2 1 - deck 3 1", "deck 2 2 - deck 3 2"}) state.histories[static_cast<size_t>(joint_called(model, name))].broken_at = 0.1;
  std::vector<Transform> places = shaken(16, 0.02, 9);
  for (size_t p = 0; p < 16; ++p) {
    if (p % 4 >= 2) places[p].translation.x() += 0.2;
  }
  for (const Joint& joint : model.joints) {
    const double gap = widest_gap(model, state, joint.a, joint.b, places);
    const bool broken = state.histories[static_cast<size_t>(joint_called(model, joint.name))].broken_at >= 0;
    EXPECT_EQ(gap > 0.15, broken) << joint.name;
    EXPECT_EQ(gap < 2e-6, !broken) << joint.name;
  }
}

TEST(JointsView, a_cell_that_is_torn_out_leaves_the_others_whole) {
  const Model model = built(of_plate(3, 3));
  State state = start(model);
  for (const int j : model.joints_of[4]) state.histories[static_cast<size_t>(j)].broken_at = 0.1;
  std::vector<Transform> places = shaken(9, 0.05, 2);
  places[4].translation.y() -= 1;
  for (const Joint& joint : model.joints) {
    const double gap = widest_gap(model, state, joint.a, joint.b, places);
    EXPECT_EQ(gap > 0.8, joint.a == 4 || joint.b == 4) << joint.name;
    EXPECT_EQ(gap < 2e-6, joint.a != 4 && joint.b != 4) << joint.name;
  }
  const std::vector<Vec3f> torn = pose(model, state, 4, places);
  for (size_t v = 0; v < torn.size(); ++v) EXPECT_NEAR((torn[v].cast<double>() - model.pieces[4].surface.positions[v]).norm(), 0, 1e-6);
}

TEST(JointsView, single_pieces_are_drawn_as_they_are) {
  Settings settings;
  settings.section = rect(0.01, 0.01), settings.material = steel_choice();
  settings.pieces = {box_piece("a", {1, 1, 1}, {0, 0, 0}), box_piece("b", {1, 1, 1}, {1, 0, 0})};
  settings.joints = {joint("a", "b", {0.5, 0, 0})};
  const Model model = built(settings);
  const std::vector<Transform> places(2);
  EXPECT_TRUE(pose(model, start(model), 0, places).empty());
  EXPECT_NEAR(rigid::mass_properties(model.pieces[1].surface, 1).center.x(), 1, 1e-12);
}

TEST(JointsView, corners_of_frames_have_no_notch) {
  const Model model = built(of_bars({bar({0, 0, 0}, {0, 4, 0}, 4), bar({0, 4, 0}, {6, 4, 0}, 6)}));
  const Bounds post = crumple::bounds_of(model.pieces[3].surface.positions);
  EXPECT_NEAR(post.high.y(), 4.1, 1e-3);  // up to the upper side of the beam
  EXPECT_LT(post.high.y(), 4.1);
  EXPECT_NEAR(model.pieces[3].mass.mass, 7800 * 0.02, 1e-9);  // drawn only
}

TEST(JointsView, colours_go_from_blue_over_green_and_yellow_to_red_and_black) {
  const Model model = built(of_bars({bar({0, 0, 0}, {4, 0, 0}, 2)}));
  State state = start(model);
  const auto at_joint = [&] {
    const std::vector<Vec3f> found = colors(model, state, "utilisation", 0);
    EXPECT_EQ(found.size(), model.pieces[0].surface.positions.size());
    return found.back();
  };
  const Vec3f unused = at_joint();
  EXPECT_GT(unused.z(), 2 * std::max(unused.x(), unused.y()));
  state.histories[0].utilisation = 0.5;
  EXPECT_GT(at_joint().y(), 2 * std::max(at_joint().x(), at_joint().z()));
  state.histories[0].utilisation = 1;
  EXPECT_GT(std::min(at_joint().x(), at_joint().y()), 5 * at_joint().z());
  state.histories[0].turn = 2.5;
  EXPECT_GT(at_joint().x(), 5 * std::max(at_joint().y(), at_joint().z()));
  state.histories[0].utilisation = 0;
  EXPECT_GT(at_joint().x(), 0.5);  // what has flowed stays red
  state.histories[0].broken_at = 1;
  EXPECT_LT(at_joint().maxCoeff(), 0.05);
}

TEST(JointsView, colours_of_two_pieces_agree_where_they_meet) {
  const Model model = built(of_bars({bar({0, 0, 0}, {4, 0, 0}, 4)}));
  State state = start(model);
  state.histories[0].utilisation = 0.2, state.histories[1].utilisation = 0.9, state.histories[2].turn = 1;
  for (int p = 0; p < 3; ++p) {
    const auto last = [&](int piece, double x) {
      const std::vector<Vec3>& rest = model.pieces[static_cast<size_t>(piece)].surface.positions;
      for (size_t v = 0; v < rest.size(); ++v) {
        if (std::abs(rest[v].x() - x) < 1e-9) return colors(model, state, "utilisation", piece)[v];
      }
      return Vec3f(9, 9, 9);
    };
    EXPECT_LT((last(p, p + 1) - last(p + 1, p + 1)).norm(), 0.02f);
  }
}

TEST(JointsView, colours_of_plates_are_one_where_cells_meet_and_show_the_joint_that_is_used_most) {
  const Model model = built(of_plate(4, 4));
  State state = start(model);
  for (size_t j = 0; j < state.histories.size(); ++j) state.histories[j].utilisation = 0.05 * static_cast<double>(j % 7);
  const Joint& used = model.joints[static_cast<size_t>(joint_called(model, "deck 2 2 - deck 3 2"))];
  state.histories[static_cast<size_t>(joint_called(model, "deck 2 2 - deck 3 2"))].utilisation = 1;
  std::map<std::array<long, 3>, Vec3f> at;
  int met = 0, yellow = 0;
  for (int p = 0; p < 16; ++p) {
    const std::vector<Vec3f> shades = colors(model, state, "utilisation", p);
    const std::vector<Vec3>& rest = model.pieces[static_cast<size_t>(p)].surface.positions;
    for (size_t v = 0; v < rest.size(); ++v) {
      const auto [found, fresh] =
          at.try_emplace({std::lround(rest[v].x() * 1e6), std::lround(rest[v].y() * 1e6), std::lround(rest[v].z() * 1e6)}, shades[v]);
      EXPECT_LT((found->second - shades[v]).norm(), 2e-3f);
      met += fresh ? 0 : 1;
      yellow += std::hypot(rest[v].x() - used.frame.translation.x(), rest[v].z() - used.frame.translation.z()) < 1e-9 && shades[v].x() > 0.9f ? 1 : 0;
    }
  }
  EXPECT_GT(met, 500);
  EXPECT_EQ(yellow, 8);  // two cells, upper and lower face, each a second time in the wall between
}

}  // namespace
}  // namespace crumple::structures

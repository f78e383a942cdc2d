#include <cmath>
#include <numbers>
#include <set>

#include "crumple/core/random.h"
#include "crumple/methods/structures/kernels.h"
#include "tests/methods/structures_of.h"

namespace crumple::structures {
namespace {

constexpr double kSteel = 7800, kE = 200e9;  // kg/m^3, Pa

Model of_section(const SectionChoice& section, int pieces = 4) {
  Settings settings = of_bars({bar({1, 2, 3}, {1, 2, 5}, pieces)});
  settings.section = section;
  return built(settings);
}

TEST(JointsBuild, weighs_and_turns_round_bars_as_cylinders) {
  const double r = 0.05, l = 0.5, m = kSteel * std::numbers::pi * r * r * l;
  const Model model = of_section(circle(2 * r));
  ASSERT_EQ(model.pieces.size(), 4u);
  for (const Piece& piece : model.pieces) {
    EXPECT_NEAR(piece.mass.mass, m, 1e-9 * m);
    EXPECT_NEAR(piece.mass.inertia[0], m * r * r / 2, 1e-9);
    EXPECT_NEAR(piece.mass.inertia[1], m * (3 * r * r + l * l) / 12, 1e-9);
    EXPECT_NEAR(piece.mass.inertia[2], m * (3 * r * r + l * l) / 12, 1e-9);
    EXPECT_NEAR((piece.mass.axes.col(0) - Vec3::UnitZ()).norm(), 0, 1e-12);
  }
  EXPECT_NEAR((model.pieces[2].mass.center - Vec3(1, 2, 4.25)).norm(), 0, 1e-12);
}

TEST(JointsBuild, weighs_tubes_without_their_hollow) {
  const double R = 0.05, r = 0.04, l = 0.5, m = kSteel * std::numbers::pi * (R * R - r * r) * l;
  const Piece piece = of_section(tube(2 * R, R - r)).pieces[1];
  EXPECT_NEAR(piece.mass.mass, m, 1e-9 * m);
  EXPECT_NEAR(piece.mass.inertia[0], m * (R * R + r * r) / 2, 1e-9);
  EXPECT_NEAR(piece.mass.inertia[1], m * (3 * (R * R + r * r) + l * l) / 12, 1e-9);
}

TEST(JointsBuild, weighs_and_turns_rectangles_and_is_as_their_boxes) {
  const double b = 0.1, h = 0.2, l = 0.5;
  const Piece rectangle = of_section(rect(b, h)).pieces[0];
  const auto solid = rigid::mass_properties(rigid::Box{Vec3(l, b, h)}, kSteel);
  EXPECT_NEAR(rectangle.mass.mass, solid.mass, 1e-9);
  EXPECT_NEAR((rectangle.mass.inertia - solid.inertia).norm(), 0, 1e-9);
  // An I is its box without the two boxes beside the web.
  const double web = 0.01, flange = 0.02;
  const Piece beam = of_section(i_beam(h, b, web, flange)).pieces[0];
  const double side = (b - web) / 2;
  const auto missing = rigid::mass_properties(rigid::Box{Vec3(l, side, h - 2 * flange)}, kSteel);
  EXPECT_NEAR(beam.mass.mass, solid.mass - 2 * missing.mass, 1e-9);
  const double out = std::pow((web + side) / 2, 2) * missing.mass;
  EXPECT_NEAR((beam.mass.inertia - (solid.inertia - 2 * (missing.inertia + Vec3(out, 0, out)))).norm(), 0, 1e-9);
}

TEST(JointsBuild, takes_height_from_up_and_otherwise_from_y) {
  Settings settings = of_bars({bar({0, 0, 0}, {2, 0, 0}, 2), bar({2, 0, 0}, {2, 2, 0}, 2), bar({2, 2, 0}, {2, 2, 2}, 2)});
  settings.bars[2].up = Vec3(3, 0, 1);
  const Model model = built(settings);
  EXPECT_NEAR((model.pieces[0].place.rotation.col(2) - Vec3::UnitY()).norm(), 0, 1e-12);
  EXPECT_NEAR((model.pieces[2].place.rotation.col(2) - Vec3::UnitX()).norm(), 0, 1e-12);
  EXPECT_NEAR((model.pieces[4].place.rotation.col(2) - Vec3::UnitX()).norm(), 0, 1e-12);
  for (const Piece& piece : model.pieces) EXPECT_NEAR(piece.place.rotation.determinant(), 1, 1e-12);
}

TEST(JointsBuild, cuts_a_bar_into_n_pieces_with_a_joint_between_each_two) {
  const double EI = kE * 0.1 * std::pow(0.2, 3) / 12, EA = kE * 0.1 * 0.2;
  for (int n = 1; n <= 9; ++n) {
    const Model model = built(of_bars({bar({0, 0, 0}, {3, 0, 0}, n, "rail")}));
    ASSERT_EQ(model.pieces.size(), static_cast<size_t>(n));
    ASSERT_EQ(model.joints.size(), static_cast<size_t>(n - 1));
    for (int k = 0; k + 1 < n; ++k) {
      const Joint& joint = model.joints[static_cast<size_t>(k)];
      EXPECT_EQ(joint.a, k);
      EXPECT_EQ(joint.b, k + 1);
      EXPECT_NEAR(joint.frame.translation.x(), 3.0 * (k + 1) / n, 1e-12);
      EXPECT_NEAR(joint.law.stiffness[4], EI * n / 3, 1e-6 * EI);
      EXPECT_NEAR(joint.law.stiffness[0], EA * n / 3, 1e-6 * EA);
      EXPECT_NEAR(joint.law.capacity[4], 0.1 * 0.04 / 4 * 200e6, 1e-6);
      EXPECT_NEAR(joint.law.ultimate_elongation, 0.25 * 3 / n, 1e-12);
      EXPECT_EQ(joint.law.ultimate_rotation, 2.5);
    }
  }
  EXPECT_EQ(built(of_bars({bar({0, 0, 0}, {3, 0, 0}, 2, "rail")})).joints[0].name, "rail 1 - rail 2");
}

/// What the rows of a clamped bar along x give under a load w for each metre, summed joint by joint.
struct Sag {
  double bending = 0, shear = 0;
};
Sag tip_sag(const Model& model, double w, double L) {
  Sag sag;
  for (const Joint& joint : model.joints) {
    const double rest = L - joint.frame.translation.x();
    sag.bending += w * rest * rest / 2 / joint.law.stiffness[4] * rest;
    sag.shear += w * rest / joint.law.stiffness[2];
  }
  return sag;
}

TEST(JointsBuild, stiffnesses_give_the_sag_of_a_cantilever_for_any_number_of_pieces) {
  const double L = 3, w = 3000, b = 0.1, h = 0.2, EI = kE * b * h * h * h / 12, GA = kE / 2.6 * 5 / 6 * b * h;
  for (const int n : {1, 2, 4, 8, 64}) {
    Settings settings = of_bars({bar({0, 0, 0}, {L, 0, 0}, n)});
    settings.supports = {support({0, 0, 0})};
    const Model model = built(settings);
    ASSERT_EQ(model.joints.size(), static_cast<size_t>(n));
    const Sag sag = tip_sag(model, w, L);
    const double exact = w * std::pow(L, 4) / (8 * EI);
    EXPECT_NEAR(sag.bending / exact, 1 + 1.0 / (n * n), 1e-9);
    EXPECT_NEAR(sag.shear, w * L * L / (2 * GA), 1e-9 * sag.shear);  // a trapezoid is exact for shear
  }
}

TEST(JointsBuild, joins_the_corners_of_a_portal_frame) {
  Settings settings = of_bars({bar({0, 0, 0}, {0, 4, 0}, 4, "left"), bar({0, 4, 0}, {6, 4, 0}, 6, "beam"), bar({6, 0, 0}, {6, 4, 0}, 8, "right")});
  settings.supports = {support({0, 0, 0}), support({6, 0, 0})};
  const Model model = built(settings);
  EXPECT_EQ(model.pieces.size(), 18u);
  ASSERT_EQ(model.joints.size(), 3u + 5 + 7 + 2 + 2);
  const Joint &left = model.joints[15], &right = model.joints[16];
  EXPECT_EQ(left.name, "left 4 - beam 1");
  EXPECT_EQ(right.name, "beam 6 - right 8");
  EXPECT_NEAR((left.frame.translation - Vec3(0, 4, 0)).norm(), 0, 1e-12);
  const double EI = kE * 0.1 * std::pow(0.2, 3) / 12;
  EXPECT_NEAR(left.law.stiffness[4], EI / 1.0, 1e-6 * EI);          // half a metre of each
  EXPECT_NEAR(right.law.stiffness[4], EI / 0.75, 1e-6 * EI);        // half of 1 m and half of 0.5 m
  EXPECT_NEAR(std::abs(left.frame.rotation.col(1).z()), 1, 1e-12);  // both bend about z
  for (const size_t foot : {17u, 18u}) {
    EXPECT_EQ(model.joints[foot].b, -1);
    EXPECT_NEAR(model.joints[foot].frame.translation.y(), 0, 1e-12);
  }
}

TEST(JointsBuild, joins_several_ends_at_one_place_as_a_star) {
  const Model model =
      built(of_bars({bar({0, 0, 0}, {1, 0, 0}, 2), bar({1, 0, 0}, {2, 1, 0}, 3), bar({2, -1, 0}, {1, 1e-7, 0}, 1), bar({1, 0, 0}, {1, 0, 1}, 1)}));
  std::set<std::pair<int, int>> stars;
  for (size_t j = 3; j < model.joints.size(); ++j) stars.insert({model.joints[j].a, model.joints[j].b});
  EXPECT_EQ(stars, (std::set<std::pair<int, int>>{{1, 2}, {1, 5}, {1, 6}}));
}

TEST(JointsBuild, hangs_ends_at_one_place_on_the_strongest_bar_whichever_comes_first) {
  for (const size_t strong : {0u, 1u, 2u}) {
    Settings settings = of_bars({bar({0, 0, 0}, {1, 0, 0}, 1), bar({1, 0, 0}, {2, 1, 0}, 1), bar({1, 0, 0}, {1, 0, 1}, 1)});
    for (size_t i = 0; i < 3; ++i) settings.bars[i].section = i == strong ? rect(0.2, 0.3) : rect(0.05, 0.06);
    const Model model = built(settings);
    ASSERT_EQ(model.joints.size(), 2u);
    for (const Joint& joint : model.joints) EXPECT_TRUE(joint.a == static_cast<int>(strong) || joint.b == static_cast<int>(strong));
  }
}

TEST(JointsBuild, uses_the_weaker_section_where_two_bars_meet) {
  Settings settings = of_bars({bar({0, 0, 0}, {2, 0, 0}, 2), bar({2, 0, 0}, {2, 2, 0}, 2)});
  settings.bars[1].section = rect(0.05, 0.06);
  const Model model = built(settings);
  const Joint& corner = model.joints.back();
  EXPECT_NEAR(corner.law.capacity[4], 0.05 * 0.06 * 0.06 / 4 * 200e6, 1e-6);
  EXPECT_NEAR((corner.frame.rotation.col(0) - Vec3::UnitY()).norm(), 0, 1e-12);
  settings.bars[1].section = rect(0.5, 0.6);
  EXPECT_NEAR(built(settings).joints.back().law.capacity[4], 0.1 * 0.04 / 4 * 200e6, 1e-6);
}

TEST(JointsBuild, joins_an_end_to_the_piece_of_another_bar_that_it_lies_in) {
  const auto t = [](const Vec3& foot) {
    return built(of_bars({bar({0, 0, 0}, {4, 0, 0}, 4, "rail"), bar(foot, Vec3(foot.x(), 2, 0), 2, "post")})).joints.back();
  };
  EXPECT_EQ(t({1.4, 0, 0}).name, "post 1 - rail 2");
  EXPECT_EQ(t({2.0, 0, 0}).name, "post 1 - rail 2");  // between two: the first of them
  EXPECT_EQ(t({2.1, 0, 0}).name, "post 1 - rail 3");
  EXPECT_EQ(t({1.4, 0.1, 0}).name, "post 1 - rail 2");  // on its surface
  const double EI = kE * 0.1 * std::pow(0.2, 3) / 12;
  EXPECT_NEAR(t({1.4, 0, 0}).law.stiffness[4], EI / 0.5, 1e-6 * EI);  // half a piece of the post
  EXPECT_NE(complaint(of_bars({bar({0, 0, 0}, {4, 0, 0}, 4), bar({2, 0.12, 0}, {2, 2, 0}, 2)})).find("not connected"), std::string::npos);
}

TEST(JointsBuild, cuts_a_plate_both_ways) {
  const Model model = built(of_plate(4, 5));
  ASSERT_EQ(model.pieces.size(), 20u);
  ASSERT_EQ(model.joints.size(), 3u * 5 + 4u * 4);
  EXPECT_EQ(model.pieces[1].name, "deck 2 1");
  EXPECT_NEAR((model.pieces[1].mass.center - Vec3(-0.25, 0, -1.2)).norm(), 0, 1e-12);
  double mass = 0;
  for (const Piece& piece : model.pieces) mass += piece.mass.mass;
  EXPECT_NEAR(mass, kSteel * 2 * 3 * 0.02, 1e-9);
  const double t = 0.02, dx = 0.5, dz = 0.6;
  const Joint &along_x = model.joints[0], &along_z = model.joints[15];
  EXPECT_EQ(along_x.name, "deck 1 1 - deck 2 1");
  EXPECT_EQ(along_z.name, "deck 1 1 - deck 1 2");
  EXPECT_NEAR((along_x.frame.translation - Vec3(-0.5, 0, -1.2)).norm(), 0, 1e-12);
  EXPECT_NEAR((along_z.frame.translation - Vec3(-0.75, 0, -0.9)).norm(), 0, 1e-12);
  EXPECT_NEAR(along_x.law.stiffness[4], kE * dz * t * t * t / 12 / dx, 1e-3);
  EXPECT_NEAR(along_z.law.stiffness[4], kE * dx * t * t * t / 12 / dz, 1e-3);
  EXPECT_NEAR(along_x.law.capacity[4], dz * t * t / 4 * 200e6, 1e-6);
  EXPECT_NEAR(along_x.law.capacity[3], 100e6 * t * t * (3 * dz - t) / 6, 1e-6);  // sand heap
  EXPECT_NEAR(along_x.frame.rotation.col(2).y(), 1, 1e-12);
  EXPECT_NEAR(along_z.frame.rotation.determinant(), 1, 1e-12);
}

TEST(JointsBuild, a_one_way_slab_is_as_strong_and_stiff_as_its_width) {
  for (const int cells : {1, 6, 12}) {
    Settings settings = of_plate(cells, cells);
    Support wall;
    wall.at = Vec3(-1, 0, -1.5), wall.until = Vec3(-1, 0, 1.5);
    settings.supports = {wall};
    const Model model = built(settings);
    double capacity = 0, stiffness = 0;
    int held = 0;
    for (const Joint& joint : model.joints) {
      if (joint.b < 0) capacity += joint.law.capacity[4], stiffness += joint.law.stiffness[4], ++held;
    }
    EXPECT_EQ(held, cells);
    EXPECT_NEAR(capacity, 3 * 0.02 * 0.02 / 4 * 200e6, 1e-6);
    EXPECT_NEAR(stiffness, kE * 3 * std::pow(0.02, 3) / 12 / (1.0 / cells), 1e-3);  // half a cell is 1/cells of a metre
  }
}

TEST(JointsBuild, turns_plates_as_bodies_are_turned) {
  Settings settings = of_plate(2, 2);
  settings.plates[0].turn = Vec3(90, 0, 0);
  settings.plates[0].at = Vec3(0, 1.5, 0);
  settings.supports = {support({-0.5, 0.2, 0})};
  settings.supports[0].until = Vec3(0.5, 0.2, 0);
  EXPECT_NE(complaint(settings).find("/supports/0/at: there is no end of a bar and no border of a plate here; the nearest is"), std::string::npos);
  settings.supports[0].at = Vec3(-1, 3, 0), settings.supports[0].until = Vec3(1, 3, 0);
  const Model model = built(settings);
  EXPECT_EQ(model.joints.size(), 6u);
  EXPECT_NEAR((model.pieces[2].mass.center - Vec3(-0.5, 0.75, 0)).norm(), 0, 1e-12);  // z has become -y
}

TEST(JointsBuild, supports_leave_free_what_they_do_not_hold) {
  const auto rows = [](const Settings& settings) { return built(settings).joints.back().law.stiffness; };
  Settings one = of_bars({bar({0, 0, 0}, {2, 0, 0}, 2)});
  one.supports = {support({2, 0, 0}, SupportKind::Clamped)};
  const Vec6 clamped = rows(one);
  EXPECT_GT(clamped.minCoeff(), 0);
  one.supports[0].hold = SupportKind::Pinned;
  EXPECT_EQ(rows(one).tail<3>().norm(), 0);
  EXPECT_EQ(rows(one).head<3>(), clamped.head<3>());
  one.supports[0].hold = SupportKind::Roller;
  EXPECT_EQ(rows(one)[0], 0);
  EXPECT_EQ(rows(one)[1], clamped[1]);
  EXPECT_EQ(rows(one)[2], clamped[2]);
  Settings slab = of_plate(2, 2);
  slab.supports = {support({-1, 0, -0.75}, SupportKind::Roller)};
  EXPECT_EQ(rows(slab).head<2>().norm(), 0);
  EXPECT_GT(rows(slab)[2], 0);
}

TEST(JointsBuild, supports_hold_all_ends_and_borders_on_a_stretch) {
  Settings settings = of_bars({});
  for (int k = 0; k < 5; ++k) settings.bars.push_back(bar(Vec3(k, 0, 0), Vec3(k, 1, 0), 2));
  settings.supports = {support({1, 0, 0})};
  settings.supports[0].until = Vec3(3, 0, 0);
  EXPECT_NE(complaint(settings).find("\"bar 1 1\" and \"bar 2 1\" are not connected"), std::string::npos);
  settings.supports[0].at = Vec3(-0.5, 0, 0), settings.supports[0].until = Vec3(4, 0, 0);
  settings.supports[0].to = "ground";
  const Model model = built(settings);  // what is held belongs together
  ASSERT_EQ(model.joints.size(), 10u);
  EXPECT_EQ(model.joints.back().to, "ground");
  EXPECT_EQ(model.joints.back().name, "bar 5 1 - ground");
}

TEST(JointsBuild, supports_hold_a_bar_in_its_middle_too) {
  Settings settings = of_bars({bar({0, 0, 0}, {4, 0, 0}, 4, "rail")});
  settings.supports = {support({2.5, -0.1, 0}, SupportKind::Pinned)};
  const Model model = built(settings);
  EXPECT_EQ(model.joints.back().name, "rail 3 - world");
  EXPECT_NEAR(model.joints.back().frame.translation.y(), -0.1, 1e-12);
}

TEST(JointsBuild, joins_single_pieces_by_name) {
  Settings settings;
  settings.section = rect(0.01, 0.01);
  settings.material = steel_choice();
  settings.pieces = {box_piece("a", {1, 1, 1}, {0, 0, 0}), box_piece("b", {2, 1, 1}, {1.5, 0, 0})};
  settings.pieces[1].mass = 7;
  settings.joints = {joint("a", "b", {0.5, 0, 0}), joint("a", "", {-0.5, 0, 0})};
  const Model model = built(settings);
  ASSERT_EQ(model.joints.size(), 2u);
  const double EI = kE * 1e-8 / 12;
  EXPECT_NEAR(model.joints[0].law.stiffness[4], EI / 1.5, 1e-6);  // from middle to middle
  EXPECT_NEAR(model.joints[1].law.stiffness[4], EI / 0.5, 1e-6);  // from the middle to the wall
  EXPECT_NEAR(model.pieces[0].mass.mass, 1000, 1e-9);
  EXPECT_NEAR(model.pieces[1].mass.mass, 7, 1e-12);
  EXPECT_NEAR((model.pieces[1].mass.inertia - 7.0 / 12 * Vec3(2, 5, 5)).norm(), 0, 1e-12);
  EXPECT_EQ(model.joints_of, (std::vector<std::vector<int>>{{0, 1}, {0}}));
  settings.joints[0].length = 0.2;
  EXPECT_NEAR(built(settings).joints[0].law.stiffness[4], EI / 0.2, 1e-6);
  settings.joints.push_back(joint("b", "a", {0.5, 0.4, 0}));
  EXPECT_EQ(built(settings).joints.size(), 3u);  // two hinges of a gate
}

TEST(JointsBuild, a_named_joint_takes_the_place_of_the_one_that_is_there) {
  Settings settings = of_bars({bar({0, 0, 0}, {1, 0, 0}, 4, "specimen")});
  settings.joints = {joint("specimen 3", "specimen 2", {0.5, 0.02, 0})};
  settings.joints[0].section = rect(0.1, 0.16);
  const Model model = built(settings);
  ASSERT_EQ(model.joints.size(), 3u);
  EXPECT_NEAR(model.joints[1].law.capacity[4], 0.1 * 0.16 * 0.16 / 4 * 200e6, 1e-6);
  EXPECT_EQ(model.joints[1].a, 2);
  EXPECT_NEAR(model.joints[1].frame.translation.y(), 0.02, 1e-12);
}

TEST(JointsBuild, takes_convex_meshes_as_pieces) {
  Settings settings;
  SinglePiece piece;
  piece.name = "block", piece.mesh = "block.obj", piece.at = Vec3(0, 5, 0), piece.turn = Vec3(0, 0, 90);
  settings.pieces = {piece};
  TriMesh block = make_box({1, 2, 3});
  for (Vec3& point : block.positions) point += Vec3(1, 0, 0);
  const std::vector<const TriMesh*> meshes = {&block};
  const Result<Model> model = build(settings, meshes, 500);
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->pieces[0].mass.mass, 3000, 1e-9);
  EXPECT_NEAR((model->pieces[0].mass.center - Vec3(0, 6, 0)).norm(), 0, 1e-12);
  EXPECT_EQ(model->pieces[0].hull.size(), 8u);
  const Bounds bounds = crumple::bounds_of(model->pieces[0].hull);
  EXPECT_NEAR((bounds.low - Vec3(-1, 5.5, -1.5)).norm(), 0, 1e-12);
  TriMesh dented = block;
  dented.positions.push_back(Vec3(1, 0, 0));
  dented.triangles[0][0] = static_cast<int>(dented.positions.size()) - 1;
  const std::vector<const TriMesh*> bad = {&dented};
  EXPECT_NE(build(settings, bad, 500).error().text.find("/pieces/0/mesh: is not convex"), std::string::npos);
  TriMesh inside_out = block;
  for (Triangle& t : inside_out.triangles) std::swap(t[0], t[1]);
  const std::vector<const TriMesh*> flipped = {&inside_out};
  EXPECT_FALSE(build(settings, flipped, 500));
}

TEST(JointsBuild, lists_all_pairs_that_touch_at_rest) {
  EXPECT_EQ(built(of_plate(3, 3)).touching.size(), 20u);  // 12 sides and 8 corners
  const Pairs row = built(of_bars({bar({0, 0, 0}, {1, 1, 1}, 6)})).touching;
  ASSERT_EQ(row.size(), 5u);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(row[static_cast<size_t>(k)], std::pair(k, k + 1));
  Settings pipes = of_bars({bar({0, 0, 0}, {3, 0, 0}, 3), bar({1.5, 0, 0}, {1.5, 2, 0}, 2)});
  pipes.section = tube(0.2, 0.01);
  EXPECT_EQ(built(pipes).touching, (Pairs{{0, 1}, {1, 2}, {1, 3}, {3, 4}}));
}

TEST(JointsBuild, crossing_bars_touch_but_are_joined_only_by_name) {
  Settings settings = of_bars({bar({0, 0, 0}, {2, 0, 0}, 1), bar({1, -1, 0}, {1, 1, 0}, 1)});
  settings.joints = {joint("bar 1 1", "bar 2 1", {1, 0, 0})};
  EXPECT_NE(complaint(settings).find("/joints/0/length: the two pieces have the same middle"), std::string::npos);
  settings.joints[0].length = 0.5;
  EXPECT_EQ(built(settings).touching, (Pairs{{0, 1}}));
}

std::vector<Vec3> corners(const Transform& place, const Vec3& size) {
  Piece piece;
  piece.box = size, piece.place = place;
  return outline(piece);
}

TEST(JointsTouching, separating_axes_and_nearest_points_agree) {
  Random random(7);
  const auto number = [&] { return 2 * random.unit() - 1; };
  int touching = 0;
  for (int k = 0; k < 2000; ++k) {
    const auto place = [&] {
      return Transform{Quat(number(), number(), number(), number()).normalized().toRotationMatrix(), 0.7 * Vec3(number(), number(), number())};
    };
    const Transform a = place(), b = place();
    const Vec3 size_a(1, 0.5 + 0.4 * number(), 0.05), size_b(0.1, 0.5 + 0.4 * number(), 1.5);
    const bool by_axes = boxes_touch(a, size_a, b, size_b, 0);
    EXPECT_EQ(by_axes, hulls_touch(corners(a, size_a), corners(b, size_b), 1e-9)) << k;
    touching += by_axes;
  }
  EXPECT_GT(touching, 200);
  EXPECT_LT(touching, 1800);
}

TEST(JointsTouching, hulls_touch_within_their_reach_and_not_beyond) {
  const std::vector<Vec3> a = corners({}, {1, 1, 1});
  for (const Vec3& direction : {Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(1, 1, 1)}) {
    const double gap = 0.1;
    const std::vector<Vec3> b = corners({Mat3::Identity(), direction + gap * direction.normalized()}, {1, 1, 1});
    EXPECT_TRUE(hulls_touch(a, b, gap * 1.0001));
    EXPECT_FALSE(hulls_touch(a, b, gap * 0.9999));
  }
}

TEST(JointsTouching, sweeping_finds_what_looking_at_all_pairs_finds) {
  Random random(3);
  std::vector<Bounds> bounds(150);
  for (Bounds& one : bounds) {
    const Vec3 at(9 * random.unit(), 3 * random.unit(), 3 * random.unit());
    one.add(at), one.add(at + Vec3(random.unit(), random.unit(), random.unit()));
  }
  Pairs all;
  for (int a = 0; a < 150; ++a) {
    for (int b = a + 1; b < 150; ++b) {
      const Bounds &p = bounds[static_cast<size_t>(a)], &q = bounds[static_cast<size_t>(b)];
      if ((p.low.cwiseMax(q.low).array() <= p.high.cwiseMin(q.high).array()).all()) all.emplace_back(a, b);
    }
  }
  EXPECT_GT(all.size(), 100u);
  EXPECT_EQ(overlapping(bounds, 1000000), all);
}

TEST(JointsBuild, laws_carry_the_behaviour) {
  Behaviour behaviour;
  behaviour.interaction = rigid::Interaction::Beam;
  behaviour.damping = 0.01, behaviour.softening_from = 0.5;
  MaterialChoice material = steel_choice();
  material.ultimate_rotation = 0.3, material.ultimate_strain = 0.02, material.hardening = 2e9;
  const Result<rigid::PlasticLaw> law = make_law(rect(0.1, 0.2), material, behaviour, 0.5);
  ASSERT_TRUE(law);
  EXPECT_EQ(law->interaction, rigid::Interaction::Beam);
  EXPECT_EQ(law->damping, 0.01);
  EXPECT_EQ(law->softening_from, 0.5);
  EXPECT_NEAR(law->ultimate_elongation, 0.01, 1e-15);
  EXPECT_EQ(law->ultimate_rotation, 0.3);
  EXPECT_NEAR(law->hardening[0], 2e9 * 0.02 / 0.5, 1e-3);
  behaviour.breaks = false;
  EXPECT_TRUE(std::isinf(make_law(rect(0.1, 0.2), material, behaviour, 0.5)->ultimate_rotation));
  EXPECT_TRUE(std::isinf(make_law(rect(0.1, 0.2), material, behaviour, 0.5)->ultimate_elongation));
  material.shear_rule = ShearRule::VonMises;
  EXPECT_NEAR(make_law(rect(0.1, 0.2), material, behaviour, 0.5)->capacity[1], 0.02 * 200e6 / std::sqrt(3), 1e-3);
}

TEST(JointsBuild, given_capacities_and_stiffnesses_replace_those_of_the_section) {
  SectionChoice section = rect(0.1, 0.2);
  section.capacity = JointRows{1, 2, 3, 4, 5, 6};
  const Result<rigid::PlasticLaw> law = make_law(section, steel_choice(), {}, 0.5);
  ASSERT_TRUE(law);
  EXPECT_EQ(law->capacity, (Vec6() << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_NEAR(law->stiffness[0], kE * 0.02 / 0.5, 1);
  SectionChoice bare;
  bare.capacity = section.capacity;
  bare.stiffness = JointRows{10, 20, 30, 0, 50, 60};
  const Result<rigid::PlasticLaw> given = make_law(bare, {}, {}, 0.5);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->stiffness, (Vec6() << 10, 20, 30, 0, 50, 60).finished());
  EXPECT_TRUE(std::isinf(given->ultimate_rotation));  // nothing is known of its material
  EXPECT_NEAR(make_law(bare, steel_choice(), {}, 0.5)->ultimate_rotation, 2.5, 0);
  EXPECT_FALSE(make_law(rect(0.1, 0.2), {}, {}, 0.5));
  EXPECT_FALSE(make_law(rect(0.1, 0.2), steel_choice(), {}, 0));
  EXPECT_FALSE(make_law(rect(0.1, 0.2), steel_choice(), {}, std::nan("")));
}

TEST(JointsBuild, concrete_carries_with_its_share_of_steel) {
  MaterialChoice concrete;
  concrete.concrete = 0.0004, concrete.yield = 200e6;
  const Result<rigid::PlasticLaw> law = make_law(rect(1, 1), concrete, {}, 1.5);
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->capacity[0], 80e3, 1e-6);      // paper 5, table 3.5
  EXPECT_NEAR(law->stiffness[0], 53.333e6, 1e3);  // k = E A_s / (3/2)
}

TEST(JointsBooks, enter_what_a_joint_has_done) {
  const Model model = built(of_bars({bar({0, 0, 0}, {1, 0, 0}, 3)}));
  State state = start(model);
  ASSERT_EQ(state.histories.size(), 2u);
  rigid::PlasticState now;
  now.flow << 0.1, 0.2, 0.3, 1, 2, 3;
  now.work = 5, now.utilisation = 0.5, now.peak_utilisation = 1;
  update(state, 1, now, 0.25);
  EXPECT_NEAR(state.histories[1].elongation, 0.6, 1e-15);
  EXPECT_NEAR(state.histories[1].turn, 6, 1e-15);
  EXPECT_EQ(state.histories[1].broken_at, -1);
  now.broken = 1, now.work = 7;
  update(state, 1, now, 0.5);
  update(state, 1, now, 0.75);
  EXPECT_EQ(state.histories[1].broken_at, 0.5);
  now.work = 3;
  update(state, 0, now, 0.75);
  EXPECT_EQ(total_work(state), 10);
  const std::vector<StateArray> all = arrays(state);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].data.size(), 2 * sizeof(rigid::JointHistory));
  EXPECT_EQ(all[0].row_bytes, sizeof(rigid::JointHistory));
  EXPECT_TRUE(all[0].all_finite(all[0].data));
  state.histories[1].broken_at = std::nan("");
  EXPECT_FALSE(all[0].all_finite(all[0].data));
}

}  // namespace
}  // namespace crumple::structures

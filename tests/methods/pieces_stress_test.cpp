#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/methods/blocks.h"
#include "tests/rigid/parts.h"

namespace crumple::pieces {
namespace {

using namespace testing;

std::vector<Carried> carried_whole(const Model& model, const std::vector<Load>& loads) {
  return carried(model, all_hold(model), loads);
}

std::shared_ptr<const Group> whole(const Model& model) {
  const std::vector<uint8_t> broken = all_hold(model);
  return make_factors(model, broken, connected(model, broken))->groups[0];
}

std::vector<Wrench> wrenches_of(const Model& model, const std::vector<Load>& loads) {
  std::vector<Wrench> sums(model.pieces.size(), Wrench::Zero());
  for (const Load& load : loads) sums[static_cast<size_t>(load.piece)] += wrench_of(load);
  return sums;
}

Wrench about_point(const Wrench& about_origin, const Vec3& point) {
  Wrench result = about_origin;
  result.tail<3>() -= point.cross(about_origin.head<3>());
  return result;
}

/// What the links give to each piece, about its centre.
std::vector<Wrench> given(const Model& model, const std::vector<Carried>& carried) {
  std::vector<Wrench> result(model.pieces.size(), Wrench::Zero());
  for (size_t l = 0; l < carried.size(); ++l) {
    const Weld& link = model.links[l];
    for (const auto& [piece, sign] : {std::pair{link.a, -1.0}, {link.b, 1.0}}) {
      Wrench& sum = result[static_cast<size_t>(piece)];
      sum.head<3>() += sign * carried[l].impulse;
      sum.tail<3>() += sign * (carried[l].twist + (link.center - model.pieces[static_cast<size_t>(piece)].center).cross(carried[l].impulse));
    }
  }
  return result;
}

double energy(const Model& model, const std::vector<Carried>& carried) {
  double sum = 0;
  for (size_t l = 0; l < carried.size(); ++l) sum += carried[l].size * carried[l].size / model.links[l].area;
  return sum;
}

TEST(PieceStress, size_over_area_is_the_root_mean_square_of_a_traction_that_is_linear_over_the_patch) {
  const double w = 0.3, h = 0.7;
  const Vec3 along = Vec3(1, 2, 2) / 3, up = Vec3(2, 1, -2) / 3;
  const Weld link = patch(0, 1, Vec3::Zero(), along, w, up, h, 1);
  const Vec3 mean(3, -1, 2), turn(-2, 5, 4);  // t = mean + turn x d
  Vec3 impulse = Vec3::Zero(), twist = Vec3::Zero();
  double square = 0;
  const int n = 400;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const Vec3 d = ((i + 0.5) / n - 0.5) * w * along + ((j + 0.5) / n - 0.5) * h * up;
      const Vec3 t = mean + turn.cross(d);
      impulse += t * link.area / (n * n), twist += d.cross(t) * link.area / (n * n), square += t.squaredNorm() / (n * n);
    }
  }
  const double size = std::sqrt(impulse.squaredNorm() + twist.dot(link.turning * twist));
  EXPECT_NEAR(size / link.area, std::sqrt(square), 1e-5 * std::sqrt(square));
}

TEST(PieceStress, a_patch_without_width_or_extent_turns_finitely) {
  const double area = 0.02;
  const Vec3 line = Vec3(1, 1, 0).normalized();
  const Mat3 of_line = rigid::turning_of(4.0 * line * line.transpose(), area);
  EXPECT_NEAR(line.dot(of_line * line), 1200 / area, 1e-6 / area);  // as a strip of 1 : 100
  EXPECT_NEAR(of_line(2, 2), 1 / 4.0, 1e-12);
  EXPECT_LT((rigid::turning_of(Mat3::Zero(), area) - Mat3(1200 / area * Mat3::Identity())).norm(), 1e-6 / area);
  // A strip of 1 : 50 is what it is.
  const double w = 0.02, h = 1;
  const Weld strip = patch(0, 1, Vec3::Zero(), Vec3::UnitX(), w, Vec3::UnitY(), h, 1);
  EXPECT_NEAR(strip.turning(1, 1), 12 / (w * w), 1e-6);
  EXPECT_NEAR(strip.turning(0, 0), 12 / (h * h), 1e-9);
  EXPECT_NEAR(strip.turning(2, 2), 12 / (w * w + h * h), 1e-9);
}

TEST(PieceStress, a_link_passes_on_the_other_blocks_share_of_a_central_hit) {
  const double ma = 3, mb = 5;
  const Model model = chain({ma, mb});
  const Vec3 hit(7, 0, 0);
  const std::vector<Carried> link = carried_whole(model, {{0, Vec3(-0.5, 0, 0), hit}});
  EXPECT_LT((link[0].impulse - mb / (ma + mb) * hit).norm(), 1e-12);
  EXPECT_LT(link[0].twist.norm(), 1e-12);
  EXPECT_NEAR(link[0].size, mb / (ma + mb) * 7, 1e-12);
  // Pulled instead of pushed, and from the other side.
  EXPECT_LT((carried_whole(model, {{1, Vec3(1.5, 0, 0), hit}})[0].impulse + ma / (ma + mb) * hit).norm(), 1e-12);
}

TEST(PieceStress, a_link_passes_on_impulse_and_twist_of_a_hit_off_centre) {
  const double ma = 3, mb = 5, J = 7, x = -0.4;  // hit sideways at x, blocks at 0 and 1
  const Model model = chain({ma, mb});
  const std::vector<Carried> link = carried_whole(model, {{0, Vec3(x, 0.25, 0), Vec3(0, J, 0)}});
  const double M = ma + mb, c = mb / M;
  const double ia = ma / 12 * 1.25, ib = mb / 12 * 1.25;  // about z
  const double I = ia + ma * c * c + ib + mb * (1 - c) * (1 - c);
  const double dv = J / M, dw = (x - c) * J / I;
  const double p = mb * (dv + dw * (1 - c));
  EXPECT_NEAR(link[0].impulse.y(), p, 1e-12);
  EXPECT_NEAR(link[0].impulse.x(), 0, 1e-12);
  // About the patch at 0.5: b's own turn, and its impulse at an arm of 0.5.
  EXPECT_NEAR(link[0].twist.z(), ib * dw + 0.5 * p, 1e-12);
  const double turning = 12 / (0.5 * 0.5);  // the patch lies in the plane of y and z
  EXPECT_NEAR(link[0].size, std::sqrt(p * p + turning * std::pow(ib * dw + 0.5 * p, 2)), 1e-11);
}

TEST(PieceStress, a_hit_at_the_end_of_a_chain_fades_along_it) {
  for (const int n : {2, 3, 7, 40}) {
    const Model model = chain(std::vector<double>(static_cast<size_t>(n), 2.5));
    const std::vector<Carried> links = carried_whole(model, {{0, Vec3(-0.5, 0, 0), Vec3(9, 0, 0)}});
    for (int k = 1; k < n; ++k) EXPECT_NEAR(links[static_cast<size_t>(k) - 1].size, 9.0 * (n - k) / n, 1e-9) << n << " " << k;
  }
}

TEST(PieceStress, a_long_chain_that_bends_keeps_its_digits) {
  const int n = 1000;
  const Model model = chain(std::vector<double>(n, 1.0));
  const Vec3 J(0, 4, 0);
  const std::vector<Carried> links = carried_whole(model, {{0, Vec3::Zero(), J}});
  // As a rod of blocks: shear at the joint behind block k is what is beyond it.
  const double c = 0.5 * (n - 1), I = n * 1.25 / 12 + n * (double(n) * n - 1) / 12;
  double shear = 0;
  for (int k = n - 1; k > 0; --k) {
    shear += 4.0 / n - (c * 4.0 / I) * (k - c);
    EXPECT_NEAR(links[static_cast<size_t>(k) - 1].impulse.y(), shear, 1e-6) << k;
  }
}

TEST(PieceStress, four_blocks_in_a_ring_share_evenly) {
  const Model model = grid(2, 2, 1);  // pieces 0 1 / 2 3
  // Pulled apart along the diagonal: all four links carry alike.
  const std::vector<Carried> links = carried_whole(model, {{0, Vec3(0, 0, 0), Vec3(-1, -1, 0)}, {3, Vec3(1, 1, 0), Vec3(1, 1, 0)}});
  ASSERT_EQ(links.size(), 4u);
  for (const Carried& link : links) EXPECT_NEAR(link.size, links[0].size, 1e-12);
  for (const Carried& link : links) EXPECT_NEAR(link.impulse.head<2>().sum(), -1, 1e-12);  // held back: half of the pull along each of the two ways
}

/// Minimises the same energy under the same balance, but with the links' own numbers as unknowns and all at once.
std::vector<Carried> by_lagrange(const Model& model, const std::vector<Load>& loads) {
  const int links = static_cast<int>(model.links.size()), pieces = static_cast<int>(model.pieces.size());
  double mass = 0;
  Vec3 center = Vec3::Zero(), impulse = Vec3::Zero(), momentum = Vec3::Zero();
  for (const Piece& piece : model.pieces) mass += piece.mass, center += piece.mass * piece.center;
  center /= mass;
  Mat3 inertia = Mat3::Zero();
  for (const Piece& piece : model.pieces) {
    const Vec3 r = piece.center - center;
    inertia += piece.inertia + piece.mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  for (const Load& load : loads) impulse += load.impulse, momentum += (load.at - center).cross(load.impulse);
  const Vec3 dv = impulse / mass, dw = inertia.inverse() * momentum;
  Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(6 * (links + pieces), 6 * (links + pieces));
  Eigen::VectorXd right = Eigen::VectorXd::Zero(6 * (links + pieces));
  for (int l = 0; l < links; ++l) {
    const Weld& link = model.links[static_cast<size_t>(l)];
    kkt.block<3, 3>(6 * l, 6 * l) = Mat3::Identity() / link.area;
    kkt.block<3, 3>(6 * l + 3, 6 * l + 3) = link.turning / link.area;
    for (const auto& [piece, sign] : {std::pair{link.a, -1.0}, {link.b, 1.0}}) {
      const int row = 6 * (links + piece);
      const Vec3 arm = link.center - model.pieces[static_cast<size_t>(piece)].center;
      kkt.block<6, 6>(row, 6 * l) = sign * Eigen::Matrix<double, 6, 6>::Identity();
      for (int i = 0; i < 3; ++i) kkt.block<3, 1>(row + 3, 6 * l + i) = sign * arm.cross(Vec3::Unit(i));
    }
  }
  kkt.topRightCorner(6 * links, 6 * pieces) = kkt.bottomLeftCorner(6 * pieces, 6 * links).transpose();
  for (int k = 0; k < pieces; ++k) {
    const Piece& piece = model.pieces[static_cast<size_t>(k)];
    right.segment<3>(6 * (links + k)) = piece.mass * (dv + dw.cross(piece.center - center));
    right.segment<3>(6 * (links + k) + 3) = piece.inertia * dw;
  }
  for (const Load& load : loads) {
    right.segment<3>(6 * (links + load.piece)) -= load.impulse;
    right.segment<3>(6 * (links + load.piece) + 3) -= (load.at - model.pieces[static_cast<size_t>(load.piece)].center).cross(load.impulse);
  }
  const Eigen::VectorXd solution = kkt.completeOrthogonalDecomposition().solve(right);
  std::vector<Carried> result;
  for (int l = 0; l < links; ++l) {
    Carried one{solution.segment<3>(6 * l), solution.segment<3>(6 * l + 3), 0};
    one.size = std::sqrt(one.impulse.squaredNorm() + one.twist.dot(model.links[static_cast<size_t>(l)].turning * one.twist));
    result.push_back(one);
  }
  return result;
}

TEST(PieceStress, agrees_with_the_constrained_problem_solved_as_a_whole) {
  Random random(5);
  std::vector<Model> models = {grid(2, 2, 1), grid(2, 2, 2), grid(3, 2, 1)};
  for (int i = 0; i < 8; ++i) models.push_back(random_model(random, 2 + random.below(7), random.below(8)));
  for (const Model& model : models) {
    const std::vector<Load> loads = random_loads(random, model, 3, 5);
    const std::vector<Carried> ours = carried_whole(model, loads), theirs = by_lagrange(model, loads);
    const double scale = std::sqrt(energy(model, theirs));
    for (size_t l = 0; l < ours.size(); ++l) {
      EXPECT_LT((ours[l].impulse - theirs[l].impulse).norm(), 1e-8 * scale);
      EXPECT_LT((ours[l].twist - theirs[l].twist).norm(), 1e-8 * scale);
      EXPECT_NEAR(ours[l].size, theirs[l].size, 1e-8 * scale);
    }
  }
}

TEST(PieceStress, every_piece_gets_exactly_what_moves_it_with_its_group) {
  Random random(6);
  for (int i = 0; i < 40; ++i) {
    const Model model = random_model(random, 1 + random.below(30), random.below(40));
    std::vector<uint8_t> broken(model.links.size());
    for (uint8_t& one : broken) one = random.below(4) == 0;
    const std::vector<Load> loads = random_loads(random, model, 4, 10);
    const std::vector<Wrench> acting = wrenches_of(model, loads), links = given(model, carried(model, broken, loads));
    const Groups groups = connected(model, broken);
    for (int g = 0; g < groups.count; ++g) {
      // The group's motion, from what acts on it and what its pieces are.
      double mass = 0;
      Vec3 center = Vec3::Zero();
      Wrench sum = Wrench::Zero();
      for (size_t k = 0; k < model.pieces.size(); ++k) {
        if (groups.of_piece[k] == g) mass += model.pieces[k].mass, center += model.pieces[k].mass * model.pieces[k].center, sum += acting[k];
      }
      center /= mass;
      Mat3 inertia = Mat3::Zero();
      for (size_t k = 0; k < model.pieces.size(); ++k) {
        const Vec3 r = model.pieces[k].center - center;
        if (groups.of_piece[k] == g)
          inertia += model.pieces[k].inertia + model.pieces[k].mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
      }
      const Vec3 dv = sum.head<3>() / mass, dw = inertia.inverse() * about_point(sum, center).tail<3>();
      for (size_t k = 0; k < model.pieces.size(); ++k) {
        if (groups.of_piece[k] != g) continue;
        const Piece& piece = model.pieces[k];
        const Wrench got = about_point(acting[k], piece.center) + links[k];
        EXPECT_LT((got.head<3>() - piece.mass * (dv + dw.cross(piece.center - center))).norm(), 1e-9);
        EXPECT_LT((got.tail<3>() - piece.inertia * dw).norm(), 1e-9);
      }
    }
  }
}

TEST(PieceStress, no_other_way_of_carrying_the_same_has_less_traction) {
  Random random(7);
  const Model model = random_model(random, 6, 6);
  const std::vector<Load> loads = random_loads(random, model, 3, 5);
  const std::vector<Carried> best = carried_whole(model, loads);
  // Differences of two ways that balance the same loads: what is carried if a link is missing, less what is carried by all.
  for (size_t l = 0; l < model.links.size(); ++l) {
    std::vector<uint8_t> broken = all_hold(model);
    broken[l] = 1;
    if (connected(model, broken).count > 1) continue;
    EXPECT_GT(energy(model, carried(model, broken, loads)), energy(model, best) * (1 + 1e-9));
  }
}

TEST(PieceStress, neither_frame_nor_numbering_matters) {
  Random random(8);
  for (int i = 0; i < 10; ++i) {
    const int count = 2 + random.below(12);
    const Model model = random_model(random, count, random.below(12));
    const std::vector<Load> loads = random_loads(random, model, 3, 5);
    const Mat3 turn = random_rotation(random);
    const Vec3 shift = random_vector(random, 20);
    std::vector<int> order(static_cast<size_t>(count));
    for (int k = 0; k < count; ++k) order[static_cast<size_t>(k)] = (k * 5 + 3) % count;  // a permutation unless 5 divides count
    if (count % 5 == 0) continue;
    Model other = model;
    for (int k = 0; k < count; ++k) {
      const Piece& piece = model.pieces[static_cast<size_t>(k)];
      other.pieces[static_cast<size_t>(order[static_cast<size_t>(k)])] = {piece.mass, turn * piece.center + shift,
                                                                          turn * piece.inertia * turn.transpose()};
    }
    const size_t links = model.links.size();
    for (size_t l = 0; l < links; ++l) {  // backwards, and every link with its ends exchanged
      const Weld& link = model.links[l];
      other.links[links - 1 - l] = {order[static_cast<size_t>(link.b)], order[static_cast<size_t>(link.a)],    link.area, link.limit,
                                    turn * link.center + shift,         turn * link.turning * turn.transpose()};
    }
    std::vector<Load> moved = loads;
    for (Load& load : moved) load = {order[static_cast<size_t>(load.piece)], turn * load.at + shift, turn * load.impulse};
    const std::vector<Carried> before = carried_whole(model, loads), after = carried_whole(other, moved);
    const double scale = std::sqrt(energy(model, before));
    for (size_t l = 0; l < links; ++l) {
      EXPECT_LT((turn * before[l].impulse + after[links - 1 - l].impulse).norm(), 1e-8 * scale);
      EXPECT_LT((turn * before[l].twist + after[links - 1 - l].twist).norm(), 1e-8 * scale);
      EXPECT_NEAR(before[l].size, after[links - 1 - l].size, 1e-8 * scale);
    }
  }
}

TEST(PieceStress, turning_pulls_a_dumbbell_apart) {
  const double m = 4, r = 1.5, w = 6, dt = 0.004;
  const Model model = model_of({block(m, Vec3(0.1, 0.1, 0.1), Vec3(-r, 0, 0)), block(m, Vec3(0.1, 0.1, 0.1), Vec3(r, 0, 0))},
                               {patch(0, 1, Vec3::Zero(), Vec3::UnitY(), 0.1, Vec3::UnitZ(), 0.1, 1)});
  const std::shared_ptr<const Group> group = whole(model);
  std::vector<Wrench> loads(2, Wrench::Zero());
  add_spin_loads(model, *group, Vec3(0, 0, w), dt, loads);
  const std::vector<Carried> link = solve(model, *group, wanted_from_links(model, *group, loads));
  EXPECT_LT((link[0].impulse - Vec3(-m * r * w * w * dt, 0, 0)).norm(), 1e-12);  // holds b back
  EXPECT_LT(link[0].twist.norm(), 1e-12);
}

TEST(PieceStress, what_turning_takes_is_the_change_of_each_pieces_momentum_and_nothing_in_sum) {
  Random random(9);
  for (int i = 0; i < 10; ++i) {
    const Model model = random_model(random, 2 + random.below(6), 2);
    const std::shared_ptr<const Group> group = whole(model);
    const Vec3 w = random_vector(random, 5);
    std::vector<Wrench> loads(model.pieces.size(), Wrench::Zero());
    add_spin_loads(model, *group, w, 1, loads);
    Wrench sum = Wrench::Zero();
    double scale = 0;
    for (const Wrench& load : loads) sum += load, scale += load.norm();
    EXPECT_LT(sum.norm(), 1e-12 * scale);
    // Momentum of each piece in space, before and after a short free turn of the whole (midpoint rule for Euler's equations).
    const Mat3& I = group->whole.inertia;
    const auto turned = [&](double t) {
      Mat3 rotation = Mat3::Identity();
      Vec3 spin = w;
      const int steps = 64;
      for (int s = 0; s < steps; ++s) {
        const double h = t / steps;
        const Vec3 half = spin - 0.5 * h * (I.inverse() * spin.cross(I * spin));
        rotation = rotation * Eigen::AngleAxisd(h * half.norm(), half.normalized()).toRotationMatrix();
        spin -= h * (I.inverse() * half.cross(I * half));
      }
      return std::pair(rotation, spin);
    };
    const double h = 1e-4;
    const auto [back, spin_back] = turned(-h);
    const auto [on, spin_on] = turned(h);
    for (size_t k = 0; k < model.pieces.size(); ++k) {
      const Piece& piece = model.pieces[k];
      const Vec3 r = piece.center - group->whole.center;
      const Vec3 force = piece.mass / (2 * h) * (on * spin_on.cross(r) - back * spin_back.cross(r));
      const Vec3 torque = (on * piece.inertia * spin_on - back * piece.inertia * spin_back) / (2 * h);
      const Wrench load = about_point(loads[k], piece.center);
      EXPECT_LT((load.head<3>() + force).norm(), 1e-5 * scale);
      EXPECT_LT((load.tail<3>() + torque).norm(), 1e-5 * scale);
    }
  }
}

TEST(PieceStress, the_way_along_the_tree_is_never_the_cheaper_one) {
  Random random(10);
  for (int i = 0; i < 200; ++i) {
    const Model model = random_model(random, 2 + random.below(20), random.below(20));
    const std::vector<Load> loads = random_loads(random, model, 1 + random.below(4), 5);
    const std::shared_ptr<const Group> group = whole(model);
    const double tree = energy_over_tree(model, *group, wanted_from_links(model, *group, wrenches_of(model, loads)));
    const std::vector<Carried> links = carried_whole(model, loads);
    EXPECT_GE(tree, energy(model, links) * (1 - 1e-9));
    for (size_t l = 0; l < links.size(); ++l) EXPECT_LE(links[l].size, std::sqrt(model.links[l].area * tree) * (1 + 1e-9));
    const bool is_tree = links.size() + 1 == model.pieces.size();
    EXPECT_LE(is_tree ? tree : 0, energy(model, links) * (1 + 1e-9));
  }
}

/// The engine's own fixed joints between separate parts, for one step after a block was given a push.
std::vector<rigid::JointLoad> by_joints(const Model& model, const Vec3& size, int hit, const Vec3& at, const Vec3& impulse) {
  rigid::World world({.gravity = Vec3::Zero(), .iterations = 2000, .sleeping = false});
  for (const Piece& piece : model.pieces) {
    rigid::PartSettings part = rigid::testing::dynamic_part(rigid::Box{size}, 1, piece.center);
    part.mass = piece.mass, part.inertia = piece.inertia.diagonal();
    part.collides_with = 0;
    world.add_part(part);
  }
  for (const Weld& link : model.links) world.add_joint({.kind = rigid::JointKind::Fixed, .part_a = link.b, .part_b = link.a, .at = link.center});
  const Piece& piece = model.pieces[static_cast<size_t>(hit)];
  world.set_velocity(hit, impulse / piece.mass, piece.inertia.inverse() * (at - piece.center).cross(impulse));
  rigid::Loads loads;
  world.step(1.0 / 2400, loads);
  return loads.joints;
}

// A chain leaves no choice: whoever keeps the blocks together must carry this. What differs, by 1e-4, is what the joints' solver has not yet settled
// after its iterations, and the turn of the blocks within the step.
TEST(PieceStress, agrees_with_separate_blocks_held_by_fixed_joints) {
  const Model model = chain({2, 3, 1, 2});
  struct Hit {
    int piece;
    Vec3 at, impulse;
  };
  for (const Hit& hit :
       {Hit{0, Vec3(-0.5, 0, 0), Vec3(5, 0, 0)}, Hit{3, Vec3(3.2, 0.25, 0), Vec3(0, -4, 0)}, Hit{1, Vec3(1.3, 0.1, 0.25), Vec3(1, 2, -3)}}) {
    const std::vector<Carried> links = carried_whole(model, {{hit.piece, hit.at, hit.impulse}});
    const std::vector<rigid::JointLoad> joints = by_joints(model, Vec3(1, 0.5, 0.5), hit.piece, hit.at, hit.impulse);
    ASSERT_EQ(joints.size(), links.size());
    for (size_t l = 0; l < links.size(); ++l) {
      EXPECT_NEAR(joints[l].impulse, links[l].impulse.norm(), 1e-3 * hit.impulse.norm()) << l;
      EXPECT_NEAR(joints[l].twist, links[l].twist.norm(), 1e-3 * hit.impulse.norm()) << l;
    }
  }
}

}  // namespace
}  // namespace crumple::pieces

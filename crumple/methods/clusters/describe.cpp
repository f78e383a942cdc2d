#include <fmt/format.h>

#include "crumple/methods/clusters/clusters.h"

namespace crumple::clusters {
namespace {

void describe_clustering(Fields& fields, Settings& s) {
  fields.integer("clusters", s.clusters, between(1, 100000), {"initial number of overlapping clusters of particles; more are softer and tear finer"});
  fields.number("radius", s.radius, at_least(0), {"initial radius of a cluster; 0: chosen so that a particle is in about three clusters", "m"});
  fields.choice<Kernel>("kernel", s.kernel, {{"inverse-square", Kernel::InverseSquare}, {"constant", Kernel::Constant}, {"poly6", Kernel::Poly6}},
                        {"falloff of a particle's weight in a cluster with its distance from the centre"});
  fields.number("core", s.core, at_least(0),
                {"distance below which the inverse-square weight stops growing; 0: a twentieth of the radius (the authors have 0.01)", "m"});
  fields.choice<Seeding>("seeding", s.seeding, {{"spread", Seeding::Spread}, {"libc++", Seeding::Libcxx}, {"libstdc++", Seeding::Libstdcxx}},
                         {"initial cluster centres: far apart, or random as in the authors' program with one or the other standard library"});
  fields.integer("seed", s.seed, at_least(0), {"random seed of the clustering"});
}

void describe_elasticity(Fields& fields, Settings& s) {
  fields.number("young", s.young, between(1, 1e12),
                {"Young's modulus; jelly about 1e4, flesh 1e5, rubber 1e6 to 1e7. No stiffer than steps allow: \"check\" says when that is too soft", "Pa"});
  fields.number("stiffness", s.stiffness, between(0, 10000),
                {"instead of Young's modulus: share of the way to its goal that a particle goes in 1/60 s (alpha, paper 2); 1 is stiffest at 60 steps per second, n^2 at n times "
                 "as many"});
  fields.number("overshoot", s.overshoot, between(1, 10000),
                {"maximum share of the way to its goal that a particle goes in one step: above 1 it swings past the goal, and from 4 on, less twice the share "
                 "that damping takes, motion grows without end"});
  fields.number("damping", s.damping, at_least(0),
                {"decay rate of motion within clusters and between neighbouring ones; rigid motion of the body is not damped", "1/s"});
  fields.flag("damp_spin", s.damp_spin,
              {"whether damping also acts on the spin of clusters, at the cost of angular momentum, as in the authors' program"});
  fields.flag("published", s.published, {"all ways of the authors' program that this one leaves (see \"ways\"), for comparison with their pictures"});
  fields.object("ways", s.ways, {"single ways of the authors' program, for comparison"});
  fields.number("stretch", s.stretch, at_least(0),
                {"maximum distance of a particle from its goal position, as a share of the cluster's size (gamma, strain limiting)"});
  fields.integer("sweeps", s.sweeps, between(0, 100), {"number of strain limiting sweeps in each step"});
  fields.number("relax", s.relax, between(0, 1), {"share of each sweep's correction that is applied (omega, strain limiting)"});
}

void describe_plasticity(Fields& fields, Settings& s) {
  fields.number("yield", s.yield, at_least(0), {"elastic limit, as a strain (lambda, paper 2 eq. 13)"});
  fields.number("flow", s.flow, at_least(0),
                {"share of the strain beyond yield that becomes permanent in 1/60 s (nu, paper 2 eq. 13); 0: never, 1: at once"});
  fields.number("hardening", s.hardening, {},
                {"increase of the yield in a second at a strain of 1 (K, paper 2 eqs. 13 and 14); negative softens", "1/s"});
}

void describe_fracture(Fields& fields, Settings& s) {
  fields.number("toughness", s.toughness, at_least(0),
                {"stretch beyond its length at which a cluster splits: 0.1 is 10 % (tau_0, paper 2 eq. 16); from 1e6 on nothing tears"});
  fields.number("boost", s.boost, at_least(0), {"added toughness of a cluster that has just split, as a share of its own (tau_b, paper 2 eq. 16)"});
  fields.number("falloff", s.falloff, at_least(0), {"decay rate of the added toughness (tau_f, paper 2 eq. 16)", "1/s"});
  fields.flag("boosted_at_start", s.boosted_at_start, {"whether clusters start as if they had just split, as in the authors' scenes"});
  fields.flag("delay", s.delay, {"whether a split cluster must fall below its toughness once before it splits again"});
  fields.number("held_toughness", s.held_toughness, more_than(0),
                {"factor on the toughness of clusters that the edge of a clamp crosses (the authors have 10)"});
  fields.integer("tears_per_step", s.tears_per_step, between(1, 1000000),
                 {"maximum number of clusters that split in one step, the most overloaded first"});
  fields.number("outlier", s.outlier, more_than(0),
                {"factor on the distance allowed by \"stretch\", beyond which a particle is removed from its cluster"});
  fields.number("bridge", s.bridge, between(0, 1),
                {"share of the particles that two clusters had in common before a tear; clusters that hold together by no more, and are pulled apart "
                 "beyond their toughness, part; 0: they hold by a single particle"});
  fields.choice<Crumbs>("crumbs", s.crumbs, {{"hold", Crumbs::Hold}, {"cull", Crumbs::Cull}},
                        {"handling of halves with fewer than four particles: not split off, or split off and deleted, as in paper 2"});
}

void describe_collision(Fields& fields, Settings& s) {
  fields.flag("self_collision", s.self_collision, {"whether parts of the body collide with each other"});
  fields.number("give", s.give, between(0, 1), {"share of an overlap that is corrected in a step"});
  fields.number("flat", s.flat, between(0, 1), {"share of the radius; sides of a cluster nearer to its centre collide as planes, not as a ball"});
  fields.number("friction", s.friction, at_least(0), {"Coulomb friction coefficient of the body with itself"});
}

}  // namespace

void describe(Fields& fields, AuthorsWays& ways) {
  fields.flag("mirrored_goals", ways.mirrored_goals,
              {"whether clusters that are inside out have mirrored goals, instead of being turned right way round"});
  fields.flag("twisting_goals", ways.twisting_goals,
              {"whether goals turn as the elastic deformation, which has a torque, instead of as momentum asks"});
  fields.flag("lone_pulls", ways.lone_pulls, {"whether strain limiting moves particles without the recoil of their cluster"});
  fields.flag("overlaps", ways.overlaps, {"whether self-collision moves particles only, without velocities and recoil"});
  fields.flag("right_normals", ways.right_normals, {"whether cracks are square to the right singular vector, instead of the stretch in the world"});
  fields.flag("smallest_first", ways.smallest_first, {"whether the least overloaded cluster splits first, instead of the most overloaded"});
  fields.flag("near_outliers", ways.near_outliers,
              {"whether particles near the centre of a cluster are outliers as soon as others, though little moves them"});
  fields.flag("free_flow", ways.free_flow, {"whether squashed clusters flow at the full rate, though that stretches them sideways out of nothing"});
  fields.flag("kin_halves", ways.kin_halves, {"whether the halves of a cluster never collide with each other"});
}

void describe(Fields& fields, Settings& settings) {
  describe_clustering(fields, settings);
  describe_elasticity(fields, settings);
  describe_plasticity(fields, settings);
  describe_fracture(fields, settings);
  describe_collision(fields, settings);
}

void describe(Fields& fields, BodySettings& settings) {
  particles::describe(fields, settings.fill);
  describe(fields, settings.clusters);
  particles::describe(fields, settings.boundary);
  fields.object("inner", settings.inner, {"appearance of torn surfaces; absent: rougher and darker than the body's own"});
  fields.number("relief", settings.relief, between(0, 1), {"height of the bumps of torn surfaces, as a share of the distance between particles; both sides of a crack fit"});
  fields.number("grain", settings.grain, between(0, 1), {"share by which the colour of torn surfaces varies from place to place"});
}

std::vector<NamedSpeed> speeds(const BodySettings& settings) {
  std::vector<NamedSpeed> speeds;
  for (size_t i = 0; i < settings.boundary.clamps.size(); ++i) {
    speeds.push_back({fmt::format("clamps/{}/velocity", i), settings.boundary.clamps[i].velocity.norm()});
  }
  return speeds;
}

}  // namespace crumple::clusters

#include <fmt/format.h>

#include "crumple/methods/points/kernels.h"

namespace crumple::points {

void describe(Fields& f, Settings& s) {
  f.number("young", s.young, between(1, 1e12), {"Young's modulus; dough about 1e4, clay 1e5, rubber 1e6 to 1e7. The stable step falls with its root", "Pa"});
  f.number("poisson", s.poisson, between(0, 0.49), {"Poisson's ratio"});
  f.choice<Law>("law", s.law, {{"hencky", Law::Hencky}, {"linear", Law::Linear}},
                {"elastic law: \"hencky\" in logarithms of the stretches, or \"linear\" in the stretches as in the thesis (eq. 3.4)"});
  f.number("viscosity", s.viscosity, at_least(0), {"viscosity inside the body; absent: a little, chosen by spacing and stiffness", "Pa s"});
  f.number("yield", s.yield, at_least(0), {"deviatoric stress from which it flows; absent: it is elastic", "Pa"});
  f.number("flow", s.flow, at_least(0), {"rate at which stress beyond the yield is lost to flow: 1 creeps, 1000 flows at once", "1/s"});
  f.number("hardening", s.hardening, {}, {"rise of the yield for each unit of plastic strain; negative softens", "Pa"});
  f.integer("neighbors", s.neighbors, between(8, 64), {"largest number of neighbours that a point sees"});
  f.number("radius", s.radius, between(1.2, 4), {"radius of a neighbourhood, in mean distances of its points"});
  f.number("stabilize", s.stabilize, between(0, 1), {"stiffness against patterns that no deformation gradient sees, as a share of the material's; 0 for comparison"});
  f.flag("update", s.update, {"whether neighbourhoods follow the flow; false for comparison"});
  f.number("update_at", s.update_at, between(1e-4, 1), {"plastic strain of a fiftieth of the body, or a fifth of that of any point, after which the embedding is solved and neighbourhoods are chosen anew"});
  f.flag("resample", s.resample, {"whether points split where they are too far apart and merge where they crowd"});
  f.number("split", s.split, between(0.01, 1), {"share of the least spread at the start below which a point splits (eq. 3.13)"});
  f.number("merge", s.merge, between(1, 100), {"multiple of the greatest spread at the start above which two points merge (eq. 3.13)"});
  f.number("split_distance", s.split_distance, between(0.05, 1), {"distance of the two halves from where the point was, in mean distances of its neighbours; the thesis has 0.5"});
  f.number("step", s.step, between(0.01, 2), {"length of a step, as a share of the one that is sure to be stable"});
  f.integer("most_steps", s.most_steps, between(1, 100000), {"largest number of steps within one of the scene; more that were needed are counted in run.json"});
  f.choice<Scheme>("scheme", s.scheme, {{"newmark", Scheme::Newmark}, {"leapfrog", Scheme::Leapfrog}, {"printed", Scheme::Printed}},
                   {"how time goes on: \"newmark\" solves for viscosity, \"leapfrog\" does not; \"printed\", for comparison, as the thesis has it, with half of gravity and stress"});
  f.flag("self_collision", s.self_collision, {"whether parts of the body that were never near touch each other"});
  f.number("friction", s.friction, at_least(0), {"Coulomb friction coefficient of the body with itself"});
  f.choice<Strays>("strays", s.strays, {{"keep", Strays::Keep}, {"freeze", Strays::Freeze}, {"remove", Strays::Remove}},
                   {"points that have lost all their neighbours: \"keep\" them flying, \"freeze\" or \"remove\" them; they are counted"});
  f.choice<Shown>("surface", s.shown, {{"auto", Shown::Auto}, {"carried", Shown::Carried}, {"skin", Shown::Skin}},
                  {"what is drawn: the mesh \"carried\" along, a \"skin\" around the points, or the one for elastic bodies and the other for those that flow"});
  f.choice<Volumes>("volumes", s.volumes, {{"carried", Volumes::Carried}, {"estimated", Volumes::Estimated}},
                    {"volumes and masses of points: \"carried\" along or, for comparison, \"estimated\" anew in each step (eq. 3.3)"});
  f.choice<Drag>("drag", s.drag, {{"pairs", Drag::Pairs}, {"central", Drag::Central}, {"thesis", Drag::Thesis}},
                 {"viscosity: equal and opposite between \"pairs\", \"central\" also keeps angular momentum; \"thesis\", for comparison, eq. 3.8"});
  f.choice<Rule>("rule", s.rule, {{"rate", Rule::Rate}, {"share", Rule::Share}},
                 {"flow: a \"rate\", the same at any step or, for comparison, a \"share\" of each step (eq. 3.7; then `flow` is that share)"});
  f.choice<Embed>("embedding", s.embed, {{"linear", Embed::Linear}, {"printed", Embed::Printed}, {"nonlinear", Embed::Nonlinear}},
                  {"fit of the common rest space: \"linear\" (eq. 3.9); for comparison \"printed\", with the diagonal of eq. 3.12, or \"nonlinear\", where neighbourhoods may turn"});
  f.choice<Newcomers>("newcomers", s.newcomers, {{"world", Newcomers::World}, {"embedded", Newcomers::Embedded}},
                      {"rest vectors of new neighbours: from where they are in the \"world\" or, for comparison, from the embedding as in the thesis (\"embedded\")"});
  if (!f.reading() || f.failed()) return;
  const double shear = s.young / (2 * (1 + s.poisson));
  if (s.hardening <= -2 * shear) f.fail("hardening", fmt::format("must be above {:.3g} Pa, or softening outruns the material's stiffness", -2 * shear));
  if (s.resample && s.shown == Shown::Carried) f.fail("surface", "a mesh cannot be carried by points that split; use \"skin\"");
  if (s.resample && !s.update) f.fail("resample", "needs neighbourhoods that follow the flow; leave out \"update\"");
}

void describe(Fields& fields, BodySettings& settings) {
  particles::describe(fields, settings.fill);
  describe(fields, settings.points);
  particles::describe(fields, settings.boundary);
}

std::vector<NamedSpeed> speeds(const BodySettings& settings) {
  std::vector<NamedSpeed> speeds;
  for (size_t i = 0; i < settings.boundary.clamps.size(); ++i) speeds.push_back({fmt::format("clamps/{}/velocity", i), settings.boundary.clamps[i].velocity.norm()});
  return speeds;
}

std::string summary(const BodySettings& s) {
  const std::string flows = s.points.yield ? fmt::format("flows above {:g} Pa", *s.points.yield) : "does not flow";
  return fmt::format("Young's modulus {:g} Pa; {}", s.points.young, flows);
}

}  // namespace crumple::points

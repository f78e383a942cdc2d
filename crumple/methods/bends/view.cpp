#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/methods/bends/kernels.h"
#include "crumple/methods/bends/presets.h"

namespace crumple::bends {
namespace {

const Vec3f kStraight(0.85f, 0.85f, 0.85f), kSome(0.95f, 0.62f, 0.05f), kMuch(0.55f, 0.02f, 0.03f), kAwake(0.05f, 0.35f, 0.8f);
constexpr double kMuchTurn = std::numbers::pi / 2;

std::string footer(int bodies, const Totals& totals) {
  const auto value = [&](const char* key) { return totals.contains(key) ? totals.at(key) : 0.0; };
  return fmt::format("{} {} with skeletons, {:.0f} joints bent", bodies, bodies == 1 ? "body" : "bodies", value("bent_joints"));
}

}  // namespace

const MethodInfo& info(const Settings&) {
  static constexpr ColorScheme kSchemes[] = {{"bend", "plastic turn of the joints nearby; joints that are awake are blue"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Bonds,
                                       .name = "bends",
                                       .key = "bends",
                                       .key_help = "joints of a skeleton that turn and stay bent where it is hit",
                                       .paper = "paper 3, section 4",
                                       .help = "bodies with a skeleton bend at its joints, or where they are hit, and stay bent",
                                       .need = BodyNeed::Solid,
                                       .noun = "body that bends",
                                       .verb = "bend",
                                       .held_by = "",
                                       .colors = kSchemes,
                                       .state_color = "bend",
                                       .footer = footer,
                                       .presets = kPresets};
  return kInfo;
}

std::string summary(const Settings& settings) {
  const std::string from = settings.bones.empty() ? settings.skeleton == SkeletonFrom::Handles ? "its handles" : "its shape" : fmt::format("{} bones", settings.bones.size());
  return fmt::format("bends at {:g} N m; skeleton from {}{}", settings.strength, from, settings.dynamic ? "; joints appear where it is hit" : "");
}

void describe(Fields& fields, Bone& b) {
  fields.text("name", b.name, {"name of the bone"});
  fields.vector("from", b.from, {"one end, in the body's own frame", "m"});
  fields.vector("to", b.to, {"the other end", "m"});
  fields.number("strength", b.strength, more_than(0), {"moment at which its joints turn, if not the body's; between two bones the smaller one counts", "N m"});
  fields.require("from"), fields.require("to");
}

void describe(Fields& fields, Spring& s) {
  fields.number("stiffness", s.stiffness, more_than(0), {"moment per turn (kappa, paper 3, section 4.3)", "N m/rad"});
  fields.number("damping", s.damping, between(0, 100), {"damping of the spring, as a share of its stiffness", "s"});
}

void describe(Fields& fields, Slide& s) {
  fields.number("strength", s.strength, more_than(0), {"force along the bone at which a joint slides", "N"});
  fields.number("stiffness", s.stiffness, more_than(0), {"force per displacement before it slides; absent: rigid", "N/m"});
}

void describe(Fields& fields, Settings& s) {
  fields.number("strength", s.strength, more_than(0), {"moment under which a joint turns, about the weak axis of its section", "N m"});
  fields.flag("dynamic", s.dynamic, {"whether joints also appear within bones, where the body is hit (paper 3, section 4.2)"});
  fields.list("bones", s.bones, {"bones of the skeleton; ends in one place are a joint. Absent: see \"skeleton\""});
  if (fields.has("bones") && s.bones.empty()) fields.fail("bones", "is empty; leave it out to have a skeleton found in the shape");
  fields.choice<SkeletonFrom>("skeleton", s.skeleton, {{"shape", SkeletonFrom::Shape}, {"handles", SkeletonFrom::Handles}},
                              {"source of the skeleton if no bones are given: the body's \"shape\", or the \"handles\" of its asset, each a bone"});
  fields.integer("most_bones", s.most_bones, between(1, 64), {"largest number of bones of a skeleton found in the shape"});
  fields.number("damping", s.damping, between(0, 1000), {"damping of a joint that turns, in proportion to its speed, in addition to its strength (paper 3, section 4.1)", "1/s"});
  fields.object("spring", s.spring, {"joints that spring back until they yield; absent: rigid until they yield"});
  fields.object("slide", s.slide, {"joints that also slide along their bone; absent: they only turn"});
  fields.integer("joints", s.joints, between(1, 512), {"largest number of joints awake at a time; those beyond it are counted"});
  fields.number("spacing", s.spacing, between(0.5, 100), {"distance of the places where joints can appear, in thicknesses of the bone"});
  fields.number("wake", s.wake, between(1e-4, 0.1), {"time for which the strength must be exceeded for a joint to wake: an angular impulse of strength x wake", "s"});
  fields.number("rest", s.rest, between(0, 1000), {"time without turning after which a joint is welded again", "s"});
  fields.flag("condense", s.condense, {"whether pieces between joints that rest are one rigid part; off, all joints are always awake, for comparison"});
  fields.number("impulse", s.impulse, more_than(0), {"angular impulse in one step under which a joint turns, instead of a strength, for comparison: as in paper 3, and so dependent on the step", "N m s"});
}

std::vector<Vec3f> colors(const Model& model, const State& state, std::string_view, int) {
  std::vector<double> turn(model.pieces.size(), 0.0);
  std::vector<uint8_t> awake(model.pieces.size(), 0);
  for (size_t l = 0; l < model.links.size(); ++l) {
    for (const int piece : {model.links[l].a, model.links[l].b}) {
      turn[at(piece)] = std::max(turn[at(piece)], state.histories[l].turn);
      awake[at(piece)] = awake[at(piece)] || (state.awake[l] && model.settings.condense);
    }
  }
  std::vector<Vec3f> result;
  const PieceShares& shares = model.surface.shares;
  for (size_t point = 0; point < shares.points(); ++point) {
    double sum = 0, blue = 0;
    for (int i = shares.first[point]; i < shares.first[point + 1]; ++i) {
      const double share = static_cast<double>(shares.share[at(i)]);
      sum += share * turn[at(shares.piece[at(i)])], blue += awake[at(shares.piece[at(i)])] ? share : 0;
    }
    const float bend = static_cast<float>(std::min(1.0, sum / kMuchTurn));
    const Vec3f color = bend < 0.5f ? Vec3f(kStraight + 2 * bend * (kSome - kStraight)) : Vec3f(kSome + (2 * bend - 1) * (kMuch - kSome));
    result.push_back(color + 0.5f * static_cast<float>(blue) * (kAwake - color));
  }
  return result;
}

void report(const Model& model, const State& state, const ReportContext&, Report& report) {
  double most = 0, work = 0;
  int bent = 0;
  for (const rigid::JointHistory& history : state.histories) {
    most = std::max(most, history.turn), work += history.work;
    bent += history.turn > 1e-3 || history.elongation > 1e-4 ? 1 : 0;
  }
  const double degrees = most * 180 / std::numbers::pi;
  report.figures["joints"] = static_cast<double>(model.links.size());
  report.figures["bent_joints"] = bent;
  report.figures["most_turn_deg"] = degrees;
  report.figures["bend_work_J"] = work;
  report.figures["joints_woken"] = state.figures[kWoken];
  report.figures["joints_awake"] = static_cast<double>(std::count(state.awake.begin(), state.awake.end(), 1));
  report.figures["joints_left_out"] = state.figures[kLeftOut];
  report.totals.push_back({"bent_joints", static_cast<double>(bent)}), report.totals.push_back({"joints_left_out", state.figures[kLeftOut]});
  if (bent == 0) return;
  report.lines.emplace_back("bent", fmt::format("{} of {} joints, up to {:.0f} degrees, {:.0f} J{}", bent, model.links.size(), degrees, work,
                                                state.figures[kLeftOut] > 0 ? fmt::format("; {:.0f} left out", state.figures[kLeftOut]) : ""));
}

}  // namespace crumple::bends

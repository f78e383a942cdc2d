#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/geometry/mass.h"
#include "crumple/methods/bends/kernels.h"

namespace crumple::bends {
namespace {

// Joints that do not spring are elastic up to this turn: far less than is seen.
constexpr double kElasticTurn = 0.002;
// A section is at most so much stronger about its strong axis than about its weak one.
constexpr double kMaxRatio = 6;
// Joints hold their parts together so that they give way by this share of what they would do without them within a step.
constexpr double kGive = 1e-4;

Result<Skeleton> skeleton_of(const Settings& settings, const Asset& asset) {
  if (settings.bones.empty()) return extract_skeleton(asset.tets, settings.most_bones);
  std::vector<BoneLine> lines;
  for (const Bone& bone : settings.bones) lines.push_back({bone.name, bone.from, bone.to});
  return connect_bones(lines);
}

/// Vertices as point masses, as everywhere else, so that pieces together weigh and turn as the body does.
std::vector<rigid::WeldedPiece> weigh(const RiggedBody& body, std::span<const double> masses) {
  std::vector<rigid::WeldedPiece> pieces;
  for (size_t p = 0; p + 1 < body.first_vertex.size(); ++p) {
    std::vector<Vec3f> positions;
    for (int v = body.first_vertex[p]; v < body.first_vertex[p + 1]; ++v) positions.push_back(body.asset.tets.positions[at(v)].cast<float>());
    const PointMassProperties points = mass_of_points(positions, masses.subspan(at(body.first_vertex[p]), positions.size()));
    pieces.push_back({points.mass, points.center, points.inertia});
  }
  return pieces;
}

/// Axes of a section: along the bone, then the direction in which it is widest, then across.
Mat3 axes_of(const DivisionLink& link) {
  const Vec3 aside = link.along.unitOrthogonal(), up = link.along.cross(aside);
  const double a = aside.dot(link.spread * aside), b = up.dot(link.spread * up), c = aside.dot(link.spread * up);
  const double angle = 0.5 * std::atan2(2 * c, a - b);  // of the greater spread
  Mat3 axes;
  axes.col(0) = link.along;
  axes.col(1) = std::cos(angle) * aside + std::sin(angle) * up;
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

/// Moments that a section takes about its axes: a bending about the wide direction is the weak one.
Vec3 strengths_of(const DivisionLink& link, const Mat3& axes, double strength) {
  const double wide = axes.col(1).dot(link.spread * axes.col(1)), thin = axes.col(2).dot(link.spread * axes.col(2));
  const double ratio = thin > 0 ? std::clamp(std::sqrt(wide / thin), 1.0, kMaxRatio) : 1;
  return {strength, strength, ratio * strength};
}

/// Painted strength where the link is.
double painted_factor(const RiggedBody& body, const DivisionLink& link) {
  if (body.paint.strength.empty()) return 1;
  double nearest = std::numeric_limits<double>::infinity(), factor = 1;
  for (size_t v = 0; v < body.asset.tets.positions.size(); ++v) {
    const double distance = (body.asset.tets.positions[v] - link.at).squaredNorm();
    if (distance < nearest) nearest = distance, factor = static_cast<double>(body.paint.strength[v]);
  }
  constexpr double kWeakest = 1e-3;
  return std::max(factor, kWeakest);
}

/// The smaller strength of the two bones of a link.
double given_strength(const Settings& s, const Division& division, const DivisionLink& link) {
  double least = std::numeric_limits<double>::infinity();
  for (const int piece : {link.a, link.b}) {
    const size_t bone = at(division.bone[at(piece)]);
    if (bone < s.bones.size()) least = std::min(least, s.bones[bone].strength.value_or(s.strength));  // places where several meet are no bones
  }
  return std::isfinite(least) ? least : s.strength;
}

Joint make_joint(const Settings& s, const BondSeed& seed, const DivisionLink& link, const Mat3& axes, double mass) {
  const Division& division = *seed.solid->asset.division;
  Joint joint;
  joint.is_inner = link.is_inner, joint.bone = division.bone[at(link.a)], joint.other_bone = division.bone[at(link.b)];
  joint.thickness = std::min(division.thickness[at(link.a)], division.thickness[at(link.b)]);
  // As in the paper, an impulse may be given instead; then a joint bears so much in every step.
  const double strength = painted_factor(*seed.solid, link) * (s.impulse ? *s.impulse / seed.dt : given_strength(s, division, link));
  const Vec3 moments = strengths_of(link, axes, strength);
  joint.wakes = (s.impulse ? seed.dt : s.wake) * moments;
  rigid::PlasticLaw& law = joint.law;
  law.interaction = rigid::Interaction::Ellipsoid;
  law.capacity.tail<3>() = moments;
  const double rigid = mass / (kGive * seed.dt * seed.dt);
  law.stiffness.head<3>().setConstant(rigid);
  law.stiffness.tail<3>() = moments / kElasticTurn;
  law.drag = s.damping;
  if (s.spring) law.stiffness.tail<3>().setConstant(s.spring->stiffness), law.damping = s.spring->damping, law.exact = true;
  if (s.slide) joint.slides = (s.impulse ? seed.dt : s.wake) * s.slide->strength;
  if (s.slide) law.capacity[0] = s.slide->strength, law.stiffness[0] = s.slide->stiffness.value_or(rigid);
  return joint;
}

std::vector<std::pair<int, int>> touching_pieces(const RiggedBody& body, std::span<const rigid::Weld> links) {
  const Division& division = *body.asset.division;
  std::vector<std::set<int>> at_vertex(body.asset.tets.positions.size());
  for (size_t t = 0; t < body.asset.tets.tets.size(); ++t) {
    for (const int v : body.asset.tets.tets[t]) at_vertex[at(v)].insert(division.of_tet[t]);
  }
  std::set<std::pair<int, int>> found;
  for (const std::set<int>& pieces : at_vertex) {
    for (auto a = pieces.begin(); a != pieces.end(); ++a) {
      for (auto b = std::next(a); b != pieces.end(); ++b) found.insert({*a, *b});
    }
  }
  for (const rigid::Weld& link : links) found.erase(std::minmax(link.a, link.b));
  return {found.begin(), found.end()};
}

}  // namespace

Result<Division> divide(const Settings& settings, const Asset& asset) {
  if (asset.pieces) return input_error("/skeleton: a scored asset has cuts through its tetrahedra and cannot bend; use the asset that it was made from");
  if (settings.skeleton == SkeletonFrom::Handles && settings.bones.empty()) {
    Result<Division> division = divide_by_handles(asset.tets, asset.weights, asset.handles.size());
    if (!division) return input_error("/skeleton: " + division.error().text);
    return division;
  }
  const std::string where = settings.bones.empty() ? "/skeleton: " : "/bones: ";
  const Result<Skeleton> skeleton = skeleton_of(settings, asset);
  if (!skeleton) return input_error(where + skeleton.error().text);
  Result<Division> division = divide_by_skeleton(asset.tets, *skeleton, settings.dynamic ? settings.spacing : 0);
  if (!division) return input_error(where + division.error().text);
  if (division->links.empty()) {
    return input_error(settings.dynamic ? "/skeleton: the body is too short to be divided; nothing in it could bend"
                                        : "/dynamic: its skeleton is one bone, so it has no joints; give more \"bones\", or let them appear (\"dynamic\")");
  }
  return division;
}

Result<Model> build(const BondSeed& seed, const Settings& settings) {
  const RiggedBody& body = *seed.solid;
  const Division& division = *body.asset.division;
  Model model;
  model.settings = settings;
  model.pieces = weigh(body, seed.vertex_masses);
  double mass = 0;
  for (const rigid::WeldedPiece& piece : model.pieces) mass += piece.mass;
  for (const DivisionLink& link : division.links) {
    const Mat3 axes = axes_of(link);
    model.joints.push_back(make_joint(settings, seed, link, axes, mass));
    rigid::Weld weld = rigid::make_weld(link.a, link.b, link.area, 0, link.at, link.spread);
    // What a weld carries at least before its joint can wake: see Carried::size.
    weld.limit = model.joints.back().wakes.minCoeff() / weld.levers.maxCoeff();
    weld.axes = axes;
    model.links.push_back(weld);
  }
  model.touching = touching_pieces(body, model.links);
  model.vertices = follow(division.shares, model);
  model.surface = follow(shares_of_points(division.shares, body.asset.tets, body.embedding), model);
  return model;
}

State start(const Model& model, double dt) {
  State state;
  const size_t count = model.links.size();
  state.awake.assign(count, model.settings.condense ? 0 : 1), state.bent.assign(count, 0), state.refused.assign(count, 0), state.histories.resize(count);
  state.quiet.assign(count, 0), state.flow.assign(count, 0);
  state.window.assign(at(window_places(model.settings, dt)) * model.pieces.size() * 6, 0.0);
  state.figures.assign(kFigures, 0);
  (void)rebuilt(model, state);
  return state;
}

std::vector<Link> links(const Model& model) {
  std::vector<Link> links;
  for (size_t l = 0; l < model.links.size(); ++l) {
    const rigid::Weld& weld = model.links[l];
    links.push_back({.a = weld.a, .b = weld.b, .start = model.settings.condense ? Hold::Welded : Hold::Jointed, .hinges = true,
                     .name = fmt::format("joint {}", l + 1), .to = {}, .frame = {weld.axes, weld.center}, .law = model.joints[l].law});
  }
  return links;
}

std::vector<StateArray> arrays(State& state) {
  return {state_array("awake", std::span(state.awake), 1),   state_array("bent", std::span(state.bent), 1), state_array("refused", std::span(state.refused), 1),
          state_array("quiet", std::span(state.quiet), 1),   state_array("flow", std::span(state.flow), 1),
          state_array("window", std::span(state.window), 6), state_array("next", std::span(&state.next, 1), 1),
          state_array("figures", std::span(state.figures), 1), rigid::history_array(state.histories)};
}

std::vector<StateArray> recorded(State& state) {
  return {state_array("awake", std::span(state.awake), 1), rigid::history_array(state.histories), state_array("figures", std::span(state.figures), 1)};
}

Result<void> rebuilt(const Model& model, State& state) {
  for (const auto& list : {std::span(state.awake), std::span(state.bent)}) {
    for (uint8_t& flag : list) flag = flag ? 1 : 0;  // a checkpoint may hold any value
  }
  state.posed = {}, state.poses.clear(), state.factors.reset();
  regroup(model, state);
  return {};
}

}  // namespace crumple::bends

#include "crumple/world/contacts.h"

#include <algorithm>

#include "crumple/geometry/bvh.h"
#include "crumple/world/engine.h"
#include "crumple/world/forces.h"
#include "crumple/world/view.h"

namespace crumple {
namespace {

/// The boundary triangles of a piece: they are in the order of their lowest vertices, and vertices in that of the pieces.
std::pair<size_t, size_t> faces_of_piece(const RiggedBody& rig, int piece) {
  const auto begin_at = [&](int vertex) {
    const auto is_before = [](const Triangle& face, int v) { return std::min({face[0], face[1], face[2]}) < v; };
    return static_cast<size_t>(std::lower_bound(rig.faces.begin(), rig.faces.end(), vertex, is_before) - rig.faces.begin());
  };
  return {begin_at(rig.first_vertex[static_cast<size_t>(piece)]), begin_at(rig.first_vertex[static_cast<size_t>(piece) + 1])};
}

/// The boundary triangle nearest to a point of the rest frame, among those of one hull, or of one piece if it has none.
Hit nearest_face(const Body& body, int hull, int piece, const Vec3& point) {
  const RiggedBody& rig = *body.rig;
  const std::vector<Vec3f>& shape = body.shape.vertices;
  Hit hit;
  double best = 1e300;
  const auto try_face = [&](int face) {
    const auto& [a, b, c] = rig.faces[static_cast<size_t>(face)];
    const Vec3 pa = shape[a].cast<double>(), pb = shape[b].cast<double>(), pc = shape[c].cast<double>();
    const Vec3 w = closest_barycentric(point, pa, pb, pc);
    const double squared = (w[0] * pa + w[1] * pb + w[2] * pc - point).squaredNorm();
    if (squared < best) best = squared, hit.face = face, hit.barycentric = w;
  };
  if (!body.solid) {
    const auto [begin, end] = faces_of_piece(rig, piece);
    for (size_t face = begin; face < end; ++face) try_face(static_cast<int>(face));
    return hit;
  }
  const auto& hulls = body.solid->hulls.faces;
  if (hull >= 0 && static_cast<size_t>(hull) < hulls.size() && !hulls[static_cast<size_t>(hull)].empty()) {
    for (const int face : hulls[static_cast<size_t>(hull)]) try_face(face);
  } else {
    for (size_t face = 0; face < rig.faces.size(); ++face) try_face(static_cast<int>(face));
  }
  return hit;
}

/// The body's hull for a child of a part's shape, or -1.
int hull_of(const Part& part, int child) {
  return child >= 0 && static_cast<size_t>(child) < part.hulls.size() ? part.hulls[static_cast<size_t>(child)] : -1;
}

/// The piece that a hull of a part belongs to. Pieces without hulls are parts of their own.
int piece_of_hull(const Body& body, const Part& part, int hull) {
  if (!body.solid) return part.pieces.front();
  return hull >= 0 && !body.solid->hulls.piece.empty() ? body.solid->hulls.piece[static_cast<size_t>(hull)] : 0;
}

/// Takes coordinates of a part's frame to the rest frame of one of its pieces.
Transform part_to_piece(const Body& body, const Part& part, int piece) {
  const Transform part_in_rest = part.rest_in_part().inverse();
  return body.poses.empty() ? part_in_rest : body.poses[static_cast<size_t>(piece)].inverse() * part_in_rest;
}

/// Velocity of a part at a point before the step, in the world.
Vec3 velocity_before(const Part& part, const Vec3& at) {
  return part.velocity_before + part.spin_before.cross(at - part.last_good.place.translation);
}

/// Relative velocity of the other part at a point before the step. Matter counts as at rest, and air as fast as it makes the part.
Vec3 approach_of(const WorldState& w, const Part& own, const rigid::Contact& touched, int other, const Vec3& at) {
  Vec3 velocity = -velocity_before(own, at);
  if (const std::optional<Vec3> air = speed_of_air(w, touched, own)) return velocity + *air;
  if (other < 0) return velocity;
  const auto& [body, part] = w.owner_of_part[static_cast<size_t>(other)];
  if (w.body(body).description->motion == rigid::Motion::Static || w.body(body).frozen || w.body(body).held) return velocity;
  return velocity + velocity_before(w.body(body).parts[static_cast<size_t>(part)], at);
}

int other_part(const WorldState& w, const Touch& touch) {
  const rigid::Contact& touched = contact(w, touch.contact);
  return touch.is_a ? touched.part_b : touched.part_a;
}

/// The body of a part, or of matter.
int body_of(const WorldState& w, int part) {
  return part < 0 ? -1 - part : w.owner_of_part[static_cast<size_t>(part)].first;
}

/// Which of its body's parts it is.
int number_of(const WorldState& w, int part) {
  return part < 0 ? 0 : w.owner_of_part[static_cast<size_t>(part)].second;
}

/// The pieces of the surface that a shape touched. Of pieces that bonds make, which may be many: those near it.
std::vector<int> pieces_in_reach(const WorldState& w, const Body& body, std::span<const int> surface_of_piece, const OtherShape& other) {
  std::vector<int> pieces;
  Bounds reach;
  for (const OtherShape::Surface& surface : other.surfaces) {
    for (const Vec3f& p : surface.points) reach.add(p.cast<double>());
  }
  const std::vector<Transform> places = body.solid ? std::vector<Transform>() : places_of_pieces(w, body);
  const auto is_near = [&](int piece) {
    if (body.solid) return true;
    const Transform to_touched = places[static_cast<size_t>(other.piece)].inverse() * places[static_cast<size_t>(piece)];
    const BondPiece& own = own_pieces(body)[static_cast<size_t>(piece)];
    const Vec3 middle = to_touched * own.mass.center;
    double radius = own.box ? 0.5 * own.box->norm() : 0;
    for (const Vec3& p : own.hull) radius = std::max(radius, (p - own.mass.center).norm());
    return (middle - middle.cwiseMax(reach.low).cwiseMin(reach.high)).norm() <= radius + reach.diagonal();
  };
  for (size_t piece = 0; piece < surface_of_piece.size(); ++piece) {
    const bool is_its_own = surface_of_piece[piece] == surface_of_piece[static_cast<size_t>(other.piece)];
    if (is_its_own && is_near(static_cast<int>(piece))) pieces.push_back(static_cast<int>(piece));
  }
  return pieces;
}

/// Joint impulses on the pieces; an angular impulse becomes a couple of impulses a metre apart.
void add_joint_loads(WorldState& w, int index) {
  const Body& body = w.body(index);
  for (const rigid::JointLoad& load : w.loads.joints) {
    const JointSlot& slot = w.joints[static_cast<size_t>(w.slot_of_joint[static_cast<size_t>(load.joint)])];
    if (slot.index != load.joint) continue;
    for (const bool is_a : {true, false}) {
      if ((is_a ? slot.body_a : slot.body_b) != index) continue;
      const int piece = is_a ? slot.piece_a : slot.piece_b;
      const Part& part = body.part_of(piece);
      const Transform world_to_rest = part.rest_in_part().inverse() * part.last_good.place.inverse();
      const double sign = is_a ? 1 : -1;
      const Vec3 at = world_to_rest * load.at, turn = sign * (world_to_rest.rotation * load.turn);
      std::vector<PieceLoad>& into = w.work[static_cast<size_t>(index)].piece_loads;
      into.push_back({piece, at, sign * (world_to_rest.rotation * load.push)});
      if (turn.norm() == 0) continue;
      const Vec3 arm = turn.unitOrthogonal(), couple = turn.cross(arm);  // arm x couple = turn
      into.push_back({piece, at + 0.5 * arm, couple}), into.push_back({piece, at - 0.5 * arm, -couple});
    }
  }
}

}  // namespace

const rigid::Contact& contact(const WorldState& w, int index) {
  const size_t engine = w.loads.contacts.size(), number = static_cast<size_t>(index);
  return number < engine ? w.loads.contacts[number] : w.matter_contacts[number - engine];
}

void route_contacts(WorldState& w) {
  for (BodyWork& work : w.work) work.contacts.clear(), work.yielded_to.clear();
  for (size_t i = 0; i < w.loads.contacts.size() + w.matter_contacts.size(); ++i) {
    const rigid::Contact& touched = contact(w, static_cast<int>(i));
    for (const bool is_a : {true, false}) {
      const int own = is_a ? touched.part_a : touched.part_b;
      if (own < 0) continue;  // matter
      const auto& [index, part] = w.owner_of_part[static_cast<size_t>(own)];
      const Body& body = w.body(index);
      if (body.rig && body.can_change() && !body.frozen && !body.held) w.work[static_cast<size_t>(index)].contacts.push_back({static_cast<int>(i), is_a, part});
    }
  }
}

void gather_touching(WorldState& w, int index) {
  const Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  work.touching.clear();
  for (const Touch& touch : work.contacts) {
    const int other = other_part(w, touch);
    const rigid::Contact& touched = contact(w, touch.contact);
    const Part& part = body.parts[static_cast<size_t>(touch.part)];
    const double speed_change = touched.impulse / part.mass;
    const Vec3 at = part.last_good.place * (touch.is_a ? touched.local_a : touched.local_b);
    const double approach = std::max(0.0, (touch.is_a ? 1 : -1) * approach_of(w, part, touched, other, at).dot(touched.normal));
    const int piece = piece_of_hull(body, part, hull_of(part, touch.is_a ? touched.hull_a : touched.hull_b));
    const auto is_its_own = [&](const Touching& one) { return one.part == touch.part && one.other == other; };
    const auto found = std::find_if(work.touching.begin(), work.touching.end(), is_its_own);
    if (found != work.touching.end()) {
      found->speed_change += speed_change, found->approach = std::max(found->approach, approach);
      if (touched.impulse > found->hardest) found->hardest = touched.impulse, found->piece = piece;
    } else {
      work.touching.push_back({touch.part, other, body_of(w, other), number_of(w, other), speed_change, approach, piece, touched.impulse, false});
    }
  }
}

void gather_hits(WorldState& w, int index) {
  const Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  const auto wanted_pair = [&](int part, int other) {
    return std::find_if(work.touching.begin(), work.touching.end(),
                        [&](const Touching& touched) { return touched.wanted && touched.part == part && touched.other == other; });
  };
  work.hits.clear();
  for (const Touch& touch : work.contacts) {
    const int other = other_part(w, touch);
    const auto pair = wanted_pair(touch.part, other);
    if (pair == work.touching.end()) continue;
    const rigid::Contact& touched = contact(w, touch.contact);
    const Part& part = body.parts[static_cast<size_t>(touch.part)];
    const Transform part_in_rest = part_to_piece(body, part, pair->piece);
    const Mat3 world_to_rest = part_in_rest.rotation * part.last_good.place.rotation.transpose();
    const Vec3& local = touch.is_a ? touched.local_a : touched.local_b;
    const int hull = hull_of(part, touch.is_a ? touched.hull_a : touched.hull_b);
    const int piece = piece_of_hull(body, part, hull);
    Hit hit = nearest_face(body, hull, piece, part_to_piece(body, part, piece) * local);
    const double sign = touch.is_a ? 1 : -1;
    hit.impulse = sign * touched.impulse * (world_to_rest * touched.normal);
    hit.friction = sign * (world_to_rest * touched.friction);
    hit.part = touch.part, hit.mass = part.mass;
    hit.other = other, hit.other_body = body_of(w, other), hit.other_number = number_of(w, other);
    hit.at = part_in_rest * local, hit.normal = sign * (world_to_rest * touched.normal);
    hit.approach = world_to_rest * approach_of(w, part, touched, hit.other, part.last_good.place * local);
    work.hits.push_back(hit);
  }
}

void gather_others(WorldState& w, int index) {
  const Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  work.others.clear();
  for (const Touching& touched : work.touching) {
    if (!touched.shape_wanted || touched.other < 0) continue;
    const auto& [number, part_number] = w.owner_of_part[static_cast<size_t>(touched.other)];
    const Body& other = w.body(number);
    const Part& part = other.parts[static_cast<size_t>(part_number)];
    const bool gives_way = other.description->motion == rigid::Motion::Dynamic && !other.frozen && !other.held;
    OtherShape shape{touched.part, touched.other, number, part_number, touched.piece, {}, gives_way ? part.mass : 0, body.description->material.restitution * other.description->material.restitution, 0, {}};
    for (const Layer& layer : other.layers) shape.gives = std::max(shape.gives, std::visit([](const auto& at_work) { return gives(at_work.model); }, layer));
    const Transform world_to_rest = (place_of(w, body.parts[static_cast<size_t>(touched.part)]) * body.pose_of(touched.piece)).inverse();
    ViewCache unused;
    for (FrameItem& item : draw_body(other, number, places_of_pieces(w, other), other.is_broken(), View{}, unused)) {
      if (other.is_broken() && !other.is_divided() && std::find(part.pieces.begin(), part.pieces.end(), item.piece) == part.pieces.end()) continue;
      const Transform to_rest = world_to_rest * item.place;
      OtherShape::Surface surface{item.surface, {}};
      surface.points.reserve(item.surface->positions.size());
      for (size_t v = 0; v < item.surface->positions.size(); ++v) {
        surface.points.push_back((to_rest * (item.positions.empty() ? item.surface->positions[v] : Vec3(item.positions[v].cast<double>()))).cast<float>());
      }
      shape.surfaces.push_back(std::move(surface));
    }
    shape.pieces = pieces_in_reach(w, body, work.surface_of_piece, shape);
    work.others.push_back(std::move(shape));
  }
}

void gather_piece_loads(WorldState& w, int index) {
  const Body& body = w.body(index);
  BodyWork& work = w.work[static_cast<size_t>(index)];
  work.piece_loads.clear();
  for (const Touch& touch : work.contacts) {
    const rigid::Contact& touched = contact(w, touch.contact);
    const Part& part = body.parts[static_cast<size_t>(touch.part)];
    const int hull = hull_of(part, touch.is_a ? touched.hull_a : touched.hull_b);
    if (hull < 0 && body.solid) continue;
    const Transform part_in_rest = part.rest_in_part().inverse();
    const Mat3 world_to_rest = part_in_rest.rotation * part.last_good.place.rotation.transpose();
    const Vec3 impulse = world_to_rest * (touched.impulse * touched.normal + touched.friction);
    work.piece_loads.push_back({piece_of_hull(body, part, hull), part_in_rest * (touch.is_a ? touched.local_a : touched.local_b),
                                touch.is_a ? impulse : Vec3(-impulse)});
  }
  add_joint_loads(w, index);
}

}  // namespace crumple

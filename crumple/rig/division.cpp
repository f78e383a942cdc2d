#include "crumple/rig/division.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/math/union_find.h"
#include "crumple/rig/division_links.h"
#include "crumple/rig/weights.h"

namespace crumple {
namespace {

// Where bones meet they give way to each other over this share of their thickness, so that weights change smoothly there.
constexpr double kGiveWay = 0.35, kMostOfBone = 0.4;
// A node where several bones meet: at least and at most as large, in thicknesses and in lengths of its shortest bone.
constexpr double kNodeThickness = 0.5, kNodeLength = 0.35, kNodeHeld = 0.6;
constexpr double kReach = 0.5;  // of the body's diagonal: how far outside of the body a bone may end
constexpr double kMinShare = 2e-3;
constexpr int kMinTets = 6, kMinVertices = 8;
constexpr int kMaxSegments = 48, kMaxPieces = 512;

double smooth_step(double x) {
  const double t = std::clamp(x, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// One bone with what it needs to be divided.
struct Bone {
  Vec3 from, along;       // along: of length 1
  double length = 0, thickness = 0;
  double low = 0, high = 0;  // stretch outside of its nodes, m from `from`
  int segments = 1;
  int first_piece = 0;

  double link_at(int i) const { return low + (high - low) * (i + 1) / segments; }
  /// Share by which a place along the bone lies behind link i.
  double behind(int i, double place) const { return smooth_step((place - link_at(i)) / thickness + 0.5); }
};

/// A node where several bones meet.
struct Hub {
  int node = 0;
  double radius = 0, most = 0;  // m
  int piece = 0;
};

struct Plan {
  std::vector<Bone> bones;
  std::vector<Hub> hubs;
  std::vector<int> hub_of_node;  // #nodes, or -1
  int pieces = 0;
};

std::vector<int> bones_at_nodes(const Skeleton& skeleton) {
  std::vector<int> degree(skeleton.nodes.size(), 0);
  for (const auto& [a, b] : skeleton.bones) ++degree[at(a)], ++degree[at(b)];
  return degree;
}

/// Side of a square as large as the mean section of the matter nearest to each bone.
std::vector<double> thicknesses(const TetMesh& mesh, const Skeleton& skeleton) {
  std::vector<double> volumes(skeleton.bones.size(), 0.0), result;
  for (const Tetrahedron& tet : mesh.tets) {
    const Vec3 center = tet_center(mesh.positions, tet);
    int nearest = 0;
    double least = 1e300;
    for (int b = 0; b < static_cast<int>(skeleton.bones.size()); ++b) {
      if (const double distance = nearest_on_bone(skeleton, b, center).distance; distance < least) least = distance, nearest = b;
    }
    volumes[at(nearest)] += std::abs(tet_volume(mesh.positions, tet));
  }
  for (size_t b = 0; b < volumes.size(); ++b) {
    result.push_back(std::max(std::sqrt(volumes[b] / length_of_bone(skeleton, static_cast<int>(b))), 0.5 * mean_edge(mesh)));
  }
  return result;
}

double distance_to_boundary(const TetMesh& mesh, const Vec3& point) {
  double least = 1e300;
  for (const Triangle& face : boundary_faces(mesh)) {
    for (const int v : face) least = std::min(least, (mesh.positions[at(v)] - point).norm());
  }
  return least;
}

/// A bone leaves out what belongs to the hubs at its ends.
void set_ends(const Skeleton& skeleton, const Plan& plan, int b, Bone& bone) {
  const auto radius = [&](int node) { return plan.hub_of_node[at(node)] >= 0 ? plan.hubs[at(plan.hub_of_node[at(node)])].radius : 0.0; };
  bone.low = radius(skeleton.bones[at(b)][0]), bone.high = bone.length - radius(skeleton.bones[at(b)][1]);
}

/// Gives a hub with too little matter more of its bones. False if they are too short for that.
bool enlarge(const Skeleton& skeleton, Plan& plan, Hub& hub) {
  constexpr double kMore = 1.4;
  if (hub.radius >= hub.most) return false;
  hub.radius = std::min(kMore * hub.radius, hub.most);
  for (size_t b = 0; b < plan.bones.size(); ++b) set_ends(skeleton, plan, static_cast<int>(b), plan.bones[b]);
  return true;
}

Plan make_plan(const TetMesh& mesh, const Skeleton& skeleton, double spacing) {
  Plan plan;
  const std::vector<double> thick = thicknesses(mesh, skeleton);
  const std::vector<int> degree = bones_at_nodes(skeleton);
  plan.hub_of_node.assign(skeleton.nodes.size(), -1);
  for (int n = 0; n < static_cast<int>(degree.size()); ++n) {
    if (degree[at(n)] < 3) continue;
    double thickest = 0, shortest = 1e300;
    for (size_t b = 0; b < skeleton.bones.size(); ++b) {
      if (skeleton.bones[b][0] != n && skeleton.bones[b][1] != n) continue;
      thickest = std::max(thickest, thick[b]), shortest = std::min(shortest, length_of_bone(skeleton, static_cast<int>(b)));
    }
    const double inside = distance_to_boundary(mesh, skeleton.nodes[at(n)]);
    plan.hub_of_node[at(n)] = static_cast<int>(plan.hubs.size());
    const double most = kNodeLength * shortest;
    plan.hubs.push_back({n, std::min(std::max(inside, kNodeThickness * thickest), most), most, 0});
  }
  for (size_t b = 0; b < skeleton.bones.size(); ++b) {
    Bone bone;
    const auto [from, to] = skeleton.bones[b];
    bone.from = skeleton.nodes[at(from)], bone.length = length_of_bone(skeleton, static_cast<int>(b));
    bone.along = (skeleton.nodes[at(to)] - bone.from) / bone.length;
    bone.thickness = thick[b];
    set_ends(skeleton, plan, static_cast<int>(b), bone);
    const double wanted = spacing > 0 ? (bone.high - bone.low) / std::max(spacing * bone.thickness, 1.5 * mean_edge(mesh)) : 1;
    bone.segments = std::clamp(static_cast<int>(std::round(wanted)), 1, kMaxSegments);
    plan.bones.push_back(bone);
  }
  return plan;
}

void number_pieces(Plan& plan) {
  plan.pieces = 0;
  for (Bone& bone : plan.bones) bone.first_piece = plan.pieces, plan.pieces += bone.segments;
  for (Hub& hub : plan.hubs) hub.piece = plan.pieces++;
}

/// Bones and hubs as handles; bones end before others begin.
std::vector<WeightHandle> handles_of(const TetMesh& mesh, const Skeleton& skeleton, const Plan& plan) {
  std::vector<WeightHandle> handles;
  const std::vector<int> degree = bones_at_nodes(skeleton);
  for (size_t b = 0; b < plan.bones.size(); ++b) {
    const Bone& bone = plan.bones[b];
    const auto cut = [&](int node, double radius) {
      if (degree[at(node)] < 2) return 0.0;
      return std::min(radius + kGiveWay * bone.thickness, kMostOfBone * bone.length);
    };
    const double low = cut(skeleton.bones[b][0], bone.low), high = cut(skeleton.bones[b][1], bone.length - bone.high);
    handles.push_back({skeleton.names[b], BoneHandle{bone.from + low * bone.along, bone.from + (bone.length - high) * bone.along}});
  }
  for (const Hub& hub : plan.hubs) {
    CageHandle cage;
    const Vec3& middle = skeleton.nodes[at(hub.node)];
    int nearest = 0;
    double least = 1e300;
    for (size_t v = 0; v < mesh.positions.size(); ++v) {
      const double distance = (mesh.positions[v] - middle).norm();
      if (distance < kNodeHeld * hub.radius) cage.vertices.push_back(static_cast<int>(v));
      if (distance < least) least = distance, nearest = static_cast<int>(v);
    }
    if (cage.vertices.empty()) cage.vertices.push_back(nearest);
    handles.push_back({fmt::format("node {}", hub.node + 1), std::move(cage)});
  }
  return handles;
}

Result<std::vector<float>> weights_of(const TetMesh& mesh, const Skeleton& skeleton, const Plan& plan) {
  if (plan.bones.size() + plan.hubs.size() == 1) return std::vector<float>(mesh.positions.size(), 1.0f);
  WeightSettings settings;
  settings.reach = kReach;
  Result<WeightsResult> solved = compute_weights(mesh, handles_of(mesh, skeleton, plan), settings);
  if (!solved) return solved.error();
  return std::move(solved->weights);
}

using Row = std::map<int, double>;  // shares by piece

/// Drops what is small; the greatest comes first.
void add_row(const Row& row, PieceShares& shares) {
  std::vector<std::pair<double, int>> kept;
  double sum = 0;
  for (const auto& [piece, share] : row) {
    if (share >= kMinShare) kept.emplace_back(share, piece), sum += share;
  }
  std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [share, piece] : kept) shares.piece.push_back(piece), shares.share.push_back(static_cast<float>(share / sum));
}

PieceShares shares_of(const TetMesh& mesh, const Plan& plan, const std::vector<float>& weights) {
  PieceShares shares;
  const size_t handles = plan.bones.size() + plan.hubs.size();
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    shares.begin_point();
    Row row;
    for (size_t h = 0; h < handles; ++h) {
      const double weight = static_cast<double>(weights[v * handles + h]);
      if (weight <= 0) continue;
      if (h >= plan.bones.size()) {
        row[plan.hubs[h - plan.bones.size()].piece] += weight;
        continue;
      }
      const Bone& bone = plan.bones[h];
      const double place = (mesh.positions[v] - bone.from).dot(bone.along);
      double before = 1;  // share behind the link before
      for (int i = 0; i < bone.segments; ++i) {
        const double behind = i + 1 < bone.segments ? bone.behind(i, place) : 0;
        if (before > behind) row[bone.first_piece + i] += weight * (before - behind);
        before = behind;
      }
    }
    add_row(row, shares);
  }
  shares.begin_point();
  return shares;
}

/// Every tetrahedron and vertex belongs to the piece that it follows most.
void assign(const TetMesh& mesh, Division& division) {
  division.of_tet.clear(), division.of_vertex.clear();
  const PieceShares& shares = division.shares;
  for (size_t v = 0; v < mesh.positions.size(); ++v) division.of_vertex.push_back(shares.piece[at(shares.first[v])]);
  for (const Tetrahedron& tet : mesh.tets) {
    Row sum;
    for (const int v : tet) {
      for (int i = shares.first[at(v)]; i < shares.first[at(v) + 1]; ++i) sum[shares.piece[at(i)]] += static_cast<double>(shares.share[at(i)]);
    }
    division.of_tet.push_back(std::max_element(sum.begin(), sum.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first);
  }
}

/// Tetrahedra of a piece that do not hang together with most of it go to the piece around them.
void remove_islands(const TetMesh& mesh, const std::vector<InnerFace>& faces, Division& division) {
  for (int round = 0; round < 3; ++round) {
    UnionFind groups(mesh.tets.size());
    for (const InnerFace& face : faces) {
      if (division.of_tet[at(face.a)] == division.of_tet[at(face.b)]) groups.merge(face.a, face.b);
    }
    std::map<int, int> size;
    for (size_t t = 0; t < mesh.tets.size(); ++t) ++size[groups.of(static_cast<int>(t))];
    std::map<int, int> largest;  // by piece: its largest group
    for (const auto& [group, count] : size) {
      const auto [found, is_new] = largest.emplace(division.of_tet[at(group)], group);
      if (!is_new && count > size[found->second]) found->second = group;
    }
    std::map<int, std::map<int, int>> around;  // by stray group: faces with each piece
    const auto is_stray = [&](int group) { return largest[division.of_tet[at(group)]] != group; };
    for (const InnerFace& face : faces) {
      const int a = groups.of(face.a), b = groups.of(face.b);
      if (a == b) continue;
      if (is_stray(a)) ++around[a][division.of_tet[at(face.b)]];
      if (is_stray(b)) ++around[b][division.of_tet[at(face.a)]];
    }
    if (around.empty()) return;
    std::map<int, int> goes_to;
    for (const auto& [group, pieces] : around) {
      goes_to[group] = std::max_element(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    }
    for (size_t t = 0; t < mesh.tets.size(); ++t) {
      const auto found = goes_to.find(groups.of(static_cast<int>(t)));
      if (found != goes_to.end()) division.of_tet[t] = found->second;
    }
  }
}

/// The first piece that has too little matter to be a rigid body; -1 if there is none.
int too_small(const Division& division, int pieces) {
  std::vector<int> tets(at(pieces), 0), vertices(at(pieces), 0);
  for (const int piece : division.of_tet) ++tets[at(piece)];
  for (const int piece : division.of_vertex) ++vertices[at(piece)];
  for (int p = 0; p < pieces; ++p) {
    if (tets[at(p)] < kMinTets || vertices[at(p)] < kMinVertices) return p;
  }
  return -1;
}

void add_links(const Skeleton& skeleton, const Plan& plan, Division& division) {
  for (const Bone& bone : plan.bones) {
    for (int i = 0; i + 1 < bone.segments; ++i) {
      division.links.push_back({bone.first_piece + i, bone.first_piece + i + 1, true, bone.from + bone.link_at(i) * bone.along, bone.along, 0, Mat3::Zero()});
    }
  }
  for (int n = 0; n < static_cast<int>(skeleton.nodes.size()); ++n) {
    struct End {
      int piece;
      Vec3 outward;  // along the bone, from the node
    };
    std::vector<End> ends;
    for (size_t b = 0; b < plan.bones.size(); ++b) {
      const Bone& bone = plan.bones[b];
      if (skeleton.bones[b][0] == n) ends.push_back({bone.first_piece, bone.along});
      if (skeleton.bones[b][1] == n) ends.push_back({bone.first_piece + bone.segments - 1, -bone.along});
    }
    if (const int hub = plan.hub_of_node[at(n)]; hub >= 0) {
      for (const End& end : ends) {
        division.links.push_back({plan.hubs[at(hub)].piece, end.piece, false, skeleton.nodes[at(n)] + plan.hubs[at(hub)].radius * end.outward, end.outward, 0, Mat3::Zero()});
      }
    } else if (ends.size() == 2) {
      const Vec3 along = ends[1].outward - ends[0].outward;
      division.links.push_back({ends[0].piece, ends[1].piece, false, skeleton.nodes[at(n)], along.norm() > 0.1 ? Vec3(along.normalized()) : ends[1].outward, 0, Mat3::Zero()});
    }
  }
}

/// A piece that no chain of links joins to the first one; -1 if there is none.
int loose_piece(const Division& division) {
  UnionFind groups(division.bone.size());
  for (const DivisionLink& link : division.links) groups.merge(link.a, link.b);
  for (int p = 1; p < division.count(); ++p) {
    if (groups.of(p) != groups.of(0)) return p;
  }
  return -1;
}

}  // namespace

Result<Division> divide_by_skeleton(const TetMesh& mesh, const Skeleton& skeleton, double spacing) {
  if (skeleton.bones.empty()) return input_error("the skeleton has no bones");
  Plan plan = make_plan(mesh, skeleton, spacing);
  Result<std::vector<float>> weights = weights_of(mesh, skeleton, plan);
  if (!weights) return weights.error();
  const std::vector<InnerFace> faces = inner_faces(mesh);
  Division division;
  for (;;) {
    number_pieces(plan);
    if (plan.pieces > kMaxPieces) return input_error(fmt::format("the skeleton divides the body into {} pieces; the most is {}", plan.pieces, kMaxPieces));
    division.shares = shares_of(mesh, plan, *weights);
    assign(mesh, division);
    remove_islands(mesh, faces, division);
    const int small = too_small(division, plan.pieces);
    if (small < 0) break;
    const auto owner = std::find_if(plan.bones.begin(), plan.bones.end(), [&](const Bone& bone) { return small >= bone.first_piece && small < bone.first_piece + bone.segments; });
    if (owner != plan.bones.end() && owner->segments > 1) {
      --owner->segments;
      continue;
    }
    const auto hub = std::find_if(plan.hubs.begin(), plan.hubs.end(), [&](const Hub& one) { return one.piece == small; });
    if (hub != plan.hubs.end() && enlarge(skeleton, plan, *hub)) {
      weights = weights_of(mesh, skeleton, plan);
      if (!weights) return weights.error();
      continue;
    }
    const std::string name = owner != plan.bones.end() ? fmt::format("\"{}\"", skeleton.names[at(owner - plan.bones.begin())]) : std::string("a node where bones meet");
    return input_error(fmt::format("{} has too few tetrahedra around it to be a piece; move it into the body, make it longer or leave it out", name));
  }
  for (size_t b = 0; b < plan.bones.size(); ++b) {
    for (int i = 0; i < plan.bones[b].segments; ++i) division.bone.push_back(static_cast<int>(b)), division.thickness.push_back(plan.bones[b].thickness);
  }
  for (size_t h = 0; h < plan.hubs.size(); ++h) {
    division.bone.push_back(static_cast<int>(plan.bones.size() + h)), division.thickness.push_back(2 * plan.hubs[h].radius);
  }
  add_links(skeleton, plan, division);
  if (const int loose = loose_piece(division); loose >= 0) {
    const auto name = [&](int piece) { return at(division.bone[at(piece)]) < skeleton.names.size() ? skeleton.names[at(division.bone[at(piece)])] : std::string("a node"); };
    return input_error(fmt::format("\"{}\" does not hang together with \"{}\": bones join where their ends meet; give them an end in common", name(loose), name(0)));
  }
  measure_sections(mesh, faces, division);
  return division;
}

Result<Division> divide_by_handles(const TetMesh& mesh, std::span<const float> weights, size_t handles) {
  const std::vector<InnerFace> faces = inner_faces(mesh);
  std::vector<int> piece_of(handles);  // of each handle; -1: it has too little
  for (size_t h = 0; h < handles; ++h) piece_of[h] = static_cast<int>(h);
  Division division;
  for (;;) {
    int count = 0;
    for (int& piece : piece_of) piece = piece < 0 ? -1 : count++;
    if (count < 2) return input_error("fewer than two handles of the asset hold enough of the body to be pieces; give its bones instead");
    division.shares = {};
    for (size_t v = 0; v < mesh.positions.size(); ++v) {
      division.shares.begin_point();
      Row row;
      for (size_t h = 0; h < handles; ++h) {
        if (piece_of[h] >= 0 && weights[v * handles + h] > 0) row[piece_of[h]] += static_cast<double>(weights[v * handles + h]);
      }
      if (row.empty()) row[0] = 1;
      double sum = 0;
      for (const auto& [piece, share] : row) sum += share;
      for (auto& [piece, share] : row) share /= sum;
      add_row(row, division.shares);
    }
    division.shares.begin_point();
    assign(mesh, division);
    remove_islands(mesh, faces, division);
    const int small = too_small(division, count);
    if (small < 0) break;
    *std::find(piece_of.begin(), piece_of.end(), small) = -1;
  }
  const int count = *std::max_element(piece_of.begin(), piece_of.end()) + 1;
  std::vector<double> volumes(at(count), 0.0);
  for (size_t t = 0; t < mesh.tets.size(); ++t) volumes[at(division.of_tet[t])] += std::abs(tet_volume(mesh.positions, mesh.tets[t]));
  for (int p = 0; p < count; ++p) division.bone.push_back(p), division.thickness.push_back(std::cbrt(volumes[at(p)]));
  division.links = widest_sections(mesh, faces, division);
  if (loose_piece(division) >= 0) return input_error("the body is in parts that do not touch; give each a body of its own");
  return division;
}

void reorder(Division& division, std::span<const int> place) {
  std::vector<int> from(place.size());
  for (size_t v = 0; v < place.size(); ++v) from[at(place[v])] = static_cast<int>(v);
  std::vector<int> of_vertex;
  PieceShares shares;
  for (const int v : from) {
    of_vertex.push_back(division.of_vertex[at(v)]);
    shares.begin_point();
    for (int i = division.shares.first[at(v)]; i < division.shares.first[at(v) + 1]; ++i) {
      shares.piece.push_back(division.shares.piece[at(i)]), shares.share.push_back(division.shares.share[at(i)]);
    }
  }
  shares.begin_point();
  division.of_vertex = std::move(of_vertex);
  division.shares = std::move(shares);
}

}  // namespace crumple

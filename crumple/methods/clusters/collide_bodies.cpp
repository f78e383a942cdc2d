#include "crumple/methods/clusters/collide_bodies.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/LU>

#include "crumple/core/index.h"

namespace crumple::clusters {
namespace {

constexpr float kPatch = 2;          // spacings: what lies this near to a contact bears it
constexpr size_t kMinPatch = 4;      // particles: fewer have no spin
constexpr size_t kMaxPatch = 16;     // particles
constexpr int kMaxSweeps = 20;
constexpr int kShiftSweeps = 8;
constexpr float kConverged = 0.01f;    // of the fastest approach: contacts that change less have converged
constexpr float kCorrected = 0.2f;   // share of an old overlap that is corrected in a step
constexpr float kSlop = 0.02f;       // spacings: overlaps that stay
constexpr float kEscape = 0.5f;      // m/s: maximum speed out of an old overlap
constexpr float kMinVolume = 1e-2f;  // of its rest volume: clusters below it are mapped to rest space by their rotation alone

struct Box {
  Vec3f low = Vec3f::Constant(1e30f), high = Vec3f::Constant(-1e30f);
  bool meets(const Box& other) const { return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all(); }
  bool holds(const Vec3f& p) const { return (low.array() <= p.array()).all() && (p.array() <= high.array()).all(); }
  Box grown(float by) const { return {low.array() - by, high.array() + by}; }
  Box moved(const Vec3f& by) const { return {low + by, high + by}; }
  Box common(const Box& other) const { return {low.cwiseMax(other.low), high.cwiseMin(other.high)}; }
};

/// Box around all clusters of a body.
Box box_of(const State& state) {
  Box box;
  for (int c = 0; c < state.clusters(); ++c) {
    if (state.slot_count[at(c)] == 0) continue;
    box.low = box.low.cwiseMin(state.places[at(c)].low), box.high = box.high.cwiseMax(state.places[at(c)].high);
  }
  return box;
}

/// A cluster of the host near the guest, and its way back to rest space.
struct Map {
  Box box;
  Mat3f to_rest;
  Vec3f center, rest_center, ball;
  float radius2 = 0;
  std::vector<Vec4f> cuts;  // planes of cracks: normal . r < fourth keeps
};

Map map_of(const Touchable& host, int cluster, float reach) {
  const State& state = host.state;
  const size_t c = at(cluster);
  Map map;
  map.box = Box{state.places[c].low, state.places[c].high}.grown(reach);
  const Mat3f& whole = state.places[c].whole;
  const bool is_whole = state.shapes[c].rank == 3 && whole.determinant() > kMinVolume;
  const Mat3f forward = is_whole ? whole : Mat3f(state.rotation[c].toRotationMatrix() * state.plastic[c]);
  map.to_rest = forward.inverse();
  map.center = state.center[c], map.rest_center = state.shapes[c].rest_center, map.ball = state.ball[c].head<3>();
  const float radius = state.ball[c][3] + reach;
  map.radius2 = radius * radius;
  for (const int32_t p : state.cluster_planes[c]) {
    const CutPlane& plane = state.planes[at(p)];
    if (plane.crack >= 0) map.cuts.push_back(Vec4f(plane.normal[0], plane.normal[1], plane.normal[2], plane.offset));
  }
  return map;
}

/// Signed distance of a place to the host's surface, and the outward direction there.
struct Found {
  float distance = 1e9f;
  Vec3f normal = Vec3f::Zero();
};

/// Distance as one cluster has it; false if the place belongs to other clusters.
bool look(const RestField& field, const Map& map, const Vec3f& place, float& weight, Found& found) {
  if (!map.box.holds(place)) return false;
  const Vec3f rest = map.rest_center + map.to_rest * (place - map.center);
  const float far2 = (rest - map.ball).squaredNorm();
  if (!(far2 < map.radius2)) return false;
  Vec3f gradient;
  float distance = field.at(rest, gradient);
  if (distance > 1e8f) return false;
  for (const Vec4f& cut : map.cuts) {
    const float beyond = cut.head<3>().dot(rest) - cut[3];
    if (beyond > distance) distance = beyond, gradient = cut.head<3>();
  }
  const Vec3f out = map.to_rest.transpose() * gradient;  // of the distance in the world
  const float slope = out.norm();
  if (!(slope > 1e-6f)) return false;
  const float near = 1 - far2 / map.radius2;
  weight = near * near;
  found = {distance / slope, out / slope};
  return true;
}

/// Maps by the cells of a grid that their boxes overlap.
class MapGrid {
 public:
  MapGrid(const std::vector<Map>& maps, const Box& box) : box_(box) {
    Vec3f size = Vec3f::Zero();
    for (const Map& map : maps) size += (map.box.high - map.box.low) / static_cast<float>(maps.size());
    const Vec3f cells = (box.high - box.low).cwiseQuotient(size.cwiseMax(1e-30f)).cwiseMax(0.0f).cwiseMin(kMaxCells - 1);
    for (int k = 0; k < 3; ++k) count_[k] = static_cast<int>(cells[k]) + 1, size_[k] = (box.high[k] - box.low[k]) / static_cast<float>(count_[k]);
    cells_.resize(at(count_[0]) * at(count_[1]) * at(count_[2]));
    for (size_t m = 0; m < maps.size(); ++m) {
      int first[3], last[3];
      for (int k = 0; k < 3; ++k) first[k] = cell(maps[m].box.low[k], k), last[k] = cell(maps[m].box.high[k], k);
      for (int x = first[0]; x <= last[0]; ++x) {
        for (int y = first[1]; y <= last[1]; ++y) {
          for (int z = first[2]; z <= last[2]; ++z) cells_[place_of(x, y, z)].push_back(static_cast<int32_t>(m));
        }
      }
    }
  }
  /// In ascending order.
  const std::vector<int32_t>& near(const Vec3f& p) const { return cells_[place_of(cell(p[0], 0), cell(p[1], 1), cell(p[2], 2))]; }

 private:
  static constexpr float kMaxCells = 24;  // along an axis
  int cell(float place, int axis) const {
    const float cells = (place - box_.low[axis]) / std::max(size_[axis], 1e-30f);
    return !(cells > 0) ? 0 : cells >= static_cast<float>(count_[axis]) ? count_[axis] - 1 : static_cast<int>(cells);
  }
  size_t place_of(int x, int y, int z) const { return (at(x) * at(count_[1]) + at(y)) * at(count_[2]) + at(z); }

  Box box_;
  Vec3f size_;
  int count_[3];
  std::vector<std::vector<int32_t>> cells_;
};

/// Distance blended over clusters. In a torn body the cluster that is nearest counts alone.
Found find(const RestField& field, const std::vector<Map>& maps, const std::vector<int32_t>& near, bool is_torn, const Vec3f& place) {
  Found sum{0, Vec3f::Zero()}, nearest, one;
  float weights = 0, weight = 0;
  for (const int32_t m : near) {
    if (!look(field, maps[at(m)], place, weight, one)) continue;
    if (one.distance < nearest.distance) nearest = one;
    weights += weight, sum.distance += weight * one.distance, sum.normal += weight * one.normal;
  }
  if (is_torn || !(weights > 0)) return nearest;
  const float length = sum.normal.norm();
  if (!(length > 0)) return nearest;
  return {sum.distance / weights, sum.normal / length};
}

/// A particle of the guest on the host's surface. The host's particles nearby, its patch, bear it like a small rigid body.
struct Touch {
  size_t guest = 0;
  uint32_t begin = 0, count = 0;  // of the patch, in Contacts::members
  float inverse_mass = 0, patch_inverse_mass = 0;
  Mat3f patch_inverse_inertia = Mat3f::Zero();
  Vec3f arm, normal;              // from the patch's centre to the contact; out of the host
  float overlap = 0, lightness = 0;
  float leaves = 0;               // m/s: speed out of the host, before the contacts
  float pressed = 0, shifted = 0, target = 0;
  Vec3f rubbed = Vec3f::Zero();
};

struct Member {
  size_t particle;
  float mass;
  Vec3f arm;  // from the patch's centre
};

/// Contacts of one body's particles with the other's surface.
struct Contacts {
  std::vector<Touch> touches;
  std::vector<Member> members;
};

/// Particles of the host near contacts, in cells at least as wide as a patch and hardly more than there are particles: debris is far apart.
class NearSearch {
 public:
  NearSearch(const State& state, const Box& box, float width) : state_(state), low_(box.low), width_(width) {
    std::vector<size_t> inside, cells_of;
    for (size_t i = 0; i < state.positions.size(); ++i) {
      if (state.entry_count[i] > 0 && box.holds(state.positions[i].head<3>())) inside.push_back(i);
    }
    set_cells(box, inside.size());
    begin_.assign(at(count_[0]) * at(count_[1]) * at(count_[2]) + 1, 0);
    for (const size_t i : inside) {
      cells_of.push_back(cell_of(state.positions[i].head<3>()));
      ++begin_[cells_of.back() + 1];
    }
    for (size_t c = 0; c + 1 < begin_.size(); ++c) begin_[c + 1] += begin_[c];
    std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
    order_.resize(inside.size());
    for (size_t k = 0; k < inside.size(); ++k) order_[at(next[cells_of[k]]++)] = inside[k];
  }

  /// The nearest particles to a place within the width, at most kMaxPatch, by distance.
  void find(const Vec3f& place, std::vector<std::pair<float, size_t>>& found) const {
    found.clear();
    int first[3], last[3];
    for (int k = 0; k < 3; ++k) first[k] = cell(place[k] - width_, k), last[k] = cell(place[k] + width_, k);
    for (int x = first[0]; x <= last[0]; ++x) {
      for (int y = first[1]; y <= last[1]; ++y) {
        const size_t row = (at(x) * at(count_[1]) + at(y)) * at(count_[2]);
        for (int32_t k = begin_[row + at(first[2])]; k < begin_[row + at(last[2]) + 1]; ++k) {
          const size_t i = order_[at(k)];
          const float far2 = (state_.positions[i].head<3>() - place).squaredNorm();
          if (far2 < width_ * width_) found.emplace_back(far2, i);
        }
      }
    }
    const size_t kept = std::min(found.size(), kMaxPatch);
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
    found.resize(kept);
  }

 private:
  static constexpr size_t kCellsPerParticle = 2;

  void set_cells(const Box& box, size_t particles) {
    const auto cells = [&] {
      size_t product = 1;
      for (int k = 0; k < 3; ++k) {
        count_[k] = static_cast<int>(std::clamp((box.high[k] - box.low[k]) / size_, 0.0f, 1000.0f)) + 1;
        product *= at(count_[k]);
      }
      return product;
    };
    for (size_ = width_; cells() > kCellsPerParticle * particles + 64; size_ *= 1.5f) {
    }
  }
  int cell(float place, int axis) const {
    const float cells = (place - low_[axis]) / size_;
    return !(cells > 0) ? 0 : cells >= static_cast<float>(count_[axis]) ? count_[axis] - 1 : static_cast<int>(cells);
  }
  size_t cell_of(const Vec3f& p) const { return (at(cell(p[0], 0)) * at(count_[1]) + at(cell(p[1], 1))) * at(count_[2]) + at(cell(p[2], 2)); }

  const State& state_;
  Vec3f low_;
  float width_, size_ = 1;  // m: of a patch, of a cell
  int count_[3] = {1, 1, 1};
  std::vector<int32_t> begin_;
  std::vector<size_t> order_;
};

/// Mass, centre and inertia of a patch about its centre. Held particles make it immovable.
void weigh_patch(const Touchable& host, const Vec3f& place, std::span<const std::pair<float, size_t>> near, Touch& touch, Contacts& contacts) {
  const float unit = static_cast<float>(host.model.unit);
  float mass = 0;
  Vec3f center = Vec3f::Zero();
  bool is_held = host.is_fixed;
  for (const auto& [far2, i] : near) {
    mass += unit * host.state.mass[i], center += unit * host.state.mass[i] * host.state.positions[i].head<3>();
    is_held = is_held || host.state.held[i] >= 0;
  }
  center /= mass;
  touch.begin = static_cast<uint32_t>(contacts.members.size()), touch.count = static_cast<uint32_t>(near.size());
  Mat3f inertia = Mat3f::Zero();
  for (const auto& [far2, i] : near) {
    const Vec3f arm = host.state.positions[i].head<3>() - center;
    contacts.members.push_back({i, unit * host.state.mass[i], arm});
    inertia += unit * host.state.mass[i] * (arm.squaredNorm() * Mat3f::Identity() - arm * arm.transpose());
  }
  touch.arm = place - center;
  if (is_held) return;
  touch.patch_inverse_mass = 1 / mass;
  // Particles on a line have no inertia about it, and so take no spin.
  if (inertia.determinant() > 1e-4f * std::pow(inertia.trace(), 3.0f)) touch.patch_inverse_inertia = inertia.inverse();
}

float lightness(const Touch& touch, const Vec3f& direction) {
  const Vec3f lever = touch.arm.cross(direction);
  return touch.inverse_mass + touch.patch_inverse_mass + lever.dot(touch.patch_inverse_inertia * lever);
}

/// One direction: particles of the guest and the surface of the host, whose frame is `offset` from the guest's.
struct Side {
  const Touchable& host;
  const Touchable& guest;
  Vec3f offset;
  Contacts contacts;
};

/// Whether a particle faces away from the surface that it would leave through. Corners that slip over an edge would hook behind it.
bool faces_away(const Touchable& guest, size_t particle, const Vec3f& normal) {
  if (guest.state.totals.splits > 0) return false;  // faces of cracks have no normals
  const size_t cluster = at(guest.state.entry_cluster[at(guest.state.entry_begin[particle])]);
  return (guest.state.rotation[cluster] * guest.field.outward[at(guest.state.original[particle])]).dot(normal) > 0;
}

void find_contacts(const Box& common, Side& side) {
  const Touchable &host = side.host, &guest = side.guest;
  const float reach = static_cast<float>(guest.model.spacing + host.model.spacing), width = kPatch * static_cast<float>(host.model.spacing);
  std::vector<Map> maps;
  for (int c = 0; c < host.state.clusters(); ++c) {
    if (host.state.slot_count[at(c)] < kMinMembers) continue;
    if (!Box{host.state.places[at(c)].low, host.state.places[at(c)].high}.grown(reach).meets(common)) continue;
    maps.push_back(map_of(host, c, reach));
  }
  if (maps.empty()) return;
  const bool is_torn = host.state.totals.splits > 0;
  const MapGrid grid(maps, common);
  std::optional<NearSearch> search;
  std::vector<std::pair<float, size_t>> near;
  for (size_t i = 0; i < guest.state.positions.size(); ++i) {
    const Vec3f place = guest.state.positions[i].head<3>() + side.offset;
    if (guest.state.entry_count[i] == 0 || !common.holds(place)) continue;
    const Found found = find(host.field, maps, grid.near(place), is_torn, place);
    Touch touch;
    touch.overlap = guest.field.depth[at(guest.state.original[i])] - found.distance;
    if (!(touch.overlap > 0) || faces_away(guest, i, found.normal)) continue;
    if (!search) search.emplace(host.state, common.grown(2 * width), width);
    search->find(place - found.distance * found.normal, near);
    if (near.size() < kMinPatch) continue;
    touch.guest = i, touch.normal = found.normal;
    touch.inverse_mass = guest.is_fixed || guest.state.held[i] >= 0 ? 0 : 1 / (static_cast<float>(guest.model.unit) * guest.state.mass[i]);
    weigh_patch(host, place, near, touch, side.contacts);
    touch.lightness = lightness(touch, touch.normal);
    if (touch.lightness > 0)
      side.contacts.touches.push_back(touch);
    else
      side.contacts.members.resize(touch.begin);
  }
}

/// Motion of the guest relative to the patch at a contact; velocities or displacements of both bodies.
Vec3f relative(const Contacts& contacts, const Touch& touch, const std::vector<Vec4f>& guest, const std::vector<Vec4f>& host) {
  Vec3f sum = Vec3f::Zero(), moment = Vec3f::Zero();
  float mass = 0;
  for (uint32_t k = touch.begin; k < touch.begin + touch.count; ++k) {
    const Member& member = contacts.members[k];
    const Vec3f part = member.mass * host[member.particle].head<3>();
    sum += part, moment += member.arm.cross(part), mass += member.mass;
  }
  return guest[touch.guest].head<3>() - sum / mass - (touch.patch_inverse_inertia * moment).cross(touch.arm);
}

void push(const Contacts& contacts, const Touch& touch, const Vec3f& impulse, std::vector<Vec4f>& guest, std::vector<Vec4f>& host) {
  guest[touch.guest].head<3>() += touch.inverse_mass * impulse;
  if (touch.patch_inverse_mass == 0) return;
  const Vec3f ahead = touch.patch_inverse_mass * impulse, spin = touch.patch_inverse_inertia * touch.arm.cross(impulse);
  for (uint32_t k = touch.begin; k < touch.begin + touch.count; ++k) {
    const Member& member = contacts.members[k];
    host[member.particle].head<3>() -= ahead + spin.cross(member.arm);
  }
}

/// No approach, and sliding limited by Coulomb friction. Returns the change of the relative speed.
float press(const Side& side, Touch& touch, float friction) {
  std::vector<Vec4f>&guest = side.guest.state.velocities, &host = side.host.state.velocities;
  Vec3f motion = relative(side.contacts, touch, guest, host);
  const float pressed = std::max(0.0f, touch.pressed - motion.dot(touch.normal) / touch.lightness), change = pressed - touch.pressed;
  if (change != 0) push(side.contacts, touch, change * touch.normal, guest, host), motion = relative(side.contacts, touch, guest, host);
  touch.pressed = pressed;
  const Vec3f slide = motion - motion.dot(touch.normal) * touch.normal;
  const float speed = slide.norm(), most = friction * pressed;
  if (!(speed > 0) || (most == 0 && touch.rubbed.isZero(0))) return std::abs(change) * touch.lightness;
  Vec3f rubbed = touch.rubbed - slide / lightness(touch, slide / speed);
  if (const float strength = rubbed.norm(); strength > most) rubbed *= most / strength;
  const Vec3f rub = rubbed - touch.rubbed;
  push(side.contacts, touch, rub, guest, host);
  touch.rubbed = rubbed;
  return std::max(std::abs(change), rub.norm()) * touch.lightness;
}

/// Speed of the guest out of the host.
float leaving(const Side& side, const Touch& touch) {
  return relative(side.contacts, touch, side.guest.state.velocities, side.host.state.velocities).dot(touch.normal);
}

void press_all(std::span<Side* const> sides, float friction) {
  float fastest = 0;
  for (Side* side : sides) {
    for (Touch& touch : side->contacts.touches) touch.leaves = leaving(*side, touch), fastest = std::max(fastest, -touch.leaves);
  }
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    float most = 0;
    for (Side* side : sides) {
      for (Touch& touch : side->contacts.touches) most = std::max(most, press(*side, touch, friction));
    }
    if (most <= kConverged * fastest) break;
  }
}

/// The step has moved particles by the velocity that the contacts have taken away: that way is taken back, no farther than out of the overlap.
/// What overlapped before is corrected slowly, since springs turn it into speed.
void set_target(const Side& side, float dt, Touch& touch) {
  const float undone = dt * std::max(0.0f, leaving(side, touch) - touch.leaves), slop = kSlop * static_cast<float>(side.host.model.spacing);
  const float old = std::max(0.0f, touch.overlap - undone - slop);
  touch.target = std::min(touch.overlap, undone) + std::min(kCorrected * old, kEscape * dt);
}

/// Moves both bodies apart, and back by what friction took.
void shift_all(std::span<Side* const> sides, float dt) {
  static thread_local std::vector<Vec4f> shifts[2];
  for (int k = 0; k < 2; ++k) shifts[k].assign(sides[static_cast<size_t>(k)]->host.state.positions.size(), Vec4f::Zero());
  const auto of_host = [&](const Side* side) -> std::vector<Vec4f>& { return shifts[side == sides[0] ? 0 : 1]; };
  const auto of_guest = [&](const Side* side) -> std::vector<Vec4f>& { return shifts[side == sides[0] ? 1 : 0]; };
  for (Side* side : sides) {
    for (Touch& touch : side->contacts.touches) {
      set_target(*side, dt, touch);
      push(side->contacts, touch, dt * touch.rubbed, of_guest(side), of_host(side));
    }
  }
  for (int sweep = 0; sweep < kShiftSweeps; ++sweep) {
    for (Side* side : sides) {
      for (Touch& touch : side->contacts.touches) {
        const float moved = relative(side->contacts, touch, of_guest(side), of_host(side)).dot(touch.normal);
        const float shifted = std::max(0.0f, touch.shifted + (touch.target - moved) / touch.lightness);
        if (shifted != touch.shifted) push(side->contacts, touch, (shifted - touch.shifted) * touch.normal, of_guest(side), of_host(side));
        touch.shifted = shifted;
      }
    }
  }
  for (const Side* side : sides) {
    std::vector<Vec4f>& positions = side->host.state.positions;
    const std::vector<Vec4f>& shift = of_host(side);
    for (size_t i = 0; i < positions.size(); ++i) positions[i] += shift[i];
  }
}

}  // namespace

bool may_touch(const Model& model_a, const State& a, const Model& model_b, const State& b) {
  const float reach = static_cast<float>(model_a.spacing + model_b.spacing);
  return box_of(a).grown(reach).meets(box_of(b).moved((model_b.origin - model_a.origin).cast<float>()));
}

float collide_bodies(const Touchable& a, const Touchable& b, double friction, double dt) {
  const Vec3f offset = (b.model.origin - a.model.origin).cast<float>();
  const float reach = static_cast<float>(a.model.spacing + b.model.spacing);
  const Box box_a = box_of(a.state), box_b = box_of(b.state);
  const Box common = box_a.grown(reach).common(box_b.grown(reach).moved(offset));
  Side into_a{a, b, offset, {}}, into_b{b, a, -offset, {}};
  find_contacts(common, into_a);
  find_contacts(common.moved(-offset), into_b);
  const size_t count = into_a.contacts.touches.size() + into_b.contacts.touches.size();
  if (count == 0) return -1;
  Side* const sides[] = {&into_a, &into_b};
  press_all(sides, static_cast<float>(friction));
  shift_all(sides, static_cast<float>(dt));
  float load = 0;
  for (const Side* side : sides) {
    for (const Touch& touch : side->contacts.touches) load += touch.pressed;
  }
  return load;
}

}  // namespace crumple::clusters

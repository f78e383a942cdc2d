#include <algorithm>

#include "crumple/core/index.h"
#include "crumple/methods/clusters/collide.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

struct GuestContact {
  size_t particle;
  Vec3f out;
};

struct Box {
  Vec3f low, high;
  bool meets(const Vec3f& other_low, const Vec3f& other_high) const {
    return (low.array() <= other_high.array()).all() && (other_low.array() <= high.array()).all();
  }
};

/// Box around all clusters of a body, moved by an offset.
Box box_of(const State& state, const Vec3f& offset) {
  Box box{Vec3f::Constant(1e30f), Vec3f::Constant(-1e30f)};
  for (int c = 0; c < state.clusters(); ++c) {
    if (state.slot_count[at(c)] == 0) continue;
    box.low = box.low.cwiseMin(state.places[at(c)].low), box.high = box.high.cwiseMax(state.places[at(c)].high);
  }
  return {box.low + offset, box.high + offset};
}

/// Particles of a guest inside one cluster, each once, and their shortest ways out. `offset` takes guest positions to the host's origin.
void find_contacts(const Proxy& proxy, const State& guest, const Vec3f& offset, std::vector<uint8_t>& seen, std::vector<GuestContact>& contacts) {
  static thread_local std::vector<int32_t> near;
  contacts.clear();
  for (int d = 0; d < guest.clusters(); ++d) {
    const ClusterPlace& place = guest.places[at(d)];
    if (guest.slot_count[at(d)] == 0 || !Box{proxy.low, proxy.high}.meets(place.low + offset, place.high + offset)) continue;
    const Members members = members_of(guest, d);
    if (near.size() < at(members.count)) near.resize(at(members.count));
    const int count = find_near(members, guest.positions.data(), proxy.center - offset, proxy.reach, near.data());
    for (int k = 0; k < count; ++k) {
      const size_t i = at(near[at(k)]);
      if (seen[i]) continue;
      const Vec3f out = way_out(proxy, guest.positions[i].head<3>() + offset);
      if (!(out.squaredNorm() > 0)) continue;
      seen[i] = 1;
      contacts.push_back({i, out});
    }
  }
  for (const GuestContact& contact : contacts) seen[contact.particle] = 0;
}

/// Pushes guest particles out of the cluster, which gets the reaction: momentum and angular momentum are conserved. `units`: unit of mass of the
/// guest, in units of the host.
void push_out_guest(const Model& model, State& host, int into, State& guest, const Vec3f& offset, float units, float friction,
             std::span<const GuestContact> contacts) {
  const ClusterMotion motion = motion_of(host, into);
  const float give = static_cast<float>(model.settings.give);
  float touching = 0;
  for (const GuestContact& contact : contacts) touching += units * guest.mass[contact.particle];
  const float share = motion.mass / (motion.mass + touching);  // of the relative motion that the guests take on
  Reaction reaction;
  for (const GuestContact& contact : contacts) {
    const size_t i = contact.particle;
    if (guest.held[i] >= 0) continue;
    const float mass = units * guest.mass[i];
    const Vec3f normal = contact.out.normalized(), arm = guest.positions[i].head<3>() + offset - motion.center, shift = give * share * contact.out;
    const Vec3f relative = guest.velocities[i].head<3>() - motion.velocity - motion.spin.cross(arm);
    const float in = relative.dot(normal);
    Vec3f change = Vec3f::Zero();
    if (in < 0) {
      const Vec3f slide = relative - in * normal;
      const float speed = slide.norm();
      change = -share * (in * normal + (speed > 0 ? Vec3f(slide * std::min(1.0f, -friction * in / speed)) : Vec3f::Zero()));
    }
    guest.positions[i].head<3>() += shift;
    guest.velocities[i].head<3>() += change;
    reaction.shift -= mass * shift, reaction.shift_turn -= mass * arm.cross(shift);
    reaction.push -= mass * change, reaction.push_turn -= mass * arm.cross(change);
  }
  recoil(host, into, motion, reaction);
}

void keep_out(const Model& model, State& host, const Model& guest_model, State& guest, float friction) {
  const Vec3f offset = (guest_model.origin - model.origin).cast<float>();
  const Box all = box_of(guest, offset);
  std::vector<uint8_t> seen(guest.positions.size(), 0);
  std::vector<GuestContact> contacts;
  for (int c = 0; c < host.clusters(); ++c) {
    if (host.slot_count[at(c)] == 0 || !all.meets(host.places[at(c)].low, host.places[at(c)].high)) continue;
    const Proxy proxy = proxy_of(host, c);
    if (!proxy.solid) continue;
    find_contacts(proxy, guest, offset, seen, contacts);
    if (!contacts.empty()) push_out_guest(model, host, c, guest, offset, static_cast<float>(guest_model.unit / model.unit), friction, contacts);
  }
}

}  // namespace

void collide_bodies(const Model& model_a, State& a, const Model& model_b, State& b, double friction) {
  const Vec3f offset = (model_b.origin - model_a.origin).cast<float>();
  const Box box = box_of(b, offset), own = box_of(a, Vec3f::Zero());
  if (!box.meets(own.low, own.high)) return;
  keep_out(model_a, a, model_b, b, static_cast<float>(friction));
  keep_out(model_b, b, model_a, a, static_cast<float>(friction));
}

}  // namespace crumple::clusters

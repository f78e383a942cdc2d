#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "crumple/world/simulation.h"

namespace crumple {

void World::Simulation::build_structure_joints(int index) {
  const Body& body = bodies[static_cast<size_t>(index)];
  const Transform rest = {rotation_of(*body.description), body.description->at};
  const std::vector<structures::Joint>& made = body.structure->model.joints;
  for (size_t j = 0; j < made.size(); ++j) {
    const Transform frame = rest * made[j].frame;
    JointSlot slot;
    slot.settings.kind = rigid::JointKind::Plastic;
    slot.settings.plastic = made[j].law;
    slot.settings.at = frame.translation, slot.settings.axis = frame.rotation.col(0), slot.settings.width = frame.rotation.col(1);
    slot.body_a = index, slot.piece_a = made[j].a;
    if (made[j].b >= 0) {
      slot.body_b = index, slot.piece_b = made[j].b;
    } else if (!made[j].to.empty()) {
      slot.body_b = find_body(made[j].to);
      slot.piece_b = nearest_piece(slot.body_b, frame.translation);
    }
    slot.name = made[j].name;
    slot.owner = index, slot.book = static_cast<int>(j);
    joints.push_back(std::move(slot));
  }
}

structures::State& World::Simulation::books_of(const JointSlot& joint) {
  return joint.owner < 0 ? scene_books : bodies[static_cast<size_t>(joint.owner)].structure->state;
}

/// What the plastic joints have done in the step goes into their books. Those that slept before and after it have done nothing.
void World::Simulation::read_plastic_joints() {
  const double now = static_cast<double>(steps + 1) * scene.dt();
  const auto sleeps = [&](int part) { return part < 0 || !rigid.is_awake(part); };
  for (JointSlot& joint : joints) {
    if (joint.index < 0 || joint.book < 0) continue;
    const bool was_quiet = joint.is_quiet;
    joint.is_quiet = sleeps(joint.settings.part_a) && sleeps(joint.settings.part_b);
    if (was_quiet && joint.is_quiet) continue;
    joint.plastic = rigid.plastic_state(joint.index);
    structures::enter(books_of(joint), joint.book, *joint.plastic, now);
  }
}

/// The engine has taken them out already. What they held together may overlap as deep as it does now, and collides from then on.
void World::Simulation::break_joints() {
  std::set<int> parted;
  for (const rigid::JointBreak& broken : loads.breaks) {
    JointSlot& joint = joints[static_cast<size_t>(slot_of_joint[static_cast<size_t>(broken.joint)])];
    if (joint.index != broken.joint) continue;  // its body has just been frozen
    joint.plastic = rigid.plastic_state(broken.joint);
    structures::enter(books_of(joint), joint.book, *joint.plastic, static_cast<double>(steps + 1) * scene.dt());
    joint.index = -1;
    if (joint.owner >= 0) parted.insert(joint.owner);
    if (broken.part_b >= 0) rigid.allow_overlap({broken.part_a, broken.part_b, std::numeric_limits<double>::infinity()});
  }
  for (const int body : parted) ignore_neighbours(body);
}

/// Pieces that touch at rest and hang together do not collide; once they have come apart they do, as deep as they overlap then. Those that are joined
/// are the engine's business.
void World::Simulation::ignore_neighbours(int index) {
  const Body& body = bodies[static_cast<size_t>(index)];
  const std::vector<int> group = structures::hanging_together(body.structure->model, body.structure->state);
  std::set<std::pair<int, int>> joined;
  for (const structures::Joint& joint : body.structure->model.joints) joined.insert(std::minmax(joint.a, joint.b));
  for (const auto& [a, b] : body.structure->model.touching) {
    if (joined.contains(std::minmax(a, b))) continue;
    const bool together = group[static_cast<size_t>(a)] == group[static_cast<size_t>(b)];
    const int part_a = body.parts[static_cast<size_t>(a)].index, part_b = body.parts[static_cast<size_t>(b)].index;
    if (rigid.ignore_contact(part_a, part_b, together) && !together) rigid.allow_overlap({part_a, part_b, std::numeric_limits<double>::infinity()});
  }
}

rigid::World::StructureHealth World::Simulation::health() const {
  const rigid::World::StructureHealth now = rigid.structure_health();
  return {earlier_health.islands + now.islands, earlier_health.factors + now.factors, earlier_health.unconverged + now.unconverged,
          std::max(earlier_health.most_factors, now.most_factors)};
}

std::vector<JointReport> World::joint_books() const {
  std::vector<JointReport> reports;
  for (const Simulation::JointSlot& joint : simulation_->joints) {
    if (joint.book < 0) continue;
    const int body = joint.owner < 0 ? joint.body_a : joint.owner;
    const structures::State& books = joint.owner < 0 ? simulation_->scene_books : simulation_->bodies[static_cast<size_t>(joint.owner)].structure->state;
    reports.push_back({simulation_->bodies[static_cast<size_t>(body)].description->name, joint.name, joint.settings.at,
                       books.books[static_cast<size_t>(joint.book)]});
  }
  return reports;
}

rigid::World::StructureHealth World::structure_health() const {
  return simulation_->health();
}

}  // namespace crumple

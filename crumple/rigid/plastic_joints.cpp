#include <algorithm>

#include "crumple/rigid/engine.h"

namespace crumple::rigid {

/// Joints whose island was solved take up what the step has brought; those that break are taken out.
void World::Engine::yield_joints(std::vector<JointBreak>& breaks) {
  const size_t before = breaks.size();
  for (size_t i = 0; i < joints.size(); ++i) {
    PlasticConstraint* joint = joints[i] ? joints[i]->plastic() : nullptr;
    if (!joint || !joint->solved) continue;
    joint->solved = false;
    if (joint->yield()) breaks.push_back({static_cast<int>(i), joints[i]->settings.part_a, joints[i]->settings.part_b});
  }
  for (size_t i = before; i < breaks.size(); ++i) broken[breaks[i].joint] = take_out(breaks[i].joint);
}

PlasticState World::plastic_state(int joint) const {
  if (!has_joint(joint)) return engine_->ended.at(joint);
  return engine_->joint(joint).plastic()->state;
}

void World::set_plastic_state(int joint, const PlasticState& state) {
  engine_->joint(joint).plastic()->state = state;
}

World::StructureHealth World::structure_health() const {
  return engine_->solver.health;
}

/// The engine counts: a joint that is taken out does not end what was asked for here.
void World::Engine::ignore(int part_a, int part_b, bool ignored) {
  Part &a = part(part_a), &b = part(part_b);
  a.body.setIgnoreCollisionCheck(&b.body, ignored);
  b.body.setIgnoreCollisionCheck(&a.body, ignored);
}

bool World::ignore_contact(int part_a, int part_b, bool ignored) {
  std::vector<int>&of_a = engine_->part(part_a).ignored, &of_b = engine_->part(part_b).ignored;
  if ((std::find(of_a.begin(), of_a.end(), part_b) != of_a.end()) == ignored) return false;
  engine_->ignore(part_a, part_b, ignored);
  if (ignored) {
    of_a.push_back(part_b), of_b.push_back(part_a);
  } else {
    std::erase(of_a, part_b), std::erase(of_b, part_a);
  }
  return true;
}

}  // namespace crumple::rigid

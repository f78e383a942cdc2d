#include "crumple/rigid/world.h"

#include <cassert>
#include <cstdlib>
#include <new>

#include "crumple/rigid/bullet.h"
#include "crumple/rigid/engine.h"

namespace crumple::rigid {
namespace {

// Slower than this for two seconds is at rest. The engine's own limits, 0.8 m/s and 1 rad/s, stop what slides or rocks in full view.
constexpr double kRestingSpeed = 0.1;  // m/s
constexpr double kRestingSpin = 0.2;   // rad/s
// A world that has just been built finds one point for each pair of hulls a step: what rests on a single hull tips until it has found the others.
constexpr double kColdStart = 0.1;  // s
// Overlaps deeper than this are undone without adding speed; the engine's own limit is 4 cm. Below it, resting stacks are steadier with.
constexpr double kGentleOverlap = 0.001;  // m

/// The engine does not look whether it got the memory it asked for.
void* allocate(size_t size, int alignment) {
  void* memory = std::aligned_alloc(static_cast<size_t>(alignment), (size + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

/// Before main(): what was allocated in one way must not be freed in the other.
[[maybe_unused]] const bool kAllocatorIsSet = [] {
  btAlignedAllocSetCustomAligned(allocate, std::free);
  return true;
}();

btRigidBody::btRigidBodyConstructionInfo construction(const PartSettings& settings, btCollisionShape* shape) {
  const bool dynamic = settings.motion == Motion::Dynamic;
  assert(!dynamic || settings.mass > 0);
  // No motion state: the engine would hand out interpolated places through it.
  btRigidBody::btRigidBodyConstructionInfo info(dynamic ? settings.mass : 0, nullptr, shape, to_bullet(dynamic ? settings.inertia : Vec3::Zero()));
  info.m_startWorldTransform = to_bullet(settings.state.place);
  info.m_friction = settings.surface.friction;
  info.m_rollingFriction = settings.surface.rolling_friction;
  info.m_restitution = settings.state.restitution >= 0 ? settings.state.restitution : settings.surface.restitution;
  info.m_linearDamping = settings.surface.linear_damping;
  info.m_angularDamping = settings.surface.angular_damping;
  info.m_linearSleepingThreshold = kRestingSpeed;
  info.m_angularSleepingThreshold = kRestingSpin;
  return info;
}

Transform advanced(const Transform& place, const Vec3& velocity, const Vec3& spin, double dt) {
  Transform result = place;
  result.translation += velocity * dt;
  const double angle = spin.norm() * dt;
  if (angle != 0) {
    const Quat turn(Eigen::AngleAxisd(angle, spin.normalized()));
    result.rotation = (turn * Quat(place.rotation)).normalized().toRotationMatrix();
  }
  return result;
}

/// The engine takes a scripted body's velocity from the difference of two places: the one before is made up from the velocity.
/// Scripted parts at rest sleep, otherwise nothing on them ever could.
void prepare_scripted(Part& part, double dt) {
  const bool moving = part.is_led();
  part.body.forceActivationState(moving ? ACTIVE_TAG : ISLAND_SLEEPING);
  part.body.setLinearVelocity(to_bullet(part.scripted_velocity));
  part.body.setAngularVelocity(to_bullet(part.scripted_spin));
  if (!moving) return;
  const Transform now = from_bullet(part.body.getWorldTransform());
  part.body.setInterpolationWorldTransform(to_bullet(advanced(now, part.scripted_velocity, part.scripted_spin, -dt)));
}

void move_scripted(btDiscreteDynamicsWorld& world, Part& part, double dt) {
  if (!part.is_led()) return;
  const Transform now = from_bullet(part.body.getWorldTransform());
  part.body.setCenterOfMassTransform(to_bullet(advanced(now, part.scripted_velocity, part.scripted_spin, dt)));
  world.updateSingleAabb(&part.body);
}

void set_velocities(Part& part, const Vec3& velocity, const Vec3& spin) {
  if (part.motion == Motion::Static) return;
  if (part.motion == Motion::Scripted) part.scripted_velocity = velocity, part.scripted_spin = spin;
  part.body.setLinearVelocity(to_bullet(velocity));
  part.body.setAngularVelocity(to_bullet(spin));
  part.body.setInterpolationLinearVelocity(to_bullet(velocity));
  part.body.setInterpolationAngularVelocity(to_bullet(spin));
}

}  // namespace

Part::Part(const PartSettings& settings)
    : shape(settings.shape), body(construction(settings, shape.get())), motion(settings.motion), mass(settings.mass) {
  if (motion == Motion::Scripted) body.setCollisionFlags(body.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
  if (settings.flat && motion == Motion::Dynamic) body.setLinearFactor(btVector3(1, 1, 0)), body.setAngularFactor(btVector3(0, 0, 1));
  set_velocities(*this, settings.state.velocity, settings.state.spin);
}

bool Part::is_led() const {
  return motion == Motion::Scripted && (!scripted_velocity.isZero(0) || !scripted_spin.isZero(0));
}

World::Engine::Engine(const WorldSettings& given)
    : settings(given),
      dispatcher(&configuration),
      world(&dispatcher, &broadphase, &solver, &configuration),
      ground(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, nullptr)) {
  broadphase.getOverlappingPairCache()->setOverlapFilterCallback(&filter);
  broadphase.getOverlappingPairCache()->setInternalGhostPairCallback(&filter);
  dispatcher.registerCollisionCreateFunc(COMPOUND_SHAPE_PROXYTYPE, STATIC_PLANE_PROXYTYPE, &hulls_on_plane);
  dispatcher.registerCollisionCreateFunc(STATIC_PLANE_PROXYTYPE, COMPOUND_SHAPE_PROXYTYPE, &plane_under_hulls);
  world.setGravity(to_bullet(settings.gravity));
  world.getSolverInfo().m_numIterations = settings.iterations;
  world.memory.is_on = settings.two_phase;
  if (settings.two_phase) world.getSolverInfo().m_splitImpulsePenetrationThreshold = -kGentleOverlap;
  world.setForceUpdateAllAabbs(false);  // boxes of sleeping and static parts are kept; code that moves such a part updates its box
}

World::Engine::~Engine() {
  for (const auto& joint : joints)
    if (joint) world.removeConstraint(joint->constraint.get());
  for (const auto& part : parts)
    if (part) world.removeRigidBody(&part->body);
}

Part& World::Engine::part(int index) {
  assert(index >= 0 && index < static_cast<int>(parts.size()) && parts[index]);
  return *parts[index];
}

void World::Engine::wake(Part& part) {
  if (part.motion == Motion::Dynamic) part.body.activate();
}

/// Wakes all parts with a box that touches the part's. Contacts are not enough: in a rebuilt world sleeping parts have none.
void World::Engine::wake_neighbors(Part& center) {
  const btBroadphaseProxy* proxy = center.body.getBroadphaseProxy();
  const btBroadphasePairArray& pairs = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
  for (int i = 0; i < pairs.size(); ++i) {
    if (pairs[i].m_pProxy0 != proxy && pairs[i].m_pProxy1 != proxy) continue;
    const btBroadphaseProxy* other = pairs[i].m_pProxy0 == proxy ? pairs[i].m_pProxy1 : pairs[i].m_pProxy0;
    wake(part(static_cast<const btCollisionObject*>(other->m_clientObject)->getUserIndex()));
  }
}

void World::Engine::set_activation(Part& part, int activation, double idle_time) {
  if (part.motion != Motion::Dynamic) return;
  const bool resting = activation == ISLAND_SLEEPING || activation == WANTS_DEACTIVATION;
  part.body.forceActivationState(!settings.sleeping ? DISABLE_DEACTIVATION : resting ? activation : ACTIVE_TAG);
  part.body.setDeactivationTime(idle_time);
}

std::vector<double> World::Engine::idle_times() const {
  std::vector<double> times;
  for (const auto& part : parts) times.push_back(part && part->motion == Motion::Dynamic ? part->body.getDeactivationTime() : 0.0);
  return times;
}

/// A part that was idle before the step and only tipped slightly stays idle. Otherwise a heap of pieces would never fall asleep in a world that is
/// rebuilt every second, at its checkpoints.
void World::Engine::stay_idle(std::span<const double> before, double dt) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] < kColdStart || parts[i]->body.getDeactivationTime() > 0) continue;
    if (parts[i]->body.getLinearVelocity().length() < kRestingSpeed) parts[i]->body.setDeactivationTime(before[i] + dt);
  }
}

World::World(const WorldSettings& settings) : engine_(std::make_unique<Engine>(settings)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

int World::add_part(const PartSettings& settings) {
  const int index = static_cast<int>(engine_->parts.size());
  engine_->parts.push_back(std::make_unique<Part>(settings));
  Part& part = *engine_->parts.back();
  part.body.setUserIndex(index);
  engine_->world.addRigidBody(&part.body, static_cast<int>(settings.group), static_cast<int>(settings.collides_with));
  engine_->set_activation(part, settings.state.activation, settings.state.idle_time);
  if (engine_->again.is_open) {
    part.body.applyGravity();
    engine_->again.parts.push_back(1);
    engine_->world.memory.motions.push_back(StepMemory::motion_of(part.body, engine_->world.work.dt));
    engine_->solver.rolling_work.push_back(0);
  }
  return index;
}

void World::remove_part(int index) {
  Part& part = engine_->part(index);
  engine_->keep_contacts(index);
  engine_->wake_neighbors(part);
  for (const int joint : std::vector<int>(part.joints)) engine_->remove_joint(joint);
  for (const int other : part.ignored) std::erase(engine_->part(other).ignored, index), engine_->ignore(index, other, false);
  engine_->world.overlaps.forget(index);
  engine_->manifold_index.forget(index);
  engine_->world.removeRigidBody(&part.body);
  engine_->parts[index].reset();
}

bool World::has_part(int part) const {
  return part >= 0 && part < static_cast<int>(engine_->parts.size()) && engine_->parts[part];
}

/// The engine would tell only those that are awake.
void World::set_gravity(const Vec3& gravity) {
  engine_->settings.gravity = gravity;
  engine_->world.setGravity(to_bullet(gravity));
  for (const auto& part : engine_->parts)
    if (part && part->motion == Motion::Dynamic) part->body.setGravity(to_bullet(gravity));
}

void World::push(int index, const Vec3& force, const Vec3& torque) {
  Part& part = engine_->part(index);
  if (part.motion != Motion::Dynamic || !part.body.isActive()) return;
  part.push += to_bullet(force), part.twist += to_bullet(torque);
  part.body.applyCentralForce(to_bullet(force)), part.body.applyTorque(to_bullet(torque));
}

void World::clear_pushes() {
  for (const auto& part : engine_->parts) {
    if (part) part->push.setZero(), part->twist.setZero();
  }
}

void World::step(double dt, Loads& loads) {
  assert(dt > 0);
  Engine& engine = *engine_;
  for (const auto& part : engine.parts)
    if (part && part->motion == Motion::Scripted) prepare_scripted(*part, dt);
  engine.wake_led();
  engine.drive_motors(dt);
  engine.world.parts = engine.parts, engine.world.joints = engine.joints;
  engine.broken.clear();
  engine.world.work.dt = dt, engine.world.work.before = kinetic_energy_of(engine.parts);
  engine.solver.rolling_work.assign(engine.parts.size(), 0.0);
  const std::vector<double> idle = engine.age < kColdStart ? engine.idle_times() : std::vector<double>();
  engine.world.stepSimulation(dt, 0);  // no substeps: exactly one step of dt
  engine.stay_idle(idle, dt);
  engine.age += dt;
  for (const auto& part : engine.parts)
    if (part && part->motion == Motion::Scripted) move_scripted(engine.world, *part, dt);
  engine.manifold_index.valid = false;
  loads.breaks.clear();
  engine.yield_joints(loads.breaks);
  engine.gather(loads, dt);
}

PartState World::state(int index) const {
  const Part& part = engine_->part(index);
  const bool scripted = part.motion == Motion::Scripted;
  PartState state;
  state.place = from_bullet(part.body.getWorldTransform());
  state.velocity = scripted ? part.scripted_velocity : from_bullet(part.body.getLinearVelocity());
  state.spin = scripted ? part.scripted_spin : from_bullet(part.body.getAngularVelocity());
  state.restitution = part.body.getRestitution();
  const bool dynamic = part.motion == Motion::Dynamic;
  state.activation = dynamic ? part.body.getActivationState() : part.is_led() ? ACTIVE_TAG : ISLAND_SLEEPING;
  state.idle_time = dynamic ? part.body.getDeactivationTime() : 0;
  return state;
}

void World::set_state(int index, const PartState& state) {
  Part& part = engine_->part(index);
  set_velocities(part, state.velocity, state.spin);
  part.body.setCenterOfMassTransform(to_bullet(state.place));
  if (state.restitution >= 0) part.body.setRestitution(state.restitution);
  engine_->set_activation(part, state.activation, state.idle_time);
  engine_->world.updateSingleAabb(&part.body);
}

void World::set_velocity(int index, const Vec3& velocity, const Vec3& spin) {
  Part& part = engine_->part(index);
  set_velocities(part, velocity, spin);
  engine_->wake(part);
}

void World::set_restitution(int part, double restitution) {
  engine_->part(part).body.setRestitution(restitution);
}

bool World::is_awake(int index) const {
  const Part& part = engine_->part(index);
  return part.motion == Motion::Dynamic ? part.body.isActive() : part.is_led();
}

void World::wake(int part) {
  engine_->wake(engine_->part(part));
}

long World::skipped_pairs() const {
  return engine_->filter.skipped();
}

int World::awake_count() const {
  int count = 0;
  for (const auto& part : engine_->parts) count += part && part->motion == Motion::Dynamic && part->body.isActive();
  return count;
}

}  // namespace crumple::rigid

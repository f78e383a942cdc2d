#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/particles/clamps.h"

namespace crumple::particles {
namespace {

constexpr size_t kChunk = 4096;
constexpr double kKickStep = 1.0 / 60.0;  // s: reference step of kicks

bool acts(double start, double end, double time) {
  return time >= start - 1e-9 && time < end - 1e-9;
}

/// Bit mask of the clamps active at a time; with more than 62 clamps it is incomplete, and hold() ignores it.
int64_t clamps_at(const Boundary& boundary, double time) {
  int64_t bits = 0;
  for (size_t k = 0; k < boundary.clamps.size(); ++k) {
    if (k < 62 && acts(boundary.clamps[k].start, boundary.clamps[k].end, time)) bits |= int64_t{1} << k;
  }
  return bits;
}

bool is_in(const Region& region, const Vec3& point) {
  const Vec3 out = point - region.center;
  return region.radius > 0 ? out.norm() <= region.radius : (2 * out.cwiseAbs() - region.size).maxCoeff() <= 0;
}

bool takes(const Clamp& clamp, const Vec3& start) {
  return clamp.normal.dot(start) > clamp.offset && (!clamp.within || is_in(*clamp.within, start));
}

Vec3 start_of(const StartPlaces& starts, size_t original) {
  return starts.origin + starts.rest[original].head<3>().cast<double>();
}

/// The first clamp that holds a particle with this start position, or -1.
int32_t clamp_of(const Boundary& boundary, const Vec3& start, double time) {
  for (size_t k = 0; k < boundary.clamps.size(); ++k) {
    const Clamp& clamp = boundary.clamps[k];
    if (acts(clamp.start, clamp.end, time) && takes(clamp, start)) return static_cast<int32_t>(k);
  }
  return -1;
}

/// A surface in contact with a particle.
struct Surface {
  Vec3f normal, velocity;
  float friction, keep;  // keep: share of the sliding velocity that remains
};

/// Removes the velocity into the surface and some of the sliding velocity. Separating particles are unchanged.
void touch(Eigen::Ref<Vec3f> velocity, const Surface& surface) {
  const Vec3f relative = velocity - surface.velocity;
  const float in = relative.dot(surface.normal);
  if (in >= 0) return;
  const Vec3f slide = relative - in * surface.normal;
  const float speed = slide.norm();
  const float rest = speed > 0 ? std::max(0.0f, 1 + surface.friction * in / speed) : 0;
  velocity = surface.velocity + slide * (rest * surface.keep);
}

float kept(const Touch& touch, double dt) {
  return static_cast<float>(std::exp(-touch.drag * dt));
}

/// Calls body(position, velocity) for every free particle.
template <class Body>
void each_free(const ParticleSpan& particles, const Body& body) {
  parallel_for(particles.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (particles.held[i] < 0 && particles.is_there[i] > 0) body(particles.positions[i], particles.velocities[i]);
    }
  });
}

void push_by_plane(const ParticleSpan& particles, const Vec3f& normal, float offset, const Vec3f& velocity, const Touch& how, double dt) {
  const Surface surface{normal, velocity, static_cast<float>(how.friction), kept(how, dt)};
  each_free(particles, [&](Vec4f& x, Vec4f& v) {
    const float depth = offset - (normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2]);
    if (!(depth > 0)) return;
    x.head<3>() += depth * normal;
    touch(v.head<3>(), surface);
  });
}

void push_by_ball(const ParticleSpan& particles, const BallObstacle& ball, double time, double dt) {
  const Vec3f center = (ball.center + ball.velocity * (time - ball.start) - particles.origin).cast<float>(), velocity = ball.velocity.cast<float>();
  const float radius = static_cast<float>(ball.radius), push = static_cast<float>(ball.push * dt), keep = kept(ball.touch, dt);
  each_free(particles, [&](Vec4f& x, Vec4f& v) {
    const Vec3f out = x.head<3>() - center;
    const float far2 = out.squaredNorm();
    if (!(far2 < radius * radius)) return;
    const Vec3f normal = far2 > 0 ? Vec3f(out / std::sqrt(far2)) : Vec3f::UnitY();
    x.head<3>() = center + radius * normal;
    if (push > 0)
      v.head<3>() += push * velocity;  // as in the authors' program: balls drag touching particles along
    else
      touch(v.head<3>(), {normal, velocity, static_cast<float>(ball.touch.friction), keep});
  });
}

void push_by_cylinder(const ParticleSpan& particles, const CylinderObstacle& cylinder, double dt) {
  const Vec3f axis = cylinder.axis.normalized().cast<float>(), point = (cylinder.point - particles.origin).cast<float>();
  const float radius = static_cast<float>(cylinder.radius), kick = static_cast<float>(cylinder.kick * dt / kKickStep),
              keep = kept(cylinder.touch, dt);
  each_free(particles, [&](Vec4f& x, Vec4f& v) {
    Vec3f out = x.head<3>() - point;
    out -= axis.dot(out) * axis;
    const float far2 = out.squaredNorm();
    if (!(far2 < radius * radius)) return;
    const Vec3f normal = far2 > 0 ? Vec3f(out / std::sqrt(far2)) : Vec3f(axis.unitOrthogonal());
    x.head<3>() += (radius - std::sqrt(far2)) * normal;
    if (kick > 0)
      v.head<3>() += kick * normal;
    else
      touch(v.head<3>(), {normal, Vec3f::Zero(), static_cast<float>(cylinder.touch.friction), keep});
  });
}

}  // namespace

Clamp moving_clamp(const Vec3& normal, double offset, double speed) {
  Clamp clamp;
  clamp.normal = normal.normalized(), clamp.offset = offset, clamp.velocity = speed * clamp.normal, clamp.blocks = true;
  return clamp;
}

Clamp twisting_clamp(const Vec3& normal, double offset, double rate, double end) {
  Clamp clamp;
  clamp.normal = normal.normalized(), clamp.offset = offset, clamp.spin = rate * clamp.normal, clamp.center = Vec3::Zero(), clamp.end = end;
  return clamp;
}

Clamp tilting_clamp(const Vec3& normal, const Vec3& axis, double offset, double rate, double end) {
  Clamp clamp;
  clamp.normal = normal.normalized(), clamp.offset = offset, clamp.spin = rate * axis.normalized(), clamp.center = offset * clamp.normal,
  clamp.end = end;
  return clamp;
}

namespace {

/// Whether velocity, friction, drag and times are valid.
bool is_sane(const Vec3& velocity, const Touch& touch, double start, double end) {
  return velocity.allFinite() && touch.friction >= 0 && std::isfinite(touch.friction) && touch.drag >= 0 && std::isfinite(touch.drag) &&
         std::isfinite(start) && !std::isnan(end);
}
constexpr const char* kInsane = "velocities, friction, drag and start must be finite numbers, friction and drag not negative";

/// Error messages begin with the place in the boundary.
Result<void> check_clamp(const StartPlaces& starts, const Clamp& clamp, size_t k) {
  if (!(clamp.normal.allFinite() && clamp.normal.norm() > 0)) return input_error(fmt::format("clamps/{}: its normal has no direction", k));
  const Vec3 center = clamp.center.value_or(Vec3::Zero());
  if (!is_sane(clamp.velocity, clamp.touch, clamp.start, clamp.end) || !clamp.spin.allFinite() || !center.allFinite() || std::isnan(clamp.offset))
    return input_error(fmt::format("clamps/{}: {}", k, kInsane));
  for (size_t i = 0; i < starts.rest.size(); ++i) {
    if (takes(clamp, start_of(starts, i))) return {};
  }
  const std::string beyond = std::isfinite(clamp.offset) ? fmt::format(" beyond {:.6g} m along its normal", clamp.offset) : "";
  return input_error(fmt::format("clamps/{}: holds nothing; no particle begins{}{}", k, beyond, clamp.within ? " \"within\" its region" : ""));
}

}  // namespace

Result<void> check_boundary(const StartPlaces& starts, const Boundary& boundary) {
  for (size_t k = 0; k < boundary.clamps.size(); ++k) {
    if (Result<void> checked = check_clamp(starts, boundary.clamps[k], k); !checked) return checked;
  }
  for (size_t k = 0; k < boundary.planes.size(); ++k) {
    const PlaneObstacle& plane = boundary.planes[k];
    if (!(plane.normal.allFinite() && plane.normal.norm() > 0)) return input_error(fmt::format("planes/{}: its normal has no direction", k));
    if (!is_sane(plane.velocity, plane.touch, plane.start, plane.end) || !std::isfinite(plane.offset))
      return input_error(fmt::format("planes/{}: {}", k, kInsane));
  }
  for (size_t k = 0; k < boundary.balls.size(); ++k) {
    const BallObstacle& ball = boundary.balls[k];
    if (!(ball.radius > 0 && std::isfinite(ball.radius))) return input_error(fmt::format("projectiles/{}: its radius must be above 0", k));
    if (!is_sane(ball.velocity, ball.touch, ball.start, ball.end) || !ball.center.allFinite() || !std::isfinite(ball.push))
      return input_error(fmt::format("projectiles/{}: {}", k, kInsane));
  }
  for (size_t k = 0; k < boundary.cylinders.size(); ++k) {
    const CylinderObstacle& cylinder = boundary.cylinders[k];
    if (!(cylinder.radius > 0 && std::isfinite(cylinder.radius) && cylinder.axis.allFinite() && cylinder.axis.norm() > 0))
      return input_error(fmt::format("cylinders/{}: needs an axis and a radius above 0", k));
    if (!is_sane(Vec3::Zero(), cylinder.touch, cylinder.start, cylinder.end) || !cylinder.point.allFinite() || !std::isfinite(cylinder.kick))
      return input_error(fmt::format("cylinders/{}: {}", k, kInsane));
  }
  return {};
}

void set_centers(const StartPlaces& starts, Boundary& boundary) {
  for (Clamp& clamp : boundary.clamps) {
    Vec3 sum = Vec3::Zero();
    double count = 0;
    for (size_t i = 0; i < starts.rest.size() && !clamp.center; ++i) {
      if (takes(clamp, start_of(starts, i))) sum += start_of(starts, i), count += 1;
    }
    if (count > 0) clamp.center = sum / count;
  }
}

bool hold(const Boundary& boundary, const StartPlaces& starts, std::span<const int32_t> original, double time, Held& held, std::span<Vec4f> positions) {
  const int64_t bits = clamps_at(boundary, time);
  if (bits == held.clamps && boundary.clamps.size() <= 62) return false;
  held.clamps = bits;
  for (size_t i = 0; i < held.by.size(); ++i) {
    held.by[i] = clamp_of(boundary, start_of(starts, static_cast<size_t>(original[i])), time);
    positions[i][3] = held.by[i] >= 0 ? 0.0f : 1.0f;
  }
  return true;
}

void carry(const Boundary& boundary, const ParticleSpan& particles, double time, double dt) {
  struct Motion {
    Eigen::Matrix3f turn;
    Vec3f center, ahead;
  };
  std::vector<Motion> motions;
  for (const Clamp& clamp : boundary.clamps) {
    const double angle = clamp.spin.norm() * dt;
    const Mat3 turn = angle > 0 ? Eigen::AngleAxisd(angle, clamp.spin.normalized()).toRotationMatrix() : Mat3::Identity();
    const Vec3 center = clamp.center.value_or(Vec3::Zero()) + clamp.velocity * (time - clamp.start) - particles.origin;
    motions.push_back({turn.cast<float>(), center.cast<float>(), (clamp.velocity * dt).cast<float>()});
  }
  const float rate = static_cast<float>(1 / dt);
  for (size_t i = 0; i < particles.size(); ++i) {
    const int32_t by = particles.held[i];
    if (by < 0 || static_cast<size_t>(by) >= motions.size()) continue;  // a clamp of a restored state that is gone
    const Motion& motion = motions[static_cast<size_t>(by)];
    const Vec3f out = particles.positions[i].head<3>() - motion.center;
    const Vec3f step = (motion.turn * out - out) + motion.ahead;
    particles.positions[i].head<3>() += step;
    particles.velocities[i].head<3>() = step * rate;
  }
}

void collide_boundary(const Boundary& boundary, const ParticleSpan& particles, double time, double dt) {
  const double begun = time - dt;
  // One pass, no iteration: contradicting planes each leave some overlap.
  for (const PlaneObstacle& plane : boundary.planes) {
    if (!acts(plane.start, plane.end, begun)) continue;
    const Vec3 normal = plane.normal.normalized();
    const double offset = plane.offset + normal.dot(plane.velocity) * (time - plane.start) - normal.dot(particles.origin);
    push_by_plane(particles, normal.cast<float>(), static_cast<float>(offset), plane.velocity.cast<float>(), plane.touch, dt);
  }
  for (const Clamp& clamp : boundary.clamps) {
    if (!clamp.blocks || !acts(clamp.start, clamp.end, begun)) continue;
    const double offset = clamp.offset + clamp.normal.dot(clamp.velocity) * (time - clamp.start) - clamp.normal.dot(particles.origin);
    push_by_plane(particles, -clamp.normal.cast<float>(), static_cast<float>(-offset), clamp.velocity.cast<float>(), clamp.touch, dt);
  }
  for (const BallObstacle& ball : boundary.balls) {
    if (acts(ball.start, ball.end, begun)) push_by_ball(particles, ball, time, dt);
  }
  for (const CylinderObstacle& cylinder : boundary.cylinders) {
    if (acts(cylinder.start, cylinder.end, begun)) push_by_cylinder(particles, cylinder, dt);
  }
}

}  // namespace crumple::particles

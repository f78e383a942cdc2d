#include "crumple/render/tracing.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <embree3/rtcore.h>
#include <fmt/format.h>

namespace crumple::render {

struct Tracer::Structure {
  SceneSurface surface;
  float lift = 1e-4f;         // how far from a surface its own rays start
  float pixel_slope = 1e-3f;  // width of a pixel at a distance of 1
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  Structure() = default;
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;
  ~Structure() {
    if (scene) rtcReleaseScene(scene);
    if (device) rtcReleaseDevice(device);
  }
};

namespace {

constexpr unsigned kTriangles = 0, kBalls = 1;  // geometries
constexpr float kEndless = std::numeric_limits<float>::infinity();

template <class Row>
bool fill_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, const std::vector<Row>& rows) {
  void* buffer = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(Row), rows.size());
  if (buffer && !rows.empty()) std::memcpy(buffer, rows.data(), rows.size() * sizeof(Row));
  return buffer != nullptr;
}

RTCRay make_ray(const Vec3f& from, const Vec3f& direction, uint32_t sample) {
  RTCRay ray{};
  ray.id = sample;
  ray.org_x = from.x(), ray.org_y = from.y(), ray.org_z = from.z();
  ray.dir_x = direction.x(), ray.dir_y = direction.y(), ray.dir_z = direction.z();
  ray.tfar = kEndless;
  ray.mask = ~0u;
  return ray;
}

/// The plane in front of whose face the ray starts and that it meets first, nearer than `distance`.
const SceneSurface::Plane* closest_plane(const SceneSurface& surface, const Vec3f& from, const Vec3f& direction, float& distance) {
  const SceneSurface::Plane* nearest = nullptr;
  for (const SceneSurface::Plane& plane : surface.planes) {
    const float approach = plane.normal.dot(direction);
    const float height = plane.normal.dot(from) - plane.offset;
    if (approach >= -1e-6f || height <= 0 || -height / approach >= distance) continue;
    distance = -height / approach;
    nearest = &plane;
  }
  return nearest;
}

/// Lifts a point of a triangle onto the smooth surface that its normals pretend. [Hanika 2021]
Vec3f smooth_point(const SceneSurface& surface, const Triangle& triangle, const Vec3f& weights, const Vec3f& point, float side) {
  Vec3f lifted = point;
  for (int corner = 0; corner < 3; ++corner) {
    const Vec3f normal = side * surface.normals[triangle[corner]];
    const float below = std::min(0.0f, (point - surface.positions[triangle[corner]]).dot(normal));
    lifted -= weights[corner] * below * normal;
  }
  return lifted;
}

/// A place on a triangle as its textures see it.
struct TexturePlace {
  Vec2f uv;
  float detail = 0;  // of UVs along a pixel
};

TexturePlace texture_place(const SceneSurface& surface, const Triangle& t, const Vec3f& weights, float footprint) {
  const Vec2f &a = surface.uvs[t[0]], &b = surface.uvs[t[1]], &c = surface.uvs[t[2]];
  const Vec2f s = b - a, r = c - a;
  const float uv_area = std::abs(s.x() * r.y() - s.y() * r.x());
  const float area = (surface.positions[t[1]] - surface.positions[t[0]]).cross(surface.positions[t[2]] - surface.positions[t[0]]).norm();
  return {weights[0] * a + weights[1] * b + weights[2] * c, footprint * std::sqrt(uv_area / std::max(area, 1e-20f))};
}

/// The size of a picture whose pixels are about as large as those of the film.
size_t level_of(const Pyramid& pyramid, const TexturePlace& place) {
  const float texels = place.detail * std::sqrt(static_cast<float>(pyramid.width()) * static_cast<float>(pyramid.height()));
  return static_cast<size_t>(std::clamp(std::floor(std::log2(std::max(texels, 1e-6f)) + 0.3f), 0.0f, static_cast<float>(pyramid.levels() - 1)));
}

/// Colour and transparency of a material in a place.
Texel color_at(const SceneSurface::Finish& finish, const TexturePlace& place) {
  const SurfaceMaterial& m = *finish.material;
  const Texel factor(m.color.x(), m.color.y(), m.color.z(), m.alpha);
  if (!finish.color) return factor;
  Texel texel = finish.color->at(level_of(*finish.color, place), m.color_texture, place.uv);
  if (texel[3] > 1e-4f) texel.head<3>() /= texel[3];
  return factor * texel;
}

/// The normal of a normal map, in the frame that UVs span on the triangle.
Vec3f mapped_normal(const SceneSurface& surface, const SceneSurface::Finish& finish, const Triangle& t, const TexturePlace& place, const Vec3f& normal) {
  const Vec2f s = surface.uvs[t[1]] - surface.uvs[t[0]], r = surface.uvs[t[2]] - surface.uvs[t[0]];
  const float area = s.x() * r.y() - s.y() * r.x();
  if (std::abs(area) < 1e-20f) return normal;
  const Vec3f e = surface.positions[t[1]] - surface.positions[t[0]], f = surface.positions[t[2]] - surface.positions[t[0]];
  Vec3f along = (r.y() * e - s.y() * f) / area, down = (s.x() * f - r.x() * e) / area;  // v runs down
  along = (along - normal * normal.dot(along)).normalized();
  down = (down - normal * normal.dot(down)).normalized();
  const Texel texel = finish.normal->at(level_of(*finish.normal, place), finish.material->normal_texture, place.uv);
  const float scale = finish.material->normal_scale;
  const Vec3f bent = scale * (2 * texel[0] - 1) * along - scale * (2 * texel[1] - 1) * down + std::max(2 * texel[2] - 1, 0.05f) * normal;
  return bent.allFinite() && bent.norm() > 1e-6f ? Vec3f(bent.normalized()) : normal;
}

/// What a triangle is made of where a ray meets it.
void describe_finish(const SceneSurface& surface, const RTCHit& at, const Vec3f& weights, float footprint, float side, Hit& hit) {
  const Triangle& triangle = surface.triangles[at.primID];
  const SceneSurface::Finish& finish = surface.finishes[surface.triangle_finish[at.primID]];
  Vec3f color = weights[0] * surface.colors[triangle[0]] + weights[1] * surface.colors[triangle[1]] + weights[2] * surface.colors[triangle[2]];
  float metal = finish.metal, roughness = finish.roughness;
  hit.emitted = Vec3f::Zero();
  if (const SurfaceMaterial* m = finish.material) {
    const TexturePlace place = texture_place(surface, triangle, weights, footprint);
    color = color.cwiseProduct(Vec3f(color_at(finish, place).head<3>().matrix()));
    if (finish.metal_roughness) {
      const Texel texel = finish.metal_roughness->at(level_of(*finish.metal_roughness, place), m->metal_texture, place.uv);
      roughness *= texel[1], metal *= texel[2];
    }
    if (finish.normal) hit.normal = side * mapped_normal(surface, finish, triangle, place, side * hit.normal);
    hit.emitted = m->emissive;
    if (finish.emissive) hit.emitted = hit.emitted.cwiseProduct(Vec3f(finish.emissive->at(level_of(*finish.emissive, place), m->emissive_texture, place.uv).head<3>().matrix()));
    if (m->unlit) hit.emitted = color, color = Vec3f::Zero();
  }
  hit.material = make_material(color, metal, roughness);
}

/// Rays go through what is transparent: always where a mask has a hole, and as often as it lets light through elsewhere.
void pass_through_holes(const RTCFilterFunctionNArguments* args) {
  const auto& surface = *static_cast<const SceneSurface*>(args->geometryUserPtr);
  const unsigned primitive = RTCHitN_primID(args->hit, args->N, 0);
  const SceneSurface::Finish& finish = surface.finishes[surface.triangle_finish[primitive]];
  if (!finish.material || finish.material->alpha_mode == AlphaMode::Opaque) return;
  const float u = RTCHitN_u(args->hit, args->N, 0), v = RTCHitN_v(args->hit, args->N, 0);
  const float alpha = color_at(finish, texture_place(surface, surface.triangles[primitive], {1 - u - v, u, v}, 0))[3];
  float needed = finish.material->cutoff;
  if (finish.material->alpha_mode == AlphaMode::Blend) {
    // Evenly spread over the samples of a pixel, and another start for each triangle.
    const uint32_t bits = (RTCRayN_id(args->ray, args->N, 0) + primitive * 7u) * 0x9E3779B9u;
    needed = (static_cast<float>(bits >> 8) + 0.5f) / 16777216.0f;
  }
  if (alpha < needed) args->valid[0] = 0;
}

void let_through_holes(SceneSurface& surface, RTCGeometry geometry) {
  if (!surface.has_holes) return;
  rtcSetGeometryUserData(geometry, &surface);
  rtcSetGeometryIntersectFilterFunction(geometry, pass_through_holes);
  rtcSetGeometryOccludedFilterFunction(geometry, pass_through_holes);
}

void describe_triangle(const SceneSurface& surface, const RTCHit& at, const Vec3f& direction, float lift, float footprint, Hit& hit) {
  const Triangle& triangle = surface.triangles[at.primID];
  const Vec3f weights(1 - at.u - at.v, at.u, at.v);
  const Vec3f &a = surface.positions[triangle[0]], &b = surface.positions[triangle[1]], &c = surface.positions[triangle[2]];
  hit.point = weights[0] * a + weights[1] * b + weights[2] * c;
  hit.face = Vec3f(at.Ng_x, at.Ng_y, at.Ng_z).normalized();
  if (!hit.face.allFinite()) hit.face = -direction;
  Vec3f normal = weights[0] * surface.normals[triangle[0]] + weights[1] * surface.normals[triangle[1]] + weights[2] * surface.normals[triangle[2]];
  // A normal of a torn or folded vertex may be of no use; the face's always is.
  const float length = normal.norm();
  normal = length > 0.1f ? Vec3f(normal / length) : hit.face;
  if (hit.face.dot(direction) > 0) hit.face = -hit.face;
  const float side = normal.dot(hit.face) < 0 ? -1.0f : 1.0f;
  normal *= side;
  // Seen from behind its own horizon, a smooth normal is bent until it just faces the eye.
  hit.normal = normal;
  describe_finish(surface, at, weights, footprint, side, hit);
  const float away = hit.normal.dot(direction);
  if (away > -0.02f) hit.normal = (hit.normal - (away + 0.02f) * direction).normalized();
  hit.leave_from = smooth_point(surface, triangle, weights, hit.point, side) + lift * hit.face;
}

void describe_ball(const SceneSurface& surface, const RTCHit& at, const Vec3f& from, const Vec3f& direction, float lift, Hit& hit) {
  const Eigen::Vector4f& ball = surface.balls[at.primID];
  const Vec3f center = ball.head<3>();
  // The tracer's point is a little off; the ball's own is not.
  hit.face = (from + hit.distance * direction - center).normalized();
  if (!hit.face.allFinite()) hit.face = -direction;
  hit.point = center + ball[3] * hit.face;
  if (hit.face.dot(direction) > 0) hit.face = -hit.face;
  hit.normal = hit.face;
  const float away = hit.normal.dot(direction);
  if (away > -0.02f) hit.normal = (hit.normal - (away + 0.02f) * direction).normalized();
  hit.leave_from = hit.point + std::max(lift, 1e-3f * ball[3]) * hit.face;
  const SceneSurface::Finish& finish = surface.finishes[surface.ball_finish[at.primID]];
  hit.material = make_material(surface.ball_colors[at.primID], finish.metal, finish.roughness);
}

void describe_plane(const SceneSurface::Plane& plane, const Vec3f& from, const Vec3f& direction, float lift, Hit& hit) {
  hit.point = from + hit.distance * direction;
  hit.point -= (plane.normal.dot(hit.point) - plane.offset) * plane.normal;
  hit.face = hit.normal = plane.normal;
  hit.leave_from = hit.point + lift * plane.normal;
  hit.material = make_material(plane.color, plane.finish.metal, plane.finish.roughness);
}

}  // namespace

Tracer::Tracer(std::unique_ptr<Structure> structure) : structure_(std::move(structure)) {}
Tracer::Tracer(Tracer&&) noexcept = default;
Tracer& Tracer::operator=(Tracer&&) noexcept = default;
Tracer::~Tracer() = default;

Result<Tracer> Tracer::create(SceneSurface surface, float scale, float pixel_slope) {
  auto made = std::make_unique<Structure>();
  made->surface = std::move(surface);
  made->lift = 1e-5f * scale;
  made->pixel_slope = pixel_slope;
  if (made->surface.triangles.empty() && made->surface.balls.empty()) return Tracer(std::move(made));
  // One thread builds: the tree, and with it which of two equal hits is found, is then always the same.
  made->device = rtcNewDevice("threads=1");
  const auto fail = [&](const char* what) {
    return system_error(fmt::format("drawing {} triangles and {} balls: {} (ray tracer error {})", made->surface.triangles.size(),
                                    made->surface.balls.size(), what, static_cast<int>(rtcGetDeviceError(made->device))));
  };
  if (!made->device) return fail("the ray tracer cannot start");
  made->scene = rtcNewScene(made->device);
  const auto attach = [&](RTCGeometryType type, unsigned id, const auto& fill) {
    RTCGeometry geometry = rtcNewGeometry(made->device, type);
    const bool filled = fill(geometry);
    if (filled) rtcCommitGeometry(geometry), rtcAttachGeometryByID(made->scene, geometry, id);
    rtcReleaseGeometry(geometry);
    return filled;
  };
  const SceneSurface& solid = made->surface;
  const bool filled = (solid.triangles.empty() || attach(RTC_GEOMETRY_TYPE_TRIANGLE, kTriangles,
                                                         [&](RTCGeometry geometry) {
                                                           let_through_holes(made->surface, geometry);
                                                           return fill_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, solid.positions) &&
                                                                  fill_buffer(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, solid.triangles);
                                                         })) &&
                      (solid.balls.empty() || attach(RTC_GEOMETRY_TYPE_SPHERE_POINT, kBalls, [&](RTCGeometry geometry) {
                         return fill_buffer(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, solid.balls);
                       }));
  if (!filled) return fail("not enough memory");
  rtcCommitScene(made->scene);
  if (rtcGetDeviceError(made->device) != RTC_ERROR_NONE) return fail("the ray tracer cannot take them");
  return Tracer(std::move(made));
}

bool Tracer::closest(const Vec3f& from, const Vec3f& direction, uint32_t sample, Hit& hit, bool coherent) const {
  RTCRayHit query{};
  query.ray = make_ray(from, direction, sample);
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  if (structure_->scene) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    if (coherent) context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect1(structure_->scene, &context, &query);
  }
  hit.distance = query.ray.tfar;
  const SceneSurface::Plane* plane = closest_plane(structure_->surface, from, direction, hit.distance);
  hit.backdrop = plane != nullptr;
  hit.emitted = Vec3f::Zero();
  if (plane) {
    describe_plane(*plane, from, direction, structure_->lift, hit);
  } else if (query.hit.geomID == kBalls) {
    describe_ball(structure_->surface, query.hit, from, direction, structure_->lift, hit);
  } else if (query.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
    constexpr float kCoarser = 8;  // rays that are not the eye's see textures less sharply
    const float footprint = structure_->pixel_slope * hit.distance * (coherent ? 1 : kCoarser);
    describe_triangle(structure_->surface, query.hit, direction, structure_->lift, footprint, hit);
  } else {
    return false;
  }
  return true;
}

bool Tracer::blocked(const Vec3f& from, const Vec3f& direction, uint32_t sample) const {
  if (!structure_->scene) return false;
  RTCRay ray = make_ray(from, direction, sample);
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(structure_->scene, &context, &ray);
  return ray.tfar < 0;
}

}  // namespace crumple::render

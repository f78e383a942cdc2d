#pragma once

#include "crumple/math/types.h"

namespace crumple::render {

/// What a surface does with light: a diffuse base under a glossy coat, or bare metal.
struct Material {
  Vec3f diffuse = Vec3f::Constant(0.6f);    // reflected in all directions
  Vec3f specular = Vec3f::Constant(0.04f);  // mirrored when seen straight on
  float alpha = 0.36f;                      // width of the mirrored lobe: roughness squared
  bool glossy = true;                       // whether the mirrored part is worth a ray
};

Material make_material(const Vec3f& color, float metal, float roughness);

/// Schlick's approximation of Fresnel reflection.
Vec3f fresnel(const Vec3f& specular, float cosine);
/// What the whole mirrored lobe reflects, about: rough surfaces never become mirrors, however flat one looks at them.
Vec3f average_fresnel(const Material& material, float cosine);

/// The mirrored part of light from one direction, its cosine included. GGX distribution, height-correlated Smith shadowing
/// [Heitz 2014].
Vec3f glossy(const Material& material, const Vec3f& normal, const Vec3f& to_eye, const Vec3f& to_light, float light_radius);

/// A direction of the mirrored lobe, and what light from there must be multiplied with. Samples only the micro-normals that the eye
/// sees [Heitz 2018]; the weight is zero if the direction is below the surface.
struct GlossySample {
  Vec3f direction;
  Vec3f weight;
};
GlossySample sample_glossy(const Material& material, const Vec3f& normal, const Vec3f& to_eye, const Vec2f& square);

/// The grain of a large plain floor, about 1: cloudy, and finer the nearer one looks. Gives the eye something to measure motion by.
float grain(const Vec3f& point, float size);

}  // namespace crumple::render

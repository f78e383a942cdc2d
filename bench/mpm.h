#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

/// The baseline of "points": a block of the same clay by MLS-MPM [Hu et al. 2018].
namespace crumple::bench::mpm {

using Vec4f = Eigen::Vector4f;
using Mat3f = Eigen::Matrix3f;
using Affine = Eigen::Matrix<float, 4, 3>;  // its last row is 0, so that columns fill a register

struct Clay {
  double density = 0, young = 0, poisson = 0, yield = 0, flow = 0;  // kg/m^3, Pa, 1, Pa, 1/s
};

struct Block {
  Clay clay;
  float cell = 0;                 // m
  float mass = 0, volume = 0;     // of a particle
  Vec3f low = Vec3f::Zero();      // of the grid
  Eigen::Vector3i nodes{0, 0, 0};
  std::vector<Vec3f> x;           // #particles
  std::vector<Vec4f> v;           // #particles
  std::vector<Affine> c;          // #particles: velocity gradients
  std::vector<Mat3f> f;           // #particles: elastic deformation gradients
  std::vector<Mat3f> stress;      // #particles: Kirchhoff's
  std::vector<std::vector<Vec4f>> grids;  // #threads x #nodes: momentum and mass, then velocity
};

/// Eight particles to a cell, as is usual. The grid leaves room for the block to spread; the ground is y = 0.
Block make_block(std::span<const Vec3> places, std::span<const Vec3> velocities, double spacing, const Clay& clay);
void step(Block& block, double dt, const Vec3& gravity);

}  // namespace crumple::bench::mpm

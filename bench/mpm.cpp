#include "bench/mpm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/math/svd.h"

namespace crumple::bench::mpm {
namespace {

constexpr size_t kChunk = 128;
constexpr float kFriction = 0.3f;
constexpr int kRoom = 8;  // cells around the block

/// The 27 nodes about a particle: the first of them, the way to it in cells, and quadratic B-splines along each axis.
struct Stencil {
  size_t first;
  Vec3f from;
  Eigen::Matrix3f weights;  // row: node, column: axis
};

Stencil stencil_of(const Block& block, const Vec3f& x) {
  const Vec3f place = (x - block.low) / block.cell;
  // A particle that leaves the grid stays in its outermost cells.
  const Eigen::Vector3i base = (place.array() - 0.5f).floor().cast<int>().max(0).min(block.nodes.array() - 3);
  const Vec3f off = place - base.cast<float>();
  Stencil stencil;
  stencil.first = at((base.z() * block.nodes.y() + base.y()) * block.nodes.x() + base.x());
  stencil.from = -off;
  stencil.weights.row(0) = 0.5f * (1.5f - off.array()).square().matrix().transpose();
  stencil.weights.row(1) = (0.75f - (off.array() - 1).square()).matrix().transpose();
  stencil.weights.row(2) = 0.5f * (off.array() - 0.5f).square().matrix().transpose();
  return stencil;
}

/// Calls work(node, weight, way in cells) for each node of the stencil.
template <class Work>
void for_nodes(const Block& block, const Stencil& stencil, const Work& work) {
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 3; ++j) {
      const size_t row = stencil.first + at((k * block.nodes.y() + j) * block.nodes.x());
      const float side = stencil.weights(k, 2) * stencil.weights(j, 1);
      for (int i = 0; i < 3; ++i) work(row + at(i), side * stencil.weights(i, 0), Vec3f(stencil.from + Vec3f(i, j, k)));
    }
  }
}

Affine columns_of(const Mat3f& m) {
  Affine columns;
  columns << m, Eigen::RowVector3f::Zero();
  return columns;
}

void scatter(Block& block, float dt) {
  const size_t parts = block.grids.size(), share = (block.x.size() + parts - 1) / parts;
  const float scale = -4 * dt * block.volume / (block.cell * block.cell);
  parallel_for(parts, 1, [&](size_t part, size_t) {
    std::vector<Vec4f>& grid = block.grids[part];
    std::fill(grid.begin(), grid.end(), Vec4f::Zero());
    for (size_t p = part * share; p < std::min(block.x.size(), (part + 1) * share); ++p) {
      const Affine affine = block.cell * (columns_of(scale * block.stress[p]) + block.mass * block.c[p]);
      Vec4f momentum = block.mass * block.v[p];
      momentum[3] = block.mass;
      for_nodes(block, stencil_of(block, block.x[p]), [&](size_t node, float weight, const Vec3f& way) {
        grid[node] += weight * (momentum + way[0] * affine.col(0) + way[1] * affine.col(1) + way[2] * affine.col(2));
      });
    }
  });
}

/// Velocities of the nodes, with gravity and the ground, in the first grid.
void move_nodes(Block& block, float dt, const Vec3f& gravity) {
  std::vector<Vec4f>& grid = block.grids[0];
  const size_t row = at(block.nodes.x());
  parallel_for(grid.size() / row, 16, [&](size_t begin, size_t end) {
    for (size_t node = begin * row; node < end * row; ++node) {
      Vec4f sum = grid[node];
      for (size_t part = 1; part < block.grids.size(); ++part) sum += block.grids[part][node];
      grid[node].setZero();
      if (!(sum[3] > 0)) continue;
      Vec3f v = sum.head<3>() / sum[3] + dt * gravity;
      const float height = block.low.y() + block.cell * static_cast<float>(node / row % at(block.nodes.y()));
      if (height <= 0 && v.y() < 0) {
        const float slip = std::hypot(v.x(), v.z());
        const float kept = slip > 0 ? std::max(0.0f, 1 + kFriction * v.y() / slip) : 0.0f;
        v = Vec3f(kept * v.x(), 0, kept * v.z());
      }
      grid[node].head<3>() = v;
    }
  });
}

/// Hencky's law, and the flow of "points": what exceeds von Mises' yield decays at the rate `flow`.
void set_stress(const Block& block, float dt, const Svd<float>& svd, Mat3f& f, Mat3f& stress) {
  const float mu = static_cast<float>(block.clay.young / (2 * (1 + block.clay.poisson)));
  const float lambda = static_cast<float>(2 * block.clay.poisson / (1 - 2 * block.clay.poisson)) * mu;
  Vec3f log = svd.s.cwiseMax(0.05f).array().log();
  const Vec3f deviator = log - Vec3f::Constant(log.sum() / 3);
  const float size = 2 * mu * deviator.norm(), limit = static_cast<float>(block.clay.yield);
  if (size > limit) {
    log += (size - limit) / size * std::expm1(static_cast<float>(-block.clay.flow) * dt) * deviator;
    f = svd.u * log.array().exp().matrix().asDiagonal() * svd.v.transpose();
  }
  const Vec3f principal = 2 * mu * log + Vec3f::Constant(lambda * log.sum());
  stress = svd.u * principal.asDiagonal() * svd.u.transpose();
}

void gather(Block& block, float dt) {
  const std::vector<Vec4f>& grid = block.grids[0];
  parallel_for(block.x.size(), kChunk, [&](size_t begin, size_t end) {
    std::array<Mat3f, kChunk> u, v;
    std::array<Vec3f, kChunk> s;
    for (size_t p = begin; p < end; ++p) {
      Vec4f velocity = Vec4f::Zero();
      Affine gradient = Affine::Zero();
      for_nodes(block, stencil_of(block, block.x[p]), [&](size_t node, float weight, const Vec3f& way) {
        const Vec4f part = weight * grid[node];
        velocity += part;
        for (int k = 0; k < 3; ++k) gradient.col(k) += way[k] * part;
      });
      block.v[p] = velocity, block.c[p] = 4 / block.cell * gradient;
      block.x[p] += dt * velocity.head<3>();
      const Mat3f turned = dt * block.c[p].topRows<3>() * block.f[p];
      block.f[p] += turned;
    }
    const size_t n = end - begin;
    svd<float>(std::span<const Mat3f>(block.f).subspan(begin, n), std::span(u).first(n), std::span(s).first(n), std::span(v).first(n));
    for (size_t p = begin; p < end; ++p) set_stress(block, dt, {u[p - begin], s[p - begin], v[p - begin]}, block.f[p], block.stress[p]);
  });
}

}  // namespace

Block make_block(std::span<const Vec3> places, std::span<const Vec3> velocities, double spacing, const Clay& clay) {
  Block block;
  block.clay = clay;
  block.cell = static_cast<float>(2 * spacing);
  block.volume = static_cast<float>(spacing * spacing * spacing), block.mass = static_cast<float>(clay.density) * block.volume;
  Vec3f high = places.front().cast<float>();
  block.low = high;
  for (size_t p = 0; p < places.size(); ++p) {
    block.x.push_back(places[p].cast<float>());
    const Vec3f v = velocities[p].cast<float>();
    block.v.emplace_back(v.x(), v.y(), v.z(), 0.0f);
    block.low = block.low.cwiseMin(block.x[p]), high = high.cwiseMax(block.x[p]);
  }
  block.c.assign(places.size(), Affine::Zero()), block.f.assign(places.size(), Mat3f::Identity()), block.stress.assign(places.size(), Mat3f::Zero());
  block.low -= Vec3f::Constant(kRoom * block.cell);
  block.nodes = ((high - block.low) / block.cell).array().ceil().cast<int>() + kRoom + 3;
  block.low.y() = -4 * block.cell;  // a layer of nodes at the ground
  block.grids.assign(at(thread_count()), std::vector<Vec4f>(at(block.nodes.prod())));
  return block;
}

void step(Block& block, double dt, const Vec3& gravity) {
  scatter(block, static_cast<float>(dt));
  move_nodes(block, static_cast<float>(dt), gravity.cast<float>());
  gather(block, static_cast<float>(dt));
}

}  // namespace crumple::bench::mpm

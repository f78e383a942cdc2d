#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crumple/rig/asset.h"

namespace crumple {

/// How every vertex follows the handles in any blend of the examples, laid out in blocks of eight vertices (lanes).
///
/// x_i = sum_b W_ib (R(q_b(E_i)) (u_i - p_b) + p_b + sum_e E_ie s_be)                       paper 1, eq. 3
///
/// p_b: rest position of handle b; s_be: how far example e moves it; q_b(E): QLERP of its rotations. Rotating about the handle
/// instead of the origin leaves the examples themselves unchanged but lets a handle travel straight between them. Terms that do
/// not depend on a rotation are summed beforehand: `constant` and `shift`.
struct Skin {
  static constexpr int kLanes = 8;
  static constexpr int kMaxExamples = 32;  // the rest pose included; readers of assets refuse more
  int vertices = 0, examples = 0, handles = 0, blocks = 0;
  std::vector<float> rest;          // #blocks x 3 x 8: u
  std::vector<float> constant;      // #blocks x 3 x 8
  std::vector<float> shift;         // #blocks x #examples x 3 x 8
  std::vector<int> first;           // #blocks + 1, into the next two
  std::vector<int> turning;         // handles that turn in some example and hold a vertex of the block
  std::vector<float> turn_weight;   // per entry x 8
  std::vector<float> rotation;      // #handles x #examples x 4 (w x y z), on the rest pose's side of the sphere
  std::vector<float> pivot;         // #handles x 3

  size_t memory() const;
};

Skin build_skin(const Asset& asset);

/// Skinned positions of the given blocks. `weights` is #vertices x #examples, row after row.
void skin_blocks(const Skin& skin, std::span<const float> weights, std::span<const int> blocks, std::span<Vec3f> positions);
/// The same for all vertices.
void skin_all(const Skin& skin, std::span<const float> weights, std::span<Vec3f> positions);

/// One vertex in double precision: its position and, if wanted, the exact derivative by each example weight. paper 1, eq. 5
Vec3 skin_vertex(const Skin& skin, int vertex, std::span<const double> weights, std::span<Vec3> jacobian = {});

/// How the surroundings of a vertex are turned: the derivative of its position by its rest position.
Mat3 skin_turn(const Skin& skin, int vertex, std::span<const double> weights);

/// Positions with all vertices at one example.
std::vector<Vec3> example_shape(const Skin& skin, int example);

}  // namespace crumple

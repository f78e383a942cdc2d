#include "crumple/rig/skin.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "crumple/core/wide.h"

namespace crumple {
namespace {

constexpr int kLanes = Skin::kLanes;
// A weight this small moves a vertex a metre away by less than a hundredth of a millimetre: it follows without turning.
constexpr float kSmallestTurningWeight = 1e-5f;

bool turns(const Asset& asset, size_t handle) {
  return std::any_of(asset.examples.begin(), asset.examples.end(), [&](const Example& example) {
    const Quat& q = example.handles[handle].rotation;
    return q.vec().norm() > 1e-9 * std::abs(q.w());
  });
}

void set_rotations(Skin& skin, const Asset& asset) {
  for (int b = 0; b < skin.handles; ++b) {
    const Quat rest = asset.examples[0].handles[b].rotation;
    for (const Example& example : asset.examples) {
      Quat q = example.handles[b].rotation.normalized();
      if (q.dot(rest) < 0) q.coeffs() *= -1;  // antipodal quaternions are the same rotation: blend the short way
      for (const double part : {q.w(), q.x(), q.y(), q.z()}) skin.rotation.push_back(static_cast<float>(part));
    }
    for (int c = 0; c < 3; ++c) skin.pivot.push_back(static_cast<float>(asset.handles[b].position[c]));
  }
}

/// Everything of one vertex that does not depend on a rotation.
void set_vertex(Skin& skin, const Asset& asset, int vertex, const std::vector<bool>& turning) {
  const int block = vertex / kLanes, lane = vertex % kLanes;
  const Vec3& u = asset.tets.positions[vertex];
  Vec3 constant = Vec3::Zero();
  std::vector<Vec3> shift(asset.examples.size(), Vec3::Zero());
  for (size_t b = 0; b < asset.handles.size(); ++b) {
    const float weight = asset.weight(vertex, b);
    const Vec3& pivot = asset.handles[b].position;
    constant += weight * (turning[b] && weight >= kSmallestTurningWeight ? pivot : u);
    for (size_t e = 0; e < asset.examples.size(); ++e) {
      const HandleTransform& to = asset.examples[e].handles[b];
      shift[e] += weight * (to.rotation.normalized() * pivot + to.translation - pivot);
    }
  }
  for (int c = 0; c < 3; ++c) {
    skin.rest[(block * 3 + c) * kLanes + lane] = static_cast<float>(u[c]);
    skin.constant[(block * 3 + c) * kLanes + lane] = static_cast<float>(constant[c]);
    for (int e = 0; e < skin.examples; ++e) {
      skin.shift[((block * skin.examples + e) * 3 + c) * kLanes + lane] = static_cast<float>(shift[e][c]);
    }
  }
}

void set_turning_handles(Skin& skin, const Asset& asset, const std::vector<bool>& turning) {
  skin.first.push_back(0);
  for (int block = 0; block < skin.blocks; ++block) {
    for (int b = 0; b < skin.handles; ++b) {
      if (!turning[b]) continue;
      std::array<float, kLanes> weights{};
      for (int lane = 0; lane < kLanes && block * kLanes + lane < skin.vertices; ++lane) {
        const float weight = asset.weight(block * kLanes + lane, b);
        if (weight >= kSmallestTurningWeight) weights[lane] = weight;
      }
      if (*std::max_element(weights.begin(), weights.end()) == 0) continue;
      skin.turning.push_back(b);
      skin.turn_weight.insert(skin.turn_weight.end(), weights.begin(), weights.end());
    }
    skin.first.push_back(static_cast<int>(skin.turning.size()));
  }
}

using Eight = float __attribute__((vector_size(kLanes * sizeof(float))));

/// Eight floats from anywhere, and back. References, because wide registers are passed by value in another way for each instruction set.
[[gnu::always_inline]] inline void load(const float* from, Eight& to) {
  __builtin_memcpy(&to, from, sizeof to);
}
[[gnu::always_inline]] inline void store(const Eight& from, float* to) {
  __builtin_memcpy(to, &from, sizeof from);
}
/// Three times eight that lie behind each other.
[[gnu::always_inline]] inline void load3(const float* from, Eight& x, Eight& y, Eight& z) {
  load(from, x);
  load(from + kLanes, y);
  load(from + 2 * kLanes, z);
}

using EightInts = int __attribute__((vector_size(kLanes * sizeof(int))));

/// Eight rows of eight become columns: columns[c][r] = rows[r][c].
[[gnu::always_inline]] inline void transpose(const Eight (&rows)[kLanes], Eight (&columns)[kLanes]) {
  Eight quads[kLanes];  // in each half: one column of four rows
  for (int r = 0; r < kLanes; r += 4) {
    const Eight low_a = __builtin_shufflevector(rows[r], rows[r + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Eight high_a = __builtin_shufflevector(rows[r], rows[r + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Eight low_b = __builtin_shufflevector(rows[r + 2], rows[r + 3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Eight high_b = __builtin_shufflevector(rows[r + 2], rows[r + 3], 2, 10, 3, 11, 6, 14, 7, 15);
    quads[r] = __builtin_shufflevector(low_a, low_b, 0, 1, 8, 9, 4, 5, 12, 13);
    quads[r + 1] = __builtin_shufflevector(low_a, low_b, 2, 3, 10, 11, 6, 7, 14, 15);
    quads[r + 2] = __builtin_shufflevector(high_a, high_b, 0, 1, 8, 9, 4, 5, 12, 13);
    quads[r + 3] = __builtin_shufflevector(high_a, high_b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int c = 0; c < 4; ++c) {
    columns[c] = __builtin_shufflevector(quads[c], quads[c + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    columns[c + 4] = __builtin_shufflevector(quads[c], quads[c + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// The example weights of eight vertices, turned from rows into lanes, and which examples any of them uses.
struct BlockWeights {
  Eight rest = {};
  Eight used[Skin::kMaxExamples];        // the rest pose aside
  int used_example[Skin::kMaxExamples];
  int uses = 0;
};

/// `rows`: where the block's rows begin; `left`: how many floats there are from there on.
[[gnu::always_inline]] inline void read_weights(const float* rows, size_t left, int examples, BlockWeights& weights) {
  weights.uses = 0;
  for (int first = 0; first < examples; first += kLanes) {
    Eight values[kLanes], columns[kLanes];
    if (static_cast<size_t>((kLanes - 1) * examples + first + kLanes) <= left) {
      for (int l = 0; l < kLanes; ++l) load(rows + l * examples + first, values[l]);
    } else {  // near the end of the array: what is not there counts as 0
      for (int l = 0; l < kLanes; ++l) {
        values[l] = Eight{};
        for (int e = 0; e < kLanes && static_cast<size_t>(l * examples + first + e) < left; ++e) values[l][e] = rows[l * examples + first + e];
      }
    }
    EightInts any = (EightInts)values[0];  // bits: whether any of them is set
    for (int l = 1; l < kLanes; ++l) any |= (EightInts)values[l];
    transpose(values, columns);
    if (first == 0) weights.rest = columns[0];
    for (int e = first == 0 ? 1 : 0; e < std::min(kLanes, examples - first); ++e) {
      if (any[e] != 0) weights.used[weights.uses] = columns[e], weights.used_example[weights.uses++] = first + e;
    }
  }
}

[[gnu::always_inline]] inline void write_positions(const Eight& x, const Eight& y, const Eight& z, int count, float* out) {
  if (count < kLanes) {
    for (int l = 0; l < count; ++l) out[l * 3] = x[l], out[l * 3 + 1] = y[l], out[l * 3 + 2] = z[l];
    return;
  }
  // First x and y go where they belong, then z between them.
  const Eight first = __builtin_shufflevector(x, y, 0, 8, 0, 1, 9, 0, 2, 10);
  const Eight second = __builtin_shufflevector(x, y, 0, 3, 11, 0, 4, 12, 0, 5);
  const Eight third = __builtin_shufflevector(x, y, 13, 0, 6, 14, 0, 7, 15, 0);
  store(__builtin_shufflevector(first, z, 0, 1, 8, 3, 4, 9, 6, 7), out);
  store(__builtin_shufflevector(second, z, 10, 1, 2, 11, 4, 5, 12, 7), out + kLanes);
  store(__builtin_shufflevector(third, z, 0, 13, 2, 3, 14, 5, 6, 15), out + 2 * kLanes);
}

/// Eight vertices at once. Examples that none of them uses cost nothing.
[[gnu::always_inline]] inline void skin_block(const Skin& skin, const float* all_weights, int block, float* positions) {
  const int examples = skin.examples;
  const int count = std::min(kLanes, skin.vertices - block * kLanes);
  BlockWeights weights;
  read_weights(all_weights + static_cast<size_t>(block) * kLanes * examples, static_cast<size_t>(skin.vertices - block * kLanes) * examples, examples, weights);
  const float* constant = &skin.constant[static_cast<size_t>(block) * 3 * kLanes];
  Eight x, y, z;
  load3(constant, x, y, z);
  for (int i = 0; i < weights.uses; ++i) {  // the rest pose shifts nothing
    const float* shift = &skin.shift[static_cast<size_t>(block * examples + weights.used_example[i]) * 3 * kLanes];
    Eight dx, dy, dz;
    load3(shift, dx, dy, dz);
    x += weights.used[i] * dx;
    y += weights.used[i] * dy;
    z += weights.used[i] * dz;
  }
  const float* rest = &skin.rest[static_cast<size_t>(block) * 3 * kLanes];
  Eight ux, uy, uz;
  load3(rest, ux, uy, uz);
  for (int entry = skin.first[block]; entry < skin.first[block + 1]; ++entry) {
    const int handle = skin.turning[entry];
    const float* pivot = &skin.pivot[static_cast<size_t>(handle) * 3];
    const float* rotation = &skin.rotation[static_cast<size_t>(handle) * examples * 4];
    Eight w = weights.rest * rotation[0], a = weights.rest * rotation[1], b = weights.rest * rotation[2], c = weights.rest * rotation[3];
    for (int i = 0; i < weights.uses; ++i) {
      const float* q = rotation + weights.used_example[i] * 4;
      w += weights.used[i] * q[0], a += weights.used[i] * q[1], b += weights.used[i] * q[2], c += weights.used[i] * q[3];
    }
    // R(Q) v = v + 2/|Q|^2 (w (r x v) + r x (r x v)): normalising without a square root.
    const Eight vx = ux - pivot[0], vy = uy - pivot[1], vz = uz - pivot[2];
    const Eight n = w * w + a * a + b * b + c * c;
    const Eight s = 2.0f / (n > 1e-12f ? n : n + 1e-12f);
    const Eight cx = b * vz - c * vy, cy = c * vx - a * vz, cz = a * vy - b * vx;
    Eight share;
    load(&skin.turn_weight[static_cast<size_t>(entry) * kLanes], share);
    x += share * (vx + s * (w * cx + (b * cz - c * cy)));
    y += share * (vy + s * (w * cy + (c * cx - a * cz)));
    z += share * (vz + s * (w * cz + (a * cy - b * cx)));
  }
  write_positions(x, y, z, count, positions + static_cast<size_t>(block) * kLanes * 3);
}

CRUMPLE_WIDE void skin_listed(const Skin& skin, const float* weights, const int* blocks, size_t count, float* positions) {
  for (size_t i = 0; i < count; ++i) skin_block(skin, weights, blocks[i], positions);
}

}  // namespace

size_t Skin::memory() const {
  return sizeof(float) * (rest.size() + constant.size() + shift.size() + turn_weight.size() + rotation.size() + pivot.size()) +
         sizeof(int) * (first.size() + turning.size());
}

Skin build_skin(const Asset& asset) {
  Skin skin;
  skin.vertices = static_cast<int>(asset.tets.positions.size());
  skin.examples = static_cast<int>(asset.examples.size());
  skin.handles = static_cast<int>(asset.handles.size());
  skin.blocks = (skin.vertices + kLanes - 1) / kLanes;
  assert(skin.examples <= Skin::kMaxExamples);
  const size_t lanes = static_cast<size_t>(skin.blocks) * kLanes;
  skin.rest.assign(lanes * 3, 0);
  skin.constant.assign(lanes * 3, 0);
  skin.shift.assign(lanes * 3 * skin.examples, 0);
  std::vector<bool> turning(asset.handles.size());
  for (size_t b = 0; b < turning.size(); ++b) turning[b] = turns(asset, b);
  set_rotations(skin, asset);
  for (int v = 0; v < skin.vertices; ++v) set_vertex(skin, asset, v, turning);
  set_turning_handles(skin, asset, turning);
  return skin;
}

void skin_blocks(const Skin& skin, std::span<const float> weights, std::span<const int> blocks, std::span<Vec3f> positions) {
  assert(weights.size() == static_cast<size_t>(skin.vertices) * skin.examples && positions.size() == static_cast<size_t>(skin.vertices));
  if (!blocks.empty()) skin_listed(skin, weights.data(), blocks.data(), blocks.size(), positions[0].data());
}

void skin_all(const Skin& skin, std::span<const float> weights, std::span<Vec3f> positions) {
  std::vector<int> blocks(skin.blocks);
  std::iota(blocks.begin(), blocks.end(), 0);
  skin_blocks(skin, weights, blocks, positions);
}

Vec3 skin_vertex(const Skin& skin, int vertex, std::span<const double> weights, std::span<Vec3> jacobian) {
  const int block = vertex / kLanes, lane = vertex % kLanes, examples = skin.examples;
  auto lane_vector = [&](const std::vector<float>& array, int row) {
    const float* p = &array[static_cast<size_t>(row) * 3 * kLanes + lane];
    return Vec3(p[0], p[kLanes], p[2 * kLanes]);
  };
  const Vec3 u = lane_vector(skin.rest, block);
  Vec3 x = lane_vector(skin.constant, block);
  for (int e = 0; e < examples; ++e) {
    const Vec3 shift = lane_vector(skin.shift, block * examples + e);
    x += weights[e] * shift;
    if (!jacobian.empty()) jacobian[e] = shift;
  }
  for (int entry = skin.first[block]; entry < skin.first[block + 1]; ++entry) {
    const double share = skin.turn_weight[static_cast<size_t>(entry) * kLanes + lane];
    if (share == 0) continue;
    const int handle = skin.turning[entry];
    const float* pivot = &skin.pivot[static_cast<size_t>(handle) * 3];
    const float* rotation = &skin.rotation[static_cast<size_t>(handle) * examples * 4];
    const Vec3 v = u - Vec3(pivot[0], pivot[1], pivot[2]);
    double w = 0;
    Vec3 r = Vec3::Zero();
    for (int e = 0; e < examples; ++e) {
      w += weights[e] * rotation[e * 4];
      r += weights[e] * Vec3(rotation[e * 4 + 1], rotation[e * 4 + 2], rotation[e * 4 + 3]);
    }
    const double n = std::max(w * w + r.squaredNorm(), 1e-12);
    const Vec3 c = r.cross(v);
    const Vec3 a = w * c + r.cross(c);
    x += share * (v + 2 / n * a);
    for (int e = 0; e < examples && !jacobian.empty(); ++e) {
      // Derivative of v + 2 a / n along the quaternion of example e.
      const double we = rotation[e * 4];
      const Vec3 re(rotation[e * 4 + 1], rotation[e * 4 + 2], rotation[e * 4 + 3]);
      const Vec3 da = we * c + w * re.cross(v) + re.cross(c) + r.cross(re.cross(v));
      const double dn = 2 * (w * we + r.dot(re));
      jacobian[e] += share * (2 / n * da - 2 * dn / (n * n) * a);
    }
  }
  return x;
}

Mat3 skin_turn(const Skin& skin, int vertex, std::span<const double> weights) {
  const size_t block = static_cast<size_t>(vertex / kLanes), lane = static_cast<size_t>(vertex % kLanes), examples = static_cast<size_t>(skin.examples);
  Mat3 turn = Mat3::Identity();
  for (size_t entry = static_cast<size_t>(skin.first[block]); entry < static_cast<size_t>(skin.first[block + 1]); ++entry) {
    const double share = skin.turn_weight[entry * kLanes + lane];
    const float* rotation = &skin.rotation[static_cast<size_t>(skin.turning[entry]) * examples * 4];
    Quat sum(0, 0, 0, 0);
    for (size_t e = 0; e < examples; ++e) {
      const float* q = rotation + e * 4;
      sum.coeffs() += weights[e] * Quat(q[0], q[1], q[2], q[3]).coeffs();
    }
    if (share != 0 && sum.squaredNorm() > 1e-12) turn += share * (sum.normalized().toRotationMatrix() - Mat3::Identity());
  }
  return turn;
}

std::vector<Vec3> example_shape(const Skin& skin, int example) {
  std::vector<double> weights(skin.examples, 0.0);
  weights[example] = 1;
  std::vector<Vec3> positions;
  positions.reserve(skin.vertices);
  for (int v = 0; v < skin.vertices; ++v) positions.push_back(skin_vertex(skin, v, weights));
  return positions;
}

}  // namespace crumple

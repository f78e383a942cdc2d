#include <Eigen/LU>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/methods/clusters/surface.h"

namespace crumple::clusters {
namespace {

constexpr double kMaxStretch = 4;  // clusters stretched more than this, or inverted, are too small for a reliable gradient

/// Affine displacement: x -> x + shift + gradient x, x being from the mesh's centre in its frame.
struct alignas(16) Motion {
  Vec4f shift = Vec4f::Zero();
  Vec4f gradient[3] = {Vec4f::Zero(), Vec4f::Zero(), Vec4f::Zero()};  // columns
};

/// F - I of a cluster, from the displacements of its particles: exactly zero while these are zero.
Mat3 displacement_gradient(const Model& model, const State& state, int cluster) {
  const size_t begin = at(state.slot_begin[at(cluster)]), end = begin + at(state.slot_count[at(cluster)]);
  Mat3 sum = Mat3::Zero();
  for (size_t s = begin; s < end; ++s) {
    const size_t i = at(state.slot_particle[s]);
    const Vec3f moved = (state.positions[i] - model.rest[at(state.original[i])]).head<3>();
    const Vec3f q(state.slot_rest[0][s], state.slot_rest[1][s], state.slot_rest[2][s]);
    sum += (state.slot_mass[s] * moved).cast<double>() * q.cast<double>().transpose();
  }
  const ClusterShape& shape = state.shapes[at(cluster)];
  const Mat3 gradient = sum * shape.inverse.cast<double>();
  const Mat3 whole = Mat3::Identity() + gradient;
  const bool clear = shape.rank == 3 && whole.norm() < kMaxStretch && whole.determinant() > 1e-3;
  if (clear) return gradient;
  // The stretch of flat and tiny clusters is not known in every direction: their goal transform is used.
  return (state.rotation[at(cluster)].toRotationMatrix() * state.plastic[at(cluster)]).cast<double>() - Mat3::Identity();
}

std::vector<Mat3f> cluster_gradients(const Model& model, const SurfaceModel& surface_model, const State& state) {
  std::vector<Mat3f> gradients(at(state.clusters()), Mat3f::Zero());
  const Mat3& turn = surface_model.place.rotation;
  parallel_for(gradients.size(), 8, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      if (state.slot_count[c] > 0) gradients[c] = (turn.transpose() * displacement_gradient(model, state, static_cast<int>(c)) * turn).cast<float>();
    }
  });
  return gradients;
}

/// Each particle moves by its own displacement, and its surroundings by the mean gradient of its clusters. eq. 8
std::vector<Motion> particle_motions(const Model& model, const SurfaceModel& surface_model, const State& state) {
  const std::vector<Mat3f> gradients = cluster_gradients(model, surface_model, state);
  const Mat3f back = surface_model.place.rotation.transpose().cast<float>();
  std::vector<Motion> motions(state.positions.size());
  parallel_for(motions.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t original = at(state.original[i]);
      Mat3f gradient = Mat3f::Zero();
      const size_t first = at(state.entry_begin[i]), last = first + at(state.entry_count[i]);
      for (size_t e = first; e < last; ++e) gradient += state.entry_share[e] * gradients[at(state.entry_cluster[e])];
      const Vec3f moved = back * (state.positions[i] - model.rest[original]).head<3>();
      const Vec3f from = (surface_model.rest[original] - surface_model.center).cast<float>();
      motions[i].shift.head<3>() = moved - gradient * from;
      for (int k = 0; k < 3; ++k) motions[i].gradient[k].head<3>() = gradient.col(k);
    }
  });
  return motions;
}

Vec3f move(const std::vector<Motion>& motions, const Carriers& carriers, const Vec3f& rest) {
  Motion sum;
  for (size_t k = 0; k < kCarriers; ++k) {
    const Motion& motion = motions[at(carriers.particle[k])];
    const float w = carriers.weight[k];
    sum.shift += w * motion.shift;
    for (int j = 0; j < 3; ++j) sum.gradient[j] += w * motion.gradient[j];
  }
  const Vec4f moved = sum.shift + rest[0] * sum.gradient[0] + rest[1] * sum.gradient[1] + rest[2] * sum.gradient[2];
  return moved.head<3>();
}

void place_vertices(const TriMesh& mesh, const std::vector<int32_t>& points, const std::vector<Vec3f>& moved, std::vector<Vec3f>& out) {
  out.resize(points.size());
  parallel_for(out.size(), 4096, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) out[v] = (mesh.positions[v] + moved[at(points[v])].cast<double>()).cast<float>();
  });
}

}  // namespace

void pose_surface(const Model& model, const SurfaceModel& surface_model, const State& state, const Surface& surface, PosedSurface& posed) {
  const std::vector<Motion> motions = particle_motions(model, surface_model, state);
  std::vector<Vec3f> moved(surface.rest.size());
  parallel_for(moved.size(), 512, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) moved[p] = move(motions, surface.carriers[p], surface.rest[p]);
  });
  place_vertices(*surface.skin, surface.skin_point, moved, posed.skin);
  place_vertices(*surface.inner, surface.inner_point, moved, posed.inner);
}

}  // namespace crumple::clusters

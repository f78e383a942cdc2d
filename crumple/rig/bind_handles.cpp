#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "crumple/geometry/mesh.h"
#include "crumple/rig/weights.h"

namespace crumple {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kUnowned = -1;

std::string title(const std::vector<WeightHandle>& handles, size_t handle) {
  return handles[handle].name.empty() ? fmt::format("handle {}", handle) : fmt::format("handle \"{}\"", handles[handle].name);
}

double segment_distance(const Vec3& point, const BoneHandle& bone) {
  const Vec3 along = bone.to - bone.from;
  const double length = along.squaredNorm();
  const double share = length > 0 ? std::clamp((point - bone.from).dot(along) / length, 0.0, 1.0) : 0.0;
  return (point - bone.from - share * along).norm();
}

struct Nearest {
  int vertex = -1;
  double distance = kInfinity;
};

/// The nearest vertex of those that are free, or of all.
Nearest nearest_vertex(const Elements& mesh, const Vec3& point, const std::vector<int>* owner = nullptr) {
  Nearest best;
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    const double distance = (mesh.positions[v] - point).norm();
    if (distance < best.distance && (!owner || (*owner)[v] == kUnowned)) best = {static_cast<int>(v), distance};
  }
  return best;
}

class Binding {
 public:
  Binding(const Elements& mesh, const std::vector<WeightHandle>& handles, double reach)
      : mesh_(mesh), handles_(handles), cell_(mean_edge(mesh)), owner_(mesh.positions.size(), kUnowned) {
    reach_ = std::max(reach * bounds_of({mesh.positions.begin(), mesh.positions.end()}).diagonal(), 2 * cell_);
  }

  Result<std::vector<std::vector<int>>> run() {
    for (size_t h = 0; h < handles_.size(); ++h) {
      Result<void> bound;
      if (const auto* point = std::get_if<PointHandle>(&handles_[h].place)) bound = bind_point(h, *point);
      if (const auto* cage = std::get_if<CageHandle>(&handles_[h].place)) bound = bind_cage(h, *cage);
      if (const auto* bone = std::get_if<BoneHandle>(&handles_[h].place)) bound = check_bone(h, *bone);
      if (!bound) return bound.error();
    }
    bind_near_bones();
    for (size_t h = 0; h < handles_.size(); ++h) {
      if (const auto* bone = std::get_if<BoneHandle>(&handles_[h].place)) {
        if (Result<void> bound = bind_along(h, *bone); !bound) return bound.error();
      }
    }
    std::vector<std::vector<int>> held(handles_.size());
    for (size_t v = 0; v < owner_.size(); ++v) {
      if (owner_[v] != kUnowned) held[owner_[v]].push_back(static_cast<int>(v));
    }
    return held;
  }

 private:
  Result<void> claim(size_t handle, int vertex) {
    if (owner_[vertex] != kUnowned && owner_[vertex] != static_cast<int>(handle)) {
      return input_error(fmt::format("{} and {} both hold vertex {}; move one of them or leave it out", title(handles_, owner_[vertex]),
                                     title(handles_, handle), vertex));
    }
    owner_[vertex] = static_cast<int>(handle);
    return {};
  }
  Result<void> check_near(size_t handle, const Vec3& position, const Nearest& nearest) const {
    if (!position.allFinite()) return input_error(fmt::format("{} is not at a finite place", title(handles_, handle)));
    if (nearest.distance <= reach_) return {};
    return input_error(fmt::format("{} at ({:.4g}, {:.4g}, {:.4g}) is {:.3g} from the nearest vertex, more than {:.3g}; move it to the body",
                                   title(handles_, handle), position.x(), position.y(), position.z(), nearest.distance, reach_));
  }
  Result<void> bind_point(size_t handle, const PointHandle& point) {
    const Nearest nearest = nearest_vertex(mesh_, point.position);
    if (Result<void> near = check_near(handle, point.position, nearest); !near) return near;
    return claim(handle, nearest.vertex);
  }
  Result<void> bind_cage(size_t handle, const CageHandle& cage) {
    if (cage.vertices.empty()) return input_error(fmt::format("{} lists no vertices", title(handles_, handle)));
    for (const int vertex : cage.vertices) {
      if (vertex < 0 || vertex >= static_cast<int>(owner_.size())) {
        return input_error(fmt::format("{} lists vertex {}, but there are {} vertices", title(handles_, handle), vertex, owner_.size()));
      }
      if (Result<void> claimed = claim(handle, vertex); !claimed) return claimed;
    }
    return {};
  }
  Result<void> check_bone(size_t handle, const BoneHandle& bone) const {
    for (const Vec3& end : {bone.from, bone.to}) {
      if (Result<void> near = check_near(handle, end, nearest_vertex(mesh_, end)); !near) return near;
    }
    return {};
  }
  void bind_near_bones() {
    for (size_t v = 0; v < owner_.size(); ++v) {
      if (owner_[v] != kUnowned) continue;
      double least = 0.5 * cell_;
      for (size_t h = 0; h < handles_.size(); ++h) {
        const auto* bone = std::get_if<BoneHandle>(&handles_[h].place);
        const double distance = bone ? segment_distance(mesh_.positions[v], *bone) : kInfinity;
        if (distance <= least && (owner_[v] == kUnowned || distance < least)) owner_[v] = static_cast<int>(h), least = distance;
      }
    }
  }
  /// For a bone that passes between the vertices.
  Result<void> bind_along(size_t handle, const BoneHandle& bone) {
    if (std::find(owner_.begin(), owner_.end(), static_cast<int>(handle)) != owner_.end()) return {};
    const int pieces = std::clamp(static_cast<int>((bone.to - bone.from).norm() / cell_), 1, 1000);
    int held = 0;
    for (int i = 0; i <= pieces; ++i) {
      const Vec3 point = bone.from + (bone.to - bone.from) * (static_cast<double>(i) / pieces);
      const Nearest nearest = nearest_vertex(mesh_, point, &owner_);
      if (nearest.distance <= reach_) owner_[nearest.vertex] = static_cast<int>(handle), ++held;
    }
    if (held > 0) return {};
    return input_error(fmt::format("{} finds no vertex that other handles do not hold; move it or leave it out", title(handles_, handle)));
  }

  const Elements mesh_;
  const std::vector<WeightHandle>& handles_;
  double cell_, reach_ = 0;
  std::vector<int> owner_;  // #vertices: handle, or kUnowned
};

}  // namespace

Result<std::vector<std::vector<int>>> bind_handles(const Elements& mesh, const std::vector<WeightHandle>& handles, double reach) {
  return Binding(mesh, handles, reach).run();
}

}  // namespace crumple

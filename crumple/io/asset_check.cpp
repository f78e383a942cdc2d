#include "crumple/io/asset_check.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "crumple/rig/skin.h"

namespace crumple::io {
namespace {

constexpr double kWeightNoise = 1e-3;     // how far a row of weights may miss 1
constexpr double kWeightRounding = 1e-5;  // up to here a row is left as it is, bit for bit
constexpr double kFlat = 1e-12;           // determinant of a tetrahedron over the cube of its longest edge
constexpr size_t kMaxHandles = 65535;    // joints are numbered in 16 bits
constexpr size_t kMaxExamples = Skin::kMaxExamples;

bool is_sane(const Vec3& point) {
  return point.allFinite() && point.cwiseAbs().maxCoeff() <= kFarthest;
}

class AssetChecker {
 public:
  AssetChecker(Asset& asset, std::string_view name) : asset_(asset), name_(name) {}

  Result<void> check() {
    for (const auto step : {&AssetChecker::check_sizes, &AssetChecker::check_tets, &AssetChecker::check_weights, &AssetChecker::check_surface,
                            &AssetChecker::check_handles, &AssetChecker::check_examples}) {
      if (Result<void> fine = (this->*step)(); !fine) return fine;
    }
    return asset_.pieces ? check_pieces(asset_, name_) : Result<void>();
  }

 private:
  template <class... Args>
  Error wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return input_error(fmt::format("{}: {}", name_, fmt::format(format, std::forward<Args>(args)...)));
  }

  Result<void> check_sizes() {
    const size_t vertices = asset_.elements().positions.size(), handles = asset_.handles.size();
    if (asset_.elements().size() == 0) return wrong("has no {}", asset_.elements().names());
    if (handles == 0) return wrong("has no handles; give its skin at least one joint");
    if (handles > kMaxHandles) return wrong("{} handles are too many (at most {})", handles, kMaxHandles);
    if (asset_.weights.size() != vertices * handles) {
      return wrong("{} weights do not match {} vertices x {} handles", asset_.weights.size(), vertices, handles);
    }
    if (asset_.examples.empty()) return wrong("has no rest pose");
    if (asset_.examples.size() > kMaxExamples) {
      return wrong("{} examples with the rest pose are too many (at most {})", asset_.examples.size(), kMaxExamples);
    }
    return {};
  }

  Result<void> check_tets() {
    std::vector<Vec3>& positions = asset_.tets.positions;
    for (size_t i = 0; i < positions.size(); ++i) {
      if (!is_sane(positions[i])) return wrong("vertex {} of the tetrahedra is not finite, or farther away than {} m", i, kFarthest);
    }
    for (size_t t = 0; t < asset_.tets.tets.size(); ++t) {
      if (Result<void> fine = check_tet(t); !fine) return fine;
    }
    return asset_.flat ? check_flat() : Result<void>();
  }

  Result<void> check_flat() {
    const TriMesh& surface = asset_.surface;
    if (asset_.flat->layer.size() != surface.positions.size()) return wrong("{} vertices in layers do not match {}", asset_.flat->layer.size(), surface.positions.size());
    if (!std::is_sorted(asset_.flat->layer.begin(), asset_.flat->layer.end())) return wrong("the vertices of its layers do not follow each other");
    for (const int layer : asset_.flat->layer) {
      if (layer < 0 || static_cast<size_t>(layer) >= asset_.flat->layers.size()) return wrong("a vertex is in layer {}, but there are {}", layer, asset_.flat->layers.size());
    }
    for (size_t t = 0; t < surface.triangles.size(); ++t) {
      Triangle& corners = asset_.surface.triangles[t];
      for (const int v : corners) {
        if (v < 0 || static_cast<size_t>(v) >= surface.positions.size()) return wrong("triangle {} asks for vertex {}, but there are {}", t, v, surface.positions.size());
        if (!is_sane(surface.positions[static_cast<size_t>(v)]) || surface.positions[static_cast<size_t>(v)].z() != 0) return wrong("vertex {} is not in the plane of the drawing", v);
        if (asset_.flat->layer[static_cast<size_t>(v)] != asset_.flat->layer[static_cast<size_t>(corners[0])]) return wrong("triangle {} is in two layers", t);
      }
      const double area = measure_of(asset_.elements(), t), longest = (surface.positions[static_cast<size_t>(corners[1])] - surface.positions[static_cast<size_t>(corners[0])]).norm();
      if (!(std::abs(area) > kFlat * longest * longest)) return wrong("triangle {} has no area", t);
      if (area < 0) std::swap(corners[1], corners[2]);
    }
    return {};
  }

  Result<void> check_tet(size_t t) {
    const std::vector<Vec3>& positions = asset_.tets.positions;
    Tetrahedron& tet = asset_.tets.tets[t];
    for (const int v : tet) {
      if (v < 0 || static_cast<size_t>(v) >= positions.size())
        return wrong("tetrahedron {} asks for vertex {}, but there are {}", t, v, positions.size());
    }
    double longest = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) longest = std::max(longest, (positions[tet[i]] - positions[tet[j]]).norm());
    }
    const double determinant = 6 * tet_volume(positions, tet);
    if (!(std::abs(determinant) > kFlat * longest * longest * longest)) {
      return wrong("tetrahedron {} (vertices {}, {}, {}, {}) is flat; remove it or move its vertices", t, tet[0], tet[1], tet[2], tet[3]);
    }
    if (determinant > 0) return {};
    if (asset_.pieces) return wrong("tetrahedron {} of a scored body is inside out; score it again", t);  // its cut corners would not fit any more
    std::swap(tet[2], tet[3]);
    return {};
  }

  Result<void> check_weights() {
    const size_t handles = asset_.handles.size();
    for (size_t v = 0; v < asset_.elements().positions.size(); ++v) {
      if (Result<void> fine = check_row(std::span(asset_.weights).subspan(v * handles, handles), v); !fine) return fine;
    }
    return {};
  }

  Result<void> check_row(std::span<float> row, size_t vertex) {
    double sum = 0;
    bool outside = false;
    for (size_t h = 0; h < row.size(); ++h) {
      if (!(row[h] >= -kWeightNoise && row[h] <= 1 + kWeightNoise))
        return wrong("vertex {}: weight {} of handle {} is not in [0, 1]", vertex, row[h], h);
      outside |= row[h] < 0 || row[h] > 1;
      sum += row[h];
    }
    if (std::abs(sum - 1) > kWeightNoise) return wrong("vertex {}: its weights sum to {:.6g}, not to 1; normalise the weights", vertex, sum);
    if (!outside && std::abs(sum - 1) <= kWeightRounding) return {};
    double clamped = 0;
    for (const float weight : row) clamped += std::clamp(double{weight}, 0.0, 1.0);
    for (float& weight : row) weight = static_cast<float>(std::clamp(double{weight}, 0.0, 1.0) / clamped);
    return {};
  }

  Result<void> check_surface() {
    if (asset_.surface.triangles.empty()) return wrong("has no visible surface");
    if (const Result<void> fine = check_mesh(asset_.surface); !fine) return wrong("{}", fine.error().text);
    if (const Result<void> maps = check_maps(asset_.maps, asset_.surface.positions.size()); !maps) return wrong("{}", maps.error().text);
    return {};
  }

  Result<void> check_handles() {
    for (const Handle& handle : asset_.handles) {
      if (!is_sane(handle.position)) return wrong("handle \"{}\" is not at a finite place, or farther away than {} m", handle.name, kFarthest);
    }
    return {};
  }

  Result<void> check_examples() {
    for (Example& example : asset_.examples) {
      if (example.handles.size() != asset_.handles.size()) {
        return wrong("example \"{}\" moves {} handles, but there are {}", example.name, example.handles.size(), asset_.handles.size());
      }
      for (size_t h = 0; h < example.handles.size(); ++h) {
        HandleTransform& pose = example.handles[h];
        const double length = pose.rotation.coeffs().norm();
        if (!is_sane(pose.translation)) return wrong("example \"{}\": handle \"{}\" goes too far or nowhere", example.name, asset_.handles[h].name);
        if (!(std::abs(length - 1) < 1e-2)) return wrong("example \"{}\": handle \"{}\" has no valid rotation", example.name, asset_.handles[h].name);
        // Blending goes along the shorter arc from rest, whose quaternion is (1, 0, 0, 0).
        pose.rotation.coeffs() *= (pose.rotation.w() < 0 ? -1 : 1) / length;
      }
    }
    for (const HandleTransform& pose : asset_.examples[0].handles) {
      if (pose.translation.norm() > 1e-6 || pose.rotation.vec().norm() > 1e-6) return wrong("its first example is not the rest pose");
    }
    return {};
  }

  Asset& asset_;
  std::string_view name_;
};

}  // namespace

Result<void> check_asset(Asset& asset, std::string_view name) {
  return AssetChecker(asset, name).check();
}

Result<void> check_mesh(const TriMesh& mesh) {
  const auto wrong = [](std::string text) { return input_error(std::move(text)); };
  for (size_t i = 0; i < mesh.positions.size(); ++i) {
    if (!is_sane(mesh.positions[i])) return wrong(fmt::format("vertex {} of the surface is not finite, or farther away than {} m", i, kFarthest));
  }
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const int v : mesh.triangles[t]) {
      if (v < 0 || static_cast<size_t>(v) >= mesh.positions.size()) {
        return wrong(fmt::format("triangle {} asks for vertex {}, but there are {}", t, v, mesh.positions.size()));
      }
    }
  }
  if (!mesh.uvs.empty() && mesh.uvs.size() != mesh.positions.size()) return wrong("has texture coordinates for some vertices only");
  if (!mesh.colors.empty() && mesh.colors.size() != mesh.positions.size()) return wrong("has colours for some vertices only");
  for (const Vec2f& uv : mesh.uvs) {
    if (!uv.allFinite()) return wrong("a texture coordinate is not finite");
  }
  for (const Vec3f& color : mesh.colors) {
    if (!color.allFinite()) return wrong("a colour is not finite");
  }
  return {};
}

void orient_tets(TetMesh& mesh) {
  for (Tetrahedron& tet : mesh.tets) {
    if (tet_volume(mesh.positions, tet) < 0) std::swap(tet[2], tet[3]);
  }
}

TriMesh boundary_surface(const TetMesh& mesh) {
  TriMesh surface;
  surface.triangles = boundary_faces(mesh);
  std::vector<int> vertex_of(mesh.positions.size(), -1);
  for (Triangle& triangle : surface.triangles) {
    for (int& v : triangle) {
      int& vertex = vertex_of[v];
      if (vertex < 0) {
        vertex = static_cast<int>(surface.positions.size());
        surface.positions.push_back(mesh.positions[v]);
      }
      v = vertex;
    }
  }
  return surface;
}

}  // namespace crumple::io

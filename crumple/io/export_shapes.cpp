#include "crumple/io/export_shapes.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"

namespace crumple::io {
namespace {

constexpr double kUnitsPerTolerance = 4.5;       // of a compact morph: later targets correct what rounding leaves
constexpr float kTurned = 0.004f;                // turns of normals below are left out: a quarter of a degree
constexpr float kTurnedMuch = 0.05f;             // of a compact morph: three degrees
constexpr size_t kMaxValues = size_t{60} << 20;  // vectors in memory at a time; larger tracks are taken in ranges of vertices

bool same_points(const Points& a, const Points& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if ((a[i] - b[i]).cwiseAbs().maxCoeff() > kUnmoved) return false;
  }
  return a.size() == b.size();
}

/// Differences of all rows from a base, on a range of vertices.
struct Differences {
  ShapeRows moves, turns;
};

/// TrackRows of a track, each seen from its frame.
struct TrackRows {
  const ShapeTrack& track;
  const std::vector<Transform>& frames;  // #rows or none
  Spool& spool;

  int count() const { return track.rows(); }
  Result<Points> read(int row) const {
    Result<Points> shape = track.row(row, spool);
    if (!shape || frames.empty()) return shape;
    const Transform back = frames[at(row)].inverse();
    for (Vec3f& p : *shape) p = (back * p.cast<double>()).cast<float>();
    return shape;
  }
};

Result<Differences> read_differences(const TrackRows& source, const ExportSurface& surface, int begin, int end) {
  const int count = end - begin;
  Differences rows{{count, {}}, {count, {}}};
  rows.moves.moves.resize(at(source.count()) * at(count));
  rows.turns.moves.resize(at(source.count()) * at(count));
  std::vector<Points> shapes(at(std::min(source.count(), 16)));
  for (int first = 0; first < source.count(); first += static_cast<int>(shapes.size())) {
    const int last = std::min(source.count(), first + static_cast<int>(shapes.size()));
    for (int r = first; r < last; ++r) {
      Result<Points> shape = source.read(r);
      if (!shape) return shape.error();
      shapes[at(r - first)] = std::move(*shape);
    }
    parallel_for(at(last - first), 1, [&](size_t from, size_t to) {
      for (size_t k = from; k < to; ++k) {
        const Points normals = surface.shading.normals(shapes[k], surface.mesh->triangles);
        const size_t row = (at(first) + k) * at(count);
        for (int v = begin; v < end; ++v) {
          rows.moves.moves[row + at(v - begin)] = shapes[k][at(v)] - (*surface.rest)[at(v)];
          rows.turns.moves[row + at(v - begin)] = normals[at(v)] - surface.normals[at(v)];
        }
      }
    });
  }
  return rows;
}

/// A normal turns with the faces around it, so it needs the targets of all vertices of these.
std::vector<int> levels_of_normals(const ShapeBasis& basis, const TriMesh& mesh, int begin, int end) {
  std::vector<int> levels = basis.levels;
  for (const Triangle& triangle : mesh.triangles) {
    int most = 0;
    for (const int v : triangle) most = v >= begin && v < end ? std::max(most, basis.levels[at(v - begin)]) : most;
    for (const int v : triangle) {
      if (v >= begin && v < end) levels[at(v - begin)] = std::max(levels[at(v - begin)], most);
    }
  }
  return levels;
}

void move_vertices(int by, ShapeTarget& target) {
  for (int& v : target.vertices) v += by;
}

/// Vectors longer than `least`.
ShapeTarget significant(const std::vector<Vec3f>& values, float least) {
  ShapeTarget target;
  for (size_t v = 0; v < values.size(); ++v) {
    if (values[v].squaredNorm() <= least * least) continue;
    target.vertices.push_back(static_cast<int>(v));
    target.moves.push_back(values[v]);
  }
  return target;
}

/// The negative sum of some targets.
ShapeTarget counter_of(const std::vector<const ShapeTarget*>& targets, int vertices) {
  std::vector<Vec3f> sum(at(vertices), Vec3f::Zero());
  for (const ShapeTarget* target : targets) {
    for (size_t i = 0; i < target->vertices.size(); ++i) sum[at(target->vertices[i])] -= target->moves[i];
  }
  return significant(sum, 0);
}

/// The morph of a range of vertices.
Result<Morph> morph_of_range(const TrackRows& source, const ExportSurface& surface, const MorphSettings& settings, int begin, int end) {
  const Result<Differences> rows = read_differences(source, surface, begin, end);
  if (!rows) return rows.error();
  Morph morph;
  morph.unit = settings.compact ? settings.tolerance / kUnitsPerTolerance : 0;
  ShapeBasis basis = find_shape_basis(rows->moves, {settings.tolerance, morph.unit});
  const auto turns = fit_to_weights(basis, rows->turns, levels_of_normals(basis, *surface.mesh, begin, end));
  for (size_t k = 0; k < basis.targets.size(); ++k) {
    ShapeTarget turned = significant(turns[k], settings.compact ? kTurnedMuch : kTurned);
    for (Vec3f& turn : turned.moves) turn = settings.compact ? Vec3f(turn.cwiseMax(-1.0f).cwiseMin(1.0f)) : turn;  // a byte holds no more
    morph.targets.push_back({std::move(basis.targets[k]), std::move(turned)});
  }
  const CounterTarget counter = raise_weights(basis);
  if (!counter.targets.empty()) {
    std::vector<const ShapeTarget*> moved, turned;
    for (const int k : counter.targets) moved.push_back(&morph.targets[at(k)].moves), turned.push_back(&morph.targets[at(k)].turns);
    morph.targets.push_back({counter_of(moved, end - begin), counter_of(turned, end - begin)});
  }
  const size_t others = basis.targets.size();
  for (int r = 0; r < source.count(); ++r) {
    for (size_t k = 0; k < others; ++k) morph.weights.push_back(std::clamp(basis.weight(r, static_cast<int>(k)), 0.0f, 1.0f));
    if (!counter.targets.empty()) morph.weights.push_back(counter.weights[at(r)]);
  }
  if (settings.compact) {
    for (float& weight : morph.weights) weight = std::round(65535.0f * weight) / 65535.0f;  // as the file keeps it
  }
  for (MorphTarget& target : morph.targets) move_vertices(begin, target.moves), move_vertices(begin, target.turns);
  return morph;
}

/// Adds the targets of another range of vertices.
void append(Morph other, int rows, Morph& morph) {
  const size_t before = morph.targets.size(), added = other.targets.size();
  std::vector<float> weights;
  for (size_t r = 0; r < at(rows); ++r) {
    weights.insert(weights.end(), morph.weights.begin() + static_cast<std::ptrdiff_t>(r * before), morph.weights.begin() + static_cast<std::ptrdiff_t>((r + 1) * before));
    weights.insert(weights.end(), other.weights.begin() + static_cast<std::ptrdiff_t>(r * added), other.weights.begin() + static_cast<std::ptrdiff_t>((r + 1) * added));
  }
  morph.weights = std::move(weights);
  morph.unit = other.unit;
  std::move(other.targets.begin(), other.targets.end(), std::back_inserter(morph.targets));
}

}  // namespace

ExportSurface export_surface(std::shared_ptr<const TriMesh> mesh) {
  auto rest = std::make_shared<Points>();
  for (const Vec3& position : mesh->positions) rest->push_back(position.cast<float>());
  Shading shading(*mesh);
  Points normals = shading.normals(*rest, mesh->triangles);
  const Bounds bounds = bounds_of(mesh->positions);
  return {std::move(mesh), std::move(rest), bounds, std::move(shading), std::move(normals)};
}

bool ShapeTrack::is_new(const Points& rest, const Points& shape) const {
  return rows_.empty() || !same_points(last_, shape.empty() ? rest : shape);
}

Result<void> ShapeTrack::add(int frame, const Points& shape, Spool& spool) {
  const Result<Spool::Range> range = spool.add(std::as_bytes(std::span(shape)));
  if (!range) return range.error();
  if (!keys_.empty() && keys_.back().frame < last_frame_) keys_.push_back({last_frame_, keys_.back().row});
  keys_.push_back({frame, rows()});
  rows_.push_back(*range);
  last_ = shape;
  last_frame_ = frame;
  return {};
}

Result<Points> ShapeTrack::row(int index, Spool& spool) const {
  const Spool::Range& range = rows_[at(index)];
  Points points(range.size / sizeof(Vec3f));
  if (const Result<void> read = spool.read(range, std::as_writable_bytes(std::span(points))); !read) return read.error();
  return points;
}

Result<Morph> make_morph(const ShapeTrack& track, const std::vector<Transform>& frames, Spool& spool, const ExportSurface& surface, const MorphSettings& settings) {
  const TrackRows rows{track, frames, spool};
  Morph morph;
  const int vertices = static_cast<int>(surface.rest->size());
  const int at_once = std::max(1, static_cast<int>(kMaxValues / at(std::max(1, rows.count()))));
  for (int begin = 0; begin < vertices; begin += at_once) {
    Result<Morph> part = morph_of_range(rows, surface, settings, begin, std::min(vertices, begin + at_once));
    if (!part) return part.error();
    append(std::move(*part), rows.count(), morph);
  }
  return morph;
}

}  // namespace crumple::io

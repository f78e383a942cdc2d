#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple::dents {

/// A drawn surface that is refined where it is needed, by halving edges. Vertices at one place are split together, so seams of texture coordinates stay
/// closed. New vertices follow the old ones; those that are there keep their numbers.
class Sheet {
 public:
  Sheet() = default;
  explicit Sheet(std::shared_ptr<const TriMesh> base);

  size_t vertices() const { return mesh_.positions.size(); }
  size_t base_vertices() const { return base_; }
  const std::vector<Triangle>& triangles() const { return mesh_.triangles; }
  /// Two numbers for every new vertex: those that it lies between.
  const std::vector<int32_t>& parents() const { return parents_; }

  /// Halves the longest edges of triangles for as long as `is_coarse` says so, neighbours with longer edges first (Rivara), until there are `most`
  /// triangles. Returns whether all was done.
  bool refine(const std::function<bool(const Triangle&)>& is_coarse, size_t most, const std::function<void(int a, int b)>& added);
  /// Splits as at another time, which must begin with those made so far. False: they do not.
  bool replay(std::span<const int32_t> parents);

  /// The surface to draw, at rest; after changes, once finish() was called.
  const std::shared_ptr<const TriMesh>& drawn() const { return drawn_; }
  void finish();

  /// Values of the old vertices, extended to the new ones.
  template <class T>
  void extend(std::vector<T>& values) const {
    add_between(parents_, values);
  }

 private:
  using Edge = std::pair<int, int>;
  Edge edge_of(int a, int b) const;  // by places
  void add_edges(int triangle);
  void drop_edge(const Edge& edge, int triangle);
  void index();
  int longest(const Triangle& triangle) const;
  void split(int a, int b);
  void split_place(const Edge& edge, const std::function<void(int, int)>& added);

  size_t base_ = 0;
  TriMesh mesh_;
  std::vector<int32_t> parents_;
  std::vector<int> place_;                     // #vertices: equal for those at one place
  std::map<Edge, int> middle_;                 // place of a split edge's middle
  int places_ = 0;
  std::map<Edge, std::vector<int>> triangles_of_;  // by edges of places; made on first use
  std::shared_ptr<const TriMesh> drawn_;
};

}  // namespace crumple::dents

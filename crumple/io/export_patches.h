#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"
#include "crumple/io/export.h"

namespace crumple::io {

/// Items whose triangles change over time, such as torn bodies, as patches. A patch is all triangles that are there in the same frames and end in the
/// same piece. It has one surface as long as it lasts, so formats whose meshes cannot change hold most triangles once. A triangle is known by its
/// corners at rest. Few triangles with a time of their own go to patches of fixed stretches of time, of which there are at most two for each surface.
class SurfacePatches {
 public:
  /// Looks at all frames once.
  static Result<SurfacePatches> find(const FrameSource& source, int count);

  bool empty() const { return series_.empty(); }
  /// The same frames with patches in place of items that change. This must outlive it.
  FrameSource divide(const FrameSource& source);

 private:
  /// One triangle from its first surface to its last.
  struct Chain {
    int begin = 0, end = 0;             // surfaces of its item, in their order
    int piece = 0;                      // at last
    std::array<int, 3> first{};         // vertices that it had at first
    std::array<uint64_t, 3> corners{};  // which vertices it had: corners with equal numbers are one vertex all the time
    int first_stretch = 0;              // of its patches, in their order
  };
  /// A chain in one patch.
  struct Stretch {
    int patch = 0;
    int chain = 0;
    int end = 0;                        // surface
    std::array<int, 3> vertices{};      // of the patch
  };
  /// The chain of a triangle, and which of its corners comes first.
  struct Link {
    int chain : 30;
    unsigned turn : 2;
  };
  struct Version {
    int first_frame = 0;
    std::vector<Link> links;  // #triangles
  };
  struct Patch {
    int piece = 0;
    int vertices = 0;
    std::shared_ptr<const TriMesh> surface;  // once it was seen
  };
  /// An item through all its surfaces.
  struct Series {
    std::vector<Version> versions;
    std::vector<Chain> chains;
    std::vector<Stretch> stretches;
    std::vector<Patch> patches;
    // of `divide`: the surface at hand
    int version = -1;
    std::vector<int> here;                   // patches that it has
    std::vector<std::vector<int>> vertices;  // #here: its vertices, by those of the patch

    const Stretch& stretch_of(int chain, int version) const;
  };
  struct Scan;

  static void make_patches(Series& series, int frames);
  static void number_vertices(Series& series);
  static Result<void> divide(const FrameItem& item, int frame, Series& series, std::vector<FrameItem>& into);
  static Result<void> take_version(const FrameItem& item, int version, Series& series);

  std::map<std::pair<std::string, int>, Series> series_;  // by name of the item, and which of those in a frame that have it
};

}  // namespace crumple::io

#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"

namespace crumple::io {

/// The frame of that index, 0..count-1. Exporters ask for each in order, most of them once, and hold one at a time.
using FrameSource = std::function<Result<Frame>(int index)>;

struct ExportSettings {
  std::string name = "scene";  // of the scene and its animation
  double fps = 24;             // told to importers; times come from the frames
  double tolerance = 0;        // metres that a vertex may be off; 0: 1 mm or a thousandth of the item, whichever is larger, at most a hundredth of it
  size_t max_bytes = 0;        // of the file: the tolerance gives way to it; 0: any
  bool colors = false;         // vertex colours, as in the last frame
};

struct ExportReport {
  int frames = 0;
  int nodes = 0;
  int meshes = 0;
  int shapes = 0;             // morph targets of all meshes
  double worst = 0;           // metres: distance of the vertex that is farthest from its place in any frame; measured
  std::string worst_item;     // its item
  int worst_frame = 0;        // and the frame
  double scale = 1;           // more than 1: tolerances were multiplied by it to keep to max_bytes
  bool compact = false;       // shapes are whole numbers (KHR_mesh_quantization)
  size_t bytes = 0;
};

/// A moving scene as one .glb: a node per item with keys for its motion, and for items that change their shape morph targets, as few as the tolerance
/// asks for. Items that come or go are scaled to nothing while they are away. Files above 50 MB hold shapes as small whole numbers. Asks for the frames
/// twice: the second time to measure.
Result<ExportReport> export_glb(const FrameSource& source, int count, const ExportSettings& settings, const std::filesystem::path& file);

/// A moving scene as USD text (.usda): a transform and a mesh for each item, sampled at every frame in which they change, with colours and
/// materials as UsdPreviewSurface; pictures lie in NAME_textures beside it. One unit is a metre, one time code a frame.
Result<ExportReport> export_usd(const FrameSource& source, int count, const ExportSettings& settings, const std::filesystem::path& file);

enum class CacheKind { Mdd, Pc2 };
/// Places of all vertices in all frames, as they were, for a modifier such as Blender's Mesh Cache; beside it an .obj of the first frame with the same
/// vertices. What comes later or goes is one point while it is away. Asks for the frames twice.
Result<ExportReport> export_cache(const FrameSource& source, int count, CacheKind kind, const std::filesystem::path& file);

/// One frame as one surface in world coordinates. OBJ has a group per item; PLY has colours if any item has them.
Result<ExportReport> export_obj(const Frame& frame, const std::filesystem::path& file);
Result<ExportReport> export_ply(const Frame& frame, const std::filesystem::path& file);

}  // namespace crumple::io

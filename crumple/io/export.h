#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/frame.h"

namespace crumple::io {

/// The frame of that index, 0..count-1. Exporters ask for each in order, most of them once, and hold one at a time.
using FrameSource = std::function<Result<Frame>(int index)>;

/// A camera that looks along -z of its place, with y up.
struct ExportCamera {
  Transform place;
  double fov_degrees = 32;  // vertical
};

/// Light from far away.
struct ExportSun {
  Vec3 toward = Vec3::UnitY();                        // unit vector to it
  Vec3f irradiance = Vec3f::Constant(3);              // W/m^2 on a surface that faces it, linear RGB
  double radius = 0.05;                               // radians
  Vec3f sky = Vec3f::Constant(0.8f);                  // what comes from everywhere else, linear RGB
};

struct ExportSettings {
  std::string name = "scene";  // of the scene and its animation
  std::vector<ExportCamera> cameras;  // one for each frame, or one for all, or none
  double aspect = 16.0 / 9.0;         // of its picture
  std::optional<ExportSun> sun;
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
  std::vector<std::string> lost;  // what the format cannot hold, each by name
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

enum class VatKind { Exr, Png };
/// Vertex animation textures for shaders of game engines: places of all vertices, a stretch of rows a frame (.exr exactly, or .png with 16 bits from the
/// least to the greatest), and beside it NAME_normals.png, NAME_vat.glb with the vertices' pixels as second texture coordinates, and NAME_vat.json that tells how to
/// read them. Asks for the frames twice.
Result<ExportReport> export_vat(const FrameSource& source, int count, const ExportSettings& settings, VatKind kind, const std::filesystem::path& file);

/// One frame as one surface in world coordinates, with a group for each item and all materials (.mtl and pictures) beside it.
Result<ExportReport> export_obj(const Frame& frame, const std::filesystem::path& file);

/// Frames as one .obj each, which share one file of materials: `library` with .mtl.
class ObjSequence {
 public:
  explicit ObjSequence(const std::filesystem::path& library);
  ~ObjSequence();
  Result<ExportReport> add(const Frame& frame, const std::filesystem::path& file);
  /// Writes the materials of all frames.
  Result<void> finish();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

/// One frame as one surface in world coordinates, with colours, velocities (vx, vy, vz in m/s), and numbers of bodies, pieces and materials. Velocities
/// are differences from the frame before, or to the one after for what was not there; zero if neither is given.
Result<ExportReport> export_ply(const Frame& frame, const std::filesystem::path& file, const Frame* before = nullptr, const Frame* after = nullptr);

}  // namespace crumple::io

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/orientation.h"
#include "crumple/math/types.h"

namespace crumple::io {

/// A colour, or colours along a line or around a point.
struct VectorPaint {
  enum class Kind { None, Color, Linear, Radial };
  struct Stop {
    double offset = 0;
    Eigen::Vector4f color = Eigen::Vector4f::Zero();  // sRGB and alpha, 0 to 1
  };
  Kind kind = Kind::None;
  Eigen::Vector4f color = {0, 0, 0, 1};
  std::vector<Stop> stops;  // ascending
  /// Of a place of the drawing: along the line (0 to 1), or x and y over the radius.
  Eigen::Affine2d to_gradient = Eigen::Affine2d::Identity();
};

/// A filled and stroked shape. Curves are lines already.
struct VectorShape {
  struct Line {
    std::vector<Vec2> points;  // of the drawing
    bool is_closed = false;
  };
  enum class Join { Miter, Round, Bevel };
  enum class Cap { Butt, Round, Square };
  std::vector<Line> lines;
  VectorPaint fill, stroke;
  bool even_odd = false;
  double width = 1;  // of the stroke, in units of the drawing
  Join join = Join::Miter;
  Cap cap = Cap::Butt;
  int layer = 0;
};

/// A place that an artist marked for the rig: see read_svg.
struct RigMark {
  enum class Kind { Handle, Bone, Pin };
  Kind kind = Kind::Handle;
  std::string name;
  Vec2 at = Vec2::Zero(), to = Vec2::Zero();  // `to`: other end of a bone
  std::string layer, pinned_to;               // names of layers; empty: the topmost there
};

/// A drawing in its own units: x to the right, y down.
struct VectorDrawing {
  double width = 0, height = 0;
  std::vector<std::string> layers;  // from the back to the front; at least one
  std::vector<VectorShape> shapes;  // from the back to the front
  std::vector<RigMark> marks;
  std::vector<std::string> notes;   // what could not be read, each kind once
};

/// Reads paths, polygons, polylines, lines, circles, ellipses and rectangles with fills, strokes, opacities, gradients and transforms. Groups of the
/// top level whose id begins with "layer-" are layers. A group with the id "rig" is not drawn: in it, circles "handle-NAME" and "pin-NAME" and lines
/// "bone-NAME" are marks; their attributes data-layer and data-to name layers.
Result<VectorDrawing> parse_svg(std::string_view text, std::string_view file);
Result<VectorDrawing> read_svg(const std::filesystem::path& file);

/// The lines of a path's data, with curves no farther than `tolerance` from them.
Result<std::vector<VectorShape::Line>> parse_svg_path(std::string_view data, double tolerance);

}  // namespace crumple::io

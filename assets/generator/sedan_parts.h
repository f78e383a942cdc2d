#pragma once

#include "assets/generator/facets.h"

#include "crumple/geometry/mesh.h"

#include <utility>
#include <vector>

// The parts of the sedan, modelled with the ground at y = 0: x is along the car (front +), z across it.
namespace crumple::generator::sedan {

inline const Vec3f kPaint(0.045f, 0.075f, 0.17f), kDark(0.012f, 0.012f, 0.013f), kGlass(0.018f, 0.024f, 0.028f), kChrome(0.62f, 0.63f, 0.64f),
    kTyre(0.014f, 0.014f, 0.014f), kSilver(0.42f, 0.43f, 0.44f), kLamp(0.80f, 0.82f, 0.84f), kRed(0.42f, 0.012f, 0.012f), kAmber(0.75f, 0.26f, 0.02f),
    kWhite(0.70f, 0.70f, 0.66f), kTrim(0.045f, 0.05f, 0.06f);

inline constexpr double kHeight = 1.45;
inline constexpr double kFrontAxle = 1.43, kRearAxle = -1.31, kArch = 0.385, kWheel = 0.325, kTread = 0.79;
inline constexpr double kNose = 2.365, kTail = -2.375;  // faces of the body at the middle; bumpers stand before them

/// Values given at places, with a smooth curve between them that never overshoots [Fritsch and Carlson 1980].
class Curve {
 public:
  /// Places in falling order.
  Curve(std::initializer_list<std::pair<double, double>> points);
  double operator()(double x) const;

 private:
  std::vector<std::pair<double, double>> points_;
  std::vector<double> slopes_;
};

/// The side of the body on the right (+z), over x and y.
Vec3 on_side(double x, double y, double out);
/// The top of the bonnet, the boot and the roof, over x and z.
Vec3 on_top(double x, double z, double out);
/// The faces of nose and tail, over how far right the viewer sees it (u) and y.
Vec3 on_nose(double u, double y, double out);
Vec3 on_tail(double u, double y, double out);
/// Height of the edge where the windows begin.
double belt_at(double x);

void add_body(TriMesh& mesh);
void add_bumpers(TriMesh& mesh);
void add_lamps(TriMesh& mesh);
void add_trim(TriMesh& mesh);
void add_wheels(TriMesh& mesh);

}  // namespace crumple::generator::sedan

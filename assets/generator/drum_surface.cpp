#include "assets/generator/drum.h"
#include "assets/generator/surface.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace crumple::generator {
namespace {

constexpr int kSectors = 45;
constexpr double kWall = 0.314;           // radius of the plain wall
constexpr double kEnd = kDrumHeight / 2;  // height of the chimes above the middle
constexpr double kLid = kEnd - 0.022;     // the lids are recessed
constexpr double kHoopReach = 0.030;      // half the width of a hoop

using Outline = std::vector<ProfilePoint>;

// From the axis out over the lid and its chime to the neck where the wall begins; for the top lid, read backwards.
Outline end_outline() {
  return {
      {0.000, kLid + 0.005},   {0.110, kLid + 0.005},  {0.142, kLid + 0.005, true}, {0.152, kLid, true},          {0.215, kLid},
      {0.288, kLid, true},     {0.298, kLid + 0.004},  {0.3015, kEnd - 0.006},      {0.306, kEnd - 0.001},        {0.312, kEnd},
      {0.3185, kEnd - 0.0015}, {0.3215, kEnd - 0.007}, {0.3205, kEnd - 0.016},      {0.3165, kEnd - 0.021, true}, {kWall, kEnd - 0.0265},
  };
}

// A rolling hoop is pressed out of the wall at each third of the height.
void add_hoop(Outline& outline, double height) {
  for (int i = -4; i <= 4; ++i) {
    const double t = i / 4.0, bump = (1 - t * t) * (1 - t * t);
    outline.push_back({kWall + (kDrumRadius - kWall) * bump, height + kHoopReach * t});
  }
}

// Beads: shallow waves that stiffen the wall.
void add_beads(Outline& outline, double from, double to, int count) {
  const int steps = 5 * count;
  for (int i = 1; i < steps; ++i) {
    const double t = double(i) / steps;
    const double wave = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * count * t);
    outline.push_back({kWall + 0.0042 * wave, from + (to - from) * t});
  }
}

Outline drum_outline() {
  const Outline end = end_outline();
  Outline outline;
  for (const ProfilePoint& point : end) outline.push_back({point.radius, -point.height, point.crease});
  const double hoop = kDrumHeight / 6, neck = end.back().height;
  add_beads(outline, -neck, -hoop - kHoopReach, 4);
  add_hoop(outline, -hoop);
  for (const double height : {-0.075, -0.03, 0.03, 0.075}) outline.push_back({kWall, height});
  add_hoop(outline, hoop);
  add_beads(outline, hoop + kHoopReach, neck, 4);
  outline.insert(outline.end(), end.rbegin(), end.rend());
  return outline;
}

// A filler cap: a flange on the lid and a plug with a dished top. Its underside is hidden in the lid.
void add_bung(TriMesh& mesh, const Vec3& centre, double radius) {
  const Outline outline{{0, -0.006},
                        {radius * 0.9, -0.006, true},
                        {radius, 0.003, true},
                        {radius * 0.86, 0.005, true},
                        {radius * 0.82, 0.012},
                        {radius * 0.74, 0.0135, true},
                        {radius * 0.45, 0.0095, true},
                        {0, 0.0095}};
  add_turned(mesh, outline, centre, 20);
}

}  // namespace

TriMesh drum_surface() {
  TriMesh mesh;
  add_turned(mesh, drum_outline(), Vec3::Zero(), kSectors);
  add_bung(mesh, Vec3(0.222, kLid, 0), 0.042);
  add_bung(mesh, Vec3(-0.228, kLid, 0), 0.028);
  return mesh;
}

}  // namespace crumple::generator

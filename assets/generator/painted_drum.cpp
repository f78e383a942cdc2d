#include "assets/generator/drum.h"
#include "assets/generator/ramp.h"

#include <algorithm>
#include <cmath>

namespace crumple::generator {
namespace {

const Vec3f kStrongColor(0.02f, 0.13f, 0.42f), kWeakColor(0.80f, 0.20f, 0.02f);

// 1 at the end that is weak, 0 at the strong one; the change is as wide as the tetrahedra can show.
double weakness_at(const Vec3& point) {
  return rounded_ramp(std::clamp(0.5 + point.y() / 0.16, 0.0, 1.0));
}

float between(double strong, double weak, double weakness) {
  return float(strong + (weak - strong) * weakness);
}

}  // namespace

Asset make_painted_drum() {
  Asset drum = make_drum();
  drum.name = "painted_drum";
  PaintedMap yield{"yield", {}}, gain{"gain", {}};
  for (const Vec3& position : drum.surface.positions) {
    const double weakness = weakness_at(position);
    yield.values.push_back(between(6, 1, weakness));
    gain.values.push_back(between(0, 1, weakness));
    drum.surface.colors.push_back(weakness > 0.5 ? kWeakColor : kStrongColor);
  }
  drum.maps = {yield, gain};
  return drum;
}

}  // namespace crumple::generator

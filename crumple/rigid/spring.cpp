#include "crumple/rigid/spring.h"

#include <cmath>

namespace crumple::rigid {

SpringSolution solve_spring(double inertia, double damping, double stiffness, double time) {
  const double decay = 0.5 * damping / inertia, square = stiffness / inertia - decay * decay, x = square * time * time;
  double cosine, sine;  // the sine over its frequency
  if (std::abs(x) < 1e-6) {  // neither swings nor creeps: the series of both
    cosine = 1 - x / 2, sine = time * (1 - x / 6);
  } else if (square > 0) {
    const double frequency = std::sqrt(square);
    cosine = std::cos(frequency * time), sine = std::sin(frequency * time) / frequency;
  } else {
    const double rate = std::sqrt(-square);
    // e^(-decay t) cosh and sinh in one, so that neither overflows; rate - decay without cancelling.
    const double slow = std::exp(-stiffness / inertia / (rate + decay) * time), fast = std::exp(-(rate + decay) * time);
    cosine = 0.5 * (slow + fast), sine = 0.5 * (slow - fast) / rate;
    return {cosine + decay * sine, sine, -(stiffness / inertia) * sine, cosine - decay * sine};
  }
  const double fade = std::exp(-decay * time);
  return {fade * (cosine + decay * sine), fade * sine, -fade * (stiffness / inertia) * sine, fade * (cosine - decay * sine)};
}

}  // namespace crumple::rigid

#include "crumple/geometry/orientation.h"

#include <array>
#include <cmath>

namespace crumple {
namespace {

struct Pair {
  double high, low;  // their exact sum is meant
};

Pair exact_sum(double a, double b) {
  const double sum = a + b, other = sum - a;
  return {sum, (a - (sum - other)) + (b - other)};
}

Pair halves(double a) {
  const double scaled = 134217729.0 * a;  // 2^27 + 1
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

Pair exact_product(double a, double b) {
  const double product = a * b;
  const Pair x = halves(a), y = halves(b);
  return {product, x.low * y.low - (((product - x.high * y.high) - x.low * y.high) - x.high * y.low)};
}

int sign(double value) {
  return (value > 0) - (value < 0);
}

/// The sign of a sum without rounding: its terms are kept as numbers that do not overlap, the greatest last.
int sign_of_sum(const std::array<double, 12>& terms) {
  std::array<double, 12> expansion = {};
  size_t size = 0;
  for (double carry : terms) {
    for (size_t i = 0; i < size; ++i) {
      const Pair sum = exact_sum(carry, expansion[i]);
      expansion[i] = sum.low, carry = sum.high;
    }
    expansion[size++] = carry;
  }
  for (size_t i = size; i-- > 0;) {
    if (expansion[i] != 0) return sign(expansion[i]);
  }
  return 0;
}

}  // namespace

int orientation(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (a.x() - c.x()) * (b.y() - c.y()), right = (a.y() - c.y()) * (b.x() - c.x());
  const double area = left - right;
  constexpr double kRounding = 3.3306690738754716e-16;  // (3 + 16 eps) eps
  if (std::abs(area) > kRounding * (std::abs(left) + std::abs(right))) return sign(area);
  const Pair products[] = {exact_product(a.x(), b.y()),  exact_product(-a.x(), c.y()), exact_product(-c.x(), b.y()),
                           exact_product(-a.y(), b.x()), exact_product(a.y(), c.x()),  exact_product(c.y(), b.x())};
  std::array<double, 12> terms;
  for (size_t i = 0; i < 6; ++i) terms[2 * i] = products[i].low, terms[2 * i + 1] = products[i].high;
  return sign_of_sum(terms);
}

}  // namespace crumple

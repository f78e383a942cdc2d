#pragma once

#include "crumple/math/types.h"

namespace crumple {

/// The vector of a matrix' skew part: [w]x : Z = w . skew_vector(Z) for every w.
inline Vec3 skew_vector(const Mat3& z) {
  return {z(2, 1) - z(1, 2), z(0, 2) - z(2, 0), z(1, 0) - z(0, 1)};
}
/// The rotation about w by |w|.
Mat3 rotation_by(const Vec3& w);

/// The rotation R with the greatest R : matrix; never a reflection. `guess` makes it fast if it is near; where a matrix leaves the
/// rotation open (it is zero, say) the guess decides.
Mat3 nearest_rotation(const Mat3& matrix, const Mat3& guess = Mat3::Identity());

}  // namespace crumple

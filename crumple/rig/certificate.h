#pragma once

#include "crumple/core/result.h"
#include "crumple/rig/asset.h"

namespace crumple {

/// What is found when a certificate is measured again from the asset's tetrahedra, held vertices and raw weights.
struct CertificateCheck {
  double kkt_residual = 0;        // the greatest of all handles
  double outside_bounds = 0;      // how far a raw weight is from [0, 1]: 0 for a good one
  double held_error = 0;          // how far raw weights at held vertices are from 1 (own handle) and 0 (others): 0 for a good one
  double weights_difference = 0;  // greatest, between the asset's weights and raw ones divided by their sum
};

/// Fails if the asset has no certificate, or one of other sizes than its own.
Result<CertificateCheck> measure_certificate(const Asset& asset);

}  // namespace crumple

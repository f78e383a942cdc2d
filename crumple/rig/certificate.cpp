#include "crumple/rig/certificate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/geometry/elements.h"
#include "crumple/rig/box_qp.h"

namespace crumple {
namespace {

Result<void> check_sizes(const Asset& asset) {
  if (!asset.certificate) return input_error("the asset's weights have no certificate");
  const WeightCertificate& certificate = *asset.certificate;
  const size_t vertices = asset.tets.positions.size(), handles = asset.handles.size();
  if (certificate.held.size() != handles || certificate.raw.size() != handles * vertices) {
    return input_error(fmt::format("the certificate is about {} handles and {} weights, but the asset has {} handles and {} vertices",
                                   certificate.held.size(), certificate.raw.size(), handles, vertices));
  }
  for (const std::vector<int>& held : certificate.held) {
    for (const int v : held) {
      if (v < 0 || static_cast<size_t>(v) >= vertices)
        return input_error(fmt::format("the certificate names vertex {}, but there are {}", v, vertices));
    }
  }
  return {};
}

double held_error(const WeightCertificate& certificate, size_t vertices) {
  double error = 0;
  for (size_t own = 0; own < certificate.held.size(); ++own) {
    for (const int v : certificate.held[own]) {
      for (size_t h = 0; h < certificate.held.size(); ++h) {
        error = std::max(error, std::abs(certificate.raw[h * vertices + static_cast<size_t>(v)] - (h == own ? 1 : 0)));
      }
    }
  }
  return error;
}

double weights_difference(const Asset& asset) {
  const std::vector<double>& raw = asset.certificate->raw;
  const size_t vertices = asset.tets.positions.size(), handles = asset.handles.size();
  double greatest = 0;
  for (size_t v = 0; v < vertices; ++v) {
    double sum = 0;
    for (size_t h = 0; h < handles; ++h) sum += raw[h * vertices + v];
    for (size_t h = 0; h < handles; ++h) greatest = std::max(greatest, std::abs(raw[h * vertices + v] / sum - asset.weight(v, h)));
  }
  return greatest;
}

}  // namespace

Result<CertificateCheck> measure_certificate(const Asset& asset) {
  if (const Result<void> good = check_sizes(asset); !good) return good.error();
  const Result<SparseMatrix> laplacian = cotangent_laplacian(asset.tets);
  if (!laplacian) return laplacian.error();
  const SparseMatrix energy = biharmonic_energy(*laplacian, lumped_masses(asset.tets, 1.0));
  const WeightCertificate& certificate = *asset.certificate;
  const size_t vertices = asset.tets.positions.size();
  std::vector<char> fixed(vertices, 0);
  for (const std::vector<int>& held : certificate.held) {
    for (const int v : held) fixed[static_cast<size_t>(v)] = 1;
  }
  CertificateCheck check;
  for (size_t h = 0; h < certificate.held.size(); ++h) {
    const std::span<const double> values(&certificate.raw[h * vertices], vertices);
    check.kkt_residual = std::max(check.kkt_residual, optimality(energy, fixed, values).residual);
    for (const double value : values) check.outside_bounds = std::max({check.outside_bounds, -value, value - 1});
  }
  check.held_error = held_error(certificate, vertices);
  check.weights_difference = weights_difference(asset);
  return check;
}

}  // namespace crumple

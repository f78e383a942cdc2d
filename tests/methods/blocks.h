#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "crumple/core/random.h"
#include "crumple/methods/pieces/kernels.h"

namespace crumple::pieces::testing {

inline Piece block(double mass, const Vec3& size, const Vec3& center) {
  const Vec3 squares = size.cwiseProduct(size);
  return {mass, center, mass / 12 * (squares.sum() * Mat3::Identity() - Mat3(squares.asDiagonal()))};
}

/// A patch in the plane of two axes, w by h.
inline Weld patch(int a, int b, const Vec3& center, const Vec3& along, double w, const Vec3& up, double h, double strength) {
  const Mat3 spread = w * w / 12 * along * along.transpose() + h * h / 12 * up * up.transpose();
  return rigid::make_weld(a, b, w * h, strength * w * h, center, spread);
}

inline Model model_of(std::vector<Piece> pieces, std::vector<Weld> links) {
  Model model{{std::move(pieces), std::move(links)}, {}, {}, {}, std::numeric_limits<double>::infinity()};
  model.settings.settle = 0;
  for (const Weld& link : model.links) model.weakest = std::min(model.weakest, link.limit);
  return model;
}

inline std::vector<uint8_t> all_hold(const Model& model) {
  return std::vector<uint8_t>(model.links.size(), 0);
}

/// Blocks of 1 m x 0.5 m x 0.5 m in a row along x.
inline Model chain(const std::vector<double>& masses, double strength = 1) {
  std::vector<Piece> pieces;
  std::vector<Weld> links;
  for (size_t k = 0; k < masses.size(); ++k) {
    pieces.push_back(block(masses[k], Vec3(1, 0.5, 0.5), Vec3(static_cast<double>(k), 0, 0)));
    if (k == 0) continue;
    links.push_back(patch(static_cast<int>(k) - 1, static_cast<int>(k), Vec3(static_cast<double>(k) - 0.5, 0, 0), Vec3::UnitY(), 0.5, Vec3::UnitZ(),
                          0.5, strength));
  }
  return model_of(std::move(pieces), std::move(links));
}

/// Unit cubes in a grid, each linked to its neighbours.
inline Model grid(int nx, int ny, int nz, double strength = 1) {
  const auto index = [=](int x, int y, int z) { return (z * ny + y) * nx + x; };
  std::vector<Piece> pieces;
  std::vector<Weld> links;
  const Vec3 axes[3] = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        pieces.push_back(block(1, Vec3::Ones(), Vec3(x, y, z)));
        const int next[3] = {x + 1 < nx ? index(x + 1, y, z) : -1, y + 1 < ny ? index(x, y + 1, z) : -1, z + 1 < nz ? index(x, y, z + 1) : -1};
        for (int d = 0; d < 3; ++d) {
          if (next[d] >= 0)
            links.push_back(patch(index(x, y, z), next[d], Vec3(x, y, z) + 0.5 * axes[d], axes[(d + 1) % 3], 1, axes[(d + 2) % 3], 1, strength));
        }
      }
    }
  }
  return model_of(std::move(pieces), std::move(links));
}

inline Vec3 random_vector(Random& random, double size) {
  return Vec3(random.range(-size, size), random.range(-size, size), random.range(-size, size));
}

inline Mat3 random_rotation(Random& random) {
  return Eigen::AngleAxisd(random.range(0, 3), random_vector(random, 1).normalized()).toRotationMatrix();
}

/// Pieces of any shape, in one connected graph with as many links more as asked for.
inline Model random_model(Random& random, int count, int more_links, double strength = 1) {
  std::vector<Piece> pieces;
  std::vector<Weld> links;
  for (int k = 0; k < count; ++k) {
    Piece piece = block(random.range(0.2, 5), Vec3(random.range(0.2, 2), random.range(0.2, 2), random.range(0.2, 2)), random_vector(random, 3));
    const Mat3 turn = random_rotation(random);
    piece.inertia = turn * piece.inertia * turn.transpose();
    pieces.push_back(piece);
  }
  for (int l = 0; l < count - 1 + more_links && count > 1; ++l) {
    int b = l + 1, a = l < count - 1 ? random.below(b) : 0;
    if (l >= count - 1) {
      a = random.below(count), b = random.below(count - 1);
      if (b >= a) ++b;
      if (b < a) std::swap(a, b);
    }
    const Mat3 axes = random_rotation(random);
    const Vec3 center = 0.5 * (pieces[static_cast<size_t>(a)].center + pieces[static_cast<size_t>(b)].center) + random_vector(random, 0.3);
    links.push_back(patch(a, b, center, axes.col(0), random.range(0.1, 1), axes.col(1), random.range(0.1, 1), strength * random.range(0.5, 2)));
  }
  return model_of(std::move(pieces), std::move(links));
}

inline std::vector<Load> random_loads(Random& random, const Model& model, int count, double size) {
  std::vector<Load> loads;
  for (int i = 0; i < count; ++i) {
    const int piece = random.below(static_cast<int>(model.pieces.size()));
    loads.push_back({piece, model.pieces[static_cast<size_t>(piece)].center + random_vector(random, 1), random_vector(random, size)});
  }
  return loads;
}

}  // namespace crumple::pieces::testing

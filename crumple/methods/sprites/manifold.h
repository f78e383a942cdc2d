#pragma once

#include <complex>
#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/methods/sprites/settings.h"
#include "crumple/rig/asset.h"

/// Poses of a drawing, which of them may be blended, and where a shape is among them. The plane is that of complex numbers.
///
/// A handle's map F of a pose takes r to A r + B r~ (r~: conjugate). Polar: theta = arg A, stretch S r = p r + s r~, p = |A|, s = B e^(-i theta).
/// A blend with weights a has theta, p, s, t = sums over poses (thesis, eq. 4.1), and
///   e_i = sum_b w_ib [ e^(i theta_b) (p_b u + s_b u~) + t_b ],   u = r_i - pivot_b, t_b: where the handle itself goes
/// With T = (e^(i theta) p, e^(i theta) s, t) of all handles, e = N T.
namespace crumple::sprites {

using Complex = std::complex<double>;

/// Poses that may be blended, ascending.
struct Simplex {
  std::vector<int> poses;
  std::vector<double> angle;  // #poses x #handles, unwrapped: all within half a turn of the first
};

struct Manifold {
  int handles = 0, poses = 0;
  std::vector<double> p;         // #poses x #handles
  std::vector<Complex> s, t;     // #poses x #handles
  std::vector<double> angle;     // #poses x #handles
  std::vector<Simplex> simplices;
  /// Particles next to each other that the same handles move, such as a layer's. N in real numbers: w u_x, w u_y and w of each handle.
  struct Block {
    Eigen::Index begin = 0;      // particle
    std::vector<int> handles;
    Eigen::MatrixXd basis;       // #its particles x 3 #its handles
  };
  std::vector<Block> blocks;
  Eigen::MatrixXcd gram;         // N^H M N about the mean
  Eigen::VectorXcd mean;         // of the rows, by mass
  double mass = 0;
};

/// Weights over all poses that lie in one simplex.
struct Place {
  int simplex = 0;
  std::vector<double> a;  // #poses, sum 1
};

inline constexpr double kFace = 1e-9;  // weights below it are none

/// Weights of a simplex's own poses, and the place that they are.
std::vector<double> own_weights(const Manifold& manifold, const Place& place);
Place place_from(const Manifold& manifold, int simplex, std::span<const double> own);
/// Whether a simplex has all poses that a place uses.
bool holds(const Simplex& simplex, const Place& place);
/// A particle's row of N: w u, w u~ and w of each handle.
Eigen::VectorXcd row_of(const Manifold& manifold, size_t particle);

/// `masses`: of the vertices. Errors begin with the key that is wrong.
Result<Manifold> make_manifold(const Asset& drawing, std::span<const double> masses, const Settings& settings, std::span<const std::string> names);

/// Numbers of T.
Eigen::VectorXcd blend(const Manifold& manifold, const Place& place);
/// Positions of all particles in a pose.
void pose_particles(const Manifold& manifold, const Place& place, std::span<Complex> positions);

/// What projection needs to know of a shape: its moments against the rows. The number of particles counts only here.
struct ShapeMoments {
  Eigen::VectorXcd y;    // N^H M x about the mean
  double squares = 0;    // x^H M x about the mean
};
ShapeMoments moments_of(const Manifold& manifold, std::span<const double> masses, std::span<const Complex> shape);

/// Cost of eq. 4.2 with the best rotation, or with one that is held, and its derivatives by the weights of a simplex but the first.
struct Cost {
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
};
Cost cost_at(const Manifold& manifold, const ShapeMoments& shape, int simplex, std::span<const double> a, bool with_derivatives, const Complex* held = nullptr);
/// The best rotation of a place.
Complex rotation_at(const Manifold& manifold, const ShapeMoments& shape, const Place& place, Complex otherwise);

/// The nearest place: from the last one, or anywhere. Returns the number of Newton steps.
int project(const Manifold& manifold, const ShapeMoments& shape, bool anywhere, Place& place);
/// The same as the thesis has it: over some particles, weights and rotation in turn.
struct Representatives {
  std::vector<int> particles;
  std::vector<double> masses;
};
int project_alternating(const Manifold& manifold, const Representatives& some, std::span<const Complex> shape, bool anywhere, Place& place);

/// Length of the shortest way through shared faces, an edge being 1, and the place a share of it on.
double distance(const Manifold& manifold, const Place& from, const Place& to);
Place moved(const Manifold& manifold, const Place& from, const Place& to, double share);
/// A place of one pose or of a blend; -1 as its simplex if the poses may not be blended.
Place place_of(const Manifold& manifold, std::span<const double> a);

}  // namespace crumple::sprites

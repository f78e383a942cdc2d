#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "crumple/rigid/plastic_law.h"

/// What the welds between rigid pieces of one part carry. Pieces that move as one tell nothing of what holds them together: it follows from the impulses
/// on them and from their accelerations. Of all tractions that move every piece as the part moves, the smallest are taken, in the mean square over all
/// patches. All lengths are in one frame; legend:
///   p, q   impulse and twist (angular impulse about the patch's centre) that a weld gives to its piece b; piece a gets the opposite
///   A, S   area of a patch, and mean of |d|^2 1 - d d^T over it; turning is the inverse of S
///   u      displacement and turn of each piece in the dual problem: patches are springs of stiffness A and A S between rigid pieces
///
/// If the traction over a patch is t(d) = p / A + w x d, then its impulse is p and its twist is A S w = q, and its mean square is
///   |p|^2 / A^2 + w . S w = (|p|^2 + q . turning q) / A^2.
/// So Carried::size / A is the root mean square of the traction, and the sum of size^2 / A over links is the integral of |t|^2 over all patches,
/// which the links' tractions make as small as the motion of the pieces allows.
namespace crumple::rigid {

/// What holds two pieces together.
struct Weld {
  int a = 0, b = 0;
  double area = 0;   // m^2
  double limit = 0;  // N s that it can carry; infinite if it never breaks
  Vec3 center = Vec3::Zero();
  Mat3 turning = Mat3::Identity();  // inverse of (|d|^2 1 - d d^T) averaged over the patch, 1/m^2: what an angular impulse costs
  Mat3 axes = Mat3::Identity();     // principal axes of the patch
  Vec3 levers = Vec3::Ones();       // m: a moment about each axis costs as much as the force that has this lever
};

struct WeldedPiece {
  double mass = 0;  // kg
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about its centre, kg m^2
};

struct Welds {
  std::vector<WeldedPiece> pieces;
  std::vector<Weld> links;
};

/// Which pieces still hang together: numbered by their lowest piece.
struct Groups {
  std::vector<int> of_piece;  // #pieces
  int count = 0;
};
Groups connected(const Welds& welds, std::span<const uint8_t> broken);

/// What a weld carries: N s, the root mean square of the traction times the area, with its parts.
struct Carried {
  Vec3 impulse = Vec3::Zero();  // on piece b, N s
  Vec3 twist = Vec3::Zero();    // on piece b about the patch's centre, N m s
  double size = 0;              // sqrt(|impulse|^2 + twist . turning twist)
};

/// Impulse (N s) and angular impulse (N m s).
using Wrench = Eigen::Matrix<double, 6, 1>;

struct StressSolver;  // the factored matrix of the dual problem

/// Pieces that hang together, and the links that hold them.
struct Group {
  std::vector<int> pieces;               // ascending
  std::vector<int> links;                // intact ones, ascending
  std::vector<std::array<int, 2>> ends;  // #links: places of their a and b in `pieces`
  WeldedPiece whole;                           // mass, centre and inertia of them all
  Mat3 inverse_inertia = Mat3::Zero();

  // A tree of links that reaches every piece, root first; places count in `pieces` and `links`.
  struct Branch {
    int piece, parent, link;  // the root has no parent and no link: -1
  };
  std::vector<Branch> tree;
  double most_brittle = 0;  // the greatest sqrt(area) / limit of its links

  /// Made when first asked for: most groups never carry enough to matter. May be asked for by several threads.
  const StressSolver& solver(const Welds& welds) const;

  Group() = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

 private:
  mutable std::once_flag made_;
  mutable std::shared_ptr<const StressSolver> solver_;
};

/// All groups of a body, in the order of Groups.
struct Factors {
  std::vector<std::shared_ptr<const Group>> groups;
};

std::shared_ptr<const Group> make_group(const Welds& welds, std::vector<int> pieces, std::vector<int> links);
/// Groups that were in `before` and have not changed are kept, with their solvers.
std::shared_ptr<const Factors> make_factors(const Welds& welds, std::span<const uint8_t> broken, const Groups& groups,
                                            const Factors* before = nullptr);

/// Inverse of a patch's S from its spread. A patch that is thinner than 1 : 100 (a line, a point) has a twist about it carried as if it were 1 : 100,
/// so that the inverse stays finite.
Mat3 turning_of(const Mat3& spread, double area);

/// A weld of a patch with this spread (mean of d d^T).
Weld make_weld(int a, int b, double area, double limit, const Vec3& center, const Mat3& spread);
/// Capacities of a patch along and about its principal axes: as forces, the most that its welds carry as impulses (see Carried::size).
PlasticLaw capacity_of(const Weld& weld, double force);

/// Wrench about the origin of an impulse at a place.
Wrench wrench_at(const Vec3& impulse, const Vec3& at);

/// Adds, for each piece of the group, what a free turn at `spin` (rad/s) for dt takes to keep it on its way, as a load: the opposite of its change of
/// momentum, about the origin. The group as a whole is free, so these sum to nothing.
void add_spin_loads(const Welds& welds, const Group& group, const Vec3& spin, double dt, std::span<Wrench> loads);

/// What links must give each piece of the group (as in Group::pieces; about the piece's centre) so that it moves as the group does under these loads
/// (#pieces of the body, about the origin). Sums to nothing, if moments are taken about one point.
std::vector<Wrench> wanted_from_links(const Welds& welds, const Group& group, std::span<const Wrench> loads);

/// Sum of size^2 / area if only the links of the tree carried. This is one of the ways in which links can give what is wanted, and those chosen by
/// solve() have the least such sum, so no link's size exceeds sqrt(area x this).
double energy_over_tree(const Welds& welds, const Group& group, std::span<const Wrench> wanted);

/// What each link of the group (as in Group::links) carries.
std::vector<Carried> solve(const Welds& welds, const Group& group, std::span<const Wrench> wanted);

}  // namespace crumple::rigid

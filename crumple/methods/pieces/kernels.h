#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "crumple/methods/pieces/pieces.h"

/// What the links of a group of pieces carry. All lengths are in the rest frame; legend:
///   p, q   impulse and twist (angular impulse about the patch's centre) that a link gives to its piece b; piece a gets the opposite
///   A, S   area of a patch, and mean of |d|^2 1 - d d^T over it; turning is the inverse of S
///   u      displacement and turn of each piece in the dual problem: patches are springs of stiffness A and A S between rigid pieces
///
/// If the traction over a patch is t(d) = p / A + w x d, then its impulse is p and its twist is A S w = q, and its mean square is
///   |p|^2 / A^2 + w . S w = (|p|^2 + q . turning q) / A^2.
/// So Carried::size / A is the root mean square of the traction, and the sum of size^2 / A over links is the integral of |t|^2 over all patches,
/// which the links' tractions make as small as the motion of the pieces allows.
namespace crumple::pieces {

/// Impulse (N s) and angular impulse (N m s).
using Wrench = Eigen::Matrix<double, 6, 1>;

struct StressSolver;  // the factored matrix of the dual problem

/// Pieces that hang together, and the links that hold them.
struct Group {
  std::vector<int> pieces;               // ascending
  std::vector<int> links;                // intact ones, ascending
  std::vector<std::array<int, 2>> ends;  // #links: places of their a and b in `pieces`
  Piece whole;                           // mass, centre and inertia of them all
  Mat3 inverse_inertia = Mat3::Zero();

  // A tree of links that reaches every piece, root first; places count in `pieces` and `links`.
  struct Branch {
    int piece, parent, link;  // the root has no parent and no link: -1
  };
  std::vector<Branch> tree;
  double most_brittle = 0;  // the greatest sqrt(area) / limit of its links

  /// Made when first asked for: most groups never carry enough to matter. May be asked for by several threads.
  const StressSolver& solver(const Model& model) const;

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

std::shared_ptr<const Group> make_group(const Model& model, std::vector<int> pieces, std::vector<int> links);
/// Groups that were in `before` and have not changed are kept, with their solvers.
std::shared_ptr<const Factors> make_factors(const Model& model, std::span<const uint8_t> broken, const Groups& groups,
                                            const Factors* before = nullptr);

/// Inverse of a patch's S from its spread. A patch that is thinner than 1 : 100 (a line, a point) has a twist about it carried as if it were 1 : 100,
/// so that the inverse stays finite.
Mat3 turning_of(const Mat3& spread, double area);

/// A weld of a patch with this spread (mean of d d^T).
Weld make_weld(int a, int b, double area, double limit, const Vec3& center, const Mat3& spread);
/// Capacities of a patch along and about its principal axes: as forces, the most that its welds carry as impulses (see Carried::size).
rigid::PlasticLaw capacity_of(const Weld& weld, double force);
/// Hinges in place of overloaded links, and how drawn points follow them.
void add_hinges(const RiggedBody& body, Model& model);

/// Wrench of a load about the origin of the rest frame.
Wrench wrench_of(const Load& load);

/// Adds, for each piece of the group, what a free turn at `spin` (rad/s) for dt takes to keep it on its way, as a load: the opposite of its change of
/// momentum, about the origin. The group as a whole is free, so these sum to nothing.
void add_spin_loads(const Model& model, const Group& group, const Vec3& spin, double dt, std::span<Wrench> loads);

/// What links must give each piece of the group (as in Group::pieces; about the piece's centre) so that it moves as the group does under these loads
/// (#pieces of the body, about the origin). Sums to nothing, if moments are taken about one point.
std::vector<Wrench> wanted_from_links(const Model& model, const Group& group, std::span<const Wrench> loads);

/// Sum of size^2 / area if only the links of the tree carried. This is one of the ways in which links can give what is wanted, and those chosen by
/// solve() have the least such sum, so no link's size exceeds sqrt(area x this).
double energy_over_tree(const Model& model, const Group& group, std::span<const Wrench> wanted);

/// What each link of the group (as in Group::links) carries.
std::vector<Carried> solve(const Model& model, const Group& group, std::span<const Wrench> wanted);

}  // namespace crumple::pieces

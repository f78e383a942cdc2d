#include "crumple/methods/structures/checks.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "crumple/rigid/stock.h"

namespace crumple::structures {
namespace {

constexpr double kFarthest = 1e9;  // m, of places

std::optional<Complaint> check_place(std::string_view key, const Vec3& at) {
  if (at.allFinite() && at.cwiseAbs().maxCoeff() <= kFarthest) return {};
  return Complaint{key, fmt::format("must be numbers between {:g} and {:g} m", -kFarthest, kFarthest)};
}

std::optional<Complaint> check_direction(std::string_view key, const Vec3& direction) {
  if (direction.allFinite() && direction.norm() > 1e-9) return {};
  return Complaint{key, "has no length"};
}

std::optional<Complaint> check_up(const std::optional<Vec3>& up, const Vec3& along) {
  if (!up) return {};
  if (auto wrong = check_direction("up", *up)) return wrong;
  if (up->normalized().cross(along.normalized()).norm() > 1e-6) return {};
  return Complaint{"up", "points along the bar; it must point across"};
}

std::optional<Complaint> check_size(std::string_view key, double size) {
  if (size >= kSmallestSize && size <= kLargestSize) return {};
  if (size <= 0) return Complaint{key, fmt::format("is {:g} m; it must be above zero", size)};
  return Complaint{key, fmt::format("is {:g} m; it must be between {:g} and {:g} m", size, kSmallestSize, kLargestSize)};
}

/// Sizes are lists in the settings; from a scene they have the right count.
}  // namespace

std::optional<Complaint> check(const Bar& bar) {
  if (auto wrong = check_place("from", bar.from)) return wrong;
  if (auto wrong = check_place("to", bar.to)) return wrong;
  const double length = (bar.to - bar.from).norm();
  if (length == 0) return Complaint{"to", "is the same place as \"from\""};
  if (bar.pieces < 1 || bar.pieces > kMaxBarPieces) return Complaint{"pieces", fmt::format("must be between 1 and {}", kMaxBarPieces)};
  const double piece = length / bar.pieces;
  if (!(piece >= kSmallestSize && length <= kLargestSize)) {
    return Complaint{"to", fmt::format("makes pieces of {:g} m in a bar of {:g} m; sizes lie between {:g} and {:g} m", piece, length, kSmallestSize,
                                       kLargestSize)};
  }
  return check_up(bar.up, bar.to - bar.from);
}

std::optional<Complaint> check(const Plate& plate) {
  if (auto wrong = check_place("at", plate.at)) return wrong;
  if (plate.turn && !plate.turn->allFinite()) return Complaint{"turn", "must be numbers"};
  if (plate.size.size() != 2) return Complaint{"size", "expected 2 numbers"};
  if (plate.cells.size() != 2) return Complaint{"cells", "expected 2 numbers"};
  if (auto wrong = check_size("thickness", plate.thickness)) return wrong;
  if (plate.cells[0] < 1 || plate.cells[1] < 1) return Complaint{"cells", "must be at least 1 each way"};
  const double cells = static_cast<double>(plate.cells[0]) * plate.cells[1];
  if (cells > kMaxPieces) return Complaint{"cells", fmt::format("makes {:g} pieces; there may be {}", cells, kMaxPieces)};
  for (size_t k = 0; k < 2; ++k) {
    if (auto wrong = check_size("size", plate.size[k])) return wrong;
    if (auto wrong = check_size("size", plate.size[k] / plate.cells[k])) return wrong;
  }
  return {};
}

std::optional<Complaint> check(const SinglePiece& piece) {
  if (auto wrong = check_place("at", piece.at)) return wrong;
  if (piece.turn && !piece.turn->allFinite()) return Complaint{"turn", "must be numbers"};
  if (piece.box.has_value() == !piece.mesh.empty()) {
    return Complaint{"", piece.box ? "a piece is either a \"box\" or a \"mesh\"" : "a piece needs a shape: \"box\" or \"mesh\""};
  }
  if (piece.box && piece.box->size() != 3) return Complaint{"box", "expected 3 numbers"};
  for (const double size : piece.box.value_or(std::vector<double>{})) {
    if (auto wrong = check_size("box", size)) return wrong;
  }
  if (piece.mass && piece.density) return Complaint{"mass", "give either \"mass\" or \"density\""};
  if (piece.mass && !(*piece.mass > 0 && *piece.mass <= 1e12)) return Complaint{"mass", "must be above 0 and at most 1e12 kg"};
  if (piece.density && !(*piece.density > 0 && *piece.density <= 1e9)) return Complaint{"density", "must be above 0 and at most 1e9 kg/m^3"};
  return {};
}

std::optional<Complaint> check(const SingleJoint& joint) {
  if (auto wrong = check_place("at", joint.at)) return wrong;
  if (auto wrong = check_direction("axis", joint.axis)) return wrong;
  if (joint.a.empty()) return Complaint{"", "\"a\" is missing: the name of a piece"};
  if (joint.a == joint.b) return Complaint{"b", "a piece cannot be joined to itself"};
  if (joint.length != 0) {
    if (auto wrong = check_size("length", joint.length)) return wrong;
  }
  return check_up(joint.up, joint.axis);
}

std::optional<Complaint> check(const Support& support) {
  if (auto wrong = check_place("at", support.at)) return wrong;
  return support.until ? check_place("until", *support.until) : std::nullopt;
}

}  // namespace crumple::structures

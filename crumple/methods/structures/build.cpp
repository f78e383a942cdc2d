#include "crumple/methods/structures/build.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "crumple/methods/structures/checks.h"
#include "crumple/methods/structures/kernels.h"
#include "crumple/rigid/convex_hull.h"

namespace crumple::structures {

Mat3 rotation_of_turn(const std::optional<Vec3>& degrees) {
  const Vec3 angles = degrees.value_or(Vec3::Zero()) * (std::numbers::pi / 180);
  using Eigen::AngleAxisd;
  return (AngleAxisd(angles.z(), Vec3::UnitZ()) * AngleAxisd(angles.y(), Vec3::UnitY()) * AngleAxisd(angles.x(), Vec3::UnitX())).toRotationMatrix();
}

Mat3 section_axes(const Vec3& along, const std::optional<Vec3>& up) {
  const Vec3 axis = along.normalized();
  const bool stands = std::abs(axis.y()) > 0.999;
  const Vec3 wanted = up ? up->normalized() : stands ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitY());
  Mat3 axes;
  axes.col(0) = axis;
  axes.col(2) = (wanted - wanted.dot(axis) * axis).normalized();
  axes.col(1) = axes.col(2).cross(axis);
  return axes;
}

bool contains(const Piece& piece, const Vec3& at, double slack) {
  if (!piece.box) return hulls_touch(piece.hull, std::span(&at, 1), slack);
  return ((piece.place.inverse() * at).cwiseAbs() - 0.5 * *piece.box).maxCoeff() <= slack;
}

const SectionChoice* Draft::section_of(const std::optional<SectionChoice>& own) const {
  return own ? &*own : settings().section ? &*settings().section : nullptr;
}

const MaterialChoice* Draft::material_of(const std::optional<MaterialChoice>& own) const {
  return own ? &*own : settings().material ? &*settings().material : nullptr;
}

void Draft::add_joint(int a, int b, const Vec3& at, const Mat3& axes, const rigid::PlasticLaw& law, std::string name, std::string to) {
  if (name.empty()) {
    const std::string other = b >= 0 ? model.pieces[static_cast<size_t>(b)].name : to.empty() ? "world" : to;
    name = fmt::format("{} - {}", model.pieces[static_cast<size_t>(a)].name, other);
  }
  model.joints.push_back({std::move(name), a, b, std::move(to), {axes, at}, law});
}

namespace {

/// Refused before anything is made.
Result<void> check_amount(const Settings& s) {
  double count = static_cast<double>(s.pieces.size());
  for (const Bar& bar : s.bars) count += std::max(bar.pieces, 0);
  for (const Plate& plate : s.plates) {
    if (plate.cells.size() == 2) count += static_cast<double>(std::max(plate.cells[0], 0)) * std::max(plate.cells[1], 0);
  }
  if (s.bars.empty() && s.plates.empty() && s.pieces.empty()) return input_error(": a structure needs pieces: \"bars\", \"plates\" or \"pieces\"");
  if (count > kMaxPieces) return input_error(fmt::format(": makes {:g} pieces; there may be {}", count, kMaxPieces));
  if (s.supports.size() > kMaxSupports) return input_error(fmt::format("/supports: there may be {}; use \"until\"", kMaxSupports));
  return {};
}

Result<void> check_common(const Settings& s) {
  const auto error = [](const char* object, const Complaint& wrong) {
    return input_error(fmt::format("/{}{}{}: {}", object, wrong.key.empty() ? "" : "/", wrong.key, wrong.text));
  };
  if (s.section) {
    if (const auto wrong = check(*s.section)) return error("section", *wrong);
  }
  if (s.material) {
    if (const auto wrong = check(*s.material)) return error("material", *wrong);
  }
  if (const auto wrong = check(s.behaviour)) return error("behaviour", *wrong);
  return {};
}

template <class T>
void name_all(std::vector<T>& list, const char* word) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].name.empty()) list[i].name = fmt::format("{} {}", word, i + 1);
  }
}

Result<void> check_names(const Model& model) {
  std::set<std::string_view> names;
  for (const Piece& piece : model.pieces) {
    if (!names.insert(piece.name).second) return input_error(fmt::format(": two pieces are called \"{}\"; names must differ", piece.name));
  }
  return {};
}

/// All pieces and joints, one after another.
Result<void> assemble(Draft& draft, std::span<const TriMesh* const> meshes) {
  if (Result<void> done = cut_bars(draft); !done) return done;
  if (Result<void> done = cut_plates(draft); !done) return done;
  if (Result<void> done = place_pieces(draft, meshes); !done) return done;
  if (Result<void> fine = check_names(draft.model); !fine) return fine;
  Bounds all;
  for (const Piece& piece : draft.model.pieces) {
    const Bounds one = bounds_of(piece, 0);
    all.add(one.low), all.add(one.high);
  }
  draft.size = all.diagonal();
  if (Result<void> done = join_bars(draft); !done) return done;
  if (Result<void> done = add_single_joints(draft); !done) return done;
  return add_supports(draft);
}

}  // namespace

Result<Model> build(const Settings& settings, std::span<const TriMesh* const> meshes, double density) {
  assert(meshes.size() == settings.pieces.size());
  if (Result<void> fine = check_amount(settings); !fine) return fine.error();
  if (Result<void> fine = check_common(settings); !fine) return fine.error();
  Draft draft;
  draft.density = density;
  draft.model.settings = settings;
  name_all(draft.model.settings.bars, "bar");
  name_all(draft.model.settings.plates, "plate");
  name_all(draft.model.settings.pieces, "piece");
  if (Result<void> done = assemble(draft, meshes); !done) return done.error();
  Model& model = draft.model;
  if (Result<void> fine = check_connected(model); !fine) return fine.error();
  if (Result<void> fine = check_mechanism(model); !fine) return fine.error();
  Result<Pairs> touching = touching_pieces(model.pieces);
  if (!touching) return touching.error();
  model.touching = std::move(*touching);
  model.joints_of.resize(model.pieces.size());
  for (size_t j = 0; j < model.joints.size(); ++j) {
    for (const int piece : {model.joints[j].a, model.joints[j].b}) {
      if (piece >= 0) model.joints_of[static_cast<size_t>(piece)].push_back(static_cast<int>(j));
    }
  }
  model.follow.resize(model.pieces.size());
  draw_bars(draft);
  draw_plates(draft);
  return std::move(model);
}

namespace {

Result<rigid::MassProperties> weigh(const SinglePiece& single, const TriMesh* mesh, double density) {
  const double used = single.density.value_or(density);
  rigid::MassProperties mass = mesh ? rigid::mass_properties(*mesh, used)
                                    : rigid::mass_properties(rigid::Box{Vec3((*single.box)[0], (*single.box)[1], (*single.box)[2])}, used);
  if (!(mass.mass > 0)) return input_error("/mesh: encloses no volume; its triangles must be closed and counter-clockwise from outside");
  if (single.mass) mass.inertia *= *single.mass / mass.mass, mass.mass = *single.mass;
  return mass;
}

Result<Piece> make_piece(const SinglePiece& single, const TriMesh* mesh, double density) {
  Piece piece;
  piece.name = single.name;
  piece.place = {rotation_of_turn(single.turn), single.at};
  if (mesh && !is_convex(*mesh, 1e-3 * crumple::bounds_of(mesh->positions).diagonal())) {
    return input_error("/mesh: is not convex; cut it into pieces that are and join them");
  }
  Result<rigid::MassProperties> mass = weigh(single, mesh, density);
  if (!mass) return mass.error();
  piece.mass = *mass;
  piece.mass.center = piece.place * mass->center;
  piece.mass.axes = piece.place.rotation * mass->axes;
  if (single.box) piece.box = Vec3((*single.box)[0], (*single.box)[1], (*single.box)[2]);
  piece.surface = mesh ? *mesh : make_box(*piece.box);
  for (Vec3& point : piece.surface.positions) point = piece.place * point;
  if (mesh) {
    for (const int v : rigid::convex_hull(piece.surface.positions).vertices) piece.hull.push_back(piece.surface.positions[static_cast<size_t>(v)]);
  }
  return piece;
}

}  // namespace

Result<void> place_pieces(Draft& draft, std::span<const TriMesh* const> meshes) {
  draft.first_single = static_cast<int>(draft.model.pieces.size());
  for (size_t i = 0; i < draft.settings().pieces.size(); ++i) {
    const SinglePiece& single = draft.settings().pieces[i];
    const std::string where = fmt::format("/pieces/{}", i);
    if (const auto wrong = check(single))
      return input_error(fmt::format("{}{}{}: {}", where, wrong->key.empty() ? "" : "/", wrong->key, wrong->text));
    assert(single.box.has_value() == (meshes[i] == nullptr));
    Result<Piece> piece = make_piece(single, meshes[i], draft.density);
    if (!piece) return input_error(where + piece.error().text);
    draft.model.pieces.push_back(std::move(*piece));
  }
  return {};
}

}  // namespace crumple::structures

#include <fmt/format.h>

#include "crumple/methods/structures/build.h"
#include "crumple/methods/structures/checks.h"

namespace crumple::structures {

Mat3 CutPlate::axes(int direction) const {
  Mat3 axes;
  axes.col(0) = place.rotation.col(direction == 0 ? 0 : 2);
  axes.col(2) = place.rotation.col(1);
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

Vec3 CutPlate::side(int i, int j, int direction, int side) const {
  const double x = (i + 0.5 - 0.5 * cells[0] + (direction == 0 ? 0.5 * side : 0)) * cell[0];
  const double z = (j + 0.5 - 0.5 * cells[1] + (direction == 1 ? 0.5 * side : 0)) * cell[1];
  return place * Vec3(x, 0, z);
}

namespace {

Result<CutPlate> cut(const Draft& draft, const Plate& plate) {
  if (const auto wrong = check(plate)) return input_error(fmt::format("{}{}: {}", wrong->key.empty() ? "" : "/", wrong->key, wrong->text));
  CutPlate made;
  made.first = static_cast<int>(draft.model.pieces.size());
  made.cells = {plate.cells[0], plate.cells[1]};
  made.place = {rotation_of_turn(plate.turn), plate.at};
  made.cell = {plate.size[0] / plate.cells[0], plate.size[1] / plate.cells[1]};
  made.thickness = plate.thickness;
  for (size_t direction = 0; direction < 2; ++direction) {
    // A strip as wide as the cell. Its neighbours do not hinder it from growing narrower or wider (no plane strain): a slab that is held along two
    // opposite sides bends with EI of its width and yields at t^2 / 4 f_y for each metre of it, as a beam does.
    SectionChoice strip;
    strip.rect = {made.cell[1 - direction], made.thickness};
    Result<Stock> stock = make_stock(&strip, draft.material_of(plate.material), draft.density);
    if (!stock) return stock.error();
    made.stock[direction] = *stock;
  }
  return made;
}

Piece cut_cell(const CutPlate& plate, int i, int j, const std::string& name) {
  Piece piece;
  piece.name = fmt::format("{} {} {}", name, i + 1, j + 1);
  piece.box = Vec3(plate.cell[0], plate.thickness, plate.cell[1]);
  piece.place = {plate.place.rotation, plate.side(i, j, 0, 0)};
  const double density = plate.stock[0].section->mass / (plate.cell[1] * plate.thickness);
  piece.mass = rigid::mass_properties(rigid::Box{*piece.box}, density);
  piece.mass.center = piece.place.translation;
  piece.mass.axes = piece.place.rotation;
  return piece;
}

void join_cells(Draft& draft, const CutPlate& plate) {
  for (int direction = 0; direction < 2; ++direction) {
    const auto& stock = plate.stock[static_cast<size_t>(direction)];
    const rigid::PlasticLaw law = law_of(stock, draft.settings().behaviour, plate.cell[static_cast<size_t>(direction)]);
    const Mat3 axes = plate.axes(direction);
    const int right = direction == 0 ? 1 : 0, up = 1 - right;
    for (int j = 0; j + up < plate.cells[1]; ++j) {
      for (int i = 0; i + right < plate.cells[0]; ++i) {
        draft.add_joint(plate.piece(i, j), plate.piece(i + right, j + up), plate.side(i, j, direction, 1), axes, law);
      }
    }
  }
}

}  // namespace

Result<void> cut_plates(Draft& draft) {
  for (size_t k = 0; k < draft.settings().plates.size(); ++k) {
    const Plate& plate = draft.settings().plates[k];
    Result<CutPlate> made = cut(draft, plate);
    if (!made) return input_error(fmt::format("/plates/{}{}", k, made.error().text));
    for (int j = 0; j < made->cells[1]; ++j) {
      for (int i = 0; i < made->cells[0]; ++i) draft.model.pieces.push_back(cut_cell(*made, i, j, plate.name));
    }
    join_cells(draft, *made);
    draft.plates.push_back(std::move(*made));
  }
  return {};
}

}  // namespace crumple::structures

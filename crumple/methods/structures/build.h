#pragma once

#include "crumple/methods/structures/structures.h"
#include "crumple/rigid/stock.h"

/// The stages of build(): each adds to a draft of the model.
namespace crumple::structures {

/// A bar that has been cut.
struct CutBar {
  int first = 0, count = 0;  // pieces
  Vec3 from = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  // columns: along, width, height
  double length = 0;             // m, of the whole
  double half_width = 0, half_height = 0;
  double overhang[2] = {0, 0};  // m by which its ends are drawn longer, so that corners of frames have no notch
  Stock stock;

  double piece_length() const { return length / count; }
  Vec3 point(double along) const { return from + along * axes.col(0); }
};

/// A plate that has been cut. Cell (i, j) is piece first + j * cells[0] + i; its own frame has x and z in the plate and y square to it.
struct CutPlate {
  int first = 0;
  std::array<int, 2> cells = {1, 1};
  Transform place;
  std::array<double, 2> cell = {1, 1};  // sizes along x and z, m
  double thickness = 0;
  std::array<Stock, 2> stock;  // of what is bent along x, along z

  int piece(int i, int j) const { return first + j * cells[0] + i; }
  /// Along (x or z), along the edge that is crossed, square to the plate.
  Mat3 axes(int direction) const;
  /// Middle of a side of a cell: direction 0 towards x, 1 towards z; side -1 or 1.
  Vec3 side(int i, int j, int direction, int side) const;
};

struct Draft {
  Model model;
  std::vector<CutBar> bars;      // #settings.bars
  std::vector<CutPlate> plates;  // #settings.plates
  int first_single = 0;          // piece that is the first of settings.pieces
  double density = 1000;         // kg/m^3, where there is no other
  double size = 0;               // m, diagonal of all pieces

  const Settings& settings() const { return model.settings; }
  const SectionChoice* section_of(const std::optional<SectionChoice>& own) const;
  const MaterialChoice* material_of(const std::optional<MaterialChoice>& own) const;
  /// `name` empty: made from its pieces.
  void add_joint(int a, int b, const Vec3& at, const Mat3& axes, const rigid::PlasticLaw& law, std::string name = "", std::string to = "");
};

Mat3 rotation_of_turn(const std::optional<Vec3>& degrees);
/// Columns: along, width, height; `up` may be absent or of any length.
Mat3 section_axes(const Vec3& along, const std::optional<Vec3>& up);
/// Whether a place is in a piece, or within `slack` of it.
bool contains(const Piece& piece, const Vec3& at, double slack);
/// Which piece of a bar is at a distance from its beginning; between two it is the first of them.
int piece_at(const CutBar& bar, double along);

Result<void> cut_bars(Draft& draft);
Result<void> cut_plates(Draft& draft);
Result<void> place_pieces(Draft& draft, std::span<const TriMesh* const> meshes);
/// Joints where ends of bars meet each other, or other bars.
Result<void> join_bars(Draft& draft);
Result<void> add_single_joints(Draft& draft);
Result<void> add_supports(Draft& draft);

void draw_bars(Draft& draft);
void draw_plates(Draft& draft);

/// All pieces hang together, over what holds them if need be.
Result<void> check_connected(const Model& model);
/// A free structure cannot change its shape without straining a joint.
Result<void> check_mechanism(const Model& model);

}  // namespace crumple::structures

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

#include "crumple/methods/dents/details.h"
#include "crumple/methods/dents/presets.h"

namespace crumple::dents {
namespace {

const Vec3f kUntouched(0.85f, 0.85f, 0.85f), kShallow(0.95f, 0.62f, 0.05f), kDeep(0.55f, 0.02f, 0.03f);

/// How a tetrahedron is turned and stretched, apart from the dents.
Mat3 turn_of_tet(const Model& model, const Shape& shape, int tet) {
  const Tetrahedron& t = model.body->asset.tets.tets[static_cast<size_t>(tet)];
  const auto rest = [&](size_t i) {
    const auto v = static_cast<size_t>(t[i]);
    return Vec3(model.body->asset.tets.positions[v] + shape.offsets[v].cast<double>());
  };
  const auto now = [&](size_t i) { return Vec3(shape.vertices[static_cast<size_t>(t[i])].cast<double>()); };
  Mat3 before, after;
  for (size_t i = 1; i < 4; ++i) before.col(static_cast<int>(i) - 1) = rest(i) - rest(0), after.col(static_cast<int>(i) - 1) = now(i) - now(0);
  const double size = before.col(0).norm() * before.col(1).norm() * before.col(2).norm();
  if (!(std::abs(before.determinant()) > 1e-6 * size)) return Mat3::Identity();
  return after * before.inverse();
}

/// Offsets that the shape was put together with, at the vertices of a drawn surface: the tetrahedra carry them already.
std::vector<Vec3f> carried_offsets(const Model& model, const State& state, size_t index, const Shape& shape) {
  std::vector<Vec3f> carried = carried_points(*model.body, *model.carried[index], shape.offsets);
  state.sheets[index].sheet.extend(carried);
  return carried;
}

/// What is left to add to a surface that the tetrahedra carry.
void add_details(const Model& model, const State& state, size_t index, const Shape& shape, bool is_skinned, std::vector<Vec3f>& positions) {
  const SheetState& sheet = state.sheets[index];
  sheet.sheet.extend(positions);
  const std::vector<Vec3f> carried = carried_offsets(model, state, index, shape);
  const std::vector<Mat3> turns = is_skinned ? turns_of(model, state, index, shape) : std::vector<Mat3>();
  for (size_t v = 0; v < positions.size(); ++v) {
    const Vec3f more = sheet.offsets[v] - carried[v];
    if (more.isZero(0)) continue;
    positions[v] += turns.empty() ? more : Vec3f((turns[v] * more.cast<double>()).cast<float>());
  }
}

}  // namespace

const MethodInfo& info(const Settings&) {
  static constexpr ColorScheme kSchemes[] = {{"depth", "of dents"}};
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Layer,
                                       .name = "dents",
                                       .key = "dents",
                                       .key_help = "prints of what hits it",
                                       .paper = "paper 3, section 3",
                                       .help = "what hits a body is stamped into it, with its own shape",
                                       .need = BodyNeed::Solid,
                                       .noun = "body with dents",
                                       .verb = "dent",
                                       .held_by = "",
                                       .colors = kSchemes,
                                       .state_color = "depth",
                                       .footer = nullptr,
                                       .order = 0,
                                       .presets = kPresets};
  return kInfo;
}

Mat3 turn_at_vertex(const Model& model, const Shape& shape, int vertex) {
  Mat3 sum = Mat3::Zero();
  for (const int tet : model.tets_of[static_cast<size_t>(vertex)]) sum += turn_of_tet(model, shape, tet);
  return sum / std::max<double>(1, static_cast<double>(model.tets_of[static_cast<size_t>(vertex)].size()));
}

std::vector<Mat3> turns_of(const Model& model, const State& state, size_t index, const Shape& shape) {
  const Embedding& embedding = *model.carried[index];
  std::vector<Mat3> turns;
  turns.reserve(state.sheets[index].sheet.vertices());
  for (const int tet : embedding.tet) turns.push_back(turn_of_tet(model, shape, tet));
  const std::vector<int32_t>& parents = state.sheets[index].sheet.parents();
  for (size_t i = 0; i + 1 < parents.size(); i += 2) turns.push_back(0.5 * (turns[static_cast<size_t>(parents[i])] + turns[static_cast<size_t>(parents[i + 1])]));
  return turns;
}

std::vector<Vec3f> drawn_positions(const Model& model, const State& state, size_t index, const Shape& shape, bool is_skinned) {
  std::vector<Vec3f> positions = carried_points(*model.body, *model.carried[index], shape.vertices);
  add_details(model, state, index, shape, is_skinned, positions);
  return positions;
}

void draw_over(const Model& model, const State& state, DrawnSurface& drawn) {
  const auto index = static_cast<size_t>(drawn.piece + 1);
  if (index >= state.sheets.size() || state.figures[kDents] == 0) return;
  const SheetState& sheet = state.sheets[index];
  drawn.surface = sheet.sheet.drawn();
  drawn.parents = sheet.sheet.parents();
  add_details(model, state, index, *drawn.shape, drawn.is_skinned, drawn.positions);
  if (drawn.colors.size() == sheet.sheet.base_vertices()) sheet.sheet.extend(drawn.colors);
  if (drawn.scheme.empty()) return;
  drawn.colors.clear();
  const float deepest = static_cast<float>(std::max(state.figures[kDeepest], 1e-9));
  for (const Vec3f& offset : sheet.offsets) {
    const float share = std::min(1.0f, offset.norm() / deepest);
    drawn.colors.push_back(share < 0.5f ? Vec3f(kUntouched + 2 * share * (kShallow - kUntouched)) : Vec3f(kShallow + (2 * share - 1) * (kDeep - kShallow)));
  }
}

std::vector<Vec3f> colors(const Model&, const State&, std::string_view, const Embedding& surface) {
  return std::vector<Vec3f>(surface.tet.size(), kUntouched);  // draw_over paints the dents
}

void report(const Model&, const State& state, const ReportContext&, Report& report) {
  const std::vector<double>& f = state.figures;
  report.figures["dents"] = f[kDents];
  report.figures["deepest_dent_m"] = f[kDeepest];
  report.figures["dent_volume_m3"] = f[kVolume];
  report.figures["unraised_volume_m3"] = f[kMissing];
  report.figures["dents_left_out"] = f[kLeftOut];
  report.figures["dents_coarsened"] = f[kCoarsened];
  report.figures["dents_unrefined"] = f[kUnrefined];
  report.totals.push_back({"dents", f[kDents]}), report.totals.push_back({"dents_left_out", f[kLeftOut]});
  if (f[kDents] > 0) {
    report.lines.emplace_back("dented", fmt::format("{:.0f} {}, up to {:.1f} mm deep{}", f[kDents], f[kDents] == 1 ? "dent" : "dents", 1000 * f[kDeepest],
                                                    f[kLeftOut] > 0 ? fmt::format("; {:.0f} left out", f[kLeftOut]) : ""));
  }
}

}  // namespace crumple::dents

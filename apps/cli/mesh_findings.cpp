#include "apps/cli/mesh_findings.h"

#include <array>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/look.h"

namespace crumple::cli {
namespace {

using Kind = MeshFinding::Kind;

const char* kind_word(Kind kind) {
  switch (kind) {
    case Kind::Empty:
      return "empty";
    case Kind::NotFinite:
      return "not_finite";
    case Kind::BadIndex:
      return "bad_index";
    case Kind::DoubledVertices:
      return "doubled_vertices";
    case Kind::Degenerate:
      return "degenerate";
    case Kind::DoubledFaces:
      return "doubled_faces";
    case Kind::UnusedVertices:
      return "unused_vertices";
    case Kind::FlippedFaces:
      return "flipped_faces";
    case Kind::OneSided:
      return "one_sided";
    case Kind::InsideOut:
      return "inside_out";
    case Kind::NonManifoldEdges:
      return "non_manifold_edges";
    case Kind::Hole:
      return "hole";
    case Kind::TinyShells:
      return "tiny_shells";
    case Kind::Flat:
      return "flat";
    case Kind::Units:
      return "units";
  }
  return "";
}

/// Findings about the whole have no spot.
bool has_place(Kind kind) {
  return kind != Kind::Empty && kind != Kind::NotFinite && kind != Kind::BadIndex && kind != Kind::Flat && kind != Kind::Units;
}

/// Colours that are told apart, over and over.
Vec3f color_of(size_t number) {
  static const std::array<Vec3f, 6> kColors = {Vec3f(0.80f, 0.03f, 0.03f), Vec3f(0.02f, 0.20f, 0.75f), Vec3f(0.85f, 0.30f, 0.00f),
                                               Vec3f(0.35f, 0.02f, 0.55f), Vec3f(0.02f, 0.40f, 0.10f), Vec3f(0.75f, 0.02f, 0.35f)};
  return kColors[number % kColors.size()];
}

/// Without what a renderer cannot draw.
TriMesh drawable(const TriMesh& surface) {
  TriMesh mesh;
  mesh.positions = surface.positions;
  for (Vec3& p : mesh.positions) {
    if (!p.allFinite()) p.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  const auto good = [&](int v) { return v >= 0 && static_cast<size_t>(v) < mesh.positions.size() && mesh.positions[v].allFinite(); };
  for (const Triangle& t : surface.triangles) {
    if (good(t[0]) && good(t[1]) && good(t[2])) mesh.triangles.push_back(t);
  }
  const Vec3 anywhere = mesh.triangles.empty() ? Vec3(Vec3::Zero()) : mesh.positions[mesh.triangles[0][0]];
  for (Vec3& p : mesh.positions) {
    if (!p.allFinite()) p = anywhere;
  }
  return mesh;
}

/// The number of a finding stands at its first spot, the others are dots. Numbers that would overlap stand together.
void add_mark(LookTile& tile, const Vec3& place, size_t finding, bool first, double near) {
  std::string label = first ? fmt::format("{}", finding + 1) : "";
  for (Mark& mark : tile.marks) {
    if (label.empty() || mark.label.empty() || (mark.at - place).norm() > near) continue;
    mark.label += ", " + label, label.clear();
  }
  tile.marks.push_back({place, color_of(finding), label});
}

}  // namespace

Result<void> check_picture(const std::string& file) {
  if (file.empty()) return {};
  if (std::filesystem::path(file).extension() != ".png") return input_error(fmt::format("{}: pictures are .png", file));
  return check_output(file);
}

Json findings_json(const MeshReport& report) {
  Json findings = Json::array();
  for (const MeshFinding& finding : report.findings) {
    Json each = Json::object({{"kind", kind_word(finding.kind)}, {"count", finding.count}, {"repaired", finding.repaired}, {"text", finding.text}});
    if (has_place(finding.kind)) each["place"] = Json::array({finding.place.x(), finding.place.y(), finding.place.z()});
    findings.push(std::move(each));
  }
  return Json::object({{"usable", report.hopeless() == nullptr},
                       {"closed", report.closed()},
                       {"shells", report.shells},
                       {"open_edges", report.open_edges},
                       {"volume_m3", report.volume},
                       {"diagonal_m", report.diagonal},
                       {"findings", std::move(findings)}});
}

Result<void> draw_findings(const TriMesh& surface, const MeshReport& report, const std::string& file) {
  LookTile tile;
  tile.surface = std::make_shared<const TriMesh>(drawable(surface));
  if (tile.surface->triangles.empty()) return input_error(fmt::format("{}: there is nothing to draw", file));
  LookOptions options;
  options.width = 1024, options.height = 768, options.mark_size = 0.006;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const MeshFinding& finding = report.findings[i];
    if (!has_place(finding.kind)) continue;
    for (size_t k = 0; k < finding.places.size(); ++k) add_mark(tile, finding.places[k], i, k == 0, 0.03 * report.diagonal);
    options.facing.push_back(finding.place);
  }
  tile.title = fmt::format("{} findings", report.findings.size());
  return draw_tiles({tile}, file, options);
}

}  // namespace crumple::cli

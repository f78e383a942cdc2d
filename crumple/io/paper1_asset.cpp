#include "crumple/io/paper1_asset.h"

#include <climits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "crumple/io/asset_check.h"
#include "crumple/io/dmat.h"
#include "crumple/io/files.h"
#include "crumple/io/medit.h"
#include "crumple/io/obj.h"
#include "crumple/io/paper1_pieces.h"
#include "crumple/io/text_cursor.h"
#include "crumple/rig/score.h"

namespace crumple::io {
namespace fs = std::filesystem;
namespace {

/// The end of a bone. Tips without weight only hold the editor's skeleton together.
struct Tip {
  int column = -1;  // of the weights; negative: none
  Vec3 position = Vec3::Zero();
};

Result<std::vector<Tip>> parse_tips(std::string_view text, std::string_view name) {
  TextCursor cursor(text, name);
  std::vector<Tip> tips;
  while (!cursor.failed() && !cursor.at_end()) {
    Tip tip;
    tip.column = static_cast<int>(cursor.parse_whole(cursor.word_in_line(), "the weight column", INT_MIN, INT_MAX));
    cursor.number_in_line("the parent tip");
    for (int axis = 0; axis < 3; ++axis) tip.position[axis] = cursor.number_in_line("the rest position");
    if (!cursor.failed()) cursor.skip_line();
    tips.push_back(tip);
  }
  if (cursor.failed()) return cursor.error();
  return tips;
}

/// Which tip drives each column of the weights.
Result<std::vector<size_t>> tips_by_column(const std::vector<Tip>& tips, size_t columns, const std::string& name) {
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> tip_of(columns, kNone);
  for (size_t t = 0; t < tips.size(); ++t) {
    if (tips[t].column < 0) continue;
    const auto column = static_cast<size_t>(tips[t].column);
    if (column >= columns) return input_error(fmt::format("{}: tip {} asks for weight column {}, but there are {}", name, t, column, columns));
    if (tip_of[column] != kNone) return input_error(fmt::format("{}: tips {} and {} share weight column {}", name, tip_of[column], t, column));
    tip_of[column] = t;
  }
  for (size_t column = 0; column < columns; ++column) {
    if (tip_of[column] == kNone) return input_error(fmt::format("{}: no tip has weight column {}", name, column));
  }
  return tip_of;
}

HandleTransform read_pose(TextCursor& cursor) {
  HandleTransform pose;
  for (int axis = 0; axis < 3; ++axis) pose.translation[axis] = cursor.number("a translation");
  const double w = cursor.number("a quaternion"), x = cursor.number("a quaternion"), y = cursor.number("a quaternion"),
               z = cursor.number("a quaternion");
  pose.rotation = Quat(w, x, y, z);
  return pose;
}

/// Poses of all tips in every example. What follows them in the file is about the authors' editor.
Result<std::vector<Example>> parse_examples(std::string_view text, std::string_view name, const std::vector<size_t>& tip_of_handle,
                                            size_t tip_count) {
  TextCursor cursor(text, name);
  constexpr size_t kBytesPerTip = 14;
  const size_t count = cursor.count("the number of examples", 12);
  std::vector<Example> examples;
  for (size_t e = 0; e < count && !cursor.failed(); ++e) {
    for (int i = 0; i < 5; ++i) cursor.number("place and colour in the editor");
    const size_t tips = cursor.count("the number of tips", kBytesPerTip);
    if (!cursor.failed() && tips != tip_count) cursor.fail(fmt::format("example {} poses {} tips, but bone_roots.bf has {}", e, tips, tip_count));
    std::vector<HandleTransform> poses;
    for (size_t t = 0; t < tips && !cursor.failed(); ++t) poses.push_back(read_pose(cursor));
    if (cursor.failed()) break;
    Example example{e == 0 ? "rest" : fmt::format("example {}", e), {}};
    for (const size_t tip : tip_of_handle) example.handles.push_back(poses[tip]);
    examples.push_back(std::move(example));
  }
  if (cursor.failed()) return cursor.error();
  return examples;
}

Result<TriMesh> read_surface(const fs::path& folder, const TetMesh& tets) {
  std::error_code ignored;
  const fs::path file = folder / "mesh.obj";
  if (!fs::exists(file, ignored)) return boundary_surface(tets);
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return parse_obj(*text, file.string());
}

/// Reads folder/file and hands it to `parse` together with its name.
template <class Parse>
auto read_part(const fs::path& folder, const char* file, Parse&& parse) -> decltype(parse(std::string_view(), std::string())) {
  const fs::path path = folder / file;
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return parse(*text, path.string());
}

Result<void> read_weights(const fs::path& folder, Asset& asset) {
  const Result<Dmat> weights = read_part(folder, "coarseWeights.dmat", parse_dmat);
  if (!weights) return weights.error();
  if (weights->rows != asset.tets.positions.size()) {
    return input_error(fmt::format("{}: coarseWeights.dmat has weights for {} vertices, but mesh.mesh has {}", folder.string(), weights->rows,
                                   asset.tets.positions.size()));
  }
  asset.weights.assign(weights->values.begin(), weights->values.end());
  asset.handles.resize(weights->columns);
  return {};
}

Result<void> read_rig(const fs::path& folder, Asset& asset) {
  const Result<std::vector<Tip>> tips = read_part(folder, "bone_roots.bf", parse_tips);
  if (!tips) return tips.error();
  const Result<std::vector<size_t>> tip_of = tips_by_column(*tips, asset.handles.size(), (folder / "bone_roots.bf").string());
  if (!tip_of) return tip_of.error();
  for (size_t h = 0; h < asset.handles.size(); ++h) asset.handles[h] = {fmt::format("handle {}", h), (*tips)[(*tip_of)[h]].position};
  auto parse = [&](std::string_view text, std::string_view name) { return parse_examples(text, name, *tip_of, tips->size()); };
  Result<std::vector<Example>> examples = read_part(folder, "exampleGraph.txt", parse);
  if (!examples) return examples.error();
  asset.examples = std::move(*examples);
  return {};
}

/// Bodies with planes break along them. The authors' own pieces (tetmesh.N.txt) come from the same planes, but cut only whole tetrahedra off.
Result<void> score_by_planes(const fs::path& folder, Asset& asset) {
  const Result<std::vector<CutPlane>> planes = read_paper1_planes(folder);
  if (!planes) return planes.error();
  if (planes->empty()) return {};
  Bounds box = bounds_of(asset.tets.positions);
  for (const Vec3& point : asset.surface.positions) box.add(point);
  const Vec3 room = Vec3::Constant(0.01 * box.diagonal());
  const std::vector<ConvexCell> cells = cells_between_planes(*planes, {box.low - room, box.high + room});
  const Result<ScoreReport> report = score_asset(asset, cells);
  if (!report) return Error{report.error().kind, fmt::format("{}: {}", folder.string(), report.error().text)};
  return {};
}

}  // namespace

bool is_authors_asset(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "mesh.mesh", ignored) && fs::exists(folder / "coarseWeights.dmat", ignored);
}

Result<Asset> read_paper1_asset(const fs::path& folder) {
  Asset asset;
  asset.name = fs::path(folder / "").parent_path().filename().string();
  Result<TetMesh> tets = read_part(folder, "mesh.mesh", parse_medit);
  if (!tets) return tets.error();
  asset.tets = std::move(*tets);
  orient_tets(asset.tets);  // the authors count inside-out ones as right
  if (const Result<void> read = read_weights(folder, asset); !read) return read.error();
  if (const Result<void> read = read_rig(folder, asset); !read) return read.error();
  Result<TriMesh> surface = read_surface(folder, asset.tets);
  if (!surface) return surface.error();
  asset.surface = std::move(*surface);
  if (const Result<void> fine = check_asset(asset, folder.string()); !fine) return fine.error();
  if (const Result<void> scored = score_by_planes(folder, asset); !scored) return scored.error();
  return asset;
}

}  // namespace crumple::io

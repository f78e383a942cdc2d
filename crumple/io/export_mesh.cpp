#include <algorithm>
#include <string>
#include <utility>

#include "crumple/core/index.h"
#include "crumple/io/export.h"
#include "crumple/io/export_check.h"
#include "crumple/io/export_merge.h"
#include "crumple/io/files.h"
#include "crumple/io/mtl.h"
#include "crumple/io/obj.h"
#include "crumple/io/ply.h"

namespace crumple::io {
namespace {

Result<ExportReport> written(const Frame& frame, const std::filesystem::path& file, const std::string& bytes) {
  if (auto done = write_file(file, bytes); !done) return done.error();
  ExportReport report;
  report.frames = 1;
  report.nodes = static_cast<int>(std::count_if(frame.items.begin(), frame.items.end(), is_drawn));
  report.meshes = 1;
  report.bytes = bytes.size();
  return report;
}

/// The drawn item of another frame with the same name and the same triangles.
const FrameItem* find_same(const FrameItem& item, const Frame* other) {
  if (!other) return nullptr;
  const auto found = std::ranges::find_if(other->items, [&](const FrameItem& each) { return is_drawn(each) && each.name == item.name && same_surface(*each.surface, *item.surface); });
  return found == other->items.end() ? nullptr : &*found;
}

/// Metres a second, by the difference from one frame to another.
std::vector<Vec3f> item_velocities(const FrameItem& item, const Frame& now, const Frame* before, const Frame* after) {
  const FrameItem* other = find_same(item, before);
  const Frame* at_other = other ? before : after;
  if (!other) other = find_same(item, after);
  std::vector<Vec3f> velocities(item.surface->positions.size(), Vec3f::Zero());
  if (!other) return velocities;
  const std::vector<Vec3> here = world_positions(item), there = world_positions(*other);
  for (size_t v = 0; v < here.size(); ++v) velocities[v] = ((here[v] - there[v]) / (now.time - at_other->time)).cast<float>();
  return velocities;
}

}  // namespace

struct ObjSequence::Inside {
  std::filesystem::path library;
  FrameMerger merger{FrameMerger::Colors::Tint};
};

ObjSequence::ObjSequence(const std::filesystem::path& library) : inside_(std::make_unique<Inside>()) {
  inside_->library = library;
  inside_->library.replace_extension(".mtl");
}
ObjSequence::~ObjSequence() = default;

Result<ExportReport> ObjSequence::add(const Frame& frame, const std::filesystem::path& file) {
  if (auto good = check_items(frame); !good) return good.error();
  MergedFrame merged = inside_->merger.merge(frame);
  for (Vec3& p : merged.mesh.positions) p = p.cast<float>().cast<double>();
  merged.mesh.materials = std::make_shared<const Materials>(inside_->merger.materials());
  return written(frame, file, write_obj(merged.mesh, {inside_->library.filename().string(), 'g'}));
}

Result<void> ObjSequence::finish() {
  PictureFiles pictures(inside_->library);
  if (Result<void> done = write_file(inside_->library, write_mtl(inside_->merger.materials(), pictures)); !done) return done;
  return pictures.write();
}

Result<ExportReport> export_obj(const Frame& frame, const std::filesystem::path& file) {
  ObjSequence one(file);
  Result<ExportReport> report = one.add(frame, file);
  if (!report) return report;
  if (Result<void> done = one.finish(); !done) return done.error();
  return report;
}

Result<ExportReport> export_ply(const Frame& frame, const std::filesystem::path& file, const Frame* before, const Frame* after) {
  if (auto good = check_items(frame); !good) return good.error();
  FrameMerger merger(FrameMerger::Colors::Shown);
  const MergedFrame merged = merger.merge(frame);
  std::vector<Vec3f> velocities;
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    const std::vector<Vec3f> own = item_velocities(item, frame, before, after);
    velocities.insert(velocities.end(), own.begin(), own.end());
  }
  return written(frame, file, write_ply(merged.mesh, {velocities, merged.body, merged.piece}));
}

}  // namespace crumple::io

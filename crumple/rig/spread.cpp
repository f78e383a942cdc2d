#include "crumple/rig/spread.h"

#include <mutex>

namespace crumple {
namespace {

// Beyond this, rows are made again each time: a big mesh with a wide kernel must not fill the memory.
constexpr size_t kMostKeptBytes = size_t{192} << 20;

std::shared_ptr<const SpreadRow> make_row(const EdgeGraph& graph, int vertex, double radius, const std::vector<float>& gain) {
  auto row = std::make_shared<SpreadRow>();
  for (const Reached& reached : reach(graph, vertex, radius)) {
    const float kernel = reached.distance == 0 ? 1.0f : cubic_kernel(static_cast<float>(reached.distance / radius));  // the radius may be 0
    const float factor = gain.empty() ? 1.0f : gain[static_cast<size_t>(reached.vertex)];
    if (factor == 0) continue;
    row->vertices.push_back(reached.vertex);
    row->values.push_back(factor * kernel);
  }
  return row;
}

}  // namespace

SpreadRows::SpreadRows(const EdgeGraph& graph, double radius, const PaintedFactors& paint)
    : graph_(graph), radius_(radius), paint_(paint), rows_(graph.first.size() - 1) {}

std::shared_ptr<const SpreadRow> SpreadRows::row(int vertex) {
  {
    const std::shared_lock lock(mutex_);
    if (rows_[static_cast<size_t>(vertex)]) return rows_[static_cast<size_t>(vertex)];
  }
  const double radius = paint_.radius.empty() ? radius_ : radius_ * paint_.radius[static_cast<size_t>(vertex)];
  auto row = make_row(graph_, vertex, radius, paint_.gain);
  const std::unique_lock lock(mutex_);
  const size_t bytes = row->vertices.size() * (sizeof(int) + sizeof(float));
  if (!rows_[static_cast<size_t>(vertex)] && kept_bytes_ + bytes <= kMostKeptBytes) {
    rows_[static_cast<size_t>(vertex)] = row;
    kept_bytes_ += bytes;
  }
  return row;
}

std::shared_ptr<SpreadRows> SpreadLibrary::rows(const EdgeGraph& graph, double radius, const PaintedFactors& paint) {
  const std::lock_guard lock(mutex_);
  auto& rows = rows_[radius];
  if (!rows) rows = std::make_shared<SpreadRows>(graph, radius, paint);
  return rows;
}

}  // namespace crumple

#include "crumple/rig/spread.h"

#include <algorithm>
#include <mutex>

namespace crumple {
namespace {

// Beyond this, rows are made again each time: a big mesh with a wide kernel must not fill the memory.
constexpr size_t kMaxKeptBytes = size_t{192} << 20;
constexpr size_t kMaxKeptBytesWhenBroken = size_t{16} << 20;  // one body's own, not shared

std::shared_ptr<const SpreadRow> make_row(const EdgeGraph& graph, int vertex, double radius, const std::vector<float>& gain,
                                          std::span<const uint8_t> broken) {
  auto row = std::make_shared<SpreadRow>();
  for (const Reached& reached : reach(graph, vertex, radius, broken)) {
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
    : graph_(graph), radius_(radius), paint_(paint), most_kept_bytes_(kMaxKeptBytes), rows_(graph.first.size() - 1) {}

SpreadRows::SpreadRows(std::shared_ptr<SpreadRows> whole, std::span<const uint8_t> broken)
    : graph_(whole->graph_),
      radius_(whole->radius_),
      paint_(whole->paint_),
      whole_(std::move(whole)),
      broken_(broken.begin(), broken.end()),
      at_break_(graph_.first.size() - 1, 0),
      most_kept_bytes_(kMaxKeptBytesWhenBroken),
      rows_(graph_.first.size() - 1) {
  for (size_t v = 0; v < at_break_.size() && !graph_.link.empty(); ++v) {
    for (int e = graph_.first[v]; e < graph_.first[v + 1]; ++e) at_break_[v] |= graph_.link[e] >= 0 && broken_[graph_.link[e]];
  }
}

std::shared_ptr<const SpreadRow> SpreadRows::row(int vertex) {
  {
    const std::shared_lock lock(mutex_);
    if (rows_[static_cast<size_t>(vertex)]) return rows_[static_cast<size_t>(vertex)];
  }
  if (whole_ && paint_.gain.empty()) {  // rows leave out what has no gain, and with it perhaps the break
    // A way that crosses a break has both its ends in the row of the whole body: without one there, the row is the same.
    auto row = whole_->row(vertex);
    if (std::none_of(row->vertices.begin(), row->vertices.end(), [&](int v) { return at_break_[v] != 0; })) return row;
  }
  const double radius = paint_.radius.empty() ? radius_ : radius_ * paint_.radius[static_cast<size_t>(vertex)];
  auto row = make_row(graph_, vertex, radius, paint_.gain, broken_);
  const std::unique_lock lock(mutex_);
  const size_t bytes = row->vertices.size() * (sizeof(int) + sizeof(float));
  if (!rows_[static_cast<size_t>(vertex)] && kept_bytes_ + bytes <= most_kept_bytes_) {
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

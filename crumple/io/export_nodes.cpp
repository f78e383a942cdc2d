#include "crumple/io/export_nodes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/geometry/rigid_parts.h"
#include "crumple/io/export_check.h"

namespace crumple::io {
namespace {

// Shares of the tolerance. Keys of motion need few bytes, so they get little of it.
constexpr double kShapeShare = 0.9, kTranslationShare = 0.05, kRotationShare = 0.05;

bool is_still(const std::vector<PlaceSample>& places) {
  return std::all_of(places.begin(), places.end(), [&](const PlaceSample& p) { return same_place(p, places.front()); });
}

double reach_of(const Points& points) {
  float reach = 0;
  for (const Vec3f& p : points) reach = std::max(reach, p.squaredNorm());
  return std::sqrt(double{reach});
}

/// Items that move by their shape alone, such as soft bodies, get frames that move along. Empty if the shape does not go far.
Result<std::vector<Transform>> moving_frames(const ItemTrack& track, const ExportSurface& surface, Spool& spool) {
  std::vector<Transform> frames;
  double before = 0, after = 0;
  Quat guess = Quat::Identity();
  for (int r = 0; r < track.shapes.rows(); ++r) {
    const Result<Points> shape = track.shapes.row(r, spool);
    if (!shape) return shape.error();
    frames.push_back(rigid_fit(*surface.rest, *shape, guess));
    const Transform back = frames.back().inverse();
    for (size_t v = 0; v < shape->size(); ++v) {
      before += double{((*shape)[v] - (*surface.rest)[v]).squaredNorm()};
      after += (back * (*shape)[v].cast<double>() - (*surface.rest)[v].cast<double>()).squaredNorm();
    }
  }
  if (after > 0.5 * before) frames.clear();
  return frames;
}

std::vector<PlaceSample> places_of_frames(const ItemTrack& track, const std::vector<Transform>& frames) {
  const Transform place = placed(track.places.samples().front());
  PlaceTrack places;
  for (const ShapeTrack::Key& key : track.shapes.keys()) places.add(key.frame, place * frames[at(key.row)]);
  return places.samples();
}

Result<void> make_shape(ItemTracks& tracks, const NodeSettings& how, ExportNode& node) {
  const ItemTrack& track = *node.track;
  const Points& rest = *node.surface->rest;
  if (track.shapes.rows() == 1) {
    Result<Points> shape = track.shapes.row(0, tracks.spool());
    if (!shape) return shape.error();
    if (*shape != rest) node.baked = std::move(*shape);
    return {};
  }
  std::vector<Transform> frames;
  if (is_still(node.places) && !tracks.is_flat()) {
    Result<std::vector<Transform>> found = moving_frames(track, *node.surface, tracks.spool());
    if (!found) return found.error();
    frames = std::move(*found);
    if (!frames.empty()) node.places = places_of_frames(track, frames);
  }
  Result<Morph> morph = make_morph(track.shapes, frames, tracks.spool(), *node.surface, {kShapeShare * node.tolerance, how.compact});
  if (!morph) return morph.error();
  if (!morph->targets.empty()) node.morph = std::move(*morph);
  return {};
}

void choose_keys(const std::vector<double>& times, ExportNode& node) {
  double reach = reach_of(node.baked.empty() ? *node.surface->rest : node.baked);
  if (node.morph) {
    for (const MorphTarget& target : node.morph->targets) reach += 0.5 * reach_of(target.moves.moves);
  }
  node.translations = translation_keys(node.places, times, kTranslationShare * node.tolerance);
  node.rotations = rotation_keys(node.places, times, kRotationShare * node.tolerance / std::max(reach, 1e-9) * 180 / M_PI);
}

/// Bytes of a morph in plain numbers, about.
size_t bytes_of(const Morph& morph, size_t vertices) {
  size_t bytes = morph.weights.size() * sizeof(float);
  for (const MorphTarget& target : morph.targets) {
    for (const ShapeTarget* each : {&target.moves, &target.turns}) bytes += std::min(each->vertices.size() * (sizeof(Vec3f) + 2), vertices * sizeof(Vec3f));
  }
  return bytes;
}

/// The two keys around a time, and the share of the second.
struct Between {
  size_t first = 0, second = 0;
  double share = 0;
};
template <class TimeOf>
Between find_between(size_t count, double time, const TimeOf& time_of) {
  size_t low = 0, high = count;  // the first key after the time
  while (low < high) {
    const size_t middle = (low + high) / 2;
    (time_of(middle) <= time ? low : high) = time_of(middle) <= time ? middle + 1 : middle;
  }
  if (low == 0) return {0, 0, 0};
  if (low == count) return {count - 1, count - 1, 0};
  return {low - 1, low, (time - time_of(low - 1)) / (time_of(low) - time_of(low - 1))};
}

/// Plays a node as a reader of the file does.
class NodePlayer {
 public:
  NodePlayer(const ExportNode& node, const std::vector<double>& times) : node_(node), times_(times), shape_(node.baked.empty() ? *node.surface->rest : node.baked) {}

  Transform place_at(double time) const {
    const auto key = [&](const std::vector<int>& keys) {
      return find_between(keys.size(), time, [&](size_t k) { return times_[at(node_.places[at(keys[k])].frame)]; });
    };
    const Between t = key(node_.translations), r = key(node_.rotations);
    const auto place = [&](const std::vector<int>& keys, size_t k) -> const PlaceSample& { return node_.places[at(keys[k])]; };
    const Vec3 from = place(node_.translations, t.first).translation.cast<double>(), to = place(node_.translations, t.second).translation.cast<double>();
    const Quat first = place(node_.rotations, r.first).rotation.cast<double>(), second = place(node_.rotations, r.second).rotation.cast<double>();
    return {first.slerp(r.share, second).normalized().toRotationMatrix(), from + t.share * (to - from)};
  }

  const Points& shape_at(double time) {
    if (!node_.morph) return shape_;
    const std::vector<ShapeTrack::Key>& keys = node_.track->shapes.keys();
    const Between key = find_between(keys.size(), time, [&](size_t k) { return times_[at(keys[k].frame)]; });
    const std::array<int, 2> rows = {keys[key.first].row, keys[key.second].row};
    if (rows == rows_ && (rows[0] == rows[1] || key.share == share_)) return shape_;
    rows_ = rows, share_ = key.share;
    shape_ = *node_.surface->rest;
    const Morph& morph = *node_.morph;
    const size_t count = morph.targets.size();
    for (size_t k = 0; k < count; ++k) {
      const float a = morph.weights[at(rows[0]) * count + k], b = morph.weights[at(rows[1]) * count + k];
      const float weight = a + static_cast<float>(key.share) * (b - a);
      const ShapeTarget& target = morph.targets[k].moves;
      for (size_t i = 0; i < target.vertices.size(); ++i) shape_[at(target.vertices[i])] += weight * target.moves[i];
    }
    return shape_;
  }

 private:
  const ExportNode& node_;
  const std::vector<double>& times_;
  Points shape_;
  std::array<int, 2> rows_ = {-1, -1};
  double share_ = 0;
};

double farthest(const FrameItem& item, const Transform& place, const Points& shape) {
  double worst = 0;
  for (size_t v = 0; v < shape.size(); ++v) {
    const Vec3 was = item.place * (item.positions.empty() ? item.surface->positions[v] : item.positions[v].cast<double>());
    worst = std::max(worst, (place * shape[v].cast<double>() - was).squaredNorm());
  }
  return std::sqrt(worst);
}

/// Of a body with all its pieces, metres. Things that belong to no body count as one each.
std::vector<double> diagonals_of_bodies(const ItemTracks& tracks) {
  std::map<int, Bounds> bodies;
  for (const ItemTrack& track : tracks.tracks()) {
    const Bounds& own = tracks.surface_of(track).bounds;
    if (track.body >= 0) bodies[track.body].add(own.low), bodies[track.body].add(own.high);
  }
  std::vector<double> diagonals;
  for (const ItemTrack& track : tracks.tracks()) diagonals.push_back((track.body >= 0 ? bodies[track.body] : tracks.surface_of(track).bounds).diagonal());
  return diagonals;
}

}  // namespace

double tolerance_of(const ExportSettings& settings, double diagonal) {
  constexpr double kLeast = 0.001, kShare = 0.001, kMostShare = 0.01;
  if (settings.tolerance > 0) return settings.tolerance;
  return std::max(1e-6, std::min(std::max(kLeast, kShare * diagonal), kMostShare * diagonal));
}

Result<std::vector<ExportNode>> make_nodes(ItemTracks& tracks, const ExportSettings& settings, const NodeSettings& how) {
  std::vector<ExportNode> nodes;
  const std::vector<double> diagonals = diagonals_of_bodies(tracks);
  size_t bytes = 0;
  for (const ItemTrack& track : tracks.tracks()) {
    if (how.max_bytes > 0 && bytes > how.max_bytes) break;
    ExportNode node;
    node.track = &track;
    node.surface = &tracks.surface_of(track);
    node.tolerance = how.scale * tolerance_of(settings, diagonals[nodes.size()]);
    node.places = track.places.samples();
    if (Result<void> made = make_shape(tracks, how, node); !made) return made.error();
    choose_keys(tracks.times(), node);
    if (node.morph) bytes += bytes_of(*node.morph, node.surface->rest->size());
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Result<Measured> measure_nodes(const std::vector<ExportNode>& nodes, const ItemTracks& tracks, const FrameSource& source, int count) {
  std::vector<NodePlayer> players;
  for (const ExportNode& node : nodes) players.emplace_back(node, tracks.times());
  Measured measured;
  for (int index = 0; index < count; ++index) {
    Result<Frame> frame = source(index);
    if (!frame) return frame.error();
    std::erase_if(frame->items, [](const FrameItem& item) { return !is_drawn(item); });
    const std::vector<int>& items = tracks.items_of(index);
    const double time = tracks.times()[at(index)];
    std::vector<double> worst(items.size());
    parallel_for(items.size(), 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        NodePlayer& player = players[at(items[i])];
        worst[i] = farthest(frame->items[i], player.place_at(time), player.shape_at(time));
      }
    });
    for (size_t i = 0; i < items.size(); ++i) {
      if (worst[i] > measured.worst) measured = {worst[i], frame->items[i].name, frame->number};
    }
  }
  return measured;
}

}  // namespace crumple::io

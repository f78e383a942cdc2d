#include "crumple/io/gltf_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>


namespace crumple::io {
namespace {

constexpr size_t kNumbersPerPose = 32;
constexpr size_t kMaxNodes = 100000, kMaxSceneNumbers = size_t{1} << 28;
constexpr size_t kFreeNumbers = size_t{4} << 20, kNumbersPerByte = 16;  // meshes may be repeated this often

/// A member that is a list of exactly `count` finite numbers; empty if it is not there.
Result<std::vector<double>> numbers_of(const GltfDocument& document, const Json& object, std::string_view key, size_t count,
                                       const std::string& where) {
  std::vector<double> numbers;
  const Json* list = object.find(key);
  if (!list) return numbers;
  for (const Json& item : list->items) {
    if (item.is_number() && std::isfinite(item.number) && std::abs(item.number) < 1e30) numbers.push_back(item.number);
  }
  if (!list->is_array() || list->items.size() != count || numbers.size() != count) {
    return input_error(fmt::format("{}: {}/{}: must be {} numbers", document.name, where, key, count));
  }
  return numbers;
}

std::optional<Quat> unit_quaternion(double x, double y, double z, double w) {
  const Quat quaternion(w, x, y, z);
  const double length = quaternion.coeffs().norm();
  if (!(length > 1e-6)) return std::nullopt;
  return Quat(quaternion.coeffs() / length);
}

Result<GltfPose> read_pose(const GltfDocument& document, const Json& node, const std::string& where) {
  const auto matrix = numbers_of(document, node, "matrix", 16, where);
  const auto translation = numbers_of(document, node, "translation", 3, where);
  const auto rotation = numbers_of(document, node, "rotation", 4, where);
  const auto scale = numbers_of(document, node, "scale", 3, where);
  for (const auto* list : {&matrix, &translation, &rotation, &scale}) {
    if (!*list) return list->error();
  }
  GltfPose pose;
  if (!matrix->empty()) pose.matrix = Eigen::Affine3d(Eigen::Map<const Eigen::Matrix4d>(matrix->data()));
  if (!translation->empty()) pose.translation = Eigen::Map<const Vec3>(translation->data());
  if (!scale->empty()) pose.scale = Eigen::Map<const Vec3>(scale->data());
  if (!rotation->empty()) {
    const auto unit = unit_quaternion((*rotation)[0], (*rotation)[1], (*rotation)[2], (*rotation)[3]);
    if (!unit) return input_error(fmt::format("{}: {}/rotation: has no length", document.name, where));
    pose.rotation = *unit;
  }
  return pose;
}

}  // namespace

Eigen::Affine3d GltfPose::affine() const {
  return matrix ? *matrix : Eigen::Affine3d(Eigen::Translation3d(translation) * rotation * Eigen::Scaling(scale));
}

Result<GltfScene> GltfScene::open(const GltfDocument& document) {
  GltfScene scene(document);
  const size_t count = gltf_count(document, "nodes");
  if (count > kMaxNodes) return input_error(fmt::format("{}: {} nodes are too many (at most {})", document.name, count, kMaxNodes));
  for (size_t i = 0; i < count; ++i) {
    const Result<const Json*> node = gltf_item(document, "nodes", i, "the scene");
    if (!node) return node.error();
    Result<GltfPose> pose = read_pose(document, **node, fmt::format("/nodes/{}", i));
    if (!pose) return pose.error();
    scene.rest_.push_back(std::move(*pose));
  }
  if (const Result<void> linked = scene.link_nodes(); !linked) return linked.error();
  if (const Result<void> ordered = scene.order_nodes(); !ordered) return ordered.error();
  scene.find_shown();
  return scene;
}

Result<void> GltfScene::link_nodes() {
  parents_.assign(node_count(), -1);
  for (size_t i = 0; i < node_count(); ++i) {
    const Json* children = node(i).find("children");
    if (!children) continue;
    for (const Json& child : children->items) {
      const bool valid =
          child.is_number() && child.number >= 0 && child.number < static_cast<double>(node_count()) && child.number == std::floor(child.number);
      if (!valid) return input_error(fmt::format("{}: /nodes/{}/children: names a node that does not exist", document_.name, i));
      int& parent = parents_[static_cast<size_t>(child.number)];
      if (parent >= 0) return input_error(fmt::format("{}: /nodes/{}: is a child of two nodes ({} and {})", document_.name, child.number, parent, i));
      parent = static_cast<int>(i);
    }
  }
  return {};
}

Result<void> GltfScene::order_nodes() {
  std::vector<std::vector<size_t>> children(node_count());
  for (size_t i = 0; i < node_count(); ++i) {
    if (parents_[i] < 0) {
      order_.push_back(i);
    } else {
      children[static_cast<size_t>(parents_[i])].push_back(i);
    }
  }
  for (size_t next = 0; next < order_.size(); ++next) order_.insert(order_.end(), children[order_[next]].begin(), children[order_[next]].end());
  // With one parent each, nodes that no root leads to must lie on a ring or below one.
  if (order_.size() != node_count()) return input_error(fmt::format("{}: /nodes: some nodes are their own ancestors", document_.name));
  return {};
}

/// A document may show other things in further scenes. Nodes that no scene names count as shown: many tools forget to list them.
void GltfScene::find_shown() {
  enum Named : char { kNowhere, kElsewhere, kHere };
  std::vector<Named> named(node_count(), kNowhere);
  const Json* chosen = document_.json.find("scene");
  for (size_t s = 0; s < gltf_count(document_, "scenes"); ++s) {
    const bool here = chosen ? chosen->number == static_cast<double>(s) : s == 0;
    const Json* roots = document_.json.find("scenes")->items[s].find("nodes");
    for (size_t r = 0; roots && r < roots->items.size(); ++r) {
      const double node = roots->items[r].is_number() ? roots->items[r].number : -1;
      if (!(node >= 0 && node < static_cast<double>(node_count()))) continue;
      Named& mark = named[static_cast<size_t>(node)];
      mark = std::max(mark, here ? kHere : kElsewhere);
    }
  }
  shown_.resize(node_count());
  for (const size_t n : order_) {
    const int above = parents_[n];
    shown_[n] = above >= 0 && named[n] != kHere ? shown_[static_cast<size_t>(above)] : named[n] != kElsewhere;
  }
}

Result<std::optional<size_t>> GltfScene::reference(size_t node_index, std::string_view key) const {
  if (!node(node_index).find(key)) return std::optional<size_t>();
  const Result<size_t> index = gltf_index(document_, node(node_index), key, fmt::format("/nodes/{}", node_index));
  if (!index) return index.error();
  return std::optional<size_t>(*index);
}

std::vector<Eigen::Affine3d> GltfScene::places(std::span<const GltfPose> poses) const {
  std::vector<Eigen::Affine3d> all(node_count());
  for (const size_t i : order_) all[i] = parents_[i] < 0 ? poses[i].affine() : all[static_cast<size_t>(parents_[i])] * poses[i].affine();
  return all;
}

Result<GltfScene::Posed> GltfScene::last_pose(size_t animation) {
  return pose_at(animation, std::numeric_limits<double>::infinity());
}

Result<GltfScene::Posed> GltfScene::pose_at(size_t animation, double time) {
  if (const Result<void> paid = spend(node_count() * kNumbersPerPose); !paid) return paid.error();
  const Result<std::vector<GltfChannel>> all = channels(animation);
  if (!all) return all.error();
  Posed posed{rest_, std::vector<bool>(node_count(), false)};
  for (const GltfChannel& channel : *all) {
    if (const Result<void> applied = apply_channel(channel, time, fmt::format("/animations/{}", animation), posed); !applied) return applied.error();
  }
  return posed;
}

Result<std::vector<double>> GltfScene::key_times(size_t animation) {
  const Result<std::vector<GltfChannel>> all = channels(animation);
  if (!all) return all.error();
  std::vector<double> times;
  for (const GltfChannel& channel : *all) times.insert(times.end(), channel.times.begin(), channel.times.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

Result<std::vector<GltfChannel>> GltfScene::channels(size_t index) {
  const Result<const Json*> animation = gltf_item(document_, "animations", index, "a reader");
  if (!animation) return animation.error();
  std::vector<GltfChannel> all;
  const Json* listed = (*animation)->find("channels");
  for (size_t c = 0; listed && c < listed->items.size(); ++c) {
    Result<std::optional<GltfChannel>> channel = read_channel(**animation, listed->items[c], fmt::format("/animations/{}/channels/{}", index, c));
    if (!channel) return channel.error();
    if (*channel) all.push_back(std::move(**channel));
  }
  return all;
}

/// Nothing comes back for a channel that moves no node.
Result<std::optional<GltfChannel>> GltfScene::read_channel(const Json& animation, const Json& channel, const std::string& where) {
  const auto wrong = [&](const std::string& what) { return input_error(fmt::format("{}: {}: {}", document_.name, where, what)); };
  const Json* target = channel.find("target");
  const Json* path = target ? target->find("path") : nullptr;
  if (!path) return wrong("has no target path");
  if (!target->find("node") || path->text == "weights") return std::optional<GltfChannel>();
  const Result<size_t> node_index = gltf_index(document_, *target, "node", where + "/target");
  if (!node_index) return node_index.error();
  if (*node_index >= node_count()) return wrong(fmt::format("moves node {}, but there are {}", *node_index, node_count()));

  const Result<size_t> sampler_index = gltf_index(document_, channel, "sampler", where);
  if (!sampler_index) return sampler_index.error();
  const Json* samplers = animation.find("samplers");
  if (!samplers || *sampler_index >= samplers->items.size()) return wrong("names a sampler that does not exist");
  const Json& sampler = samplers->items[*sampler_index];
  const Result<size_t> input = gltf_index(document_, sampler, "input", where + "/sampler");
  if (!input) return input.error();
  const Result<size_t> output = gltf_index(document_, sampler, "output", where + "/sampler");
  if (!output) return output.error();
  GltfChannel read;
  read.node = *node_index, read.path = path->text;
  const Json* interpolation = sampler.find("interpolation");
  read.step = interpolation && interpolation->text == "STEP";
  read.spline = interpolation && interpolation->text == "CUBICSPLINE";
  Result<std::vector<float>> times = floats(*input, 1);
  if (!times) return times.error();
  const size_t width = read.path == "rotation" ? 4 : 3;
  Result<std::vector<float>> values = floats(*output, static_cast<int>(width));
  if (!values) return values.error();
  if (times->empty() || values->size() != times->size() * width * (read.spline ? 3 : 1)) {
    return wrong(fmt::format("{} keys do not match {} values", times->size(), values->size() / width));
  }
  if (!std::is_sorted(times->begin(), times->end())) return wrong("the times of its keys do not ascend");
  read.times = std::move(*times), read.values = std::move(*values);
  return std::optional<GltfChannel>(std::move(read));
}

namespace {

/// Between two keys, `at` from 0 to 1.
Eigen::Vector4d between(const Eigen::Vector4d& from, const Eigen::Vector4d& to, double at, bool turns) {
  if (!turns) return from + at * (to - from);
  return Quat(from.normalized()).slerp(at, Quat(to.normalized())).coeffs();
}

Eigen::Vector4d hermite(const Eigen::Vector4d& from, const Eigen::Vector4d& out, const Eigen::Vector4d& to, const Eigen::Vector4d& in, double length,
                        double at) {
  const double s = at * at, c = s * at;
  return (2 * c - 3 * s + 1) * from + length * (c - 2 * s + at) * out + (3 * s - 2 * c) * to + length * (c - s) * in;
}

}  // namespace

Eigen::Vector4d GltfChannel::at(double time) const {
  const bool turns = path == "rotation";
  const size_t width = turns ? 4 : 3, keys = times.size();
  // Splines hold a tangent, the value and another tangent for each key.
  const auto number = [&](size_t key, size_t part) {
    const float* first = values.data() + (spline ? 3 * key + part : key) * width;
    Eigen::Vector4d value = Eigen::Vector4d::Zero();
    for (size_t i = 0; i < width; ++i) value[static_cast<long>(i)] = first[i];
    return value;
  };
  const size_t next = static_cast<size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  const Eigen::Vector4d value = number(next == 0 ? 0 : next - 1, 1);
  if (next == 0 || next >= keys || step) return value;
  const double length = double{times[next]} - times[next - 1], share = (time - times[next - 1]) / length;
  if (spline) return hermite(value, number(next - 1, 2), number(next, 1), number(next, 0), length, share);
  return share > 0 ? between(value, number(next, 1), share, turns) : value;
}

bool apply(const GltfChannel& channel, double time, GltfPose& pose) {
  const Eigen::Vector4d value = channel.at(time);
  if (channel.path == "translation") pose.translation = value.head<3>();
  if (channel.path == "scale") pose.scale = value.head<3>();
  if (channel.path != "rotation") return true;
  const auto unit = unit_quaternion(value[0], value[1], value[2], value[3]);
  if (unit) pose.rotation = *unit;
  return unit.has_value();
}

Result<void> GltfScene::apply_channel(const GltfChannel& channel, double time, const std::string& where, Posed& posed) const {
  GltfPose& pose = posed.nodes[channel.node];
  if (pose.matrix) return input_error(fmt::format("{}: {}: moves node {}, which has a fixed matrix", document_.name, where, channel.node));
  posed.animated[channel.node] = true;
  if (!apply(channel, time, pose)) return input_error(fmt::format("{}: {}: a rotation of node {} has no length", document_.name, where, channel.node));
  return {};
}

Result<std::vector<float>> GltfScene::floats(size_t accessor, int components) {
  if (const Result<void> paid = spend_rows(accessor, components); !paid) return paid.error();
  return read_floats(document_, accessor, components);
}

Result<std::vector<uint32_t>> GltfScene::indices(size_t accessor, int components) {
  if (const Result<void> paid = spend_rows(accessor, components); !paid) return paid.error();
  return read_indices(document_, accessor, components);
}

Result<void> GltfScene::spend_rows(size_t accessor, int components) {
  const Result<size_t> rows = count_rows(document_, accessor);
  if (!rows) return rows.error();
  return spend(*rows * static_cast<size_t>(components));
}

Result<void> GltfScene::spend(size_t numbers) {
  spent_ += numbers;
  const size_t allowed = std::min(kMaxSceneNumbers, kFreeNumbers + kNumbersPerByte * document_.buffer.size());
  if (spent_ <= allowed) return {};
  return input_error(fmt::format("{}: {} bytes of data are used for more than {} million numbers; it is damaged, or repeats its meshes too often", document_.name,
                                 document_.buffer.size(), allowed >> 20));
}

}  // namespace crumple::io

#include <cstring>

#include <fmt/format.h>

#include "crumple/scene/body.h"

namespace crumple {
namespace {

std::string piece_array_name(const Body& body, const StateArray& array) {
  return fmt::format("{}/pieces/{}", body.description->name, array.name);
}

std::string joint_array_name(const Body& body, const StateArray& array) {
  return fmt::format("{}/joints/{}", body.description->name, array.name);
}

std::string cluster_array_name(const Body& body, const StateArray& array) {
  return fmt::format("{}/clusters/{}", body.description->name, array.name);
}

/// How many there are of everything comes first: the other arrays have room once it is known.
StateArray sizes_array(ClusterLayer& layer) {
  return {"sizes", sizeof(int64_t), std::as_writable_bytes(std::span(layer.sizes)), [](std::span<const std::byte>) { return true; }};
}

void add_cluster_arrays(Body& body, std::vector<io::ArrayView>& views) {
  ClusterLayer& layer = *body.clusters;
  const clusters::Sizes sizes = clusters::sizes(layer.state);
  layer.sizes = {static_cast<int64_t>(sizes.particles), static_cast<int64_t>(sizes.clusters), static_cast<int64_t>(sizes.planes)};
  const auto add = [&](const StateArray& array) { views.push_back({cluster_array_name(body, array), array.row_bytes, array.data}); };
  add(sizes_array(layer));
  for (const StateArray& array : clusters::arrays(layer.state)) add(array);
}

Result<void> restore_clusters(Body& body, const io::ArrayStore& store) {
  ClusterLayer& layer = *body.clusters;
  const StateArray counts = sizes_array(layer);
  if (Result<void> copied = restore_array(store, cluster_array_name(body, counts), counts); !copied) return copied.error();
  for (const int64_t count : layer.sizes) {
    if (count < 0 || count > int64_t{1} << 28) return input_error(fmt::format("the recording is damaged: \"{}\" is too large", cluster_array_name(body, counts)));
  }
  clusters::resize(layer.model, layer.state, {static_cast<size_t>(layer.sizes[0]), static_cast<size_t>(layer.sizes[1]), static_cast<size_t>(layer.sizes[2])});
  for (const StateArray& array : clusters::arrays(layer.state)) {
    if (Result<void> copied = restore_array(store, cluster_array_name(body, array), array); !copied) return copied.error();
  }
  return clusters::restored(layer.model, layer.state);
}

}  // namespace

Result<void> restore_array(const io::ArrayStore& store, const std::string& name, const StateArray& array) {
  const auto found = store.find(name);
  if (found == store.end() || found->second.data.size() != array.data.size()) {
    return input_error(fmt::format("the recording does not fit its scene: \"{}\" is missing or of another size", name));
  }
  if (!array.all_finite(found->second.data)) return input_error(fmt::format("the recording is damaged: \"{}\" is not finite", name));
  std::memcpy(array.data.data(), found->second.data.data(), array.data.size());
  return {};
}

std::vector<io::ArrayView> layer_arrays(Body& body, Need need) {
  std::vector<io::ArrayView> views;
  for (Layer& layer : body.layers) {
    std::visit(
        [&](auto& at_work) {
          for (const StateArray& array : need == Need::Everything ? arrays(at_work.state) : shown_arrays(at_work.state)) {
            views.push_back({fmt::format("{}/{}/{}", body.description->name, method_name(at_work), array.name), array.row_bytes, array.data});
          }
        },
        layer);
  }
  if (body.pieces && need == Need::Everything) {
    for (const StateArray& array : pieces::arrays(body.pieces->state)) views.push_back({piece_array_name(body, array), array.row_bytes, array.data});
  }
  if (body.structure) {
    for (const StateArray& array : joints::arrays(body.structure->state)) views.push_back({joint_array_name(body, array), array.row_bytes, array.data});
  }
  if (body.clusters) add_cluster_arrays(body, views);
  return views;
}

Result<void> restore_layers(Body& body, const io::ArrayStore& store, Need need) {
  for (Layer& layer : body.layers) {
    Result<void> done = std::visit(
        [&](auto& at_work) -> Result<void> {
          for (const StateArray& array : need == Need::Everything ? arrays(at_work.state) : shown_arrays(at_work.state)) {
            const std::string name = fmt::format("{}/{}/{}", body.description->name, method_name(at_work), array.name);
            if (Result<void> copied = restore_array(store, name, array); !copied) return copied.error();
          }
          need == Need::Everything ? restored(at_work.model, at_work.state) : shown_restored(at_work.model, at_work.state);
          return {};
        },
        layer);
    if (!done) return done.error();
  }
  if (body.structure) {
    for (const StateArray& array : joints::arrays(body.structure->state)) {
      if (Result<void> copied = restore_array(store, joint_array_name(body, array), array); !copied) return copied.error();
    }
  }
  if (body.clusters) return restore_clusters(body, store);
  if (!body.pieces || need != Need::Everything) return {};
  for (const StateArray& array : pieces::arrays(body.pieces->state)) {
    if (Result<void> copied = restore_array(store, piece_array_name(body, array), array); !copied) return copied.error();
  }
  pieces::restored(body.pieces->model, body.pieces->state);
  return {};
}

}  // namespace crumple

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "crumple/core/bytes.h"
#include "crumple/world/body.h"

namespace crumple {
namespace {

std::string piece_array_name(const Body& body, const StateArray& array) {
  return fmt::format("{}/pieces/{}", body.description->name, array.name);
}

std::string joint_array_name(const Body& body, const StateArray& array) {
  return fmt::format("{}/joints/{}", body.description->name, array.name);
}

std::string cluster_array_name(const Body& body, std::string_view array) {
  return fmt::format("{}/clusters/{}", body.description->name, array);
}

std::vector<StateArray> cluster_arrays(ClusterLayer& layer, Need need) {
  return need == Need::Everything ? clusters::arrays(layer.state) : clusters::arrays(layer.shown);
}

void add_cluster_arrays(Body& body, Need need, std::vector<io::ArrayView>& views) {
  ClusterLayer& layer = *body.clusters;
  if (need == Need::Drawing) clusters::show(layer.model, layer.state, layer.shown);
  for (const StateArray& array : cluster_arrays(layer, need)) views.push_back({cluster_array_name(body, array.name), array.row_bytes, array.data});
}

Result<void> restore_clusters(Body& body, const io::ArrayStore& store, Need need) {
  ClusterLayer& layer = *body.clusters;
  // Their arrays grow, so the length of one says how many there are of everything. A damaged recording cannot make much room: what it claims, it holds.
  const std::vector<StateArray> ours = cluster_arrays(layer, need);
  const auto count = [&](std::string_view name) {
    const auto own = std::find_if(ours.begin(), ours.end(), [&](const StateArray& array) { return array.name == name; });
    return io::row_count(store, cluster_array_name(body, name), own->row_bytes);
  };
  const clusters::Sizes sizes = {count(need == Need::Everything ? "positions" : "fine"), count("ball"), count("planes")};
  if (need == Need::Everything) {
    clusters::resize(layer.model, layer.state, sizes);
  } else {
    clusters::resize(layer.model, layer.shown, sizes);
  }
  for (const StateArray& array : cluster_arrays(layer, need)) {
    if (Result<void> copied = restore_array(store, cluster_array_name(body, array.name), array); !copied) return copied.error();
  }
  const Result<void> done =
      need == Need::Everything ? clusters::restored(layer.model, layer.state) : clusters::shown_restored(layer.model, layer.shown, layer.state);
  if (!done) return input_error(fmt::format("\"{}\": {}", body.description->name, done.error().text));
  return {};
}

}  // namespace

Result<void> restore_array(const io::ArrayStore& store, const std::string& name, const StateArray& array) {
  const auto found = store.find(name);
  if (found == store.end() || found->second.data.size() != array.data.size()) {
    return input_error(fmt::format("the recording does not fit its scene: \"{}\" is missing or of another size", name));
  }
  if (!array.all_finite(found->second.data)) return input_error(fmt::format("the recording is damaged: \"{}\" is not finite", name));
  copy_bytes(array.data, found->second.data);
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
    for (const StateArray& array : structures::arrays(body.structure->state)) views.push_back({joint_array_name(body, array), array.row_bytes, array.data});
  }
  if (body.clusters) add_cluster_arrays(body, need, views);
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
    for (const StateArray& array : structures::arrays(body.structure->state)) {
      if (Result<void> copied = restore_array(store, joint_array_name(body, array), array); !copied) return copied.error();
    }
  }
  if (body.clusters) return restore_clusters(body, store, need);
  if (!body.pieces || need != Need::Everything) return {};
  for (const StateArray& array : pieces::arrays(body.pieces->state)) {
    if (Result<void> copied = restore_array(store, piece_array_name(body, array), array); !copied) return copied.error();
  }
  pieces::restored(body.pieces->model, body.pieces->state);
  return {};
}

}  // namespace crumple

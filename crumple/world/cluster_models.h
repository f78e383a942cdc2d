#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "crumple/methods/clusters/stored_model.h"

namespace crumple {

/// Models of soft bodies that were clustered before: recordings bring them along, because clustering again may take many times as long as drawing.
class ClusterModels {
 public:
  /// Models that cannot be read are as good as none: they are built anew.
  void read(const std::string& body, const std::filesystem::path& file);
  /// The model of a body, from what was read if that is of the same particles.
  Result<clusters::Model> model(const std::string& body, const clusters::Particles& particles, const clusters::Settings& settings) const;

 private:
  std::map<std::string, clusters::StoredModel> stored_;
};

Result<void> write_cluster_model(const clusters::Model& model, const std::filesystem::path& file);

}  // namespace crumple

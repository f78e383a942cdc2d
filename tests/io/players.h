#pragma once

// Readers of exported files, as small as they can be and apart from ours: they play what is in a file.
#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "crumple/geometry/frame.h"
#include "crumple/io/export.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf.h"

namespace crumple::io {

/// A .glb read back and played.
class Player {
 public:
  explicit Player(const std::filesystem::path& file) {
    auto read = read_gltf(file);
    if (!read) throw std::runtime_error(read.error().text);
    document_ = std::move(*read);
  }
  const Json& json() const { return document_.json; }
  const GltfDocument& document() const { return document_; }

  const Json& node(const std::string& name) const { return list("nodes").items[index_of(name)]; }
  const Json& mesh(const std::string& name) const { return list("meshes").items[whole(node(name), "mesh")]; }
  const Json& primitive(const std::string& name) const { return mesh(name).find("primitives")->items[0]; }
  size_t index_of(const std::string& name) const {
    const auto& nodes = list("nodes").items;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].find("name")->text == name) return i;
    }
    throw std::runtime_error("no node " + name);
  }

  /// The key times of a channel; none if there is no such channel.
  std::vector<float> times(const std::string& name, const std::string& path) const {
    const Json* sampler = sampler_of(name, path);
    return sampler ? floats(whole(*sampler, "input"), 1) : std::vector<float>();
  }

  std::vector<double> value(const std::string& name, const std::string& path, double time, size_t width) const {
    const Json* sampler = sampler_of(name, path);
    if (!sampler) return still_value(name, path, width);
    const std::vector<float> times = floats(whole(*sampler, "input"), 1);
    const std::vector<float> values = floats(whole(*sampler, "output"), path == "weights" ? 1 : static_cast<int>(width));
    const auto after = static_cast<size_t>(std::upper_bound(times.begin(), times.end(), static_cast<float>(time)) - times.begin());
    const size_t last = std::min(after, times.size() - 1), first = after == 0 ? 0 : after - 1;
    double share = last == first ? 0 : (time - times[first]) / (times[last] - times[first]);
    if (sampler->find("interpolation")->text == "STEP") share = 0;
    std::vector<double> result(width);
    for (size_t i = 0; i < width; ++i) result[i] = values[first * width + i] * (1 - share) + values[last * width + i] * share;
    if (path == "rotation") {
      const auto quat = [&](size_t k) { return Quat(values[k * 4 + 3], values[k * 4], values[k * 4 + 1], values[k * 4 + 2]); };
      const Quat turned = quat(first).slerp(share, quat(last));
      result = {turned.x(), turned.y(), turned.z(), turned.w()};
    }
    return result;
  }

  std::vector<double> weights(const std::string& name, double time) const {
    const Json* targets = primitive(name).find("targets");
    return targets ? value(name, "weights", time, targets->items.size()) : std::vector<double>();
  }

  /// Where the vertices of a node are.
  std::vector<Vec3> positions(const std::string& name, double time) const {
    std::vector<float> points = floats(whole(*primitive(name).find("attributes"), "POSITION"), 3);
    const std::vector<double> weight = weights(name, time);
    for (size_t t = 0; t < weight.size(); ++t) {
      if (weight[t] == 0) continue;
      const std::vector<float> moved = floats(whole(primitive(name).find("targets")->items[t], "POSITION"), 3);
      for (size_t i = 0; i < points.size(); ++i) points[i] += static_cast<float>(weight[t]) * moved[i];
    }
    const auto p = value(name, "translation", time, 3), r = value(name, "rotation", time, 4), s = value(name, "scale", time, 3);
    std::vector<Vec3> result;
    for (size_t i = 0; i < points.size(); i += 3) {
      result.push_back(Quat(r[3], r[0], r[1], r[2]) * (s[0] * Vec3(points[i], points[i + 1], points[i + 2])) + Vec3(p[0], p[1], p[2]));
    }
    return result;
  }

 private:
  const Json& list(const char* name) const { return *document_.json.find(name); }
  static size_t whole(const Json& object, const char* key) { return static_cast<size_t>(object.find(key)->number); }
  std::vector<float> floats(size_t accessor, int components) const { return *read_floats(document_, accessor, components); }
  const Json* sampler_of(const std::string& name, const std::string& path) const {
    if (!document_.json.find("animations")) return nullptr;
    const Json& animation = list("animations").items[0];
    for (const Json& channel : animation.find("channels")->items) {
      const Json& target = *channel.find("target");
      if (whole(target, "node") == index_of(name) && target.find("path")->text == path)
        return &animation.find("samplers")->items[whole(channel, "sampler")];
    }
    return nullptr;
  }
  std::vector<double> still_value(const std::string& name, const std::string& path, size_t width) const {
    std::vector<double> result(width, path == "scale" ? 1.0 : 0.0);
    if (path == "rotation") result[3] = 1;
    const Json* value = path == "weights" ? mesh(name).find("weights") : node(name).find(path);
    for (size_t i = 0; value && i < width; ++i) result[i] = value->items[i].number;
    return result;
  }
  GltfDocument document_;
};

inline std::vector<Vec3> positions_of(const FrameItem& item) {
  std::vector<Vec3> result;
  for (size_t i = 0; i < item.surface->positions.size(); ++i) {
    result.push_back(item.place * (item.positions.empty() ? item.surface->positions[i] : item.positions[i].cast<double>()));
  }
  return result;
}

inline double furthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double result = a.size() == b.size() ? 0 : 1e300;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) result = std::max(result, (a[i] - b[i]).norm());
  return result;
}

inline std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  static const std::regex number(R"(-?\d+(\.\d+)?(e[-+]?\d+)?)");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), number); found != std::sregex_iterator(); ++found) numbers.push_back(std::stod(found->str()));
  return numbers;
}

/// Samples of an attribute after a place in the text: frame and numbers. One without samples has frame 0.
inline std::map<int, std::vector<double>> samples_of(const std::string& text, const std::string& attribute, size_t from) {
  std::map<int, std::vector<double>> samples;
  const size_t at = text.find(attribute, from);
  if (at == std::string::npos) return samples;
  const size_t line = text.find('\n', at);
  const std::string first = text.substr(at + attribute.size(), line - at - attribute.size());
  if (first.find("timeSamples") == std::string::npos) {
    samples[0] = numbers_in(first);
    return samples;
  }
  const std::string block = text.substr(line, text.find("\n            }", line) < text.find("\n        }", line) ? text.find("\n            }", line) - line : text.find("\n        }", line) - line);
  std::istringstream lines(block);
  for (std::string each; std::getline(lines, each);) {
    const size_t colon = each.find(": ");
    if (colon != std::string::npos) samples[std::stoi(each)] = numbers_in(each.substr(colon));
  }
  return samples;
}

/// As a player interpolates: linearly between samples.
inline std::vector<double> at_frame(const std::map<int, std::vector<double>>& samples, int frame) {
  const auto after = samples.lower_bound(frame);
  if (after == samples.end()) return std::prev(after)->second;
  if (after->first == frame || after == samples.begin()) return after->second;
  const auto before = std::prev(after);
  std::vector<double> mixed = before->second;
  const double share = static_cast<double>(frame - before->first) / (after->first - before->first);
  for (size_t i = 0; i < mixed.size(); ++i) mixed[i] += share * (after->second[i] - mixed[i]);
  return mixed;
}

struct Cache {
  size_t vertices = 0;
  std::vector<float> times;
  std::vector<std::vector<Vec3f>> frames;
};

inline Cache read_cache(const std::filesystem::path& file, CacheKind kind) {
  const std::string bytes = *read_file(file);
  const bool biggest_first = kind == CacheKind::Mdd;
  size_t at = 0;
  const auto bits = [&] {
    uint32_t value = 0;
    for (size_t k = 0; k < 4; ++k) value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes.at(at + k))) << (8 * (biggest_first ? 3 - k : k));
    at += 4;
    return value;
  };
  const auto number = [&] { return std::bit_cast<float>(bits()); };
  Cache cache;
  size_t count = 0;
  if (kind == CacheKind::Mdd) {
    count = bits(), cache.vertices = bits();
    for (size_t k = 0; k < count; ++k) cache.times.push_back(number());
  } else {
    EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
    at = 12;
    EXPECT_EQ(bits(), 1u);
    cache.vertices = bits();
    EXPECT_EQ(number(), 0.0f);
    EXPECT_EQ(number(), 1.0f);
    count = bits();
  }
  for (size_t k = 0; k < count; ++k) {
    cache.frames.emplace_back();
    for (size_t i = 0; i < cache.vertices; ++i) {
      const float x = number(), y = number(), z = number();
      cache.frames.back().emplace_back(x, y, z);
    }
  }
  EXPECT_EQ(at, bytes.size());
  return cache;
}

inline long lines_of(const std::string& text, const std::string& begin) {
  long count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) count += line.starts_with(begin);
  return count;
}

}  // namespace crumple::io

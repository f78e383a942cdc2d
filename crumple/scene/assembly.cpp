#include "crumple/scene/assembly.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "crumple/core/suggest.h"
#include "crumple/io/node_motion.h"

namespace crumple {
namespace {

constexpr double kSameScale = 1e-4;  // tools write 0.99999994
constexpr size_t kNamesTold = 12;

/// "drum" of "drum.001", which tools make of copies.
std::string without_number(const std::string& name) {
  const size_t dot = name.rfind('.');
  const bool is_number = dot != std::string::npos && dot + 1 < name.size() && std::all_of(name.begin() + static_cast<long>(dot) + 1, name.end(), [](unsigned char c) { return std::isdigit(c); });
  return is_number ? name.substr(0, dot) : name;
}

/// Templates and their copies.
class Assembler {
 public:
  Assembler(Json& bodies, std::string where) : bodies_(bodies), where_(std::move(where)) {
    for (size_t i = 0; i < bodies.items.size(); ++i) {
      const Json* name = bodies.items[i].find("name");
      if (name && name->is_text() && index_.emplace(name->text, i).second) names_.push_back(name->text);
    }
    copies_.resize(bodies.items.size());
  }

  Result<void> add(const io::PlacedNode& node, int line) {
    const std::optional<size_t> meant = template_of(node);
    if (!node.extras.is_object() && !meant) {
      if (node.extras.is_text()) return wrong(node, fmt::format("there is no body \"{}\"{}", node.extras.text, suggestion(node.extras.text, names_)));
      unknown_.push_back(node.name);
      return {};
    }
    Json body = meant ? bodies_.items[*meant] : Json::object({});
    if (!meant) body.line = line;
    for (const char* key : {"turn", "places"}) std::erase_if(body.members, [&](const auto& member) { return member.first == key; });
    if (node.extras.is_object()) {
      for (const auto& [key, value] : node.extras.members) body[key] = value;
    }
    if (Result<void> sized = scale(node, body); !sized) return sized;
    const Quat turn(node.place.rotation);
    const Vec3& at = node.place.translation;
    body["name"] = node.name;
    body["at"] = Json::array({at.x(), at.y(), at.z()});
    body["quaternion"] = Json::array({turn.x(), turn.y(), turn.z(), turn.w()});
    (meant ? copies_[*meant] : new_).push_back(std::move(body));
    return {};
  }

  /// Writes the bodies anew.
  void finish() {
    std::vector<Json> all;
    for (size_t i = 0; i < copies_.size(); ++i) {
      if (copies_[i].empty()) copies_[i].push_back(std::move(bodies_.items[i]));
      std::move(copies_[i].begin(), copies_[i].end(), std::back_inserter(all));
    }
    std::move(new_.begin(), new_.end(), std::back_inserter(all));
    bodies_.items = std::move(all);
  }

  /// Nodes without a body; empty if there are none.
  std::string left_out(const std::string& file) const {
    std::string text;
    for (size_t i = 0; i < std::min(unknown_.size(), kNamesTold); ++i) {
      const std::string near = nearest_word(without_number(unknown_[i]), names_);
      text += fmt::format("{}\"{}\"{}", i > 0 ? ", " : "", unknown_[i], near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near));
    }
    if (unknown_.size() > kNamesTold) text += fmt::format(" and {} more", unknown_.size() - kNamesTold);
    return text.empty() ? "" : fmt::format("{}: nodes of {} that no body has the name of are left out: {}", where_, file, text);
  }

 private:
  Error wrong(const io::PlacedNode& node, const std::string& what) const { return input_error(fmt::format("{}: node \"{}\": {}", where_, node.name, what)); }

  std::optional<size_t> template_of(const io::PlacedNode& node) const {
    for (const std::string& name : {node.extras.is_text() ? node.extras.text : node.name, node.extras.is_text() ? std::string() : without_number(node.name)}) {
      if (const auto found = index_.find(name); found != index_.end()) return found->second;
    }
    return std::nullopt;
  }

  Result<void> scale(const io::PlacedNode& node, Json& body) const {
    const double size = node.scale.x();
    if (!node.is_plain) return wrong(node, "is mirrored or sheared, or has no size; apply its scale in the modelling program");
    if ((node.scale.array() - 1).abs().maxCoeff() < kSameScale) return {};
    const bool can_scale = body.find("asset") || body.find("mesh") || body.find("particles");
    if ((node.scale.array() - size).abs().maxCoeff() > kSameScale * size || !can_scale) {
      return wrong(node, can_scale ? "is scaled by different factors along its axes; a body has one \"scale\"" : "has a scale other than 1; only an asset, a mesh or particles can be scaled");
    }
    const Json* own = body.find("scale");
    const double before = own && own->is_number() ? own->number : 1;
    body["scale"] = before * size;
    return {};
  }

  Json& bodies_;
  std::string where_;
  std::map<std::string, size_t> index_;   // by name
  std::vector<std::string> names_, unknown_;
  std::vector<std::vector<Json>> copies_;  // #bodies of the document
  std::vector<Json> new_;                  // that nodes hold all of
};

}  // namespace

Result<void> assemble(Json& document, const std::filesystem::path& file, std::vector<std::string>& notes) {
  const Json* assembly = document.find("assembly");
  if (!assembly || !assembly->is_text()) return {};  // a wrong kind is told by the reader
  const std::string where = fmt::format("{}:{}: /assembly", file.string(), assembly->line), name = assembly->text;
  const int line = assembly->line;
  const std::filesystem::path path = std::filesystem::path(name).is_absolute() ? std::filesystem::path(name) : file.parent_path() / name;
  const Result<std::vector<io::PlacedNode>> nodes = io::read_placed_nodes(path);
  if (!nodes) return input_error(fmt::format("{}: {}", where, nodes.error().text));
  if (!document.find("bodies")) document["bodies"] = Json::array();
  if (!document.find("bodies")->is_array()) return {};
  Assembler assembler(*document.find("bodies"), where);
  for (const io::PlacedNode& node : *nodes) {
    if (Result<void> added = assembler.add(node, line); !added) return added;
  }
  assembler.finish();
  if (const std::string note = assembler.left_out(name); !note.empty()) notes.push_back(note);
  return {};
}

}  // namespace crumple

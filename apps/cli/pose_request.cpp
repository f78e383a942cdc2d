#include "apps/cli/pose_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "crumple/core/fields.h"
#include "crumple/core/suggest.h"
#include "crumple/io/files.h"
#include "crumple/scene/scene.h"

namespace crumple::cli {
namespace {

bool parse_number(std::string_view text, double& number) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

/// RFC 6901: '~' and '/' inside keys are escaped.
std::string pointer_part(std::string_view key) {
  std::string part;
  for (const char c : key) part += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return part;
}

/// Reads poses from JSON; the first complaint ends it.
class PoseReader {
 public:
  explicit PoseReader(std::string file) : file_(std::move(file)) {}

  Result<std::vector<PoseRequest>> read(const Json& root) {
    std::vector<PoseRequest> poses;
    const Json* list = root.is_object() ? root.find("poses") : nullptr;
    if (list) {
      check_keys(root, "", {"poses"});
      expect(*list, "/poses", Json::Kind::Array);
      if (list->is_array() && list->items.empty()) complain_at(*list, "/poses", "must not be empty");
      for (size_t i = 0; i < list->items.size() && error_.empty(); ++i) {
        poses.push_back(read_pose(list->items[i], fmt::format("/poses/{}", i)));
        exchange(list->items[i], fmt::format("/poses/{}", i), poses);
      }
    } else {
      poses.push_back(read_pose(root, ""));
    }
    if (!error_.empty()) return input_error(error_);
    return poses;
  }

 private:
  std::string where(const Json& at, const std::string& pointer) const {
    return fmt::format("{}:{}: {}", file_, at.line, pointer.empty() ? "/" : pointer);
  }

  void complain_at(const Json& at, const std::string& pointer, const std::string& what) {
    if (error_.empty()) error_ = fmt::format("{}: {}", where(at, pointer), what);
  }

  bool expect(const Json& value, const std::string& pointer, Json::Kind kind) {
    if (value.kind == kind) return true;
    complain_at(value, pointer, fmt::format("expected {}, not {}", kind_name(kind), kind_name(value.kind)));
    return false;
  }

  void check_keys(const Json& object, const std::string& pointer, const std::vector<std::string>& known) {
    for (const auto& [key, value] : object.members) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      complain_at(value, fmt::format("{}/{}", pointer, pointer_part(key)), "unknown key" + suggestion(key, known));
    }
  }

  PoseRequest read_pose(const Json& json, const std::string& pointer) {
    PoseRequest pose;
    pose.where = where(json, pointer);
    if (!expect(json, pointer, Json::Kind::Object)) return pose;
    check_keys(json, pointer,
               pointer.empty() ? std::vector<std::string>{"name", "move", "turn", "free", "stretch", "poses"}
                               : std::vector<std::string>{"name", "move", "turn", "free", "stretch", "exchange"});
    if (const Json* name = json.find("name"); name && expect(*name, pointer + "/name", Json::Kind::Text)) {
      pose.name = name->text, pose.where = where(*name, pointer + "/name");
      if (name->text.empty()) complain_at(*name, pointer + "/name", "must not be empty");
    }
    if (const Json* move = json.find("move")) pose.move = read_wishes(*move, pointer + "/move");
    if (const Json* turn = json.find("turn")) pose.turn = read_wishes(*turn, pointer + "/turn");
    if (const Json* stretch = json.find("stretch")) pose.stretch = read_wishes(*stretch, pointer + "/stretch");
    if (const Json* free = json.find("free"); free && expect(*free, pointer + "/free", Json::Kind::Array)) {
      for (size_t i = 0; i < free->items.size(); ++i) pose.free.push_back(read_free(free->items[i], fmt::format("{}/free/{}", pointer, i)));
    }
    return pose;
  }

  static std::string other_side(const std::string& name) {
    for (const auto& [one, other] : {std::pair<std::string, std::string>{"left", "right"}, {"right", "left"}, {"front", "back"}, {"back", "front"}}) {
      if (name.starts_with(one)) return other + name.substr(one.size());
    }
    return name;
  }

  /// The last pose takes over what another one does, with sides exchanged; what it says itself comes on top.
  void exchange(const Json& json, const std::string& pointer, std::vector<PoseRequest>& poses) {
    const Json* from = json.is_object() ? json.find("exchange") : nullptr;
    if (!from || !expect(*from, pointer + "/exchange", Json::Kind::Text)) return;
    const auto found = std::find_if(poses.begin(), poses.end() - 1, [&](const PoseRequest& other) { return other.name == from->text; });
    if (found == poses.end() - 1) return complain_at(*from, pointer + "/exchange", fmt::format("there is no pose \"{}\" before it", from->text));
    for (const auto list : {&PoseRequest::move, &PoseRequest::turn, &PoseRequest::free, &PoseRequest::stretch}) {
      for (HandleWish wish : (*found).*list) {
        wish.handle = other_side(wish.handle);
        const auto is_same = [&](const HandleWish& own) { return own.handle == wish.handle; };
        std::vector<HandleWish>& own = poses.back().*list;
        if (std::none_of(own.begin(), own.end(), is_same)) own.push_back(wish);
      }
    }
  }

  std::vector<HandleWish> read_wishes(const Json& object, const std::string& pointer) {
    std::vector<HandleWish> wishes;
    if (!expect(object, pointer, Json::Kind::Object)) return wishes;
    for (const auto& [handle, values] : object.members) {
      const std::string here = fmt::format("{}/{}", pointer, pointer_part(handle));
      HandleWish wish{handle, Vec3::Zero(), where(values, here), {}};
      if (values.is_number() && pointer.ends_with("/turn")) {  // about z
        wish.values.z() = values.number;
        wish.not_of_solids = "expected an array, not a number";
        wishes.push_back(std::move(wish));
        continue;
      }
      if (!expect(values, here, Json::Kind::Array)) return wishes;
      if (values.items.size() != 3 && values.items.size() != 2) complain_at(values, here, fmt::format("expected 3 numbers, not {}", values.items.size()));
      if (values.items.size() == 2) wish.not_of_solids = "expected 3 numbers, not 2";
      for (size_t i = 0; i < values.items.size() && error_.empty(); ++i) {
        if (expect(values.items[i], fmt::format("{}/{}", here, i), Json::Kind::Number)) wish.values[static_cast<int>(i)] = values.items[i].number;
      }
      wishes.push_back(std::move(wish));
    }
    return wishes;
  }

  HandleWish read_free(const Json& value, const std::string& pointer) {
    HandleWish wish{value.text, Vec3::Zero(), where(value, pointer), {}};
    if (value.is_number()) {
      wish.handle = fmt::format("{}", value.number);
    } else {
      expect(value, pointer, Json::Kind::Text);
    }
    return wish;
  }

  std::string file_, error_;
};

/// A handle by name, or else by number.
Result<int> find_handle(const Asset& asset, const HandleWish& wish) {
  if (!asset.flat && !wish.not_of_solids.empty()) return input_error(fmt::format("{}: {}", wish.where, wish.not_of_solids));
  std::vector<std::string> names;
  std::vector<int> found;
  for (size_t b = 0; b < asset.handles.size(); ++b) {
    names.push_back(asset.handles[b].name);
    if (names.back() == wish.handle) found.push_back(static_cast<int>(b));
  }
  if (found.size() > 1)
    return input_error(fmt::format("{}: {} handles are called \"{}\"; use a number such as {}", wish.where, found.size(), wish.handle, found[0]));
  if (found.size() == 1) return found[0];
  const int count = static_cast<int>(asset.handles.size());
  int number = -1;
  const char* end = wish.handle.data() + wish.handle.size();
  const auto [stop, trouble] = std::from_chars(wish.handle.data(), end, number);
  const bool is_number = !wish.handle.empty() && stop == end && trouble != std::errc::invalid_argument;
  if (is_number && trouble == std::errc() && number >= 0 && number < count) return number;
  if (is_number) return input_error(fmt::format("{}: there is no handle {}; they are numbered 0 to {}", wish.where, wish.handle, count - 1));
  return input_error(fmt::format("{}: there is no handle \"{}\"{}", wish.where, wish.handle,
                                 suggestion(wish.handle, names, "; 'crumple info' lists them")));
}

bool all_within(const Vec3& values, double limit) {
  return values.cwiseAbs().maxCoeff() <= limit;  // false for NaN
}

}  // namespace

Result<HandleWish> parse_wish(std::string_view option, const std::string& text) {
  HandleWish wish;
  wish.where = fmt::format("{} {}", option, text);
  const size_t split = text.rfind('=');
  const std::string expected = "expected a handle and three finite numbers such as 3=0.1,0,-0.2";
  const Error wrong = input_error(fmt::format("{}: {}", wish.where, expected));
  if (split == std::string::npos || split == 0) return wrong;
  wish.handle = text.substr(0, split);
  std::string_view rest = std::string_view(text).substr(split + 1);
  for (int i = 0; i < 3; ++i) {
    const size_t comma = rest.find(',');
    if (i == 2 && rest.empty()) {
      wish.not_of_solids = expected;
      break;
    }
    if ((comma == std::string_view::npos && i == 0) || (comma != std::string_view::npos && i == 2) || !parse_number(rest.substr(0, comma), wish.values[i])) return wrong;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return wish;
}

Result<std::vector<PoseRequest>> read_pose_file(const std::string& file) {
  const Result<std::string> text = io::read_file(file);
  if (!text) return text.error();
  const Result<Json> json = parse_json(*text, file);
  if (!json) return json.error();
  return PoseReader(file).read(*json);
}

Result<std::vector<PoseGoal>> goals_of(const Asset& asset, const PoseRequest& request) {
  std::vector<PoseGoal> goals(asset.handles.size());
  std::vector<char> moved(goals.size(), 0), named(goals.size(), 0);
  for (size_t b = 0; b < goals.size(); ++b) goals[b].handle = static_cast<int>(b);
  for (const HandleWish& wish : request.move) {
    const Result<int> handle = find_handle(asset, wish);
    if (!handle) return handle.error();
    const auto b = static_cast<size_t>(*handle);
    if (moved[b]) return input_error(fmt::format("{}: handle {} is moved twice", wish.where, b));
    goals[b].move = wish.values, moved[b] = named[b] = 1;
    if (const Result<void> sound = check_goals(asset, {&goals[b], 1}); !sound)
      return input_error(fmt::format("{}: {}", wish.where, sound.error().text));
  }
  for (const HandleWish& wish : request.turn) {
    const Result<int> handle = find_handle(asset, wish);
    if (!handle) return handle.error();
    const auto b = static_cast<size_t>(*handle);
    if (goals[b].turn) return input_error(fmt::format("{}: handle {} is turned twice", wish.where, b));
    if (!all_within(wish.values, 360)) return input_error(fmt::format("{}: a turn is in degrees, between -360 and 360", wish.where));
    goals[b].turn = Quat(rotation_from_degrees(wish.values)), named[b] = 1;
  }
  for (const HandleWish& wish : request.free) {
    const Result<int> handle = find_handle(asset, wish);
    if (!handle) return handle.error();
    const auto b = static_cast<size_t>(*handle);
    if (moved[b]) return input_error(fmt::format("{}: handle {} cannot be moved and free at once", wish.where, b));
    goals[b].free = true, named[b] = 1;
  }
  if (request.move.empty() && request.turn.empty() && request.stretch.empty())
    return input_error(fmt::format("{}: nothing moves; a pose needs at least one handle that moves or turns", request.where));
  std::vector<PoseGoal> result;
  for (size_t b = 0; b < goals.size(); ++b) {
    if (named[b]) result.push_back(goals[b]);
  }
  return result;
}

Result<std::vector<std::pair<int, Mat3>>> stretches_of(const Asset& asset, const PoseRequest& request) {
  std::vector<std::pair<int, Mat3>> stretches;
  for (const HandleWish& wish : request.stretch) {
    const Result<int> handle = find_handle(asset, wish);
    if (!handle) return handle.error();
    if (!asset.flat) return input_error(fmt::format("{}: only handles of drawings stretch; move the handles of a solid", wish.where));
    if (!(wish.values.head<2>().minCoeff() >= 0.05 && wish.values.head<2>().maxCoeff() <= 20)) return input_error(fmt::format("{}: factors of a stretch are between 0.05 and 20", wish.where));
    Mat3 stretch = Mat3::Identity();
    stretch.diagonal().head<2>() = wish.values.head<2>();
    stretches.emplace_back(*handle, stretch);
  }
  return stretches;
}

Result<void> check_pose_name(const Asset& asset, const PoseRequest& request) {
  const std::string& name = request.name;
  if (name.empty()) return input_error(fmt::format("{}: the pose needs a name; give it with --name", request.where));
  if (name.size() > 100 || std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; })) {
    return input_error(fmt::format("{}: a pose's name has at most 100 printable characters", request.where));
  }
  if (name == "rest" || name == asset.examples[0].name)
    return input_error(fmt::format("{}: \"{}\" is the name of the rest pose, which stays as it is", request.where, name));
  return {};
}

std::string handle_text(const Asset& asset, size_t handle) {
  Vec3 at = asset.handles[handle].position;
  const double noise = 1e-7 * diagonal_of(asset);
  for (double& each : at) each = std::abs(each) < noise ? 0 : each;
  return fmt::format("{:<4} {:<20} at {:.4g}, {:.4g}, {:.4g}", handle, asset.handles[handle].name, at.x(), at.y(), at.z());
}

}  // namespace crumple::cli

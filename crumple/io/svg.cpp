#include "crumple/io/svg.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <expat.h>
#include <fmt/format.h>

#include "crumple/io/files.h"

namespace crumple::io {
namespace {

constexpr double kCurveTolerance = 0.05;  // units of the drawing
constexpr size_t kMaxDepth = 200, kMaxShapes = 100000, kMaxPoints = 4000000;
constexpr double kFarthest = 1e9;  // units of the drawing

using Attributes = std::map<std::string, std::string>;

/// The first number of a text, and what is behind it. Units are pixels.
std::optional<double> number_of(std::string_view text, std::string_view* rest = nullptr) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || std::abs(value) > kFarthest) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (rest) {
    *rest = text;
  } else if (text.starts_with('%')) {
    value /= 100;
  }
  return value;
}

/// All numbers of a text; nothing if there is anything else in it.
std::optional<std::vector<double>> numbers_of(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.front())) || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) return numbers;
    const std::optional<double> value = number_of(text, &text);
    if (!value) return {};
    numbers.push_back(*value);
  }
}

/// "translate(3, 4) rotate(30)"; nothing if it is damaged.
std::optional<Eigen::Affine2d> transform_of(std::string_view text) {
  Eigen::Affine2d all = Eigen::Affine2d::Identity();
  while (true) {
    while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.front())) || text.front() == ',')) text.remove_prefix(1);
    if (text.empty()) return all;
    const size_t open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    std::string_view name = text.substr(0, open);
    while (name.ends_with(' ')) name.remove_suffix(1);
    const std::optional<std::vector<double>> numbers = numbers_of(text.substr(open + 1, close - open - 1));
    if (!numbers) return {};
    const std::vector<double>& n = *numbers;
    Eigen::Affine2d one = Eigen::Affine2d::Identity();
    if (name == "translate" && !n.empty()) {
      one.translate(Vec2(n[0], n.size() > 1 ? n[1] : 0));
    } else if (name == "scale" && !n.empty()) {
      one.scale(Vec2(n[0], n.size() > 1 ? n[1] : n[0]));
    } else if (name == "rotate" && !n.empty()) {
      const Vec2 about = n.size() > 2 ? Vec2(n[1], n[2]) : Vec2(0, 0);
      one.translate(about).rotate(n[0] * std::numbers::pi / 180).translate(-about);
    } else if (name == "matrix" && n.size() == 6) {
      one.matrix() << n[0], n[2], n[4], n[1], n[3], n[5], 0, 0, 1;
    } else {
      return {};
    }
    all = all * one;
    text.remove_prefix(close + 1);
  }
}

std::optional<Eigen::Vector4f> color_of(std::string_view text) {
  const auto digit = [&](size_t i) { return std::isdigit(static_cast<unsigned char>(text[i])) ? text[i] - '0' : (text[i] | 32) - 'a' + 10; };
  const bool is_hex = text.starts_with('#') && std::all_of(text.begin() + 1, text.end(), [](char c) { return std::isxdigit(static_cast<unsigned char>(c)); });
  if (is_hex && text.size() == 4) return Eigen::Vector4f(static_cast<float>(digit(1)) / 15, static_cast<float>(digit(2)) / 15, static_cast<float>(digit(3)) / 15, 1);
  if (is_hex && text.size() == 7) {
    const auto pair = [&](size_t i) { return static_cast<float>(16 * digit(i) + digit(i + 1)) / 255; };
    return Eigen::Vector4f(pair(1), pair(3), pair(5), 1);
  }
  if (text.starts_with("rgb(")) {
    const std::optional<std::vector<double>> n = numbers_of(text.substr(4, text.find(')') - 4));
    const auto share = [&](size_t i) { return static_cast<float>(std::clamp((*n)[i] / 255, 0.0, 1.0)); };
    if (n && n->size() == 3) return Eigen::Vector4f(share(0), share(1), share(2), 1);
  }
  static constexpr std::pair<std::string_view, uint32_t> kNames[] = {{"black", 0}, {"white", 0xFFFFFF}, {"red", 0xFF0000}, {"green", 0x008000}, {"blue", 0x0000FF}, {"yellow", 0xFFFF00}, {"orange", 0xFFA500}, {"gray", 0x808080}, {"grey", 0x808080}, {"brown", 0xA52A2A}, {"purple", 0x800080}, {"pink", 0xFFC0CB}};
  for (const auto& [name, code] : kNames) {
    if (text == name) return Eigen::Vector4f(static_cast<float>(code >> 16) / 255, static_cast<float>(code >> 8 & 255) / 255, static_cast<float>(code & 255) / 255, 1);
  }
  return {};
}

struct Gradient {
  bool is_radial = false, is_of_box = true;
  Vec2 from = Vec2(0, 0), to = Vec2(1, 0);  // of a line
  Vec2 center = Vec2(0.5, 0.5);
  double radius = 0.5;
  std::vector<VectorPaint::Stop> stops;
};

/// What a group hands down to what is in it.
struct Style {
  std::string fill = "black", stroke = "none";
  double fill_opacity = 1, stroke_opacity = 1, opacity = 1, width = 1;
  bool even_odd = false;
  VectorShape::Join join = VectorShape::Join::Miter;
  VectorShape::Cap cap = VectorShape::Cap::Butt;
  Eigen::Affine2d place = Eigen::Affine2d::Identity();
  bool is_rig = false, is_hidden = false;
  int layer = 0;
};

class SvgReader {
 public:
  explicit SvgReader(std::string_view file) : file_(file) {}

  Result<VectorDrawing> read(std::string_view text) {
    XML_Parser parser = XML_ParserCreate(nullptr);
    parser_ = parser;
    XML_SetUserData(parser, this);
    XML_SetElementHandler(
        parser, [](void* self, const char* name, const char** attributes) { static_cast<SvgReader*>(self)->begin(name, attributes); },
        [](void* self, const char* name) { static_cast<SvgReader*>(self)->end(name); });
    // Entities can be made to grow without end, and drawings need none.
    XML_SetEntityDeclHandler(parser, [](void* self, const char*, int, const char*, int, const char*, const char*, const char*, const char*) {
      static_cast<SvgReader*>(self)->stop("declares entities; save it without them");
    });
    const bool is_fine = XML_Parse(parser, text.data(), static_cast<int>(std::min<size_t>(text.size(), 1u << 30)), 1) == XML_STATUS_OK;
    const unsigned long line = XML_GetCurrentLineNumber(parser);
    const std::string why = is_fine ? "" : XML_ErrorString(XML_GetErrorCode(parser));
    XML_ParserFree(parser);
    if (!error_.empty()) return input_error(fmt::format("{}:{}: {}", file_, error_line_, error_));
    if (!is_fine) return input_error(fmt::format("{}:{}: is no valid SVG: {}", file_, line, why));
    if (!has_svg_) return input_error(fmt::format("{}: has no <svg> element", file_));
    for (PendingShape& pending : pending_) finish(pending);
    if (drawing_.layers.empty()) drawing_.layers.push_back("drawing");
    drawing_.notes.assign(notes_.begin(), notes_.end());
    return std::move(drawing_);
  }

 private:
  struct PendingShape {
    VectorShape shape;
    Style style;
  };

  void stop(const std::string& what) {
    if (!error_.empty()) return;
    error_ = what, error_line_ = XML_GetCurrentLineNumber(parser_);
    XML_StopParser(parser_, XML_FALSE);
  }
  static const std::string* find(const Attributes& a, const char* key) {
    const auto found = a.find(key);
    return found == a.end() ? nullptr : &found->second;
  }
  double number(const Attributes& a, const char* key, double otherwise) {
    const std::string* text = find(a, key);
    if (!text) return otherwise;
    const std::optional<double> value = number_of(*text);
    if (!value) stop(fmt::format("{}=\"{}\" is not a number", key, *text));
    return value.value_or(otherwise);
  }
  double share(const Attributes& a, const char* key, double otherwise) { return std::clamp(number(a, key, otherwise), 0.0, 1.0); }
  std::vector<double> numbers(const Attributes& a, const char* key) {
    const std::string* text = find(a, key);
    if (!text) return {};
    const std::optional<std::vector<double>> all = numbers_of(*text);
    if (!all) stop(fmt::format("{}=\"{}\" has something in it that is not a number", key, *text));
    return all.value_or(std::vector<double>());
  }

  void begin(std::string_view name, const char** given) {
    if (const size_t colon = name.find(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
    Attributes a;
    for (; *given; given += 2) a[given[0]] = given[1];
    if (styles_.size() > kMaxDepth) return stop("its groups are nested too deeply");
    Style style = styles_.empty() ? Style() : styles_.back();
    if (find(a, "style")) notes_.insert("style attributes: use plain attributes such as fill=\"...\"");
    read_style(a, style);
    if (name == "svg" && !has_svg_) {
      open(a, style);
    } else if (name == "g" || name == "svg" || name == "a") {
      open_group(a, style);
    } else if (name == "defs" || name == "title" || name == "desc" || name == "metadata" || name == "namedview") {
      style.is_hidden = true;
    } else if (name == "clipPath" || name == "mask" || name == "pattern" || name == "symbol" || name == "marker") {
      if (!style.is_hidden) notes_.insert(fmt::format("<{}>", name));
      style.is_hidden = true;
    } else if (name == "linearGradient" || name == "radialGradient") {
      open_gradient(name, a);
    } else if (name == "stop") {
      add_stop(a);
    } else if (!style.is_hidden) {
      style.is_rig ? add_mark(name, a, style) : add_shape(name, a, style);
    }
    styles_.push_back(style);
  }
  void end(std::string_view name) {
    if (!styles_.empty()) styles_.pop_back();
    if (name.ends_with("Gradient")) gradient_ = nullptr;
  }

  void open(const Attributes& a, Style& style) {
    has_svg_ = true;
    const std::vector<double> box = numbers(a, "viewBox");
    const bool has_box = box.size() == 4 && box[2] > 0 && box[3] > 0;
    drawing_.width = has_box ? box[2] : number(a, "width", 0), drawing_.height = has_box ? box[3] : number(a, "height", 0);
    if (!(drawing_.width > 0) || !(drawing_.height > 0) || drawing_.width > 1e6 || drawing_.height > 1e6) return stop("needs a size: viewBox=\"0 0 WIDTH HEIGHT\"");
    if (has_box) style.place.translate(Vec2(-box[0], -box[1]));
  }

  void open_group(const Attributes& a, Style& style) {
    const std::string* id = find(a, "id");
    if (!id) return;
    if (*id == "rig") style.is_rig = true;
    if (styles_.size() == 1 && id->starts_with("layer-")) {
      style.layer = static_cast<int>(drawing_.layers.size());
      drawing_.layers.push_back(id->substr(6));
    }
  }

  void read_style(const Attributes& a, Style& style) {
    if (const std::string* text = find(a, "fill")) style.fill = *text;
    if (const std::string* text = find(a, "stroke")) style.stroke = *text;
    if (const std::string* text = find(a, "fill-rule")) style.even_odd = *text == "evenodd";
    if (const std::string* text = find(a, "stroke-linejoin")) style.join = *text == "round" ? VectorShape::Join::Round : *text == "bevel" ? VectorShape::Join::Bevel : VectorShape::Join::Miter;
    if (const std::string* text = find(a, "stroke-linecap")) style.cap = *text == "round" ? VectorShape::Cap::Round : *text == "square" ? VectorShape::Cap::Square : VectorShape::Cap::Butt;
    if (const std::string* text = find(a, "display"); text && *text == "none") style.is_hidden = true;
    style.width = number(a, "stroke-width", style.width);
    style.fill_opacity = share(a, "fill-opacity", style.fill_opacity), style.stroke_opacity = share(a, "stroke-opacity", style.stroke_opacity);
    style.opacity *= share(a, "opacity", 1);
    const std::string* transform = find(a, "transform");
    if (!transform) return;
    const std::optional<Eigen::Affine2d> place = transform_of(*transform);
    if (!place) return stop(fmt::format("transform=\"{}\" cannot be read", *transform));
    style.place = style.place * *place;
    if (!(style.place.matrix().cwiseAbs().maxCoeff() <= kFarthest)) stop(fmt::format("transform=\"{}\" makes it too large", *transform));
  }

  void open_gradient(std::string_view name, const Attributes& a) {
    if (!find(a, "id")) return;
    gradient_ = &gradients_[*find(a, "id")];
    gradient_->is_radial = name == "radialGradient";
    gradient_->is_of_box = !(find(a, "gradientUnits") && *find(a, "gradientUnits") == "userSpaceOnUse");
    gradient_->from = {number(a, "x1", 0), number(a, "y1", 0)}, gradient_->to = {number(a, "x2", 1), number(a, "y2", 0)};
    gradient_->center = {number(a, "cx", 0.5), number(a, "cy", 0.5)}, gradient_->radius = number(a, "r", 0.5);
    if (find(a, "gradientTransform") || find(a, "href") || find(a, "xlink:href")) notes_.insert("transforms and references of gradients");
  }
  void add_stop(const Attributes& a) {
    if (!gradient_) return;
    VectorPaint::Stop one;
    one.offset = share(a, "offset", 0);
    one.color = color(find(a, "stop-color") ? *find(a, "stop-color") : "black");
    one.color[3] *= static_cast<float>(share(a, "stop-opacity", 1));
    if (!gradient_->stops.empty()) one.offset = std::max(one.offset, gradient_->stops.back().offset);
    gradient_->stops.push_back(one);
  }

  void add_mark(std::string_view name, const Attributes& a, const Style& style) {
    const std::string* id = find(a, "id");
    if (!id) return;
    RigMark mark;
    const auto is = [&](std::string_view prefix, RigMark::Kind kind) {
      if (!id->starts_with(prefix) || id->size() == prefix.size()) return false;
      mark.kind = kind, mark.name = id->substr(prefix.size());
      return true;
    };
    if (name == "circle" && (is("handle-", RigMark::Kind::Handle) || is("pin-", RigMark::Kind::Pin))) {
      mark.at = mark.to = style.place * Vec2(number(a, "cx", 0), number(a, "cy", 0));
    } else if (name == "line" && is("bone-", RigMark::Kind::Bone)) {
      mark.at = style.place * Vec2(number(a, "x1", 0), number(a, "y1", 0)), mark.to = style.place * Vec2(number(a, "x2", 0), number(a, "y2", 0));
    } else {
      return stop(fmt::format("<{} id=\"{}\"> in the rig is neither a circle \"handle-NAME\" or \"pin-NAME\" nor a line \"bone-NAME\"", name, *id));
    }
    if (const std::string* layer = find(a, "data-layer")) mark.layer = *layer;
    if (const std::string* to = find(a, "data-to")) mark.pinned_to = *to;
    drawing_.marks.push_back(mark);
  }

  void add_ellipse(const Vec2& center, const Vec2& radii, std::vector<VectorShape::Line>& lines) {
    if (!(radii.minCoeff() > 0)) return;
    const int count = std::clamp(static_cast<int>(std::ceil(std::numbers::pi * std::sqrt(radii.maxCoeff() / (2 * kCurveTolerance)))), 12, 400);
    VectorShape::Line line{{}, true};
    for (int k = 0; k < count; ++k) {
      const double angle = 2 * std::numbers::pi * k / count;
      line.points.push_back(center + radii.cwiseProduct(Vec2(std::cos(angle), std::sin(angle))));
    }
    lines.push_back(std::move(line));
  }

  Result<std::vector<VectorShape::Line>> lines_of(std::string_view name, const Attributes& a) {
    std::vector<VectorShape::Line> lines;
    if (name == "path") {
      const std::string* data = find(a, "d");
      return data ? parse_svg_path(*data, kCurveTolerance) : lines;
    }
    if (name == "polygon" || name == "polyline") {
      const std::vector<double> n = numbers(a, "points");
      VectorShape::Line line{{}, name == "polygon"};
      for (size_t i = 0; i + 1 < n.size(); i += 2) line.points.emplace_back(n[i], n[i + 1]);
      lines.push_back(std::move(line));
    } else if (name == "circle") {
      add_ellipse({number(a, "cx", 0), number(a, "cy", 0)}, Vec2::Constant(number(a, "r", 0)), lines);
    } else if (name == "ellipse") {
      add_ellipse({number(a, "cx", 0), number(a, "cy", 0)}, {number(a, "rx", 0), number(a, "ry", 0)}, lines);
    } else if (name == "line") {
      lines.push_back({{{number(a, "x1", 0), number(a, "y1", 0)}, {number(a, "x2", 0), number(a, "y2", 0)}}, false});
    } else if (name == "rect") {
      const double x = number(a, "x", 0), y = number(a, "y", 0), w = number(a, "width", 0), h = number(a, "height", 0);
      double rx = number(a, "rx", find(a, "ry") ? number(a, "ry", 0) : 0), ry = number(a, "ry", rx);
      rx = std::min(std::abs(rx), 0.5 * w), ry = std::min(std::abs(ry), 0.5 * h);
      if (!(w > 0 && h > 0)) return lines;
      if (!(rx > 0 && ry > 0)) {
        lines.push_back({{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, true});
        return lines;
      }
      return parse_svg_path(fmt::format("M{0} {1}H{2}A{6} {7} 0 0 1 {3} {4}V{5}A{6} {7} 0 0 1 {2} {8}H{0}A{6} {7} 0 0 1 {9} {5}V{4}A{6} {7} 0 0 1 {0} {1}Z", x + rx, y, x + w - rx, x + w, y + ry,
                                        y + h - ry, rx, ry, y + h, x),
                            kCurveTolerance);
    } else {
      notes_.insert(fmt::format("<{}>", name));
    }
    return lines;
  }

  void add_shape(std::string_view name, const Attributes& a, const Style& style) {
    Result<std::vector<VectorShape::Line>> lines = lines_of(name, a);
    if (!lines) return stop(lines.error().text);
    if (lines->empty()) return;
    if (pending_.size() >= kMaxShapes) return stop(fmt::format("has more than {} shapes", kMaxShapes));
    for (const VectorShape::Line& line : *lines) points_ += line.points.size();
    if (points_ > kMaxPoints) return stop(fmt::format("has more than {} million points", kMaxPoints / 1000000));
    PendingShape pending;
    pending.shape.lines = std::move(*lines), pending.style = style;
    pending_.push_back(std::move(pending));
  }

  Eigen::Vector4f color(const std::string& text) {
    const std::optional<Eigen::Vector4f> color = color_of(text);
    if (!color) notes_.insert(fmt::format("the colour \"{}\"", text));
    return color.value_or(Eigen::Vector4f(0, 0, 0, 1));
  }

  /// Gradients may be defined after they are used.
  VectorPaint paint_of(const std::string& text, double opacity, const PendingShape& pending) {
    VectorPaint paint;
    if (text == "none" || text == "transparent") return paint;
    if (!text.starts_with("url(")) {
      paint.kind = VectorPaint::Kind::Color, paint.color = color(text);
      paint.color[3] *= static_cast<float>(opacity);
      return paint;
    }
    std::string id = text.substr(4, text.find(')') - 4);
    std::erase_if(id, [](char c) { return c == '#' || c == '"' || c == '\'' || c == ' '; });
    const auto found = gradients_.find(id);
    if (found == gradients_.end() || found->second.stops.empty()) {
      notes_.insert(fmt::format("the paint \"{}\"", id));
      return paint;
    }
    const Gradient& gradient = found->second;
    Eigen::Affine2d to_user = pending.style.place;
    if (gradient.is_of_box) {
      Vec2 low = Vec2::Constant(1e300), high = -low;
      for (const VectorShape::Line& line : pending.shape.lines) {
        for (const Vec2& p : line.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
      }
      to_user = to_user * Eigen::Translation2d(low) * Eigen::Scaling(Vec2((high - low).cwiseMax(1e-9)));
    }
    paint.kind = gradient.is_radial ? VectorPaint::Kind::Radial : VectorPaint::Kind::Linear;
    Eigen::Affine2d from_unit = Eigen::Affine2d::Identity();  // of the gradient: x along the line, or the unit circle
    if (gradient.is_radial) {
      from_unit.translate(gradient.center).scale(std::max(gradient.radius, 1e-9));
    } else {
      const Vec2 along = gradient.to - gradient.from;
      from_unit.matrix() << along.x(), -along.y(), gradient.from.x(), along.y(), along.x(), gradient.from.y(), 0, 0, 1;
      if (!(along.norm() > 1e-12)) from_unit.linear() = 1e-9 * Eigen::Matrix2d::Identity();
    }
    paint.to_gradient = (to_user * from_unit).inverse();
    paint.stops = gradient.stops;
    for (VectorPaint::Stop& stop : paint.stops) stop.color[3] *= static_cast<float>(opacity);
    return paint;
  }

  void finish(PendingShape& pending) {
    VectorShape& shape = pending.shape;
    const Style& style = pending.style;
    shape.fill = paint_of(style.fill, style.opacity * style.fill_opacity, pending);
    shape.stroke = paint_of(style.stroke, style.opacity * style.stroke_opacity, pending);
    shape.even_odd = style.even_odd, shape.join = style.join, shape.cap = style.cap, shape.layer = style.layer;
    shape.width = style.width * std::sqrt(std::abs(style.place.linear().determinant()));
    for (VectorShape::Line& line : shape.lines) {
      for (Vec2& p : line.points) p = style.place * p;
    }
    drawing_.shapes.push_back(std::move(shape));
  }

  std::string file_;
  XML_Parser parser_ = nullptr;
  std::string error_;
  unsigned long error_line_ = 0;
  size_t points_ = 0;
  VectorDrawing drawing_;
  std::vector<Style> styles_;
  std::vector<PendingShape> pending_;
  std::map<std::string, Gradient> gradients_;
  Gradient* gradient_ = nullptr;
  std::set<std::string> notes_;
  bool has_svg_ = false;
};

}  // namespace

Result<VectorDrawing> parse_svg(std::string_view text, std::string_view file) {
  return SvgReader(file).read(text);
}

Result<VectorDrawing> read_svg(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return parse_svg(*text, file.string());
}

}  // namespace crumple::io

// USD as text: a transform and a mesh for each thing, with samples where something changes.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/geometry/shading.h"
#include "crumple/io/export.h"
#include "crumple/io/export_check.h"
#include "crumple/io/files.h"
#include "crumple/io/spool.h"
#include "crumple/io/usd_materials.h"

namespace crumple::io {
namespace {

constexpr size_t kMaxThings = 20000;

/// Values of an attribute, as text, by frame.
struct Attribute {
  struct Sample {
    int frame;
    Spool::Range text;
  };
  std::vector<Sample> samples;
};

/// Places by frame: a sample where one changes, and one before, so that nothing creeps there.
struct Places {
  std::vector<std::pair<int, Transform>> samples;

  void add(int frame, const Transform& place) {
    if (!samples.empty()) {
      const auto [last_frame, last] = samples.back();
      if (last.rotation == place.rotation && last.translation == place.translation) return;
      if (last_frame < frame - 1) samples.emplace_back(frame - 1, last);
    }
    samples.emplace_back(frame, place);
  }
};

/// One item through all frames. Its triangles may change.
struct Thing {
  std::string prim, name;
  int body = -1, piece = 0;
  std::shared_ptr<const TriMesh> surface;
  std::unique_ptr<Shading> shading;  // of the surface
  Appearance look;
  std::vector<Vec3f> points;         // in the last frame it was seen in
  bool is_moving = false;            // its shape changed in that frame
  bool is_first = false;             // the last sample of its shape has no velocity yet
  Attribute counts, indices, uvs, colors;                // change with the triangles
  std::map<std::string, Attribute> subsets;              // by material: faces
  Attribute shapes, normals, velocities;                 // change with the shape
  Places places;
  std::vector<std::pair<int, bool>> seen;  // changes
  int last_seen = -1;
  Bounds extent;
};

/// "[(1, 2, 3), ...]": with digits as many as `format` says.
template <class Row>
std::string rows_text(const std::vector<Row>& rows, fmt::string_view number) {
  std::string text = "[";
  const auto out = std::back_inserter(text);
  for (size_t i = 0; i < rows.size(); ++i) {
    text += i ? ", (" : "(";
    for (int c = 0; c < Row::RowsAtCompileTime; ++c) {
      if (c) text += ", ";
      fmt::format_to(out, fmt::runtime(number), rows[i][c]);
    }
    text += ')';
  }
  return text + "]";
}

std::string numbers_text(const std::vector<int>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

/// Rows of numbers: USD multiplies from the left.
std::string matrix_text(const Transform& place) {
  const Mat3& r = place.rotation;
  const Vec3& t = place.translation;
  return fmt::format("( ({:.9g}, {:.9g}, {:.9g}, 0), ({:.9g}, {:.9g}, {:.9g}, 0), ({:.9g}, {:.9g}, {:.9g}, 0), ({:.9g}, {:.9g}, {:.9g}, 1) )", r(0, 0), r(1, 0), r(2, 0), r(0, 1), r(1, 1), r(2, 1),
                     r(0, 2), r(1, 2), r(2, 2), t.x(), t.y(), t.z());
}

std::string places_text(const Places& places) {
  std::string text;
  if (places.samples.size() == 1) {
    text = fmt::format("        matrix4d xformOp:transform = {}\n", matrix_text(places.samples[0].second));
  } else {
    text = "        matrix4d xformOp:transform.timeSamples = {\n";
    for (const auto& [frame, place] : places.samples) fmt::format_to(std::back_inserter(text), "            {}: {},\n", frame, matrix_text(place));
    text += "        }\n";
  }
  return text + "        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n";
}

class UsdScene {
 public:
  UsdScene(const ExportSettings& settings, const std::filesystem::path& file) : settings_(settings), materials_(file) {}

  Result<void> add(const Frame& frame, int index);
  Result<void> write(AtomicFile& out, int frames);
  Result<void> write_pictures() const { return materials_.write_pictures(); }
  ExportReport report() const;

 private:
  Result<size_t> thing_of(const FrameItem& item, const std::set<const TriMesh*>& present, int index, int number);
  Result<void> add_sample(Attribute& attribute, int frame, const std::string& text);
  Result<void> take_surface(Thing& thing, const FrameItem& item, int index);
  Result<void> follow_shape(Thing& thing, const FrameItem& item, int index, double elapsed);
  Result<void> add_shape(Thing& thing, int frame, const std::vector<Vec3f>& velocities);
  Result<void> write_attribute(AtomicFile& out, const std::string& name, const Attribute& attribute, const char* suffix = "");
  Result<void> write_bindings(AtomicFile& out, const Thing& thing);
  Result<void> write_thing(AtomicFile& out, const Thing& thing);
  std::string camera_text() const;
  std::string light_text() const;

  const ExportSettings& settings_;
  UsdMaterials materials_;
  Spool spool_;
  std::set<std::string> names_;
  std::vector<Thing> things_;
  std::map<std::string, std::vector<size_t>> by_name_;
  double last_time_ = 0;
  bool lost_tint_ = false;
};

/// An item is known by its name and surface. One whose triangles changed is the one of that name whose own triangles are gone.
Result<size_t> UsdScene::thing_of(const FrameItem& item, const std::set<const TriMesh*>& present, int index, int number) {
  std::vector<size_t>& known = by_name_[item.name];
  for (const size_t k : known) {
    if (things_[k].last_seen != index && same_surface(*things_[k].surface, *item.surface)) return k;
  }
  if (const std::string trouble = trouble_with_surface(*item.surface); !trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", number, item.name, trouble));
  for (const size_t k : known) {
    if (things_[k].last_seen == index - 1 && !present.contains(things_[k].surface.get())) return k;
  }
  if (things_.size() == kMaxThings) return input_error(fmt::format("frame {}: there are more than {} things; a USD file has room for no more", number, kMaxThings));
  known.push_back(things_.size());
  Thing thing;
  thing.prim = unique_name(item.name.empty() ? "item" : item.name, names_);
  thing.name = item.name, thing.body = item.body, thing.piece = item.piece, thing.look = item.look;
  things_.push_back(std::move(thing));
  return known.back();
}

Result<void> UsdScene::add_sample(Attribute& attribute, int frame, const std::string& text) {
  const Result<Spool::Range> range = spool_.add(std::as_bytes(std::span(text)));
  if (!range) return range.error();
  attribute.samples.push_back({frame, *range});
  return {};
}

/// Triangles, and what changes with them.
Result<void> UsdScene::take_surface(Thing& thing, const FrameItem& item, int index) {
  const TriMesh& mesh = *item.surface;
  thing.surface = item.surface;
  thing.shading = std::make_unique<Shading>(mesh);
  std::vector<int> corners;
  std::map<std::string, std::vector<int>> faces;
  const std::vector<std::string> paths = mesh.materials ? materials_.paths_of(mesh.materials) : std::vector<std::string>();
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    corners.insert(corners.end(), mesh.triangles[t].begin(), mesh.triangles[t].end());
    if (!paths.empty()) faces[paths[at(mesh.material_of(t))]].push_back(static_cast<int>(t));
  }
  for (const auto& [path, list] : faces) {
    if (!thing.subsets.contains(path) && !thing.counts.samples.empty()) {
      if (Result<void> done = add_sample(thing.subsets[path], thing.counts.samples.front().frame, "[]"); !done) return done;
    }
    thing.subsets[path];
  }
  for (auto& [path, attribute] : thing.subsets) {
    if (Result<void> done = add_sample(attribute, index, numbers_text(faces[path])); !done) return done;
  }
  std::vector<Vec2f> uvs = mesh.uvs;
  for (Vec2f& uv : uvs) uv.y() = 1 - uv.y();  // upwards here
  const std::vector<Vec3f>& colors = colors_of(item);
  lost_tint_ = lost_tint_ || (!colors.empty() && mesh.materials);
  if (Result<void> done = add_sample(thing.counts, index, numbers_text(std::vector<int>(mesh.triangles.size(), 3))); !done) return done;
  if (Result<void> done = add_sample(thing.indices, index, numbers_text(corners)); !done) return done;
  if (Result<void> done = uvs.empty() ? Result<void>() : add_sample(thing.uvs, index, rows_text(uvs, "{}")); !done) return done;
  return colors.empty() ? Result<void>() : add_sample(thing.colors, index, rows_text(colors, "{:.4g}"));
}

Result<void> UsdScene::add_shape(Thing& thing, int frame, const std::vector<Vec3f>& velocities) {
  if (Result<void> done = add_sample(thing.shapes, frame, rows_text(thing.points, "{}")); !done) return done;
  if (Result<void> done = add_sample(thing.normals, frame, rows_text(thing.shading->normals(thing.points, thing.surface->triangles), "{:.3g}")); !done) return done;
  return velocities.empty() ? Result<void>() : add_sample(thing.velocities, frame, rows_text(velocities, "{:.4g}"));
}

/// A sample where the shape changes, one before, so that it does not creep there, and one where it has come to rest.
Result<void> UsdScene::follow_shape(Thing& thing, const FrameItem& item, int index, double elapsed) {
  std::vector<Vec3f> now = item.positions;
  if (now.empty()) {
    for (const Vec3& p : item.surface->positions) now.push_back(p.cast<float>());
  }
  for (const Vec3f& p : now) thing.extent.add(p.cast<double>());
  const bool is_new = !thing.surface || !same_surface(*thing.surface, *item.surface);
  const std::vector<Vec3f> still(now.size(), Vec3f::Zero());
  if (is_new) {
    if (thing.is_first) {
      if (Result<void> done = add_sample(thing.velocities, thing.shapes.samples.back().frame, rows_text(std::vector<Vec3f>(thing.points.size(), Vec3f::Zero()), "{:.4g}")); !done) return done;
    }
    if (Result<void> taken = take_surface(thing, item, index); !taken) return taken;
    thing.points = std::move(now), thing.is_first = true, thing.is_moving = false;
    return add_shape(thing, index, {});
  }
  const bool changes = now != thing.points;
  std::vector<Vec3f> velocities = still;
  for (size_t v = 0; v < now.size() && changes; ++v) velocities[v] = (now[v] - thing.points[v]) / static_cast<float>(elapsed);
  if (thing.is_first) {
    if (Result<void> done = add_sample(thing.velocities, thing.shapes.samples.back().frame, rows_text(thing.last_seen == index - 1 ? velocities : still, "{:.4g}")); !done) return done;
    thing.is_first = false;
  }
  if (!changes && !thing.is_moving) return {};
  if (changes && thing.shapes.samples.back().frame < index - 1) {
    if (Result<void> held = add_shape(thing, index - 1, still); !held) return held;
  }
  thing.points = std::move(now), thing.is_moving = changes;
  return add_shape(thing, index, velocities);
}

Result<void> UsdScene::add(const Frame& frame, int index) {
  std::set<const TriMesh*> present;
  for (const FrameItem& item : frame.items) present.insert(item.surface.get());
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    if (const std::string trouble = trouble_with_item(item); !trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", frame.number, item.name, trouble));
    const Result<size_t> found = thing_of(item, present, index, frame.number);
    if (!found) return found.error();
    Thing& thing = things_[*found];
    if (thing.last_seen != index - 1 || index == 0) thing.seen.emplace_back(index, true);
    thing.places.add(index, item.place);
    if (Result<void> followed = follow_shape(thing, item, index, frame.time - last_time_); !followed) return followed;
    thing.last_seen = index, thing.look = item.look;
  }
  for (Thing& thing : things_) {
    if (thing.last_seen == index - 1 && index > 0) thing.seen.emplace_back(index, false);
  }
  last_time_ = frame.time;
  return {};
}

Result<void> UsdScene::write_attribute(AtomicFile& out, const std::string& name, const Attribute& attribute, const char* suffix) {
  if (attribute.samples.empty()) return {};
  const bool varies = attribute.samples.size() > 1;
  if (Result<void> done = out.write(fmt::format("            {}{}", name, varies ? ".timeSamples = {\n" : " = ")); !done) return done;
  std::string text;
  for (const Attribute::Sample& sample : attribute.samples) {
    text.resize(sample.text.size);
    if (Result<void> read = spool_.read(sample.text, std::as_writable_bytes(std::span(text))); !read) return read;
    if (Result<void> done = out.write(varies ? fmt::format("                {}: {},\n", sample.frame, text) : text); !done) return done;
  }
  // What is said of an attribute stands behind its value, or in a line of its own that has none.
  const std::string said = *suffix ? fmt::format(" (\n                {}\n            )", suffix) : "";
  return out.write(varies ? "            }\n" + (said.empty() ? "" : fmt::format("            {}{}\n", name, said)) : said + "\n");
}

/// The material of a mesh, or of parts of its faces.
Result<void> UsdScene::write_bindings(AtomicFile& out, const Thing& thing) {
  if (thing.subsets.empty()) return out.write(fmt::format("            rel material:binding = <{}>\n", materials_.path_of(thing.look, !thing.colors.samples.empty(), thing.name)));
  if (thing.subsets.size() == 1) return out.write(fmt::format("            rel material:binding = <{}>\n", thing.subsets.begin()->first));
  if (Result<void> done = out.write("            uniform token subsetFamily:materialBind:familyType = \"partition\"\n"); !done) return done;
  for (const auto& [path, faces] : thing.subsets) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (Result<void> done = out.write(fmt::format("\n            def GeomSubset \"{}\" (\n                prepend apiSchemas = [\"MaterialBindingAPI\"]\n            )\n            {{\n", name)); !done) return done;
    if (Result<void> done = out.write("            uniform token elementType = \"face\"\n            uniform token familyName = \"materialBind\"\n"); !done) return done;
    if (Result<void> done = write_attribute(out, "int[] indices", faces); !done) return done;
    if (Result<void> done = out.write(fmt::format("            rel material:binding = <{}>\n            }}\n\n", path)); !done) return done;
  }
  return {};
}

Result<void> UsdScene::write_thing(AtomicFile& out, const Thing& thing) {
  std::string text = fmt::format("    def Xform \"{}\" (\n        displayName = {}\n    )\n    {{\n", thing.prim, usd_quoted(thing.name));
  auto to = std::back_inserter(text);
  text += places_text(thing.places);
  if (thing.seen.size() > 1 || thing.seen[0].first > 0) {
    text += "        token visibility.timeSamples = {\n";
    if (thing.seen[0].first > 0) text += "            0: \"invisible\",\n";
    for (const auto& [frame, is_seen] : thing.seen) fmt::format_to(to, "            {}: \"{}\",\n", frame, is_seen ? "inherited" : "invisible");
    text += "        }\n";
  }
  text += "\n        def Mesh \"surface\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {\n";
  const Bounds& e = thing.extent;
  fmt::format_to(to, "            float3[] extent = [({:.9g}, {:.9g}, {:.9g}), ({:.9g}, {:.9g}, {:.9g})]\n", e.low.x(), e.low.y(), e.low.z(), e.high.x(), e.high.y(), e.high.z());
  fmt::format_to(to, "            uniform token subdivisionScheme = \"none\"\n            uniform bool doubleSided = 1\n            int primvars:body = {}\n            int primvars:piece = {}\n", thing.body, thing.piece);
  if (thing.colors.samples.empty()) fmt::format_to(to, "            color3f[] primvars:displayColor = [({:.5g}, {:.5g}, {:.5g})]\n", thing.look.color.x(), thing.look.color.y(), thing.look.color.z());
  if (Result<void> done = out.write(text); !done) return done;
  const Attribute none;
  const std::tuple<const char*, const Attribute*, const char*> attributes[] = {
      {"int[] faceVertexCounts", &thing.counts, ""},
      {"int[] faceVertexIndices", &thing.indices, ""},
      {"texCoord2f[] primvars:st", &thing.uvs, "interpolation = \"vertex\""},
      {"color3f[] primvars:displayColor", &thing.colors, "interpolation = \"vertex\""},
      {"point3f[] points", &thing.shapes, ""},
      {"normal3f[] normals", &thing.normals, "interpolation = \"vertex\""},
      {"vector3f[] velocities", thing.shapes.samples.size() > 1 ? &thing.velocities : &none, ""},
  };
  for (const auto& [name, attribute, suffix] : attributes) {
    if (Result<void> done = write_attribute(out, name, *attribute, suffix); !done) return done;
  }
  if (Result<void> done = write_bindings(out, thing); !done) return done;
  return out.write("        }\n    }\n\n");
}

std::string UsdScene::camera_text() const {
  if (settings_.cameras.empty()) return "";
  constexpr double kAperture = 24;  // of the picture's height; only its ratio to the focal length counts
  Places places;
  for (size_t f = 0; f < settings_.cameras.size(); ++f) places.add(static_cast<int>(f), settings_.cameras[f].place);
  const double focal = 0.5 * kAperture / std::tan(0.5 * settings_.cameras.front().fov_degrees * std::numbers::pi / 180);
  return fmt::format("    def Camera \"camera\"\n    {{\n{}        float2 clippingRange = (0.01, 10000)\n        float focalLength = {:.7g}\n        float horizontalAperture = {:.7g}\n        float verticalAperture = {:.7g}\n    }}\n\n",
                     places_text(places), focal, kAperture * settings_.aspect, kAperture);
}

std::string UsdScene::light_text() const {
  if (!settings_.sun) return "";
  const ExportSun& sun = *settings_.sun;
  const float most = std::max(sun.irradiance.maxCoeff(), 1e-6f);
  const Vec3f color = sun.irradiance / most;
  const Transform place{Quat::FromTwoVectors(Vec3::UnitZ(), sun.toward).toRotationMatrix(), Vec3::Zero()};
  return fmt::format("    def DistantLight \"sun\"\n    {{\n        float inputs:angle = {:.5g}\n        color3f inputs:color = ({:.5g}, {:.5g}, {:.5g})\n        float inputs:intensity = {:.5g}\n{}    }}\n\n", 2 * sun.radius * 180 / std::numbers::pi,
                     color.x(), color.y(), color.z(), most, places_text({{{0, place}}})) +
         fmt::format("    def DomeLight \"sky\"\n    {{\n        color3f inputs:color = ({:.5g}, {:.5g}, {:.5g})\n        float inputs:intensity = 1\n    }}\n\n", sun.sky.x(), sun.sky.y(), sun.sky.z());
}

Result<void> UsdScene::write(AtomicFile& out, int frames) {
  const std::string head = fmt::format(
      "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = {}\n    endTimeCode = {}\n    framesPerSecond = {:g}\n    metersPerUnit = 1\n    startTimeCode = 0\n    timeCodesPerSecond = {:g}\n    upAxis = \"Y\"\n)\n\n"
      "def Xform \"World\"\n{{\n",
      usd_quoted(settings_.name), frames - 1, settings_.fps, settings_.fps);
  if (Result<void> written = out.write(head + camera_text() + light_text()); !written) return written;
  for (const Thing& thing : things_) {
    if (Result<void> written = write_thing(out, thing); !written) return written;
  }
  return out.write(materials_.text() + "}\n");
}

ExportReport UsdScene::report() const {
  ExportReport made;
  made.nodes = made.meshes = static_cast<int>(things_.size());
  for (const Thing& thing : things_) made.shapes += static_cast<int>(thing.shapes.samples.size());
  if (lost_tint_) made.lost.push_back("vertex colours of surfaces with materials, which UsdPreviewSurface cannot multiply");
  return made;
}

}  // namespace

Result<ExportReport> export_usd(const FrameSource& source, int count, const ExportSettings& settings, const std::filesystem::path& file) {
  if (count < 1) return input_error(fmt::format("{}: there are no frames to export", file.string()));
  Result<AtomicFile> out = AtomicFile::create(file);
  if (!out) return out.error();
  UsdScene scene(settings, file);
  for (int index = 0; index < count; ++index) {
    const Result<Frame> frame = source(index);
    if (!frame) return frame.error();
    if (Result<void> added = scene.add(*frame, index); !added) return added.error();
  }
  if (Result<void> written = scene.write(*out, count); !written) return written.error();
  if (Result<void> written = scene.write_pictures(); !written) return written.error();
  if (Result<void> finished = out->finish(); !finished) return finished.error();
  ExportReport report = scene.report();
  std::error_code ignored;
  report.frames = count, report.bytes = static_cast<size_t>(std::filesystem::file_size(file, ignored));
  return report;
}

}  // namespace crumple::io

// USD as text: a transform and a mesh for each thing, with samples where something changes.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/io/export.h"
#include "crumple/io/export_check.h"
#include "crumple/io/files.h"

namespace crumple::io {
namespace {

constexpr size_t kMostThings = 20000;

/// Letters, digits and underscores, not beginning with a digit, and no two alike.
class PrimNames {
 public:
  std::string unique(const std::string& wanted) {
    std::string name;
    for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128 ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "_");
    std::string tried = name;
    for (int k = 2; !used_.insert(tried).second; ++k) tried = fmt::format("{}_{}", name, k);
    return tried;
  }

 private:
  std::set<std::string> used_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

/// Written to a file without a name until it is known where it belongs.
class Spool {
 public:
  Spool() : file_(std::tmpfile(), &std::fclose) {}
  bool is_open() const { return file_ != nullptr; }
  bool add(const std::string& text) {
    size_ += text.size();
    return std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  }
  long size() const { return static_cast<long>(size_); }
  bool read(long begin, long end, std::string& text) {
    text.resize(static_cast<size_t>(end - begin));
    return std::fseek(file_.get(), begin, SEEK_SET) == 0 && std::fread(text.data(), 1, text.size(), file_.get()) == text.size();
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  size_t size_ = 0;
};

struct Thing {
  std::string prim, name;
  std::shared_ptr<const TriMesh> surface;
  Appearance look;
  std::vector<Vec3f> points;      // as in the last frame that was looked at; empty: the rest shape
  int points_frame = -1;          // of the last sample
  bool changes = false;           // of its shape
  struct Piece {
    int frame;
    long begin, end;  // in the spool
  };
  std::vector<Piece> shapes;
  std::vector<std::pair<int, Transform>> places;  // samples
  Transform place;
  std::vector<std::pair<int, bool>> seen;  // changes
  int last_seen = -1;
  Bounds extent;
};

bool same(const Transform& a, const Transform& b) {
  return a.rotation == b.rotation && a.translation == b.translation;
}

std::string points_text(const std::vector<Vec3f>& points) {
  std::string text = "[";
  for (size_t i = 0; i < points.size(); ++i) fmt::format_to(std::back_inserter(text), "{}({:.7g}, {:.7g}, {:.7g})", i ? ", " : "", points[i].x(), points[i].y(), points[i].z());
  return text + "]";
}

/// Rows of numbers: USD multiplies from the left.
std::string matrix_text(const Transform& place) {
  const Mat3& r = place.rotation;
  const Vec3& t = place.translation;
  return fmt::format("( ({:.9g}, {:.9g}, {:.9g}, 0), ({:.9g}, {:.9g}, {:.9g}, 0), ({:.9g}, {:.9g}, {:.9g}, 0), ({:.9g}, {:.9g}, {:.9g}, 1) )", r(0, 0), r(1, 0), r(2, 0), r(0, 1), r(1, 1), r(2, 1),
                     r(0, 2), r(1, 2), r(2, 2), t.x(), t.y(), t.z());
}

class UsdScene {
 public:
  UsdScene(const ExportSettings& settings, const std::filesystem::path& file) : settings_(settings), images_folder_(file.parent_path() / (file.stem().string() + "_textures")) {}

  Result<void> add(const Frame& frame, int index);
  Result<void> write(AtomicFile& out, int frames);
  Result<void> write_images() const;
  ExportReport report() const {
    ExportReport made;
    made.nodes = made.meshes = static_cast<int>(things_.size());
    for (const Thing& thing : things_) made.shapes += static_cast<int>(thing.shapes.size());
    return made;
  }

 private:
  Result<Thing*> thing_of(const FrameItem& item, int index, int number);
  Result<void> follow_shape(Thing& thing, const FrameItem& item, int index);
  Result<void> add_shape(Thing& thing, int frame);
  std::string look_of(const Appearance& look);
  const std::vector<std::string>& materials_of(const TriMesh& mesh);
  std::string binding_text(const Thing& thing);
  std::string material_text(const SurfaceMaterial& material, const std::string& prim) const;
  std::string image_of(const TextureImage& image);
  Result<void> write_thing(AtomicFile& out, const Thing& thing);
  std::string mesh_text(const Thing& thing) const;

  const ExportSettings& settings_;
  Spool spool_;
  PrimNames names_;
  std::vector<Thing> things_;
  std::map<std::string, std::vector<size_t>> by_name_;
  std::vector<std::pair<std::array<float, 5>, std::string>> looks_;
  std::filesystem::path images_folder_;
  PrimNames material_names_, image_names_;
  std::map<const Materials*, std::vector<std::string>> materials_;              // prims of each list
  std::vector<std::pair<std::shared_ptr<const Materials>, size_t>> written_;    // in the order of their prims
  std::map<const TextureImage*, std::string> images_;                           // files
};

Result<Thing*> UsdScene::thing_of(const FrameItem& item, int index, int number) {
  for (const size_t k : by_name_[item.name]) {
    Thing& thing = things_[k];
    if (thing.last_seen != index && same_surface(*thing.surface, *item.surface)) return &thing;
  }
  if (const std::string trouble = trouble_with_surface(*item.surface); !trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", number, item.name, trouble));
  if (things_.size() == kMostThings) return input_error(fmt::format("frame {}: \"{}\" has other triangles in frame after frame; use .glb", number, item.name));
  by_name_[item.name].push_back(things_.size());
  Thing thing;
  thing.prim = names_.unique(item.name.empty() ? "item" : item.name), thing.name = item.name, thing.surface = item.surface, thing.look = item.look;
  things_.push_back(std::move(thing));
  return &things_.back();
}

Result<void> UsdScene::add_shape(Thing& thing, int frame) {
  const long begin = spool_.size();
  if (!spool_.add(points_text(thing.points))) return system_error("no room for a temporary file");
  thing.shapes.push_back({frame, begin, spool_.size()});
  thing.points_frame = frame;
  return {};
}

/// A sample where the shape changes, and one before, so that it does not creep there.
Result<void> UsdScene::follow_shape(Thing& thing, const FrameItem& item, int index) {
  std::vector<Vec3f> now = item.positions;
  if (now.empty()) {
    for (const Vec3& p : item.surface->positions) now.push_back(p.cast<float>());
  }
  for (const Vec3f& p : now) thing.extent.add(p.cast<double>());
  if (now == thing.points) return {};
  if (!thing.points.empty()) {
    thing.changes = true;
    if (thing.points_frame < index - 1) {
      if (Result<void> held = add_shape(thing, index - 1); !held) return held;
    }
  }
  thing.points = std::move(now);
  return add_shape(thing, index);
}

Result<void> UsdScene::add(const Frame& frame, int index) {
  if (!spool_.is_open()) return system_error("no temporary file can be made");
  for (const FrameItem& item : frame.items) {
    if (!is_drawn(item)) continue;
    if (const std::string trouble = trouble_with_item(item); !trouble.empty()) return input_error(fmt::format("frame {}: \"{}\" cannot be exported: {}", frame.number, item.name, trouble));
    Result<Thing*> found = thing_of(item, index, frame.number);
    if (!found) return found.error();
    Thing& thing = **found;
    if (thing.last_seen != index - 1 || index == 0) thing.seen.emplace_back(index, true);
    if (thing.places.empty() || !same(thing.place, item.place)) {
      if (!thing.places.empty() && thing.places.back().first < index - 1) thing.places.emplace_back(index - 1, thing.place);
      thing.places.emplace_back(index, item.place);
      thing.place = item.place;
    }
    if (Result<void> followed = follow_shape(thing, item, index); !followed) return followed;
    thing.last_seen = index, thing.look = item.look;
  }
  for (Thing& thing : things_) {
    if (thing.last_seen == index - 1 && index > 0) thing.seen.emplace_back(index, false);
  }
  return {};
}

std::string UsdScene::look_of(const Appearance& look) {
  const std::array<float, 5> key{look.color.x(), look.color.y(), look.color.z(), static_cast<float>(look.metal), static_cast<float>(look.roughness)};
  const auto known = std::find_if(looks_.begin(), looks_.end(), [&](const auto& each) { return each.first == key; });
  if (known != looks_.end()) return known->second;
  looks_.emplace_back(key, fmt::format("look_{}", looks_.size() + 1));
  return looks_.back().second;
}

const std::vector<std::string>& UsdScene::materials_of(const TriMesh& mesh) {
  const auto [place, is_new] = materials_.try_emplace(mesh.materials.get());
  if (!is_new) return place->second;
  for (size_t m = 0; m < mesh.materials->size(); ++m) {
    place->second.push_back(material_names_.unique((*mesh.materials)[m].name.empty() ? "material" : (*mesh.materials)[m].name));
    written_.emplace_back(mesh.materials, m);
    if (const Texture& texture = (*mesh.materials)[m].color_texture) image_of(*texture.image);
  }
  return place->second;
}

std::string UsdScene::image_of(const TextureImage& image) {
  const auto [place, is_new] = images_.try_emplace(&image);
  if (is_new) place->second = image_names_.unique(image.name.empty() ? "image" : image.name) + (image.mime == "image/jpeg" ? ".jpg" : ".png");
  return place->second;
}

Result<void> UsdScene::write_images() const {
  if (images_.empty()) return {};
  if (Result<void> made = make_folder(images_folder_); !made) return made;
  for (const auto& [image, name] : images_) {
    if (Result<void> written = write_file(images_folder_ / name, image->bytes); !written) return written;
  }
  return {};
}

/// The material of a mesh, or of parts of its faces.
std::string UsdScene::binding_text(const Thing& thing) {
  const TriMesh& mesh = *thing.surface;
  if (!mesh.materials) return fmt::format("            rel material:binding = </World/Looks/{}>\n", look_of(thing.look));
  const std::vector<std::string>& prims = materials_of(mesh);
  if (prims.size() == 1) return fmt::format("            rel material:binding = </World/Materials/{}>\n", prims[0]);
  std::string text = "            uniform token subsetFamily:materialBind:familyType = \"partition\"\n";
  for (size_t m = 0; m < prims.size(); ++m) {
    std::string faces;
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (at(mesh.material_of(t)) == m) fmt::format_to(std::back_inserter(faces), "{}{}", faces.empty() ? "" : ", ", t);
    }
    if (faces.empty()) continue;
    text += fmt::format("\n            def GeomSubset \"{0}\" (\n                prepend apiSchemas = [\"MaterialBindingAPI\"]\n            )\n            {{\n                uniform token elementType = \"face\"\n"
                        "                uniform token familyName = \"materialBind\"\n                int[] indices = [{1}]\n                rel material:binding = </World/Materials/{0}>\n            }}\n\n",
                        prims[m], faces);
  }
  return text;
}

std::string UsdScene::material_text(const SurfaceMaterial& m, const std::string& prim) const {
  const std::string path = "/World/Materials/" + prim;
  std::string text = fmt::format("        def Material \"{}\" (\n            displayName = {}\n        )\n        {{\n            token outputs:surface.connect = <{}/shader.outputs:surface>\n\n", prim, quoted(m.name), path);
  auto to = std::back_inserter(text);
  text += "            def Shader \"shader\"\n            {\n                uniform token info:id = \"UsdPreviewSurface\"\n";
  const std::string color = m.unlit ? "emissiveColor" : "diffuseColor";
  if (m.unlit) text += "                color3f inputs:diffuseColor = (0, 0, 0)\n";
  if (m.color_texture) {
    fmt::format_to(to, "                color3f inputs:{}.connect = <{}/color.outputs:rgb>\n", color, path);
    if (m.alpha_mode != AlphaMode::Opaque) fmt::format_to(to, "                float inputs:opacity.connect = <{}/color.outputs:a>\n", path);
  } else {
    fmt::format_to(to, "                color3f inputs:{} = ({:.5g}, {:.5g}, {:.5g})\n", color, m.color.x(), m.color.y(), m.color.z());
    if (m.alpha_mode != AlphaMode::Opaque) fmt::format_to(to, "                float inputs:opacity = {:.5g}\n", m.alpha);
  }
  if (m.alpha_mode == AlphaMode::Mask) fmt::format_to(to, "                float inputs:opacityThreshold = {:.5g}\n", m.cutoff);
  fmt::format_to(to, "                float inputs:metallic = {:.5g}\n                float inputs:roughness = {:.5g}\n                token outputs:surface\n            }}\n", m.metal, m.roughness);
  if (m.color_texture) {
    const auto wrap = [](TextureWrap w) { return w == TextureWrap::Repeat ? "repeat" : w == TextureWrap::Clamp ? "clamp" : "mirror"; };
    fmt::format_to(to,
                   "\n            def Shader \"color\"\n            {{\n                uniform token info:id = \"UsdUVTexture\"\n                asset inputs:file = @./{}/{}@\n                float4 inputs:scale = ({:.5g}, {:.5g}, {:.5g}, {:.5g})\n"
                   "                float2 inputs:st.connect = <{}/st.outputs:result>\n                token inputs:wrapS = \"{}\"\n                token inputs:wrapT = \"{}\"\n                float outputs:a\n                float3 outputs:rgb\n            }}\n"
                   "\n            def Shader \"st\"\n            {{\n                uniform token info:id = \"UsdPrimvarReader_float2\"\n                string inputs:varname = \"st\"\n                float2 outputs:result\n            }}\n",
                   images_folder_.filename().string(), images_.at(m.color_texture.image.get()), m.color.x(), m.color.y(), m.color.z(), m.alpha, path, wrap(m.color_texture.wrap_u), wrap(m.color_texture.wrap_v));
  }
  return text + "        }\n";
}

std::string UsdScene::mesh_text(const Thing& thing) const {
  const TriMesh& mesh = *thing.surface;
  std::string text = "            int[] faceVertexCounts = [";
  auto to = std::back_inserter(text);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) text += t ? ", 3" : "3";
  text += "]\n            int[] faceVertexIndices = [";
  for (size_t t = 0; t < mesh.triangles.size(); ++t) fmt::format_to(to, "{}{}, {}, {}", t ? ", " : "", mesh.triangles[t][0], mesh.triangles[t][1], mesh.triangles[t][2]);
  text += "]\n";
  if (!mesh.uvs.empty()) {
    text += "            texCoord2f[] primvars:st = [";
    for (size_t i = 0; i < mesh.uvs.size(); ++i) fmt::format_to(to, "{}({:.7g}, {:.7g})", i ? ", " : "", mesh.uvs[i].x(), 1 - mesh.uvs[i].y());  // upwards here
    text += "] (\n                interpolation = \"vertex\"\n            )\n";
  }
  fmt::format_to(to, "            color3f[] primvars:displayColor = [({:.5g}, {:.5g}, {:.5g})]\n", thing.look.color.x(), thing.look.color.y(), thing.look.color.z());
  const Bounds& e = thing.extent;
  fmt::format_to(to, "            float3[] extent = [({:.7g}, {:.7g}, {:.7g}), ({:.7g}, {:.7g}, {:.7g})]\n", e.low.x(), e.low.y(), e.low.z(), e.high.x(), e.high.y(), e.high.z());
  text += "            uniform token subdivisionScheme = \"none\"\n            uniform bool doubleSided = 1\n";
  return text;
}

Result<void> UsdScene::write_thing(AtomicFile& out, const Thing& thing) {
  std::string text = fmt::format("    def Xform \"{}\" (\n        displayName = {}\n    )\n    {{\n", thing.prim, quoted(thing.name));
  auto to = std::back_inserter(text);
  if (thing.places.size() == 1) {
    fmt::format_to(to, "        matrix4d xformOp:transform = {}\n", matrix_text(thing.places[0].second));
  } else {
    text += "        matrix4d xformOp:transform.timeSamples = {\n";
    for (const auto& [frame, place] : thing.places) fmt::format_to(to, "            {}: {},\n", frame, matrix_text(place));
    text += "        }\n";
  }
  text += "        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n";
  if (thing.seen.size() > 1 || thing.seen[0].first > 0) {
    text += "        token visibility.timeSamples = {\n";
    if (thing.seen[0].first > 0) text += "            0: \"invisible\",\n";
    for (const auto& [frame, is_seen] : thing.seen) fmt::format_to(to, "            {}: \"{}\",\n", frame, is_seen ? "inherited" : "invisible");
    text += "        }\n";
  }
  fmt::format_to(to, "\n        def Mesh \"surface\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {{\n{}", mesh_text(thing));
  text += thing.changes ? "            point3f[] points.timeSamples = {\n" : "            point3f[] points = ";
  if (Result<void> written = out.write(text); !written) return written;
  std::string piece;
  for (const Thing::Piece& shape : thing.shapes) {
    if (!spool_.read(shape.begin, shape.end, piece)) return system_error("a temporary file cannot be read");
    if (Result<void> written = out.write(thing.changes ? fmt::format("                {}: {},\n", shape.frame, piece) : piece + "\n"); !written) return written;
  }
  return out.write((thing.changes ? "            }\n" : "") + binding_text(thing) + "        }\n    }\n\n");
}

Result<void> UsdScene::write(AtomicFile& out, int frames) {
  const std::string head = fmt::format(
      "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = {}\n    endTimeCode = {}\n    framesPerSecond = {:g}\n    metersPerUnit = 1\n    startTimeCode = 0\n    timeCodesPerSecond = {:g}\n    upAxis = \"Y\"\n)\n\n"
      "def Xform \"World\"\n{{\n",
      quoted(settings_.name), frames - 1, settings_.fps, settings_.fps);
  if (Result<void> written = out.write(head); !written) return written;
  for (const Thing& thing : things_) {
    if (Result<void> written = write_thing(out, thing); !written) return written;
  }
  std::string text = "    def Scope \"Looks\"\n    {\n";
  for (const auto& [look, name] : looks_) {
    fmt::format_to(std::back_inserter(text),
                   "        def Material \"{0}\"\n        {{\n            token outputs:surface.connect = </World/Looks/{0}/shader.outputs:surface>\n\n            def Shader \"shader\"\n            {{\n"
                   "                uniform token info:id = \"UsdPreviewSurface\"\n                color3f inputs:diffuseColor = ({1:.5g}, {2:.5g}, {3:.5g})\n                float inputs:metallic = {4:.5g}\n"
                   "                float inputs:roughness = {5:.5g}\n                token outputs:surface\n            }}\n        }}\n",
                   name, look[0], look[1], look[2], look[3], look[4]);
  }
  text += "    }\n";
  if (!written_.empty()) {
    text += "\n    def Scope \"Materials\"\n    {\n";
    for (const auto& [list, m] : written_) text += material_text((*list)[m], materials_.at(list.get())[m]);
    text += "    }\n";
  }
  return out.write(text + "}\n");
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
  if (Result<void> written = scene.write_images(); !written) return written.error();
  if (Result<void> finished = out->finish(); !finished) return finished.error();
  ExportReport report = scene.report();
  std::error_code ignored;
  report.frames = count, report.bytes = static_cast<size_t>(std::filesystem::file_size(file, ignored));
  return report;
}

}  // namespace crumple::io

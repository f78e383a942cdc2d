#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/look.h"
#include "apps/cli/mesh_findings.h"
#include "apps/cli/model.h"
#include "crumple/core/json.h"
#include "crumple/geometry/choose.h"
#include "crumple/io/mesh_file.h"
#include "crumple/rig/make_rig.h"
#include "crumple/rig/surface_detail.h"

namespace crumple::cli {
namespace {

struct DoctorOptions {
  ModelOptions model;
  std::string output, look;
  bool json = false;
};

Result<void> check_outputs(const DoctorOptions& options) {
  if (!options.output.empty()) {
    const std::string extension = std::filesystem::path(options.output).extension().string();
    if (extension != ".obj" && extension != ".ply" && extension != ".glb") return input_error(fmt::format("{}: repaired models are .glb, .obj or .ply", options.output));
    if (const Result<void> possible = check_output(options.output); !possible) return possible;
    std::error_code ignored;
    if (std::filesystem::equivalent(options.output, options.model.file, ignored)) {
      return input_error(fmt::format("{}: this is the model itself; write the repaired one to another file", options.output));
    }
  }
  return check_picture(options.look);
}

std::string verdict(const MeshReport& report, bool repaired) {
  if (const MeshFinding* hopeless = report.hopeless()) return "cannot be used: " + hopeless->text;
  if (report.findings.empty()) return "nothing is wrong with it";
  return repaired ? "repaired where that was safe; it can be rigged" : "can be rigged; 'crumple rig' repairs a copy by itself";
}

void tell(const DoctorOptions& options, const Model& model, const TriMesh& mesh, const MeshReport& report) {
  const bool repaired = !options.output.empty();
  print("{}: {}\n", options.model.file, verdict(report, repaired));
  print("  {:<10} {} triangles, {} vertices in {} {}, {}\n", "surface", mesh.triangles.size(), mesh.positions.size(), report.shells,
             report.shells == 1 ? "shell" : "shells", report.closed() ? "closed" : fmt::format("open along {} edges", report.open_edges));
  print("  {:<10} {:.4g} m across, volume {:.4g} m3\n", "size", report.diagonal, report.volume);
  for (size_t i = 0; i < report.findings.size(); ++i) print("  {:>3}. {}\n", i + 1, report.findings[i].text);
  for (const std::string& note : model.notes) print("  {:<10} {}\n", "note", note);
  if (repaired) print("  {:<10} {}\n", "repaired", options.output);
  if (!options.look.empty()) print("  {:<10} {}\n", "picture", options.look);
}

Result<void> write_outputs(const DoctorOptions& options, const TriMesh& given, const TriMesh& repaired, const MeshReport& report) {
  if (!options.output.empty() && !report.hopeless()) {
    if (const Result<void> written = io::write_mesh(repaired, options.output); !written) return written;
  }
  if (options.look.empty()) return {};
  return draw_findings(given, report, options.look);
}

SurfaceMaterial material_of(const Model& model) {
  SurfaceMaterial material;
  material.name = model.material, material.color = model.look.color, material.metal = model.look.metal, material.roughness = model.look.roughness;
  return material;
}

/// Without handles their usual number is taken.
void note_coarse(const TriMesh& mesh, const MeshReport& report, std::vector<std::string>& notes) {
  const double edge = edge_to_follow(mesh, RigSettings().handles);
  if (!far_groups(mesh).empty()) return;  // they say nothing of the model's size
  const double share = report.hopeless() ? 0 : share_with_longer_edges(mesh, kCoarse * edge);
  if (share <= kCoarseShare) return;
  notes.push_back(fmt::format(
      "{:.0f} % of the surface is triangles with edges over {:.3g} m, too coarse to crease between handles: crumple rig --refine splits them",
      100 * share, kCoarse * edge));
}

int run(const DoctorOptions& options) {
  if (const Result<void> possible = check_outputs(options); !possible) return print_error(possible.error());
  Result<Model> model = read_model(options.model);
  if (!model) return print_error(model.error());
  TriMesh mesh = model->mesh;
  if (model->has_look) mesh.materials = std::make_shared<const Materials>(1, material_of(*model));
  RepairSettings settings;
  settings.keep_creases = true;
  const MeshReport report = options.output.empty() ? examine(mesh, settings) : repair(mesh, settings);
  if (const Result<void> written = write_outputs(options, model->mesh, mesh, report); !written) return print_error(written.error());
  note_coarse(mesh, report, model->notes);
  if (options.json) {
    Json json = findings_json(report);
    json["notes"] = Json::array();
    for (const std::string& note : model->notes) json["notes"].push(note);
    print("{}\n", write_json(json));
  } else {
    tell(options, *model, mesh, report);
  }
  return report.hopeless() ? kWrongInput : kDone;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto options = std::make_shared<DoctorOptions>();
  Command command(app, "doctor", "Tell what is wrong with a surface, mark the spots in a picture and repair what is safe");
  options->model.add_to(command);
  command.add_option("-o,--output", options->output, "Repaired surface to write (.glb, .obj, .ply), in metres with y up");
  command.add_option("--picture,--look", options->look, "Picture that marks the spots by their numbers (.png)");
  command.add_flag("--json", options->json, "Report as JSON");
  command.footer("Answers 0 if the surface can be used and 2 if it cannot: it has no triangle, or no volume.");
  command.callback([options, command, &action] {
    options->model.take_from(command);
    action = [options] { return run(*options); };
  });
}

}  // namespace crumple::cli

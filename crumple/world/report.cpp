#include "crumple/world/report.h"

#include <algorithm>

#include <fmt/format.h>

namespace crumple {
namespace {

void add(std::vector<Report::Total>& totals, const Report::Total& one) {
  const auto found = std::find_if(totals.begin(), totals.end(), [&](const Report::Total& total) { return total.key == one.key; });
  if (found == totals.end()) return totals.push_back(one);
  if (!one.is_first) {
    found->value += one.value;
  } else if (one.value >= 0 && (found->value < 0 || one.value < found->value)) {
    found->value = one.value;
  }
}

}  // namespace

std::optional<BodyReport> report_of(const Body& body, double fps, std::span<const StepReport::Break> breaks) {
  // Joints have their own reports; a report of bonds is used only if it has figures.
  BodyReport made;
  made.name = body.description->name, made.mass = body.mass, made.frozen = body.frozen;
  ReportContext context;
  context.fps = fps;
  for (const StepReport::Break& broken : breaks) {
    if (broken.body == made.name && context.first_break < 0) context.first_break = broken.time;
  }
  for (const Layer& layer : body.layers) {
    std::visit([&](const auto& at_work) { report(at_work.model, at_work.state, context, made.methods); }, layer);
  }
  if (body.bonds) {
    Report bonds;
    std::visit([&](const auto& at_work) { report(at_work.model, at_work.state, context, bonds); }, *body.bonds);
    made.bond_figures = std::move(bonds.figures);
    for (auto& line : bonds.lines) made.methods.lines.push_back(std::move(line));
  }
  if (body.matter) std::visit([&](const auto& at_work) { report(at_work.model, at_work.state, context, made.methods); }, *body.matter);
  if (body.layers.empty() && !body.matter && made.bond_figures.members.empty()) return std::nullopt;
  if (!body.matter && !(body.layers.empty() && body.is_divided())) made.damage = damage_of(body);
  return made;
}

std::vector<std::string> warnings_of(std::span<const Body> bodies) {
  std::vector<std::string> warnings;
  ReportContext context;
  context.at_start = true;
  for (const Body& body : bodies) {
    each_method(body, [&](const auto& at_work) {
      Report told;
      report(at_work.model, at_work.state, context, told);
      for (std::string& warning : told.warnings) {
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(std::move(warning));
      }
    });
  }
  return warnings;
}

std::vector<Report::Total> total_of(std::span<const BodyReport> bodies) {
  std::vector<Report::Total> totals;
  for (const BodyReport& body : bodies) {
    for (const Report::Total& total : body.methods.totals) add(totals, total);
  }
  return totals;
}

std::vector<std::pair<std::string, double>> seconds_of(std::span<const BodyReport> bodies) {
  std::vector<std::pair<std::string, double>> sums;
  for (const BodyReport& body : bodies) {
    for (const auto& [key, seconds] : body.methods.seconds) {
      const auto found = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == key; });
      if (found == sums.end()) {
        sums.emplace_back(key, seconds);
      } else {
        found->second += seconds;
      }
    }
  }
  return sums;
}

std::vector<std::string> footers_of(std::span<const Body> bodies) {
  double displacement = 0;
  int layered = 0;
  struct Of {
    const MethodInfo* method;
    int bodies = 0;
    std::vector<Report::Total> totals;
  };
  std::vector<Of> methods;
  for (const Body& body : bodies) {
    if (!body.layers.empty()) displacement += damage_of(body).rms_displacement, ++layered;
    each_method(body, [&](const auto& at_work) {
      const MethodInfo& method = info_of(at_work);
      auto found = std::find_if(methods.begin(), methods.end(), [&](const Of& of) { return of.method == &method; });
      if (found == methods.end()) found = methods.insert(methods.end(), {&method, 0, {}});
      Report told;
      report(at_work.model, at_work.state, ReportContext(), told);
      ++found->bodies;
      for (const Report::Total& total : told.totals) add(found->totals, total);
    });
  }
  std::vector<std::string> lines;
  if (layered > 0) lines.push_back(fmt::format("{} crumpling {}, rms displacement {:.1f} cm on average at the end", layered, layered == 1 ? "body" : "bodies", 100 * displacement / layered));
  for (const Of& of : methods) {
    if (!of.method->footer) continue;
    Totals totals;
    for (const Report::Total& total : of.totals) totals[total.key] = total.value;
    lines.push_back(of.method->footer(of.bodies, totals));
  }
  return lines;
}

}  // namespace crumple

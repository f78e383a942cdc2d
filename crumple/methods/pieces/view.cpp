#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/methods/pieces/kernels.h"
#include "crumple/methods/pieces/presets.h"

namespace crumple::pieces {

std::vector<Carried> carried(const Model& model, std::span<const uint8_t> broken, std::span<const Load> loads) {
  std::vector<Wrench> sums(model.pieces.size(), Wrench::Zero());
  for (const Load& load : loads) sums[static_cast<size_t>(load.piece)] += wrench_of(load);
  std::vector<Carried> result(model.links.size());
  const std::shared_ptr<const Factors> factors = make_factors(model, broken, connected(model, broken));
  for (const std::shared_ptr<const Group>& group : factors->groups) {
    const std::vector<Carried> part = solve(model, *group, wanted_from_links(model, *group, sums));
    for (size_t i = 0; i < part.size(); ++i) result[static_cast<size_t>(group->links[i])] = part[i];
  }
  return result;
}

const MethodInfo& info(const Settings&) {
  static constexpr MethodInfo kInfo = {.kind = MethodKind::Bonds,
                                       .name = "pieces",
                                       .key = "pieces",
                                       .key_help = "breaking of a scored asset along its cuts; absent: it stays whole",
                                       .paper = "paper 1, sec. 5; thesis 5.2.4",
                                       .help = "bodies that were scored beforehand come apart where links carry too much impulse",
                                       .need = BodyNeed::Score,
                                       .noun = "body with pieces",
                                       .verb = "break",
                                       .held_by = "",
                                       .colors = {},
                                       .state_color = "",
                                       .footer = nullptr,
                                       .presets = kPresets};
  return kInfo;
}

Result<Model> build(const BondSeed& seed, const Settings& settings) {
  return build(*seed.solid, settings, seed.vertex_masses);
}

std::vector<crumple::Link> links(const Model& model) {
  std::vector<crumple::Link> links;
  for (size_t l = 0; l < model.links.size(); ++l) {
    const Weld& weld = model.links[l];
    links.push_back({.a = weld.a, .b = weld.b, .start = Hold::Welded, .hinges = !model.hinges.empty(), .collide = model.settings.hinge && model.settings.hinge->collide, .name = fmt::format("link {}", l), .to = {},
                     .frame = {weld.axes, weld.center}, .law = model.hinges.empty() ? rigid::PlasticLaw() : model.hinges[l]});
  }
  return links;
}

Hold hold_of(const State& state, int link) {
  const size_t l = static_cast<size_t>(link);
  if (!state.broken[l]) return Hold::Welded;
  return !state.hinged.empty() && state.hinged[l] && state.histories[l].broken_at < 0 ? Hold::Jointed : Hold::Broken;
}

bool is_busy(const Model& model, const State& state, bool is_awake) {
  return std::isfinite(model.weakest) && (is_awake || is_settling(model, state));
}

void step(const Model& model, State& state, BondContext& now) {
  now.changes = step(model, state, now.dt, now.loads, now.spins);
}

void report(const Model&, const State& state, const ReportContext& context, Report& report) {
  const int count = static_cast<int>(state.broken.size()), parts = state.groups.count;
  if (count == 0) return;
  int broken = 0, hinges = 0;
  for (int l = 0; l < count; ++l) broken += hold_of(state, l) == Hold::Broken ? 1 : 0, hinges += hold_of(state, l) == Hold::Jointed ? 1 : 0;
  report.figures["parts"] = parts, report.figures["links"] = count, report.figures["broken_links"] = broken;
  if (!state.hinged.empty()) report.figures["hinges"] = hinges;
  const std::string when = context.first_break < 0 ? "" : fmt::format(", the first at {:.2f} s", context.first_break);
  const std::string hanging = hinges == 0 ? "" : fmt::format(", {} hinge{}", hinges, hinges == 1 ? "" : "s");
  report.lines.emplace_back("broken", fmt::format("{} of {} links{}{}; it is in {} part{}", broken, count, hanging, when, parts, parts == 1 ? "" : "s"));
}

}  // namespace crumple::pieces

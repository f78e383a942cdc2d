#include "apps/cli/simulate.h"

#include <algorithm>
#include <numbers>
#include <tuple>

#include <fmt/format.h>

#include "crumple/io/files.h"

namespace crumple::cli {

Result<RunReport> simulate(const Scene& scene, RunSettings settings, const ProgressOptions& progress_options) {
  const int last = settings.frames ? settings.frames->second : scene.frame_count();
  Progress progress(progress_options.style(), "simulate", std::max(1, last));
  settings.cancel = &interrupts();
  set_interrupt_hint("continue with --resume");
  settings.progress = [&](int frame, int, const World& world) {
    progress.update(frame, fmt::format("t = {:.2f} s, {} awake", world.time(), world.awake_count()));
  };
  return run_scene(scene, settings);
}

namespace {

/// The worst joint is the one that is most used up: broken first, then by its plastic turn, then by the largest share of its capacity that it ever used.
std::string joints_text(const RunReport& report) {
  const auto rank = [](const JointReport& joint) { return std::tuple(joint.history.broken_at >= 0, joint.history.turn, joint.history.peak); };
  const JointReport& worst = *std::max_element(report.joints.begin(), report.joints.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  const std::string broken = worst.history.broken_at < 0 ? "" : fmt::format(", broke at {:.2f} s", worst.history.broken_at);
  return fmt::format("{} of {} broke, {:.4g} J dissipated; worst: {} of {} (up to {:.0f} % used, {:.3g} degrees of plastic turn{})", report.broken_joints(),
                     report.joints.size(), report.joint_work(), worst.name, worst.body, 100 * worst.history.peak, worst.history.turn * 180 / std::numbers::pi, broken);
}

std::string step_text(const std::vector<std::pair<std::string, double>>& parts) {
  std::vector<std::string> texts;
  for (const auto& [part, seconds] : parts) texts.push_back(fmt::format("{} {:.2f} s", part, seconds));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

int exit_code(const RunReport& report) {
  switch (report.outcome) {
    case Outcome::Done: return kDone;
    case Outcome::Frozen:
    case Outcome::Stopped: return kFrozen;
    case Outcome::Interrupted: return kInterrupted;
  }
  return kFailed;
}

std::string run_table(const Scene& scene, const RunReport& r, const std::filesystem::path& folder) {
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) { text += fmt::format("  {:<10} {}\n", what, value); };
  const auto frozen = [&] {
    for (const StepReport::Frozen& f : r.frozen) line("frozen", fmt::format("{} at {:.3f} s: {}", f.body, f.time, f.why));
  };
  if (r.was_finished) {
    text = fmt::format("{}: finished already, {} frames; nothing to do\n", folder.string(), r.frames);
    return frozen(), text;
  }
  text += fmt::format("{}: {}\n", scene.title.empty() ? scene.file.stem().string() : scene.title, outcome_name(r.outcome));
  line("simulated", fmt::format("{} bodies ({} can crumple), frames {}-{}, {} steps of {:.3g} ms", scene.bodies.size(), r.bodies.size(), r.first_frame, r.last_frame,
                                r.steps, 1e3 * scene.dt()));
  if (r.resumed_from) line("resumed", fmt::format("from the checkpoint at frame {}", *r.resumed_from));
  line("CPU time", fmt::format("rigid {:.2f} s, deform {:.2f} s, record {:.2f} s, load {:.2f} s; {:.2f} s in all, {:.2f} s of wall time", r.rigid_s, r.deform_s,
                               r.record_s, r.load_s, r.total_s, r.wall_s));
  if (const auto parts = seconds_of(r.bodies); !parts.empty()) line("", "of which matter: " + step_text(parts));
  auto sorted = r.bodies;
  std::erase_if(sorted, [](const BodyReport& body) { return !body.damage; });
  if (!sorted.empty()) {
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.damage->rms_displacement > b.damage->rms_displacement; });
    double mean = 0;
    for (const auto& body : sorted) mean += body.damage->rms_displacement / static_cast<double>(sorted.size());
    line("deformed", fmt::format("{} hits; rms displacement {:.1f} cm on average", r.hits, 100 * mean));
    for (size_t i = 0; i < std::min<size_t>(3, sorted.size()); ++i) {
      const BodyReport& body = sorted[i];
      const Json* share = body.methods.figures.find("deformed_share");
      line("", fmt::format("{}: up to {:.1f} cm, rms {:.1f} cm{}", body.name, 100 * body.damage->max_displacement, 100 * body.damage->rms_displacement,
                           share ? fmt::format(", {:.0f} % of it", 100 * share->number) : ""));
    }
  }
  for (const bool rigid : {false, true}) {
    for (const BodyReport& body : r.bodies) {
      if (body.damage.has_value() != rigid) continue;
      for (const auto& [what, text] : body.methods.lines) line(what, what.empty() ? text : fmt::format("{}: {}", body.name, text));
    }
  }
  if (!r.joints.empty()) line("joints", joints_text(r));
  frozen();
  if (r.skipped_pairs > 0) {
    line("crowded", fmt::format("{} times two parts were not looked at for contacts, because both had more than {} others around them", r.skipped_pairs,
                                rigid::World::kMaxNeighbours));
  }
  line("recording", fmt::format("{} (fingerprint {})", folder.string(), io::hash_text(r.fingerprint)));
  if (r.outcome == Outcome::Interrupted) line("interrupted", "continue with --resume");
  return text;
}

}  // namespace crumple::cli

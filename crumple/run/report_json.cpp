#include "crumple/run/report_json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/io/files.h"
#include "crumple/math/whole.h"

namespace crumple {
namespace {

Json frozen_json(const std::vector<StepReport::Frozen>& frozen) {
  Json list = Json::array();
  for (const StepReport::Frozen& f : frozen) list.push(Json::object({{"body", f.body}, {"time", f.time}, {"why", f.why}}));
  return list;
}

/// The other way; what is missing or of another kind comes out empty.
std::vector<StepReport::Frozen> read_frozen(const Json& object) {
  std::vector<StepReport::Frozen> frozen;
  const Json* list = object.find("frozen");
  for (const Json& item : list ? list->items : std::vector<Json>{}) {
    const auto get = [&](const char* key) { const Json* value = item.find(key); return value ? *value : Json(); };
    frozen.push_back({get("body").text, get("time").number, get("why").text});
  }
  return frozen;
}

Json breaks_json(const std::vector<StepReport::Break>& breaks) {
  Json list = Json::array();
  for (const StepReport::Break& b : breaks) {
    Json pieces = Json::array();
    pieces.push(b.piece_a), pieces.push(b.piece_b);
    list.push(Json::object({{"body", b.body}, {"time", b.time}, {"link", b.link}, {"pieces", std::move(pieces)}, {"impulse", b.impulse}, {"limit", b.limit}}));
  }
  return list;
}

int as_whole(double number) {
  return static_cast<int>(std::clamp<int64_t>(whole_floor(number), 0, std::numeric_limits<int>::max()));
}

std::vector<StepReport::Break> read_breaks(const Json& object, const char* key) {
  std::vector<StepReport::Break> breaks;
  const Json* list = object.find(key);
  for (const Json& item : list ? list->items : std::vector<Json>{}) {
    const auto number = [](const Json* value) { return value ? value->number : 0.0; };
    const Json* body = item.find("body");
    const Json* pieces = item.find("pieces");
    const auto piece = [&](size_t i) { return pieces && i < pieces->items.size() ? as_whole(pieces->items[i].number) : 0; };
    breaks.push_back({body ? body->text : "", number(item.find("time")), item.whole("link", 0), piece(0), piece(1), number(item.find("impulse")),
                      number(item.find("limit"))});
  }
  return breaks;
}

Json joint_json(const JointReport& joint) {
  Json at = Json::array();
  for (const double part : joint.at) at.push(part);
  const rigid::JointHistory& book = joint.history;
  return Json::object({{"body", joint.body},
                       {"name", joint.name},
                       {"at", std::move(at)},
                       {"utilisation", book.utilisation},
                       {"peak_utilisation", book.peak},
                       {"plastic_turn", book.turn},
                       {"elongation", book.elongation},
                       {"work_J", book.work},
                       {"broken_at", book.broken_at < 0 ? Json() : Json(book.broken_at)}});
}

Json body_json(const BodyReport& body) {
  Json entry(Json::object({{"name", body.name}, {"mass", body.mass}}));
  if (body.damage) entry["max_displacement"] = body.damage->max_displacement, entry["rms_displacement"] = body.damage->rms_displacement,
    entry["damage_work_J"] = body.damage_work;
  for (const auto& [key, value] : body.methods.figures.members) entry[key] = value;
  entry["frozen"] = body.frozen;
  for (const auto& [key, value] : body.bond_figures.members) entry[key] = value;
  return entry;
}

/// Entries of the ledger that a run which continues goes on with, by their keys.
constexpr std::pair<const char*, double EnergyLedger::*> kLedger[] = {
    {"kinetic_J", &EnergyLedger::kinetic}, {"potential_J", &EnergyLedger::potential}, {"start_J", &EnergyLedger::start},
    {"contact_J", &EnergyLedger::contact}, {"friction_J", &EnergyLedger::friction}, {"joints_J", &EnergyLedger::joints},
    {"damage_J", &EnergyLedger::damage}, {"scripted_J", &EnergyLedger::scripted}, {"forces_J", &EnergyLedger::forces}, {"matter_J", &EnergyLedger::matter},
    {"shape_J", &EnergyLedger::shape}, {"damping_J", &EnergyLedger::damping}, {"integration_J", &EnergyLedger::integration},
    {"frozen_J", &EnergyLedger::frozen}, {"put_in_J", &EnergyLedger::put_in}, {"highest_J", &EnergyLedger::highest},
    {"lowest_potential_J", &EnergyLedger::lowest_potential}};

Json energy_json(const EnergyLedger& energy) {
  Json entries(Json::object({}));
  for (const auto& [key, entry] : kLedger) {
    if (entry != &EnergyLedger::forces || energy.*entry != 0) entries[key] = energy.*entry;
  }
  entries["unaccounted_J"] = energy.unaccounted();
  entries["unaccounted_share"] = energy.scale() > 0 ? std::abs(energy.unaccounted()) / energy.scale() : 0.0;
  return entries;
}

EnergyLedger read_energy(const Json& object) {
  EnergyLedger energy;
  for (const auto& [key, entry] : kLedger) {
    if (const Json* value = object.find(key)) energy.*entry = value->number;
  }
  return energy;
}

}  // namespace

Json step_report_json(const StepReport& report) {
  Json json = Json::object({{"frozen", frozen_json(report.frozen)}, {"breaks", breaks_json(report.breaks)}, {"hinges", breaks_json(report.hinges)}, {"energy", energy_json(report.energy)}});
  Json damage = Json::array();
  for (const double work : report.damage_work) damage.push(work);
  json["damage_work_J"] = std::move(damage);
  return json;
}

StepReport read_step_report(const Json& json) {
  StepReport report{read_frozen(json), read_breaks(json, "breaks"), read_breaks(json, "hinges"), {}, {}};
  if (const Json* energy = json.find("energy")) report.energy = read_energy(*energy);
  if (const Json* damage = json.find("damage_work_J")) {
    for (const Json& work : damage->items) report.damage_work.push_back(work.number);
  }
  return report;
}

double RunReport::joint_work() const {
  double work = 0;
  for (const JointReport& joint : joints) work += joint.history.work;
  return work;
}

int RunReport::broken_joints() const {
  return static_cast<int>(std::count_if(joints.begin(), joints.end(), [](const JointReport& joint) { return joint.history.broken_at >= 0; }));
}

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Done: return "done";
    case Outcome::Frozen: return "frozen";
    case Outcome::Stopped: return "stopped";
    case Outcome::Interrupted: return "interrupted";
  }
  return "";
}

Json run_json(const Scene& scene, const RunReport& r) {
  Json json = Json::object({{"crumple", 1}, {"outcome", std::string(outcome_name(r.outcome))}, {"scene", scene.file.filename().string()}});
  json["frames"] = r.frames, json["first_frame"] = r.first_frame, json["last_frame"] = r.last_frame;
  if (r.resumed_from) json["resumed_from"] = *r.resumed_from;
  json["fps"] = scene.fps, json["dt"] = scene.dt();
  json["steps"] = static_cast<double>(r.steps), json["hits"] = static_cast<double>(r.hits);
  json["timings"] = Json::object({{"rigid_s", r.rigid_s}, {"deform_s", r.deform_s}, {"record_s", r.record_s}, {"load_s", r.load_s}, {"total_s", r.total_s}, {"wall_s", r.wall_s}});
  if (const auto seconds = seconds_of(r.bodies); !seconds.empty()) {
    Json parts(Json::object({}));
    double total = 0;
    for (const auto& [key, value] : seconds) parts[key] = value, total += value;
    parts["total"] = total;
    json["step_s"] = std::move(parts);
  }
  for (const Report::Total& total : total_of(r.bodies)) json[total.key] = total.is_first && total.value < 0 ? Json() : Json(total.value);
  Json bodies = Json::array();
  for (const BodyReport& body : r.bodies) bodies.push(body_json(body));
  json["bodies"] = std::move(bodies);
  json["energy"] = energy_json(r.energy);
  json["frozen"] = frozen_json(r.frozen);
  json["breaks"] = breaks_json(r.breaks);
  if (!r.hinges.empty()) json["hinges"] = breaks_json(r.hinges);
  Json joints = Json::array();
  for (const JointReport& joint : r.joints) joints.push(joint_json(joint));
  json["joints"] = std::move(joints);
  json["joint_work_J"] = r.joint_work(), json["broken_joints"] = r.broken_joints();
  if (!r.joints.empty()) {
    json["joint_solver"] = Json::object({{"islands", static_cast<double>(r.solver.islands)}, {"factors", static_cast<double>(r.solver.factors)},
                                         {"unconverged", static_cast<double>(r.solver.unconverged)}, {"most_factors", r.solver.most_factors}});
  }
  if (r.skipped_pairs > 0) json["skipped_pairs"] = static_cast<double>(r.skipped_pairs);
  json["fingerprint"] = io::hash_text(r.fingerprint);
  return json;
}

}  // namespace crumple

#include "crumple/methods/examples/pair_loads.h"

#include <algorithm>
#include <cmath>

#include "crumple/methods/window.h"

namespace crumple::examples {
namespace {

// Over this time a load becomes one that lasts.
constexpr double kLasting = 0.1;  // s
// A pair that has not touched for so long is forgotten.
constexpr double kForgotten = 1.0;  // s
// Bodies that meet more slowly than this share of the yield lean on each other: their load lasts from the beginning.
constexpr double kGentle = 0.5;
// Share of the yield beyond which a load creeps.
constexpr double kCreepFrom = 0.5;

/// One pair: a row of State::pairs.
class Row {
 public:
  static size_t columns(const Window& window) { return kFirst + 2 * static_cast<size_t>(window.places); }
  explicit Row(std::span<double> numbers) : numbers_(numbers) {}

  double& part() { return numbers_[0]; }
  double& other() { return numbers_[1]; }
  double& last() { return numbers_[2]; }     // step in which they touched last
  double& lasting() { return numbers_[3]; }  // m/s^2: mean acceleration while they touch
  double& now() { return numbers_[4]; }      // m/s: of that step
  std::span<double> sums() { return numbers_.subspan(kFirst, places()); }             // m/s, by place in the window
  std::span<double> marks() { return numbers_.subspan(kFirst + places(), places()); }  // m/s that left a mark, likewise

 private:
  static constexpr size_t kFirst = 5;
  size_t places() const { return (numbers_.size() - kFirst) / 2; }
  std::span<double> numbers_;
};

double sum(std::span<const double> values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

size_t place_of(const Window& window, long step) {
  return static_cast<size_t>(step / window.steps % window.places);
}

/// Rows must be whole; those of another step are dropped.
size_t row_count(State& state, const Window& window) {
  const size_t columns = Row::columns(window);
  if (state.pairs.size() % columns != 0) state.pairs.clear();
  return state.pairs.size() / columns;
}

Row row(std::vector<double>& pairs, const Window& window, size_t index) {
  return Row(std::span(pairs).subspan(index * Row::columns(window), Row::columns(window)));
}

Row find_or_add(State& state, const Window& window, int part, int other) {
  const size_t count = row_count(state, window);
  for (size_t i = 0; i < count; ++i) {
    Row found = row(state.pairs, window, i);
    if (found.part() == part && found.other() == other) return found;
  }
  state.pairs.resize(state.pairs.size() + Row::columns(window), 0.0);
  Row added = row(state.pairs, window, count);
  added.part() = part, added.other() = other, added.last() = -1e9;
  return added;
}

void forget_old(State& state, const LayerContext& now, const Window& window) {
  const size_t columns = Row::columns(window);
  for (size_t i = row_count(state, window); i-- > 0;) {
    if ((static_cast<double>(now.step) - row(state.pairs, window, i).last()) * now.dt < kForgotten) continue;
    const auto begin = state.pairs.begin() + static_cast<long>(i * columns);
    state.pairs.erase(begin, begin + static_cast<long>(columns));
  }
}

/// Empties the places of the steps since the pair touched last.
void advance(Row& pair, const LayerContext& now, const Window& window) {
  const double places = std::floor(static_cast<double>(now.step) / window.steps) - std::floor(std::max(pair.last(), -1e9) / window.steps);
  const long stale = static_cast<long>(std::clamp(places, 0.0, static_cast<double>(window.places)));
  for (long i = 0; i < stale; ++i) {
    const size_t place = place_of(window, now.step + (window.places - i) * window.steps);  // i places back
    pair.sums()[place] = pair.marks()[place] = 0;
  }
  if (pair.last() != static_cast<double>(now.step)) pair.now() = 0;
  pair.last() = static_cast<double>(now.step);
}

double excess_of(Row& pair, const Settings& settings) {
  const double bearable = settings.yield / kReferenceStep;  // m/s^2 that may last
  return sum(pair.sums()) - std::min(pair.lasting(), bearable) * kWindow - sum(pair.marks());
}

}  // namespace

void book_loads(const Model& model, State& state, const LayerContext& now, std::span<Touching> touching) {
  const Window window = window_of(now.dt);
  if (!touching.empty()) forget_old(state, now, window);
  for (const Touching& touched : touching) {
    Row pair = find_or_add(state, window, touched.part, touched.other_body);
    const bool is_new = (static_cast<double>(now.step) - pair.last()) * now.dt > kWindow;
    advance(pair, now, window);
    if (is_new) pair.lasting() = touched.approach < kGentle * model.settings.yield ? touched.speed_change / now.dt : 0;
    pair.now() += touched.speed_change;
    pair.sums()[place_of(window, now.step)] += touched.speed_change;
  }
  for (Touching& touched : touching) {
    Row pair = find_or_add(state, window, touched.part, touched.other_body);
    const double creeps_from = model.settings.creep > 0 ? kCreepFrom * model.least_yield : sum(pair.sums());
    if (excess_of(pair, model.settings) > model.least_yield || sum(pair.sums()) > creeps_from) touched.wanted = true;
  }
  // After the verdict: a sudden load is none that lasts.
  for (size_t i = 0; i < row_count(state, window); ++i) {
    Row pair = row(state.pairs, window, i);
    if (pair.last() == static_cast<double>(now.step)) pair.lasting() += std::min(1.0, now.dt / kLasting) * (pair.now() / now.dt - pair.lasting());
  }
}

PairLoad load_of(const Model& model, State& state, const LayerContext& now, int part, int other_body) {
  const Window window = window_of(now.dt);
  Row pair = find_or_add(state, window, part, other_body);
  return {pair.now(), sum(pair.sums()), excess_of(pair, model.settings)};
}

double mark_share(const Settings& settings, const PairLoad& load, double yield, double dt) {
  const double hit = std::max(0.0, load.excess - yield), creep = settings.creep * dt * std::max(0.0, load.window - kCreepFrom * yield);
  return load.step > 0 ? std::min(1.0, (hit + creep) / load.step) : 0;
}

void book_mark(State& state, const LayerContext& now, int part, int other_body, double speed_change) {
  const Window window = window_of(now.dt);
  find_or_add(state, window, part, other_body).marks()[place_of(window, now.step)] += speed_change;
}

}  // namespace crumple::examples

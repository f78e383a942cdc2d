#include "crumple/methods/examples/pair_loads.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace crumple::examples {
namespace {

// So many windows make a load one that lasts. Bodies that lean on each other need as long to find all points where they do.
constexpr int kLasting = 5;
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
  double& last() { return numbers_[2]; }    // step in which they touched last
  double& now() { return numbers_[3]; }     // m/s: of that step
  double& calm() { return numbers_[4]; }    // step until which every load counts as one that lasts
  double& stretch() { return numbers_[5]; }  // number of the stretch of time, as long as a window, that is being summed
  double& filling() { return numbers_[6]; }  // m/s: its sum so far
  std::span<double> stretches() { return numbers_.subspan(7, kLasting); }  // m/s: sums of those before, in any order
  std::span<double> sums() { return numbers_.subspan(kFirst, places()); }             // m/s, by place in the window
  std::span<double> marks() { return numbers_.subspan(kFirst + places(), places()); }  // m/s that left a mark, likewise

 private:
  static constexpr size_t kFirst = 7 + kLasting;
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

size_t row_count(const State& state, const Window& window) {
  return state.pairs.size() / Row::columns(window);
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

/// Empties the places of the steps since the pair touched last, and completes the stretches.
void advance(Row& pair, const LayerContext& now, const Window& window) {
  const double step = static_cast<double>(now.step), per_stretch = static_cast<double>(window.places) * window.steps;
  const auto count_between = [](double from, double to, int most) { return static_cast<int>(std::clamp(to - from, 0.0, static_cast<double>(most))); };
  const int stale = count_between(std::floor(pair.last() / window.steps), std::floor(step / window.steps), window.places);
  for (int i = 0; i < stale; ++i) {
    const size_t place = place_of(window, now.step + static_cast<long>(window.places - i) * window.steps);  // i places back
    pair.sums()[place] = pair.marks()[place] = 0;
  }
  const double stretch = std::floor(step / per_stretch);
  for (int i = count_between(pair.stretch(), stretch, kLasting + 1); i > 0; --i) {
    std::shift_right(pair.stretches().begin(), pair.stretches().end(), 1);
    pair.stretches()[0] = pair.filling();
    pair.filling() = 0;
  }
  pair.stretch() = stretch;
  if (pair.last() != step) pair.now() = 0;
  pair.last() = step;
}

/// L: the median of the last stretches, as far as that leaves no mark. An impact is in one or two of them.
double lasting(Row& pair, const Settings& settings, long step) {
  const double bearable = settings.yield / kReferenceStep * kWindow;
  std::array<double, kLasting> sorted;
  std::copy(pair.stretches().begin(), pair.stretches().end(), sorted.begin());
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[kLasting / 2];
  return std::min(bearable, static_cast<double>(step) < pair.calm() ? std::max(median, sum(pair.sums())) : median);
}

double excess_of(Row& pair, const Settings& settings, long step) {
  return sum(pair.sums()) - lasting(pair, settings, step) - sum(pair.marks());
}

}  // namespace

Result<void> check_pairs(const Model& model, const State& state) {
  if (!model.window || state.pairs.size() % Row::columns(*model.window) == 0) return {};
  return input_error("the loads of its pairs are incomplete");
}

void book_loads(const Model& model, State& state, const LayerContext& now, std::span<Touching> touching) {
  const Window& window = *model.window;
  if (!touching.empty()) forget_old(state, now, window);
  for (const Touching& touched : touching) {
    Row pair = find_or_add(state, window, touched.part, touched.other_body);
    const bool is_new = (static_cast<double>(now.step) - pair.last()) * now.dt > kWindow;
    advance(pair, now, window);
    if (is_new) {
      const bool is_gentle = touched.approach < kGentle * model.settings.yield;
      pair.calm() = is_gentle ? static_cast<double>(now.step) + kLasting * kWindow / now.dt : -1;
    }
    pair.now() += touched.speed_change;
    pair.sums()[place_of(window, now.step)] += touched.speed_change;
    pair.filling() += touched.speed_change;
  }
  for (Touching& touched : touching) {
    Row pair = find_or_add(state, window, touched.part, touched.other_body);
    const double creeps_from = model.settings.creep > 0 ? kCreepFrom * model.least_yield : sum(pair.sums());
    if (excess_of(pair, model.settings, now.step) > model.least_yield || sum(pair.sums()) > creeps_from) touched.wanted = true;
  }
}

PairLoad load_of(const Model& model, State& state, const LayerContext& now, int part, int other_body) {
  const Window& window = *model.window;
  Row pair = find_or_add(state, window, part, other_body);
  return {pair.now(), sum(pair.sums()), excess_of(pair, model.settings, now.step)};
}

double mark_share(const Settings& settings, const PairLoad& load, double yield, double dt) {
  const double hit = std::max(0.0, load.excess - yield), creep = settings.creep * dt * std::max(0.0, load.window - kCreepFrom * yield);
  return load.step > 0 ? std::min(1.0, (hit + creep) / load.step) : 0;
}

void book_mark(const Model& model, State& state, const LayerContext& now, int part, int other_body, double speed_change) {
  const Window& window = *model.window;
  find_or_add(state, window, part, other_body).marks()[place_of(window, now.step)] += speed_change;
}

}  // namespace crumple::examples

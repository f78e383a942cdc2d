#include "crumple/rigid/joint_history.h"

namespace crumple::rigid {

void update(JointHistory& history, const PlasticState& now, double time) {
  history.utilisation = now.broken > 0 ? 0 : now.utilisation;
  history.peak = now.peak_utilisation;
  history.turn = now.rotation();
  history.elongation = now.elongation();
  history.work = now.work;
  if (now.broken > 0 && history.broken_at < 0) history.broken_at = time;
}

StateArray history_array(std::vector<JointHistory>& histories) {
  constexpr size_t kColumns = sizeof(JointHistory) / sizeof(double);
  static_assert(sizeof(JointHistory) == kColumns * sizeof(double));
  double* numbers = histories.empty() ? nullptr : &histories.front().utilisation;
  return state_array("books", std::span<double>(numbers, kColumns * histories.size()), kColumns);
}

}  // namespace crumple::rigid

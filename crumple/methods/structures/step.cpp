#include "crumple/methods/structures/structures.h"

#include "crumple/methods/structures/groups.h"

namespace crumple::structures {

State start(const Model& model, double) {
  return {std::vector<rigid::JointHistory>(model.joints.size())};
}

std::vector<StateArray> arrays(State& state) {
  return {rigid::history_array(state.histories)};
}

std::vector<int> connected_pieces(const Model& model, const State& state) {
  Groups groups(model.pieces.size());
  for (size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].b >= 0 && state.histories[j].broken_at < 0) groups.merge(model.joints[j].a, model.joints[j].b);
  }
  std::vector<int> lowest;
  for (size_t p = 0; p < model.pieces.size(); ++p) lowest.push_back(groups.of(static_cast<int>(p)));
  return lowest;
}

double total_work(const State& state) {
  double sum = 0;
  for (const rigid::JointHistory& joint : state.histories) sum += joint.work;
  return sum;
}

}  // namespace crumple::structures

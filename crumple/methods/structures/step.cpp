#include "crumple/methods/structures/structures.h"

namespace crumple::structures {

State start(const Model& model, double) {
  return {std::vector<rigid::JointHistory>(model.joints.size())};
}

std::vector<StateArray> arrays(State& state) {
  return {rigid::history_array(state.histories)};
}

double total_work(const State& state) {
  double sum = 0;
  for (const rigid::JointHistory& joint : state.histories) sum += joint.work;
  return sum;
}

}  // namespace crumple::structures

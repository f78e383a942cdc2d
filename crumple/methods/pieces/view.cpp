#include "crumple/methods/pieces/kernels.h"

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

}  // namespace crumple::pieces

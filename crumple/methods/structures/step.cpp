#include "crumple/methods/structures/structures.h"

#include "crumple/methods/structures/groups.h"

namespace crumple::structures {

State start(const Model& model) {
  return {std::vector<Book>(model.joints.size())};
}

std::vector<StateArray> arrays(State& state) {
  constexpr size_t kColumns = sizeof(Book) / sizeof(double);
  static_assert(sizeof(Book) == kColumns * sizeof(double));
  double* numbers = state.books.empty() ? nullptr : &state.books.front().utilisation;
  return {state_array("books", std::span<double>(numbers, kColumns * state.books.size()), kColumns)};
}

void enter(State& state, int joint, const rigid::PlasticState& now, double time) {
  Book& book = state.books[static_cast<size_t>(joint)];
  book.utilisation = now.broken > 0 ? 0 : now.utilisation;
  book.peak = now.peak_utilisation;
  book.turn = now.rotation();
  book.elongation = now.elongation();
  book.work = now.work;
  if (now.broken > 0 && book.broken_at < 0) book.broken_at = time;
}

std::vector<int> hanging_together(const Model& model, const State& state) {
  Groups groups(model.pieces.size());
  for (size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].b >= 0 && state.books[j].broken_at < 0) groups.merge(model.joints[j].a, model.joints[j].b);
  }
  std::vector<int> lowest;
  for (size_t p = 0; p < model.pieces.size(); ++p) lowest.push_back(groups.of(static_cast<int>(p)));
  return lowest;
}

double total_work(const State& state) {
  double sum = 0;
  for (const Book& book : state.books) sum += book.work;
  return sum;
}

}  // namespace crumple::structures

#include "crumple/methods/joints/joints.h"

namespace crumple::joints {

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

double total_work(const State& state) {
  double sum = 0;
  for (const Book& book : state.books) sum += book.work;
  return sum;
}

}  // namespace crumple::joints

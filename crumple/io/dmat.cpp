#include "crumple/io/dmat.h"

#include <fmt/format.h>

#include "crumple/io/text_cursor.h"

namespace crumple::io {

Result<Dmat> parse_dmat(std::string_view text, std::string_view name) {
  TextCursor cursor(text, name);
  Dmat matrix;
  matrix.columns = cursor.count("the number of columns", 2);
  matrix.rows = cursor.count("the number of rows", 2);
  if (cursor.failed()) return cursor.error();
  if (matrix.rows == 0 || matrix.columns == 0)
    return input_error(fmt::format("{}: is empty, or one of the binary .dmat files, which cannot be read", name));
  // Each value takes two bytes, and neither number exceeds half the text, so this product cannot overflow.
  if (matrix.rows * matrix.columns > text.size() / 2) {
    return input_error(fmt::format("{}: claims {} x {} values, for which the file is too short; it is cut off", name, matrix.rows, matrix.columns));
  }
  matrix.values.resize(matrix.rows * matrix.columns);
  for (size_t column = 0; column < matrix.columns; ++column) {
    for (size_t row = 0; row < matrix.rows && !cursor.failed(); ++row) matrix.values[row * matrix.columns + column] = cursor.number("a value");
  }
  if (cursor.failed()) return cursor.error();
  return matrix;
}

}  // namespace crumple::io

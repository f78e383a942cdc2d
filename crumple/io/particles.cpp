#include "crumple/io/particles.h"

#include <fmt/format.h>

#include "crumple/io/files.h"
#include "crumple/io/text_cursor.h"

namespace crumple::io {

Result<std::vector<Vec3>> parse_particles(std::string_view text, std::string_view name) {
  TextCursor cursor(text, name);
  std::vector<Vec3> particles;
  while (!cursor.at_end() && !cursor.failed()) {
    const std::string_view word = cursor.word();
    if (word.starts_with('#')) {
      cursor.skip_line();
      continue;
    }
    const double x = cursor.parse_number(word, "the x of a particle");
    const double y = cursor.number("the y of a particle");
    const double z = cursor.number("the z of a particle");
    particles.emplace_back(x, y, z);
  }
  if (cursor.failed()) return cursor.error();
  if (particles.empty()) return input_error(fmt::format("{}: has no particles; it should have three numbers for each", name));
  return particles;
}

Result<std::vector<Vec3>> read_particles(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return parse_particles(*text, file.string());
}

}  // namespace crumple::io

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crumple::render {

/// Values over whole numbers, such as milliseconds over frames.
struct Plot {
  struct Series {
    std::string name, color;     // a CSS colour
    std::vector<double> values;  // #x, finite, at least 0
  };
  struct Limit {
    std::string name;
    double value = 0;
  };
  std::string title, subtitle, x_label, y_label, unit;  // the unit is written behind the value of the limit
  std::vector<int> x;                                   // ascending; numbers that are missing stay blank
  std::vector<Series> series;                           // from the bottom up
  bool stacked = true;                                  // areas, one upon the other; false: lines
  std::optional<Limit> limit;                           // a line across
};

/// A picture as SVG. Equal plots give equal bytes. Of more numbers than there is room for, neighbours are drawn as their mean,
/// and the label of the axis says so.
std::string write_svg(const Plot& plot);

/// Steps of 1, 2 or 5 times a power of ten from 0 to the first at or above `most`: as many as come closest to `wanted`, at least one.
std::vector<double> round_ticks(double most, int wanted);

/// Text that may stand in XML: marked characters are escaped; what XML cannot hold, or is not UTF-8, becomes a question mark.
std::string escape_xml(std::string_view text);

}  // namespace crumple::render

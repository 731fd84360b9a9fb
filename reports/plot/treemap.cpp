#include "reports/plot/treemap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/plot/elements.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t most_in_a_row = 3;
constexpr double map_height = 96, gap = 10;

std::string drawn(const Treemap::Tile& tile, double left, double top, double map_width) {
  const double x = left + tile.x * map_width, y = top + (1 - tile.y - tile.height) * map_height;
  const double width = tile.width * map_width, height = tile.height * map_height;
  std::string body = rectangle_at(x, y, width, height, fmt::format("box look{}", tile.look), tile.title);
  const std::vector<std::string> lines = wrapped(tile.label, width - 6);
  const double room = static_cast<double>(lines.size()) * line_height;
  const bool fits = room + 4 <= height &&
                    std::ranges::all_of(lines, [&](const std::string& line) { return text_width(line) <= width - 6; });
  for (std::size_t n = 0; fits && n < lines.size(); ++n)
    body += text_at(x + width / 2, y + (height - room) / 2 + line_height * (static_cast<double>(n) + 0.75),
                    "text-anchor=\"middle\"", lines[n]);
  return body;
}

}  // namespace

std::string svg(const Treemap& treemap) {
  const std::size_t columns = std::clamp<std::size_t>(treemap.maps.size(), 1, most_in_a_row);
  const double width = (picture_width - gap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  std::string body;
  double y = 0;
  for (std::size_t first = 0; first < treemap.maps.size(); first += columns) {
    const std::size_t end = std::min(first + columns, treemap.maps.size());
    double top = y;  // below the labels of this row
    for (std::size_t n = first; n < end; ++n)
      top = std::max(top, y + line_height * static_cast<double>(wrapped(treemap.maps[n].label, width).size()));
    for (std::size_t n = first; n < end; ++n) {
      const double left = (width + gap) * static_cast<double>(n - first);
      double label = y;
      for (const std::string& line : wrapped(treemap.maps[n].label, width))
        body += text_at(left, (label += line_height) - 4, "class=\"soft\"", line);
      for (const Treemap::Tile& tile : treemap.maps[n].tiles) body += drawn(tile, left, top, width);
    }
    y = top + map_height + gap;
  }
  return picture(treemap.title, y, body);
}

}  // namespace attncert::report

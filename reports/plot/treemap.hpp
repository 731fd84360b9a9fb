// Rectangles that fill a map, each as large as its share of it; several maps side by side.
#pragma once

#include <string>
#include <vector>

namespace attncert::report {

struct Treemap {
  struct Tile {
    double x, y, width, height;  // in [0, 1], from the lower left corner
    int look;                    // 0 to 9
    std::string label, title;    // label: left out where the tile has no room for it
  };
  struct Map {
    std::string label;
    std::vector<Tile> tiles;
  };
  std::string title;
  std::vector<Map> maps = {};
};
std::string svg(const Treemap& treemap);

}  // namespace attncert::report

// Plot: lines, bands, boxes and bars over two axes, as one SVG that needs nothing else. Looks are CSS classes
// (style.hpp); the legend stands below, so that no label meets the data.
#pragma once

#include <string>
#include <vector>

#include "reports/plot/scale.hpp"

namespace attncert::report {

struct PlotPoint {
  double x, y;
};
struct PlotLine {
  std::string label;
  int look;  // 0 to 9: colour and dashes
  std::vector<PlotPoint> points = {};
  bool thin = false;  // of less weight: no marks, with their values, at its points
};
struct PlotBand {
  std::string label;
  int look;
  struct Reach {
    double x, low, high;
  };
  std::vector<Reach> reaches = {};
};
struct PlotBoxes {  // whiskers from `least` to `most`; a box that would stand in another is left out
  std::string label;
  int look;
  struct Box {
    double x, least, lower, median, upper, most;
  };
  std::vector<Box> boxes = {};
};
struct PlotBars {  // from the foot of the plot; on linear axes that begin at 0
  std::string label;
  int look;
  struct Bar {
    double from, to, y;
    bool open = false;  // whatever lies beyond `from`
  };
  std::vector<Bar> bars = {};
};
struct Plot {
  std::string title;
  Axis x, y;
  std::vector<PlotBand> bands = {};
  std::vector<PlotLine> lines = {};
  std::vector<PlotBoxes> boxes = {};
  std::vector<PlotBars> bars = {};
};

std::string svg(const Plot& plot);  // without its style, for a page that has it

}  // namespace attncert::report

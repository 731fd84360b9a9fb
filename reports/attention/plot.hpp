// Plot: lines, bands and boxes over two axes, as one SVG that needs nothing else. Looks are CSS classes
// (plot_style), light and dark by the reader's setting; the legend stands in a column of its own, so that no label
// meets the data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attncert::report {

struct Axis {
  std::string label;
  bool logarithmic = false;                  // values that are not positive are left out
  std::optional<double> from = {}, to = {};  // from the data where not given, or where all data lie beyond
};
struct PlotPoint {
  double x, y;
};
struct PlotLine {
  std::string label;
  int look;  // 0 to 9: colour and dashes
  std::vector<PlotPoint> points = {};
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
struct Plot {
  std::string title;
  Axis x, y;
  std::vector<PlotBand> bands = {};
  std::vector<PlotLine> lines = {};
  std::vector<PlotBoxes> boxes = {};
};

std::string svg(const Plot& plot);  // without its style, for a page that has it

struct Polar {  // points about a centre
  std::string title;
  double circle = 0;  // radius drawn dashed
  std::string circle_label;
  struct Point {
    double radius, angle;
    bool chosen;
    double weight;
  };
  std::string chosen_label, other_label;
  std::vector<Point> points;
};
std::string svg(const Polar& polar);

extern const std::string_view plot_style;
std::string standalone(const std::string& svg);  // with the style inside

}  // namespace attncert::report

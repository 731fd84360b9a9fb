#include "reports/attention/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/attention/plot_scale.hpp"
#include "reports/svg_parts.hpp"

namespace attncert::report {
namespace {

// CSS pixels. From top to bottom: title, the y axis's label, the plot, the ticks of x, the label of x.
constexpr double plot_width = 560, plot_height = 340, top = 52, below = 46, gap = 14, legend_row = 20, sample = 26;
constexpr double box_width = 9;

std::string look(const char* kind, int number) { return fmt::format("{} look{}", kind, number); }

struct Values {
  std::vector<double> x, y;
};

Values drawn(const Plot& plot) {
  Values values;
  const auto put = [&](double x, std::initializer_list<double> ys) {
    values.x.push_back(x);
    values.y.insert(values.y.end(), ys);
  };
  for (const PlotBand& band : plot.bands)
    for (const auto& reach : band.reaches) put(reach.x, {reach.low, reach.high});
  for (const PlotLine& line : plot.lines)
    for (const PlotPoint& point : line.points) put(point.x, {point.y});
  for (const PlotBoxes& boxes : plot.boxes)
    for (const auto& box : boxes.boxes) put(box.x, {box.least, box.most});
  return values;
}

double left_margin(const Plot& plot, const Values& values) {
  double widest = 0;
  for (const auto& [value, label] : PlotScale(plot.y, values.y, 0, 1).ticks())
    widest = std::max(widest, text_width(label));
  return widest + gap;
}

struct Canvas {
  double left;
  PlotScale x, y;
  bool shows(double at, double value) const { return x.shows(at) && y.shows(value); }
};

std::string axes(const Plot& plot, const Canvas& canvas) {
  const double bottom = top + plot_height;
  std::string svg =
      text_at(0, 16, "class=\"title\"", plot.title) + text_at(0, top - 12, "class=\"soft\"", plot.y.label);
  for (const auto& [value, label] : canvas.y.ticks()) {
    const double y = canvas.y.place(value);
    svg += line_at(canvas.left, y, canvas.left + plot_width, y, "grid") +
           text_at(canvas.left - 6, y + 4, "class=\"soft\" text-anchor=\"end\"", label);
  }
  for (const auto& [value, label] : canvas.x.ticks()) {
    const double x = canvas.x.place(value);
    svg += line_at(x, top, x, bottom, "grid") + text_at(x, bottom + 18, "class=\"soft\" text-anchor=\"middle\"", label);
  }
  return svg +
         text_at(canvas.left + plot_width / 2, bottom + 38, "class=\"soft\" text-anchor=\"middle\"", plot.x.label);
}

std::string drawn(const PlotBand& band, const Canvas& canvas) {
  std::string upper, lower;
  for (const auto& reach : band.reaches) {
    if (!canvas.shows(reach.x, reach.low) || !canvas.shows(reach.x, reach.high)) continue;
    const double x = canvas.x.place(reach.x);
    upper += fmt::format("{:.1f},{:.1f} ", x, canvas.y.place(reach.high));
    lower = fmt::format("{:.1f},{:.1f} ", x, canvas.y.place(reach.low)) + lower;
  }
  return fmt::format("<polygon class=\"{}\" points=\"{}\"/>\n", look("band", band.look), upper + lower);
}

// Broken where a value has no place; runs out of the frame where it is too far away.
std::string drawn(const PlotLine& line, const Canvas& canvas) {
  std::string path;
  bool broken = true;
  for (const PlotPoint& point : line.points) {
    const bool shown = canvas.x.has(point.x) && canvas.y.has(point.y);
    if (shown)
      path += fmt::format("{}{:.1f} {:.1f} ", broken ? 'M' : 'L', canvas.x.place(point.x), canvas.y.place(point.y));
    broken = !shown;
  }
  return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", look("line", line.look), path);
}

std::string drawn(const PlotBoxes& boxes, const Canvas& canvas) {
  std::string svg;
  double free_from = 0;
  for (const auto& box : boxes.boxes) {
    const double x = canvas.x.place(box.x);
    if (!canvas.shows(box.x, box.least) || !canvas.shows(box.x, box.most) || x < free_from) continue;
    free_from = x + box_width + 1;
    const double upper = canvas.y.place(box.upper), lower = canvas.y.place(box.lower);
    const double middle = canvas.y.place(box.median);
    svg += line_at(x, canvas.y.place(box.most), x, canvas.y.place(box.least), look("box", boxes.look)) +
           rectangle_at(x - box_width / 2, upper, box_width, lower - upper, look("box", boxes.look)) +
           line_at(x - box_width / 2, middle, x + box_width / 2, middle, look("median", boxes.look));
  }
  return svg;
}

class Legend {
 public:
  explicit Legend(double left) : left_(left) {}
  void line(const PlotLine& line) { add(line.label, line_at(left_, y_, left_ + sample, y_, look("line", line.look))); }
  void band(const PlotBand& band) { add(band.label, rectangle_at(left_, y_ - 5, sample, 10, look("band", band.look))); }
  void boxes(const PlotBoxes& boxes) {
    add(boxes.label, rectangle_at(left_ + 8, y_ - 5, box_width, 10, look("box", boxes.look)));
  }
  const std::string& svg() const { return svg_; }
  double right() const { return right_; }
  double bottom() const { return y_; }

 private:
  void add(const std::string& label, const std::string& shape) {
    svg_ += shape + text_at(left_ + sample + 6, y_ + 4, "", label);
    right_ = std::max(right_, left_ + sample + 6 + text_width(label));
    y_ += legend_row;
  }
  double left_, y_ = top + 8, right_ = 0;
  std::string svg_;
};

Legend legend(const Plot& plot, double left) {
  Legend legend(left);
  for (const PlotBoxes& boxes : plot.boxes) legend.boxes(boxes);
  for (const PlotLine& line : plot.lines) legend.line(line);
  for (const PlotBand& band : plot.bands) legend.band(band);
  return legend;
}

// Whether anything can be seen: a line needs two places, and so does a band.
bool shows_something(const Plot& plot, const Canvas& canvas) {
  const auto shown = [&](const auto& points) {
    return std::count_if(points.begin(), points.end(),
                         [&](const PlotPoint& point) { return canvas.x.has(point.x) && canvas.y.has(point.y); });
  };
  return std::any_of(plot.lines.begin(), plot.lines.end(), [&](const auto& line) { return shown(line.points) > 1; }) ||
         std::any_of(plot.bands.begin(), plot.bands.end(), [](const auto& band) { return band.reaches.size() > 1; }) ||
         std::any_of(plot.boxes.begin(), plot.boxes.end(), [](const auto& boxes) { return !boxes.boxes.empty(); });
}

// In place of empty axes.
std::string in_words(const Plot& plot, const Values& values) {
  const std::set<double> places(values.x.begin(), values.x.end());
  const std::string why =
      places.empty() ? "No figure: nothing was measured."
      : places.size() == 1
          ? fmt::format("No figure: all rows have one place on the axis \"{}\", {:.6g}, and a line needs two.",
                        plot.x.label, *places.begin())
          : "No figure: no two measured values can be drawn on these axes.";
  return opened_picture(std::max(text_width(plot.title), text_width(why)) + gap, top, plot.title, "plot") +
         text_at(0, 16, "class=\"title\"", plot.title) + text_at(0, 40, "class=\"soft\"", why) + "</svg>\n";
}

}  // namespace

std::string svg(const Plot& plot) {
  const Values values = drawn(plot);
  const double left = left_margin(plot, values), right = left + plot_width, bottom = top + plot_height;
  const Canvas canvas{left, {plot.x, values.x, left, right}, {plot.y, values.y, bottom, top}};
  if (!shows_something(plot, canvas)) return in_words(plot, values);
  const Legend beside = legend(plot, right + gap);
  const double width = std::max({beside.right(), right + gap, text_width(plot.title), text_width(plot.y.label)});
  std::string svg =
      opened_picture(width + gap, std::max(bottom + below, beside.bottom()), plot.title, "plot") + axes(plot, canvas);
  for (const PlotBand& band : plot.bands) svg += drawn(band, canvas);
  for (const PlotBoxes& boxes : plot.boxes) svg += drawn(boxes, canvas);
  svg += fmt::format(
      "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" viewBox=\"{0:.1f} {1:.1f} {2:.1f} "
      "{3:.1f}\">\n",
      left, top, plot_width, plot_height);  // cuts off what runs out of the frame
  for (const PlotLine& line : plot.lines) svg += drawn(line, canvas);
  svg += "</svg>\n";
  return svg + rectangle_at(left, top, plot_width, plot_height, "frame") + beside.svg() + "</svg>\n";
}

std::string standalone(const std::string& svg) {
  const auto place = svg.find('\n') + 1;
  return svg.substr(0, place) + "<style>" + std::string(plot_style) + "</style>\n" + svg.substr(place);
}

}  // namespace attncert::report

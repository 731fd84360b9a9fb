#include "reports/plot/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/plot/elements.hpp"
#include "src/core/xml_text.hpp"

namespace attncert::report {
namespace {

// CSS pixels. From top to bottom: the y axis's label, the plot, the ticks of x, the label of x, the legend.
constexpr double plot_height = 200, gap = 8, right_margin = 14, box_width = 7;
constexpr std::size_t most_points = 40;  // of a line with a mark at each: a curve of a formula has more

std::string look(const char* kind, int number) { return fmt::format("{} look{}", kind, number); }

std::string look(const PlotLine& line) { return look(line.thin ? "line thin" : "line", line.look); }

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
  for (const PlotBars& bars : plot.bars)
    for (const auto& bar : bars.bars) put(bar.from, {0, bar.y}), put(bar.to, {});
  return values;
}

double left_margin(const Plot& plot, const Values& values) {
  double widest = 0;
  for (const auto& [value, label] : PlotScale(plot.y, values.y, 0, 1).ticks())
    widest = std::max(widest, text_width(label));
  return widest + gap;
}

struct Canvas {
  double left, top;
  PlotScale x, y;
  double right() const { return picture_width - right_margin; }
  double bottom() const { return top + plot_height; }
  bool shows(double at, double value) const { return x.shows(at) && y.shows(value); }
};

std::string axes(const Canvas& canvas) {
  std::string grid, svg;
  for (const auto& [value, label] : canvas.y.ticks()) {
    const double y = canvas.y.place(value);
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", canvas.left, y, canvas.right());
    svg += text_at(canvas.left - 6, y + 4, "class=\"soft\" text-anchor=\"end\"", label);
  }
  double free_from = 0;
  for (const auto& [value, label] : canvas.x.ticks()) {
    const double x = canvas.x.place(value), half = text_width(label) / 2;
    grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, canvas.top, canvas.bottom());
    if (x - half < free_from || x + half > picture_width) continue;  // labels of few pixels apart would meet
    svg += text_at(x, canvas.bottom() + 15, "class=\"soft\" text-anchor=\"middle\"", label);
    free_from = x + half + 4;
  }
  return path_of(grid, "grid") + svg;
}

std::string drawn(const PlotBand& band, const Canvas& canvas) {
  std::string upper, lower;
  for (const auto& reach : band.reaches) {
    if (!canvas.shows(reach.x, reach.low) || !canvas.shows(reach.x, reach.high)) continue;
    const double x = canvas.x.place(reach.x);
    upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? 'M' : 'L', x, canvas.y.place(reach.high));
    lower = fmt::format("L{:.1f} {:.1f}", x, canvas.y.place(reach.low)) + lower;
  }
  return upper.empty() ? "" : path_of(upper + lower + "Z", look("band", band.look), band.label);
}

std::string title_of(const PlotPoint& point) { return fmt::format("{} at {}", tick_text(point.y), tick_text(point.x)); }

// Broken where a value has no place; runs out of the frame where it is too far away.
std::string drawn(const PlotLine& line, const Canvas& canvas) {
  std::string path, marks;
  bool broken = true;
  for (const PlotPoint& point : line.points) {
    const bool shown = canvas.x.has(point.x) && canvas.y.has(point.y);
    const double x = shown ? canvas.x.place(point.x) : 0, y = shown ? canvas.y.place(point.y) : 0;
    if (shown) path += fmt::format("{}{:.1f} {:.1f}", broken ? 'M' : 'L', x, y);
    if (canvas.shows(point.x, point.y) && !line.thin && line.points.size() <= most_points)
      marks += circle_at(x, y, 2.4, "", title_of(point));
    broken = !shown;
  }
  if (path.empty()) return "";
  return path_of(path, look(line), line.label) +
         (marks.empty() ? "" : group_of(look("mark", line.look), line.label, marks));
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
           rectangle_at(x - box_width / 2, upper, box_width, lower - upper, look("box", boxes.look),
                        "median: " + title_of({box.x, box.median})) +
           line_at(x - box_width / 2, middle, x + box_width / 2, middle, look("median", boxes.look));
  }
  return svg;
}

std::string drawn(const PlotBars& bars, const Canvas& canvas) {
  std::string svg;
  for (const auto& bar : bars.bars) {
    const double from = canvas.x.place(bar.from), to = canvas.x.place(bar.to), y = canvas.y.place(bar.y);
    if (canvas.y.has(bar.y) && bar.y > 0)
      svg += rectangle_at(from + 0.5, y, to - from - 1, canvas.y.place(0) - y, look("bar", bars.look),
                          bar.open
                              ? fmt::format("beyond {}: {}", tick_text(bar.from), tick_text(bar.y))
                              : fmt::format("{} to {}: {}", tick_text(bar.from), tick_text(bar.to), tick_text(bar.y)));
  }
  return svg;
}

Legend legend(const Plot& plot, double top) {
  Legend legend(top);
  const auto block = [&](const char* kind, int number, double width) {
    return [=](double x, double y) {
      return rectangle_at(x + (sample_width - width) / 2, y - 5, width, 10, look(kind, number));
    };
  };
  for (const PlotBoxes& boxes : plot.boxes) legend.add(boxes.label, block("box", boxes.look, box_width));
  for (const PlotLine& line : plot.lines)
    legend.add(line.label, [&](double x, double y) { return line_at(x, y, x + sample_width, y, look(line)); });
  for (const PlotBand& band : plot.bands) legend.add(band.label, block("band", band.look, sample_width));
  for (const PlotBars& bars : plot.bars)
    if (!bars.label.empty()) legend.add(bars.label, block("bar", bars.look, box_width));
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
         std::any_of(plot.boxes.begin(), plot.boxes.end(), [](const auto& boxes) { return !boxes.boxes.empty(); }) ||
         std::any_of(plot.bars.begin(), plot.bars.end(), [](const auto& bars) { return !bars.bars.empty(); });
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
  double y = 12;
  std::string body;
  for (const std::string& line : wrapped(why, picture_width)) {
    body += text_at(0, y, "class=\"soft\"", line);
    y += line_height;
  }
  return picture(plot.title, y, body);
}

}  // namespace

std::string svg(const Plot& plot) {
  const Values values = drawn(plot);
  double top = 12;
  std::string body;
  for (const std::string& line : wrapped(plot.y.label, picture_width)) {
    body += text_at(0, top, "class=\"soft\"", line);
    top += line_height;
  }
  top -= 4;
  const double left = left_margin(plot, values), right = picture_width - right_margin, bottom = top + plot_height;
  const Canvas canvas{left, top, {plot.x, values.x, left, right}, {plot.y, values.y, bottom, top}};
  if (!shows_something(plot, canvas)) return in_words(plot, values);
  body += axes(canvas);
  double y = bottom + 32;
  for (const std::string& line : wrapped(plot.x.label, right - left)) {
    body += text_at((left + right) / 2, y, "class=\"soft\" text-anchor=\"middle\"", line);
    y += line_height;
  }
  const Legend below = legend(plot, y - 4);
  for (const PlotBand& band : plot.bands) body += drawn(band, canvas);
  for (const PlotBars& bars : plot.bars) body += drawn(bars, canvas);
  for (const PlotBoxes& boxes : plot.boxes) body += drawn(boxes, canvas);
  body += fmt::format(
      "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" viewBox=\"{0:.1f} {1:.1f} {2:.1f} "
      "{3:.1f}\">\n",
      left, top, right - left, plot_height);  // cuts off what runs out of the frame
  for (const PlotLine& line : plot.lines) body += drawn(line, canvas);
  body += "</svg>\n" + rectangle_at(left, top, right - left, plot_height, "frame") + below.svg();
  return picture(plot.title, below.bottom(), body);
}

}  // namespace attncert::report

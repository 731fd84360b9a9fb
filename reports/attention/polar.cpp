// The picture of the paper's Figure 1: a selection seen from s. Radii are exact; beyond a factor of 30 between them
// their logarithm is drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/attention/plot.hpp"
#include "reports/attention/plot_scale.hpp"
#include "reports/svg_parts.hpp"

namespace attncert::report {
namespace {

constexpr double radius = 190, centre_x = 210, centre_y = 240, legend_left = 430, size = 450, too_far_apart = 30;

class Rings {
 public:
  explicit Rings(const Polar& polar) {
    least_ = most_ = polar.circle;
    for (const Polar::Point& point : polar.points) {
      most_ = std::max(most_, point.radius);
      if (point.radius > 0) least_ = least_ > 0 ? std::min(least_, point.radius) : point.radius;
    }
    logarithmic_ = least_ > 0 && most_ > too_far_apart * least_;
  }
  bool logarithmic() const { return logarithmic_; }
  // Pixels from the centre; on the logarithmic scale the smallest radius stands at a tenth, and what is 0 in the
  // centre.
  double place(double distance) const {
    if (!(most_ > 0) || !(distance > 0)) return 0;
    if (!logarithmic_) return radius * distance / most_;
    return radius * (0.1 + 0.9 * std::log(distance / least_) / std::log(most_ / least_));
  }
  std::vector<double> values() const {
    const Axis axis{"", logarithmic_, logarithmic_ ? least_ : 0, most_ > 0 ? most_ : 1};
    std::vector<double> rings;
    for (const auto& [value, label] : PlotScale(axis, {}, 0, 1).ticks())
      if (value > 0) rings.push_back(value);
    return rings;
  }

 private:
  double least_, most_;
  bool logarithmic_;
};

struct Drawn {
  std::string rings, labels;
};

// Labels stand on the upward axis, the farthest first, each only where the one outside it leaves room.
Drawn drawn(const Rings& rings) {
  Drawn drawn;
  double free_below = -1;
  const std::vector<double> values = rings.values();
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    const double at = rings.place(*value), y = centre_y - at - 3;
    drawn.rings += circle_at(centre_x, centre_y, at, "ring");
    if (y - 12 < free_below || at < 14) continue;
    drawn.labels += text_at(centre_x, y + 7, "class=\"soft halo\" text-anchor=\"middle\"", tick_text(*value));
    free_below = y;
  }
  return drawn;
}

std::string entry(int row, const std::string& shape, const std::string& label) {
  return shape + text_at(legend_left + 30, 64 + 20 * row, "", label);
}

}  // namespace

std::string svg(const Polar& polar) {
  const Rings rings(polar);
  const Drawn circles = drawn(rings);
  std::string others, chosen;
  for (const Polar::Point& point : polar.points) {
    const double at = rings.place(point.radius);
    const double x = centre_x + at * std::cos(point.angle), y = centre_y - at * std::sin(point.angle);
    (point.chosen ? chosen : others) += circle_at(x, y, point.chosen ? 3 + 6 * std::sqrt(point.weight) : 1.8,
                                                  point.chosen ? "mark look1" : "mark look0");
  }
  const std::string scale = rings.logarithmic() ? "distance to s, logarithmic" : "distance to s";
  const std::string legend = entry(0, circle_at(legend_left + 13, 60, 6, "mark look1"), polar.chosen_label) +
                             entry(1, circle_at(legend_left + 13, 80, 1.8, "mark look0"), polar.other_label) +
                             entry(2, line_at(legend_left, 100, legend_left + 26, 100, "circle"), polar.circle_label) +
                             entry(3,
                                   line_at(legend_left + 8, 120, legend_left + 18, 120, "frame") +
                                       line_at(legend_left + 13, 115, legend_left + 13, 125, "frame"),
                                   "s, the centre") +
                             entry(4, line_at(legend_left, 140, legend_left + 26, 140, "grid"), "rings: " + scale);
  double width = text_width(polar.title);
  for (const std::string& label : {polar.chosen_label, polar.other_label, polar.circle_label, "rings: " + scale})
    width = std::max(width, legend_left + 30 + text_width(label));
  return opened_picture(width + 14, size, polar.title, "plot") + text_at(0, 16, "class=\"title\"", polar.title) +
         circles.rings + circle_at(centre_x, centre_y, rings.place(polar.circle), "circle") + others + chosen +
         line_at(centre_x - 5, centre_y, centre_x + 5, centre_y, "frame") +
         line_at(centre_x, centre_y - 5, centre_x, centre_y + 5, "frame") + circles.labels + legend + "</svg>\n";
}

}  // namespace attncert::report

// The picture of the paper's Figure 1: a selection seen from s. Radii are exact; beyond a factor of 30 between them
// their logarithm is drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/plot/elements.hpp"
#include "reports/plot/polar.hpp"
#include "reports/plot/scale.hpp"
#include "src/core/xml_text.hpp"

namespace attncert::report {
namespace {

constexpr double radius = 150, centre_x = picture_width / 2, centre_y = 164, below = 324, too_far_apart = 30;

// Of a point that is not chosen: a few are seen beside the ball's line, thousands leave it to be seen.
double small(const Polar& polar) { return polar.points.size() <= 50 ? 4.5 : 2.6; }

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

std::string cross(double x, double y) {
  return line_at(x - 5, y, x + 5, y, "frame") + line_at(x, y - 5, x, y + 5, "frame");
}

Legend legend(const Polar& polar, const Rings& rings) {
  Legend legend(below);
  const auto dot = [](double size, const char* look) {
    return [=](double x, double y) { return circle_at(x + sample_width / 2, y, size, look); };
  };
  const auto line = [](const char* look) {
    return [=](double x, double y) { return line_at(x, y, x + sample_width, y, look); };
  };
  legend.add(polar.chosen_label, dot(5, "mark look1"));
  legend.add(polar.other_label, dot(small(polar), "mark look0"));
  if (polar.circle > 0) legend.add(polar.circle_label, line("ball"));
  legend.add("s, the centre", [](double x, double y) { return cross(x + sample_width / 2, y); });
  legend.add(rings.logarithmic() ? "rings: distance to s, logarithmic" : "rings: distance to s", line("grid"));
  return legend;
}

}  // namespace

std::string svg(const Polar& polar) {
  const Rings rings(polar);
  const Drawn circles = drawn(rings);
  std::string others, chosen;  // those that say nothing of their own, which may be thousands, share one title
  for (const Polar::Point& point : polar.points) {
    const double at = rings.place(point.radius);
    const double x = centre_x + at * std::cos(point.angle), y = centre_y - at * std::sin(point.angle);
    if (point.chosen)
      chosen += circle_at(x, y, 3 + 6 * std::sqrt(point.weight), "mark look1",
                          point.title.empty() ? "distance " + tick_text(point.radius) : point.title);
    else if (!point.title.empty()) others += circle_at(x, y, small(polar), "mark look0", point.title);
    else others += circle_at(x, y, 2.6);
  }
  others = group_of("mark look0", polar.other_label, others);
  const Legend entries = legend(polar, rings);
  std::string body = circles.rings;
  if (polar.circle > 0) body += circle_at(centre_x, centre_y, rings.place(polar.circle), "ball", polar.circle_label);
  return picture(polar.title, entries.bottom(),
                 body + chosen + others + cross(centre_x, centre_y) + circles.labels + entries.svg());
}

}  // namespace attncert::report

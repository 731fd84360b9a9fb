// One axis of a plot: where a value stands, in CSS pixels, and its ticks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attncert::report {

struct Axis {
  std::string label;
  bool logarithmic = false;                  // values that are not positive are left out
  std::optional<double> from = {}, to = {};  // from the data where not given, or where all data lie beyond
};

class PlotScale {
 public:
  // `values`: all that will be drawn; start and end: pixels of the smallest and the largest.
  PlotScale(const Axis& axis, const std::vector<double>& values, double start, double end);

  bool has(double value) const;    // finite, and positive on a logarithmic axis
  bool shows(double value) const;  // has a place between the axis's ends
  double place(double value) const;
  std::vector<std::pair<double, std::string>> ticks() const;  // value, label; never closer than a label is wide

 private:
  double on_axis(double value) const;
  std::vector<double> logarithmic_ticks() const;

  bool logarithmic_;
  double from_ = 0, to_ = 1, start_, end_;  // from and to: of the value or of its decimal logarithm
};

std::string tick_text(double value);

}  // namespace attncert::report

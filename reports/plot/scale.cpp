#include "reports/plot/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace attncert::report {
namespace {

constexpr double room = 0.03;  // of the axis, left free at either end
constexpr double most_ticks = 6;
constexpr double few_decades = 0.7, some_decades = 2.5;  // below them: equal steps; 1, 2 and 5 of each decade

// Multiples of 1, 2 or 5 times a power of ten, at most `most_ticks` steps of them.
std::vector<double> round_numbers(double from, double to) {
  const double rough = (to - from) / most_ticks, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough) step = factor * power;
  std::vector<double> ticks;
  for (double k = std::ceil(from / step); k * step <= to; ++k) ticks.push_back(k * step);
  return ticks;
}

}  // namespace

std::string tick_text(double value) {
  const double size = std::fabs(value);
  if (size == 0 || (size < 1e6 && size >= 1e-3)) return fmt::format("{:.6g}", value);
  std::string text = fmt::format("{:.3e}", value);  // "1.000e-05" as "1e-5"
  const auto e = text.find('e');
  std::string digits = text.substr(0, e);
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  return fmt::format("{}e{}", digits, std::stoi(text.substr(e + 1)));
}

PlotScale::PlotScale(const Axis& axis, const std::vector<double>& values, double start, double end)
    : logarithmic_(axis.logarithmic), start_(start), end_(end) {
  double least = INFINITY, most = -INFINITY;
  for (const double value : values) {
    if (!has(value)) continue;
    least = std::min(least, on_axis(value)), most = std::max(most, on_axis(value));
  }
  if (!(least <= most)) least = 0, most = 1;
  if (least == most) least -= 0.5, most += 0.5;
  const double free = room * (most - least);
  from_ = axis.from ? on_axis(*axis.from) : least - free;
  to_ = axis.to ? on_axis(*axis.to) : most + free;
  if (!(from_ < to_)) from_ = least - free, to_ = most + free;  // else the axis would be upside down
}

double PlotScale::on_axis(double value) const { return logarithmic_ ? std::log10(value) : value; }

bool PlotScale::has(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }

bool PlotScale::shows(double value) const {
  if (!has(value)) return false;
  const double slack = 1e-9 * (to_ - from_);  // rounding of the logarithm at the axis's own ends
  return on_axis(value) >= from_ - slack && on_axis(value) <= to_ + slack;
}

double PlotScale::place(double value) const {
  return start_ + (end_ - start_) * (on_axis(value) - from_) / (to_ - from_);
}

// Every decade, or every second, third, ... where there are many; 1, 2 and 5 of each where there are few.
std::vector<double> PlotScale::logarithmic_ticks() const {
  const double decades = to_ - from_, step = std::max(1.0, std::ceil(decades / most_ticks));
  if (decades < few_decades) return round_numbers(std::pow(10, from_), std::pow(10, to_));
  std::vector<double> ticks;
  for (double k = std::floor(from_); k <= to_; ++k)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, k);
      const bool wanted = factor == 1 ? std::fmod(k, step) == 0 : decades < some_decades;
      if (wanted && shows(value)) ticks.push_back(value);
    }
  return ticks;
}

std::vector<std::pair<double, std::string>> PlotScale::ticks() const {
  std::vector<std::pair<double, std::string>> labelled;
  for (const double value : logarithmic_ ? logarithmic_ticks() : round_numbers(from_, to_))
    labelled.push_back({value, tick_text(value + 0.0)});  // -0 as 0
  return labelled;
}

}  // namespace attncert::report

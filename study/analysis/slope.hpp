// The exponent of a power law by least squares: slope of log y against log x.
#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace attncert::report {

// None for fewer than two places, or where a value is not positive or not finite.
inline std::optional<double> log_slope(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [place, value] : points) {
    if (!(place > 0 && value > 0 && std::isfinite(place) && std::isfinite(value))) return std::nullopt;
    const double u = std::log(place), v = std::log(value);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  const double spread = n * xx - x * x;
  if (n < 2 || !(spread > 0)) return std::nullopt;
  return (n * xy - x * y) / spread;
}

}  // namespace attncert::report

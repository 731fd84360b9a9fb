// Captured tokens against an independent float64 program: norms, cosines and the smallest distance of unit vectors, for
// every layer and kind of token vector (window0_geometry.csv, printed with five digits).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/gpt2/table.hpp"
#include "tests/gpt2/token_geometry.hpp"

namespace attncert {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Linear between the neighbours of (n - 1) q.
double quantile(std::vector<double> values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(std::floor(place));
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double below = values[static_cast<std::size_t>(low)];
  const double above = *std::min_element(values.begin() + low + 1, values.end());
  return below + (place - std::floor(place)) * (above - below);
}

TEST(Geometry, of_every_kind_of_token) {
  const Table expected("window0_geometry.csv");
  ASSERT_EQ(expected.rows(), 28U);
  for (std::size_t line = 0; line < expected.rows(); ++line) {
    const bool all = expected.text(line, "head") == "all";
    const std::size_t layer = expected.count(line, "layer"), head = all ? 0 : expected.count(line, "head");
    const TokenGeometry raw = window0_tokens(layer, head, expected.text(line, "x"), "raw");
    const TokenGeometry unit = window0_tokens(layer, head, expected.text(line, "x"), "unit");
    std::vector<double> norms, cosines, with_first;
    for (std::size_t i = 0; i < raw.count(); ++i) norms.push_back(raw.norm(i));
    for (std::size_t i = 1; i < unit.count(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        cosines.push_back(1 - unit.distance(i, j) * unit.distance(i, j) / 2);  // of unit vectors
        if (j == 0) with_first.push_back(cosines.back());
      }
    const std::pair<const char*, double> columns[] = {{"norm_mean", mean(norms)},
                                                      {"norm_min", *std::min_element(norms.begin(), norms.end())},
                                                      {"norm_max", raw.largest_norm(raw.count())},
                                                      {"norm_first", norms[0]},
                                                      {"cos_mean", mean(cosines)},
                                                      {"cos_q05", quantile(cosines, 0.05)},
                                                      {"cos_q95", quantile(cosines, 0.95)},
                                                      {"cos_mean_with_first", mean(with_first)},
                                                      {"min_distance_unit", unit.smallest_distance(unit.count())}};
    for (const auto& [column, value] : columns) {
      const double wanted = expected.number(line, column);
      EXPECT_LE(std::abs(value - wanted), std::max(1e-4 * std::abs(wanted), 1e-6))
          << column << " of " << expected.text(line, "x") << " in layer " << layer << " head "
          << expected.text(line, "head") << ": " << value << " expected " << wanted;
    }
  }
}

}  // namespace
}  // namespace attncert

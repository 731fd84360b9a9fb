// What the tests of the double-double tier share: rows of every regime, and the distance of a double-double from an
// enclosure.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "properties/conformance/double_double/truths.hpp"
#include "properties/conformance/rows/logits.hpp"
#include "properties/conformance/rows/masks.hpp"
#include "properties/conformance/rows/temperatures.hpp"
#include "reference/interval.hpp"
#include "reference/row.hpp"
#include "src/core/tape.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {

inline constexpr Precision test_precision{256};

struct TestRow {
  LogitRecipe recipe;
  std::vector<double> logits;
  double temperature;
  std::vector<std::uint8_t> mask;
  LogitRow reference() const { return {logits, temperature, mask}; }
};

// Every regime in turn, T from {1, 0.1, 0.7, 3} and at random; logits of float or double. Long rows are rare.
template <class T>
TestRow test_row(std::uint64_t number, std::size_t longest) {
  const Tape tape = random_tape(20261121, "bulk", number, 96);
  Choices choices(tape);
  TestRow row;
  row.recipe = draw_logits(choices, number % 16 == 0 ? longest : 80);
  row.recipe.regime = regimes[number % regime_count];
  if (number % 16 == 0) row.recipe.length = longest - number / 16 % 19;
  for (const T value : expand<T>(row.recipe)) row.logits.push_back(static_cast<double>(value));
  row.temperature = number % 3 == 0 ? draw_temperature(choices) : campaign_temperatures()[number % 4];
  if (number % 5 == 0) row.mask = draw_mask(choices, row.logits.size()).keep;
  return row;
}

template <class T>
std::vector<T> narrowed(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
}

inline Interval interval_of(double high, double low) {
  return Interval(high, test_precision) + Interval(low, test_precision);
}

// An upper bound of |pair - exact| / (relative |exact| + absolute): below 1 where the bound holds.
inline double fraction_of_bound(const Interval& pair, const Interval& exact, double relative, double absolute) {
  const Interval bound = Interval(relative, test_precision) * abs(exact) + Interval(absolute, test_precision);
  return (abs(pair - exact) / bound).upper();
}

}  // namespace attncert

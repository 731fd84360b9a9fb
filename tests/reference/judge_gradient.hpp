// Gradients by central differences of Arb's, against the truths: what the tests of derivatives share.
#pragma once

#include <gtest/gtest.h>

#include "reference/normalizers/normalizer.hpp"
#include "tests/reference/truth_rows.hpp"

namespace attncert {

using Reals = std::vector<Real>;
using Forward = std::function<Reals(const LogitRow&, const Reals& x)>;  // x = z / T
// The sum of absolute values of the terms of T times each entry, by the formulas of normalizer.hpp's users.
using Magnitudes = std::function<Reals(const LogitRow&, const Reals& x)>;

inline Real absolute_upstream(const LogitRow& row, std::size_t i) { return Real(std::fabs(row.upstream[i])); }

// |slope_i| (|g_i| + sum share |g|), slopes without 1 / T.
inline Magnitudes grouped(const Forward& shares, const Forward& slopes) {
  return [shares, slopes](const LogitRow& row, const Reals& x) {
    const Reals share = shares(row, x);
    Reals slope = slopes(row, x);
    Real mean;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) mean += share[i] * absolute_upstream(row, i);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) slope[i] = abs(slope[i]) * (absolute_upstream(row, i) + mean);
    return slope;
  };
}

inline Reals differences(const LogitRow& row, const Forward& forward, const Real& step) {
  const Reals x = scaled_logits(row);
  Reals gradient(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!row.present(j)) continue;
    Reals right = x, left = x;
    right[j] = x[j] + step;
    left[j] = x[j] - step;
    const Reals above = forward(row, right), below = forward(row, left);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) gradient[j] += Real(row.upstream[i]) * (above[i] - below[i]);
    gradient[j] = gradient[j] / (step * Real(2.0) * Real(row.temperature));
  }
  return gradient;
}

inline void judge_gradient(const Normalizer& normalizer, const LogitRow& row, const Forward& forward,
                           const Magnitudes& magnitudes, const Real& step, std::size_t& judged) {
  const auto truth = normalizer.truth(row);
  const Reals expected = differences(row, forward, step), bounds = magnitudes(row, scaled_logits(row));
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.present(i)) continue;
    const Real magnitude = bounds[i] / Real(row.temperature);
    const Interval value = truth->value(i, {256});
    ASSERT_TRUE(is_sound(value));
    // 2^-1000: what Arb's own exponentials of -2^1000 are known to.
    const Real error = abs(real_of(value) - expected[i]), slack = magnitude * Real(0x1p-200) + Real(0x1p-1000);
    if (expected[i].is_finite() && certainly_less(Real(2.0) * (expected[i] - expected[i]), slack)) {
      ++judged;
      EXPECT_TRUE(certainly_less(error, slack)) << normalizer.name << " at " << i << ": " << value.text();
    }
    const auto lower =
        static_cast<double>(std::min<long double>(truth->magnitude(i), std::numeric_limits<double>::max()));
    if (lower != 0) {
      EXPECT_FALSE(certainly_less(magnitude, Real(lower))) << normalizer.name << " at " << i;
      EXPECT_TRUE(lower >= 1e300 || lower < 1e-300 || certainly_less(magnitude, Real(lower) * Real(1 + 0x1p-40)))
          << normalizer.name << " at " << i;
    } else {
      EXPECT_TRUE(certainly_less(magnitude, Real(0x1p-1000))) << normalizer.name << " at " << i;
    }
    EXPECT_FALSE(std::isnan(truth->screen(i))) << normalizer.name << " at " << i;
  }
}

inline void judge_gradients(
    const Normalizer& normalizer, const Forward& forward, const Magnitudes& magnitudes, std::uint64_t rows,
    const Setting& set = [](Choices&, LogitRow&) {}, bool any_scale = true) {
  std::size_t judged = 0;
  for (std::uint64_t n = 0; n < rows && !::testing::Test::HasFailure(); ++n) {
    const bool wild = any_scale && n % 3 == 1;
    const Tape tape = random_tape(20251021, normalizer.name, n, 500);
    Choices choices(tape);
    LogitRow row = truth_row(choices, wild);
    if (set) set(choices, row);
    for (std::size_t i = 0; i < row.logits.size(); ++i) {
      row.upstream.push_back(row.present(i) ? 8 * choices.unit() - 4 : NAN);
      if (choices.below(6) == 0) row.upstream[i] = row.present(i) && wild ? 1e300 : 0;
      if (choices.below(6) == 0) row.upstream[i] = row.upstream[0] == row.upstream[0] ? row.upstream[0] : 1;
    }
    ASSERT_EQ(kind(row), RowKind::ordinary);
    judge_gradient(normalizer, row, forward, magnitudes, Real(Rational(power_of_two(-1200))), judged);
    if (!wild) judge_width(normalizer, row);
    EXPECT_FALSE(::testing::Test::HasFailure()) << "row " << n;
  }
  EXPECT_GT(judged, 2 * rows) << "Arb judged too few";
}

inline Reals multiplied(Reals a, const Reals& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] * b[i];
  return a;
}

}  // namespace attncert

// The derivative of self-adjusted softmax, near 0 and far from it, where its magnitude is that of terms that do not
// cancel.
#include <gtest/gtest.h>

#include "reference/normalizers/softmax_vjp.hpp"
#include "tests/reference/judge_gradient.hpp"

namespace attncert {
namespace {

// Where |max x| >= 2^13 (T = 1 of the scaled row), the terms about the largest x and the mean of g: docs/budgets.md.
Reals far_magnitudes(const LogitRow& row, const Reals& x, const Real& peak) {
  Reals p = arb_softmax(row, x);
  const auto g = [&](std::size_t i) { return Real(row.upstream[i]); };
  Real mean, deviation, depths;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) mean += p[i] * g(i);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!row.present(i)) continue;
    deviation += p[i] * abs(g(i) - mean);
    depths += (peak - x[i]) * p[i] * abs(g(i));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!row.present(i)) continue;
    p[i] = p[i] * (abs(g(i)) * (Real(1.0) + (peak - x[i])) + abs(peak) * (abs(g(i) - mean) + deviation) + depths);
  }
  return p;
}

TEST(Gradient, SelfAdjusted) {
  const Forward forward = [](const LogitRow& row, const Reals& x) { return multiplied(arb_softmax(row, x), x); };
  std::size_t far = 0;
  const Magnitudes magnitudes = [&far](const LogitRow& row, const Reals& x) {
    double largest = -HUGE_VAL;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) largest = std::max(largest, row.logits[i]);
    const Real peak = Real(largest) / Real(row.temperature);
    if (!certainly_less(abs(peak), Real(0x1p13))) return ++far, far_magnitudes(row, x, peak);
    Reals p = arb_softmax(row, x);
    Real total;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) total += abs(x[i]) * p[i] * absolute_upstream(row, i);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i)) p[i] = p[i] * (absolute_upstream(row, i) * (Real(1.0) + abs(x[i])) + total);
    return p;
  };
  judge_gradients(reference::sa_softmax_v0_vjp_normalizer, forward, magnitudes, 90);
  judge_gradients(reference::sa_softmax_v0_vjp_normalizer, forward, magnitudes, 60,
                  [](Choices& choices, LogitRow& row) {
                    const double offset = choices.below(2) == 0 ? 0x1p13 : -0x1p20;
                    for (double& logit : row.logits) logit += offset * row.temperature;
                  });
  EXPECT_GT(far, 20u);
  // One logit far from 0 takes its upstream through as it is: nothing of the distance is in the result.
  for (const double logit : {1e30, -1e30, 8192.0, -0x1p1000}) {
    const auto truth = reference::sa_softmax_v0_vjp_normalizer.truth({.logits = {logit}, .upstream = {0.7}});
    EXPECT_NEAR(static_cast<double>(truth->magnitude(0)), 0.7, 1e-15) << logit;
  }
}

// lo and hi of the variants as functions of x that can be differentiated: where several logits attain an end, its mean
// over them, whose derivative is shared equally; where V3 clips it, 0.
struct Ends {
  Real low, high, unit;
  bool none;  // no range
};

Real mean_at(const LogitRow& row, const Reals& x, double end) {
  Real sum, count;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i) && row.logits[i] == end) sum += x[i], count += Real(1.0);
  return sum / count;
}

Ends ends_of(int variant, const LogitRow& row, const Reals& x) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) least = std::min(least, row.logits[i]), most = std::max(most, row.logits[i]);
  const Real low = variant == 3 && least >= 0 ? Real() : mean_at(row, x, least);
  const Real high = variant == 3 && most <= 0 ? Real() : mean_at(row, x, most);
  const bool none = variant == 2 ? least == most : variant == 3 && least == 0 && most == 0;
  return {low, high, variant == 1 ? Real(1.0) : high - low, none};
}

Reals adjusted(int variant, const LogitRow& row, const Reals& x) {
  const Ends ends = ends_of(variant, row, x);
  Reals p = arb_softmax(row, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) p[i] = ends.none ? Real() : p[i] * (x[i] - ends.low) / ends.unit;
  return p;
}

// The size of the terms of p_k g_k less the derivative of an end times what the others lose by it, at the logits that
// are the end: b_j = 1 there.
void end_sizes(const LogitRow& row, const Reals& p, const Reals& b, double end, Reals& sizes) {
  Real mean, deviation, count, others;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!row.present(i)) continue;
    if (row.logits[i] == end) {
      mean += Real(row.upstream[i]);
      count += Real(1.0);
    } else {
      others += b[i] * p[i] * absolute_upstream(row, i);
    }
  }
  mean = mean / count;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (row.present(i) && row.logits[i] == end) deviation += abs(Real(row.upstream[i]) - mean);
  for (std::size_t i = 0; i < p.size(); ++i)
    if (row.present(i) && row.logits[i] == end)
      sizes[i] = p[i] * (abs(Real(row.upstream[i]) - mean) + deviation / count) + others / count;
}

// docs/budgets.md, "Self-adjusted V1 to V3"; T = 1 of the scaled row.
Reals adjusted_magnitudes(int variant, const LogitRow& row, const Reals& x) {
  const Ends ends = ends_of(variant, row, x);
  Reals p = arb_softmax(row, x), ended(x.size()), below(x.size()), above(x.size());
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) least = std::min(least, row.logits[i]), most = std::max(most, row.logits[i]);
  if (ends.none) return Reals(x.size());
  const Real peak = mean_at(row, x, most), top = (peak - ends.low) / ends.unit;
  Real mean, deviation, depths;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) mean += p[i] * Real(row.upstream[i]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!row.present(i)) continue;
    deviation += p[i] * abs(Real(row.upstream[i]) - mean);
    ended[i] = p[i] * absolute_upstream(row, i);
    depths += (peak - x[i]) / ends.unit * ended[i];
    below[i] = variant == 1 ? Real(1.0) : (ends.high - x[i]) / ends.unit;
    above[i] = (x[i] - ends.low) / ends.unit;
  }
  if (variant != 3 || least < 0) end_sizes(row, p, below, least, ended);
  if (variant == 2 || (variant == 3 && most > 0)) end_sizes(row, p, above, most, ended);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!row.present(i)) continue;
    const Real g = absolute_upstream(row, i);
    const Real far = top * (abs(Real(row.upstream[i]) - mean) + deviation) + (peak - x[i]) / ends.unit * g + depths;
    p[i] = p[i] * far + ended[i] / ends.unit;
  }
  return p;
}

// The step of the differences, 2^-1200, must be small beside the range of the x.
void keep_range(Choices&, LogitRow& row) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) least = std::min(least, row.logits[i]), most = std::max(most, row.logits[i]);
  const double range = least < most ? most - least : std::fabs(most);
  if (range > 0 && range < 1e30) row.temperature = std::min(row.temperature, std::ldexp(range, 900));
}

TEST(Gradient, SelfAdjustedByTheRange) {
  const Normalizer* const derivatives[] = {&reference::sa_softmax_v1_vjp_normalizer,
                                           &reference::sa_softmax_v2_vjp_normalizer,
                                           &reference::sa_softmax_v3_vjp_normalizer};
  for (int variant = 1; variant <= 3; ++variant) {
    const Forward forward = [variant](const LogitRow& row, const Reals& x) { return adjusted(variant, row, x); };
    const Magnitudes magnitudes = [variant](const LogitRow& row, const Reals& x) {
      return adjusted_magnitudes(variant, row, x);
    };
    const Normalizer& derivative = *derivatives[variant - 1];
    judge_gradients(derivative, forward, magnitudes, 90, keep_range);
    for (const double offset : {100.0, -100.0, 0x1p20})  // V3 clips one end
      judge_gradients(
          derivative, forward, magnitudes, 30,
          [offset](Choices&, LogitRow& row) {
            for (double& logit : row.logits) logit += offset * row.temperature;
          },
          false);
    judge_gradients(  // few values: ends attained by several logits, rows of one value
        derivative, forward, magnitudes, 60,
        [](Choices& choices, LogitRow& row) {
          const double level = choices.below(3) == 0 ? 0 : 2;
          for (double& logit : row.logits)
            if (std::isfinite(logit)) logit = logit > 0 ? level : -level;
        },
        false);
  }
}

TEST(Gradient, SelfAdjustedWithoutRangeIsZero) {
  for (const double logit : {0.0, -3.0, 5.0}) {
    const LogitRow row{.logits = {logit, logit, logit}, .upstream = {1, 2, -5}};
    for (const Normalizer* n : {&reference::sa_softmax_v2_vjp_normalizer, &reference::sa_softmax_v3_vjp_normalizer}) {
      if (n == &reference::sa_softmax_v3_vjp_normalizer && logit != 0) continue;
      EXPECT_TRUE(same_ends(n->truth(row)->value(1, {64}), Interval(0.0, {64}))) << n->name;
      EXPECT_EQ(n->truth(row)->magnitude(1), 0) << n->name;
    }
  }
}

// Many tied logits, all but two of whose upstreams are their mean: a bound from sums must not exceed p (mean of |g -
// mean|) / U, beside which the terms over T are 2^-80. p = 1 / (n + 1) but for 2^-80.
TEST(Gradient, SelfAdjustedMagnitudesOfLongTiesAreLowerBounds) {
  for (const std::size_t n : {std::size_t{3000}, std::size_t{65535}, std::size_t{1000000}}) {
    for (const double upstream : {0.7, 1.1}) {
      LogitRow row{.logits = std::vector<double>(n + 1, 0), .temperature = 0x1p60};
      row.upstream.assign(n + 1, 0);
      row.logits[n] = 0x1p-20;
      row.upstream[0] = upstream;
      row.upstream[n - 1] = -upstream;
      const long double magnitude = reference::sa_softmax_v2_vjp_normalizer.truth(row)->magnitude(1);
      const auto count = static_cast<long double>(n);
      const long double exact = 2 * static_cast<long double>(upstream) / count / (count + 1) * 0x1p20L;
      EXPECT_LE(magnitude, exact * (1 + 0x1p-60L)) << n;
      EXPECT_GE(magnitude, exact * (1 - 0x1p-40L)) << n;
    }
  }
}

}  // namespace
}  // namespace attncert

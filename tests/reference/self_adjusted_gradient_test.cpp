// The derivative of self-adjusted softmax, near 0 and far from it, where its magnitude is that of terms that do not cancel.
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
    EXPECT_NEAR(truth->magnitude(0), 0.7, 1e-15) << logit;
  }
}

}  // namespace
}  // namespace attncert

// SSMax, softmax1, top-k softmax and self-adjusted softmax: Arb evaluates the definitions of the papers.
#include <gtest/gtest.h>

#include "reference/normalizers/log_softmax.hpp"
#include "reference/normalizers/sa_softmax.hpp"
#include "reference/normalizers/softmax.hpp"
#include "reference/normalizers/softmax1.hpp"
#include "reference/normalizers/ssmax.hpp"
#include "reference/normalizers/top_k_softmax.hpp"
#include "tests/reference/truth_rows.hpp"

namespace attncert {
namespace {

double extreme(const LogitRow& row, bool largest) {
  double best = largest ? -HUGE_VAL : HUGE_VAL;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i)) best = largest ? std::max(best, row.logits[i]) : std::min(best, row.logits[i]);
  return best;
}

std::size_t present_count(const LogitRow& row) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < row.logits.size(); ++i) n += row.present(i) ? 1 : 0;
  return n;
}

TEST(ExponentialFamily, SoftmaxAndItsLogarithm) {
  judge_rows(
      reference::softmax_normalizer, [](const LogitRow& row) { return arb_softmax(row, scaled_logits(row)); }, 300);
  judge_rows(
      reference::log_softmax_normalizer,
      [](const LogitRow& row) {
        std::vector<Real> weights = arb_softmax(row, scaled_logits(row));
        for (Real& weight : weights) weight = log(weight);
        return weights;
      },
      200);
}

std::vector<Real> ssmax(const LogitRow& row) {
  std::vector<Real> x = scaled_logits(row);
  const Real length(static_cast<double>(present_count(row)));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (row.present(i)) x[i] = x[i] * (Real(row.parameters.scale) * log(length));
  return arb_softmax(row, x);
}

TEST(ExponentialFamily, Ssmax) {
  judge_rows(reference::ssmax_normalizer, ssmax, 400, [](Choices& choices, LogitRow& row) {
    constexpr double scales[] = {1, 0.43, -0.7, 0, 3, -2};
    row.parameters.scale = choices.pick(scales);
  });
  // A scale and a temperature that are each beyond every use, and together 1.
  LogitRow row{{0, -1e308, 1e308}, 1e-300};
  row.parameters.scale = 5e-324;
  const auto truth = reference::ssmax_normalizer.truth(row);
  const std::vector<Real> defined = ssmax(row);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(meets(truth->value(i, {128}), defined[i]));
  row.logits = {0, 1e8, 5e7};
  row.temperature = 1e-300;
  row.parameters.scale = 1e-308;  // depths of about 1 and 1/2
  const auto near = reference::ssmax_normalizer.truth(row);
  const std::vector<Real> near_defined = ssmax(row);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(meets(near->value(i, {128}), near_defined[i]));
    EXPECT_NEAR(near->screen(i), near->value(i, {128}).midpoint(), 1e-12);
  }
}

TEST(ExponentialFamily, SsmaxOfOneEntryAndOfScaleZeroIsUniform) {
  LogitRow row{{3, 1e308, -1e308, -7, -HUGE_VAL}, 1e-300};
  row.parameters.scale = 0;
  const auto truth = reference::ssmax_normalizer.truth(row);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(same_ends(truth->value(i, {64}), Interval(0.25, {64})));
    EXPECT_EQ(truth->screen(i), 0.25);
  }
  const auto one = reference::ssmax_normalizer.truth({{-HUGE_VAL, 1e308}, 1e-300});
  EXPECT_TRUE(same_ends(one->value(1, {64}), Interval(1.0, {64})));
}

TEST(ExponentialFamily, Softmax1IsSoftmaxWithALogitZeroMore) {
  judge_rows(
      reference::softmax1_normalizer,
      [](const LogitRow& row) {
        LogitRow longer = row;
        longer.logits.push_back(0);
        if (!longer.mask.empty()) longer.mask.push_back(1);
        return arb_softmax(longer, scaled_logits(longer));
      },
      400);
  const auto low = reference::softmax1_normalizer.truth({{-1000, -1e308}, 1});
  EXPECT_LE(low->value(0, {64}).relative_width(), 0x1p-50);
  EXPECT_EQ(low->value(1, {64}).lower(), 0);
}

TEST(ExponentialFamily, TopK) {
  judge_rows(
      reference::top_k_softmax_normalizer,
      [](const LogitRow& row) {
        LogitRow cell = row;
        for (std::size_t i = 0; i < row.logits.size(); ++i) {
          if (!row.present(i)) continue;
          std::uint64_t before = 0;
          for (std::size_t j = 0; j < row.logits.size(); ++j)
            if (row.present(j) && (row.logits[j] > row.logits[i] || (row.logits[j] == row.logits[i] && j < i)))
              ++before;
          if (before >= row.parameters.k) cell.logits[i] = -HUGE_VAL;
        }
        return arb_softmax(cell, scaled_logits(cell));  // 0 outside the cell
      },
      400, [](Choices& choices, LogitRow& row) { row.parameters.k = 1 + choices.below(9); });
}

TEST(ExponentialFamily, TopKTakesTheLowestIndexOfTies) {
  LogitRow row{{1, 2, 1, 1}, 1};
  row.parameters.k = 2;
  const auto truth = reference::top_k_softmax_normalizer.truth(row);
  EXPECT_GT(truth->value(0, {64}).lower(), 0.2);
  EXPECT_TRUE(same_ends(truth->value(2, {64}), Interval(0.0, {64})));
  EXPECT_TRUE(same_ends(truth->value(3, {64}), Interval(0.0, {64})));
}

Definition self_adjusted(int variant) {
  return [variant](const LogitRow& row) {
    std::vector<Real> x = scaled_logits(row), weights = arb_softmax(row, x);
    const Rational least = exact(extreme(row, false)), most = exact(extreme(row, true)), zero;
    const Rational low = variant == 0 ? zero : variant == 3 ? Rational(least < 0 ? least : zero) : least;
    const Rational high = variant == 3 ? Rational(most > 0 ? most : zero) : most;
    const Rational unit = variant <= 1 ? exact(row.temperature) : Rational(high - low);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (row.present(i))
        weights[i] = unit == 0 ? Real() : Real(Rational((exact(row.logits[i]) - low) / unit)) * weights[i];
    return weights;
  };
}

TEST(ExponentialFamily, SelfAdjusted) {
  judge_rows(reference::sa_softmax_v0_normalizer, self_adjusted(0), 300);
  judge_rows(reference::sa_softmax_v1_normalizer, self_adjusted(1), 300);
  judge_rows(reference::sa_softmax_v2_normalizer, self_adjusted(2), 300);
  judge_rows(reference::sa_softmax_v3_normalizer, self_adjusted(3), 300);
}

TEST(ExponentialFamily, SelfAdjustedWithoutRange) {
  const Precision p{64};
  const LogitRow equal{{4, 4}, 0.5}, below{{-4, -4}, 0.5}, zero{{0, -0.0}, 0.5};
  EXPECT_TRUE(same_ends(reference::sa_softmax_v0_normalizer.truth(equal)->value(1, p), Interval(4.0, p)));
  EXPECT_TRUE(same_ends(reference::sa_softmax_v1_normalizer.truth(equal)->value(1, p), Interval(0.0, p)));
  EXPECT_TRUE(same_ends(reference::sa_softmax_v2_normalizer.truth(equal)->value(1, p), Interval(0.0, p)));
  EXPECT_TRUE(same_ends(reference::sa_softmax_v3_normalizer.truth(equal)->value(1, p), Interval(0.5, p)));
  EXPECT_TRUE(same_ends(reference::sa_softmax_v3_normalizer.truth(below)->value(1, p), Interval(0.0, p)));
  EXPECT_TRUE(same_ends(reference::sa_softmax_v3_normalizer.truth(zero)->value(1, p), Interval(0.0, p)));
}

TEST(ExponentialFamily, AtInfinity) {
  const LogitRow row{{HUGE_VAL, 1, HUGE_VAL, -HUGE_VAL}, 0.5};
  for (const Normalizer* n :
       {&reference::ssmax_normalizer, &reference::softmax1_normalizer, &reference::top_k_softmax_normalizer}) {
    const LogitRow limit = n->at_infinity(row).value();
    ASSERT_EQ(kind(limit), RowKind::ordinary);
    EXPECT_FALSE(limit.present(1));
    const Interval weight = n->truth(limit)->value(2, {64});
    EXPECT_TRUE(weight.lower() <= 0.5 && weight.upper() >= 0.5 && weight.width() <= 0x1p-60) << n->name;
  }
  LogitRow scaled = row;
  scaled.parameters.scale = -1;
  EXPECT_FALSE(reference::ssmax_normalizer.at_infinity(scaled).has_value());
  scaled.parameters.scale = 0;
  const LogitRow all = reference::ssmax_normalizer.at_infinity(scaled).value();
  EXPECT_TRUE(reference::ssmax_normalizer.truth(all)->value(1, {64}).contains(ratio(1, 3)));
  scaled.parameters.k = 1;
  const auto first =
      reference::top_k_softmax_normalizer.truth(*reference::top_k_softmax_normalizer.at_infinity(scaled));
  EXPECT_TRUE(same_ends(first->value(0, {64}), Interval(1.0, {64})));
  EXPECT_TRUE(same_ends(first->value(2, {64}), Interval(0.0, {64})));
  EXPECT_EQ(reference::sa_softmax_v0_normalizer.at_infinity, nullptr);
}

}  // namespace
}  // namespace attncert

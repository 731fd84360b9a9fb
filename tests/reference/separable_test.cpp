// Sigmoid, sigmoid-normalized, ReLU-normalized and Taylor softmax: definitions by Arb or in exact rationals, fixtures
// of docs/specification.md#fixtures, rows at the edge of double.
#include <gtest/gtest.h>

#include "reference/normalizers/relu_normalized.hpp"
#include "reference/normalizers/sigmoid.hpp"
#include "reference/normalizers/sigmoid_normalized.hpp"
#include "reference/normalizers/taylor_softmax.hpp"
#include "tests/reference/truth_rows.hpp"

namespace attncert {
namespace {

TEST(Separable, SigmoidIsAHyperbolicTangent) {
  judge_rows(
      reference::sigmoid_normalizer,
      [](const LogitRow& row) {
        std::vector<Real> x = scaled_logits(row);
        for (Real& value : x) value = (Real(1.0) + tanh((value + Real(row.parameters.bias)) / Real(2.0))) / Real(2.0);
        return x;
      },
      400,
      [](Choices& choices, LogitRow& row) {
        constexpr double biases[] = {0, -6.93, 2.5, -0.1};
        row.parameters.bias = choices.pick(biases);
      });
}

TEST(Separable, SigmoidWhereTheBiasCancels) {
  LogitRow row{{1e308, 1e308 - 0x1p972}, 0.7};
  row.parameters.bias = -1e308 / 0.7;
  const auto truth = reference::sigmoid_normalizer.truth(row);
  for (std::size_t i = 0; i < 2; ++i) {
    const Real x(Rational(exact(row.logits[i]) / exact(0.7) + exact(row.parameters.bias)));
    EXPECT_TRUE(meets(truth->value(i, {64}), Real(1.0) / (Real(1.0) + exp(Real(0.0) - x))));
  }
  row = {{1e300 + 0x1p945}, 1};
  row.parameters.bias = -1e300;
  EXPECT_EQ(reference::sigmoid_normalizer.truth(row)->value(0, {64}).upper(), 1);
  row = {{0x1p60 + 512}, 0x1p50};
  row.parameters.bias = -1024;
  EXPECT_LE(reference::sigmoid_normalizer.truth(row)->value(0, {64}).relative_width(), 0x1p-60);
  row = {{0x1p40}, 0.7};
  row.parameters.bias = -0x1p40 / 0.7;  // rounded: what is left is its rounding error
  EXPECT_LE(reference::sigmoid_normalizer.truth(row)->value(0, {64}).relative_width(), 0x1p-60);
  row = {{-800}, 1};
  EXPECT_LE(reference::sigmoid_normalizer.truth(row)->value(0, {64}).relative_width(), 0x1p-60);
}

TEST(Separable, SigmoidNormalizedIsSoftmaxOfMinusSoftplus) {
  judge_rows(
      reference::sigmoid_normalized_normalizer,
      [](const LogitRow& row) {
        std::vector<Real> x = scaled_logits(row);
        for (std::size_t i = 0; i < x.size(); ++i)
          if (row.present(i)) x[i] = Real(0.0) - log(Real(1.0) + exp(Real(0.0) - x[i]));
        return arb_softmax(row, x);
      },
      300);
  // Far left it is softmax, whatever underflows: sigma(x) / exp(x) is 1 to 2^-1400.
  const auto truth = reference::sigmoid_normalized_normalizer.truth({{-1e308, -1e308, -1.5e308}, 1e-300});
  EXPECT_TRUE(truth->value(0, {64}).contains(ratio(1, 2)));
  EXPECT_LE(truth->value(0, {64}).relative_width(), 0x1p-60);
  EXPECT_EQ(truth->value(2, {64}).upper(), 0x1p-1074);
}

TEST(Separable, SaturatedRows) {
  for (const double temperature : {1e-300, 1.0, 1e300, 1.7e308})
    for (const double bias : {0.0, -1e308, 3.0}) {
      LogitRow row{{HUGE_VAL, 0.3, -HUGE_VAL, temperature}, temperature};
      row.parameters.bias = bias;
      const LogitRow limit = reference::sigmoid_normalizer.at_infinity(row).value();
      ASSERT_EQ(kind(limit), RowKind::ordinary);
      const auto truth = reference::sigmoid_normalizer.truth(limit);
      const Interval one = truth->value(0, {64});
      EXPECT_TRUE(one.upper() >= 1 && one.lower() >= 1 - 0x1p-53 && one.width() <= 0x1p-53);
      LogitRow others = row;
      others.logits[0] = 0;
      const auto same = reference::sigmoid_normalizer.truth(others);
      for (const std::size_t i : {1ul, 3ul})
        EXPECT_EQ(overlaps(truth->value(i, {64}), same->value(i, {64})), Truth::yes) << temperature << " " << bias;
    }
  const LogitRow row{{HUGE_VAL, 0, HUGE_VAL}, 1e300};
  const auto truth =
      reference::sigmoid_normalized_normalizer.truth(reference::sigmoid_normalized_normalizer.at_infinity(row).value());
  EXPECT_NEAR(truth->value(0, {64}).midpoint(), 0.4, 1e-15);  // 1, 1/2, 1 over 5/2
  EXPECT_NEAR(truth->value(1, {64}).midpoint(), 0.2, 1e-15);
}

std::vector<Real> relu(const LogitRow& row) {
  Rational total;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i) && row.logits[i] > 0) total += exact(row.logits[i]);
  std::vector<Real> shares(row.logits.size());
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i) && row.logits[i] > 0) shares[i] = Real(Rational(exact(row.logits[i]) / total));
  return shares;
}

TEST(Separable, ReluNormalized) {
  judge_rows(reference::relu_normalized_normalizer, relu, 400);
  const auto fixture = reference::relu_normalized_normalizer.truth({{1, 2, 3}, 7});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(fixture->value(i, {64}).contains(ratio(static_cast<long>(i) + 1, 6)));
  const auto nothing = reference::relu_normalized_normalizer.truth({{-1, 0, -0.0}, 1});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same_ends(nothing->value(i, {64}), Interval(0.0, {64})));
  const auto wide = reference::relu_normalized_normalizer.truth({{1e308, 1.5e308, 1e308, 5e-324}, 1});
  EXPECT_TRUE(
      wide->value(1, {64}).contains(Rational(exact(1.5e308) / (2 * exact(1e308) + exact(1.5e308) + exact(5e-324)))));
  EXPECT_GT(wide->value(3, {64}).upper(), 0);
  const LogitRow limit = reference::relu_normalized_normalizer.at_infinity({{HUGE_VAL, 5, HUGE_VAL}, 1e300}).value();
  EXPECT_TRUE(same_ends(reference::relu_normalized_normalizer.truth(limit)->value(2, {64}), Interval(0.5, {64})));
}

// Terms added one by one as rationals: another order than Horner's rule.
Rational truncated_exponential(const Rational& x, std::uint32_t order) {
  Rational power(1), total(1);
  for (std::uint32_t k = 1; k <= order; ++k) {
    power *= x / Rational(k);
    total += power;
  }
  return total;
}

std::vector<Real> taylor(const LogitRow& row) {
  std::vector<Rational> terms(row.logits.size());
  Rational total;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (row.present(i))
      total += terms[i] = truncated_exponential(exact(row.logits[i]) / exact(row.temperature), row.parameters.order);
  std::vector<Real> shares;
  for (const Rational& term : terms) shares.emplace_back(Rational(term / total));
  return shares;
}

TEST(Separable, TaylorSoftmax) {
  judge_rows(reference::taylor_softmax_normalizer, taylor, 300, [](Choices& choices, LogitRow& row) {
    row.parameters.order = 2 + 2 * static_cast<std::uint32_t>(choices.below(5));
  });
  const auto fixture = reference::taylor_softmax_normalizer.truth({{0, -2}, 1});
  EXPECT_TRUE(fixture->value(0, {64}).contains(ratio(1, 2)) && fixture->value(1, {64}).contains(ratio(1, 2)));
}

TEST(Separable, TaylorTermsThatCancelKeepTheirDigits) {
  LogitRow row{{-20, 3, -1.5}, 1};
  row.parameters.order = 60;
  judge_width(reference::taylor_softmax_normalizer, {row.logits, 1, {}, RowParameters{.order = 4}});
  const auto truth = reference::taylor_softmax_normalizer.truth(row);
  const std::vector<Real> defined = taylor(row);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(meets(truth->value(i, {64}), defined[i]));
    EXPECT_LE(truth->value(i, {64}).relative_width(), 0x1p-58);
  }
}

TEST(Separable, TaylorFarBeyondDouble) {
  LogitRow row{{1e308, -1e308, 1e300, 0}, 1e-300};
  row.parameters.order = 4;
  const auto truth = reference::taylor_softmax_normalizer.truth(row);
  const std::vector<Real> defined = taylor(row);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(meets(truth->value(i, {64}), defined[i]));
    EXPECT_NEAR(truth->screen(i), truth->value(i, {64}).midpoint(), 1e-14);
  }
  const LogitRow limit = reference::taylor_softmax_normalizer.at_infinity({{HUGE_VAL, 5, HUGE_VAL}, 1e300}).value();
  EXPECT_TRUE(same_ends(reference::taylor_softmax_normalizer.truth(limit)->value(2, {64}), Interval(0.5, {64})));
}

}  // namespace
}  // namespace attncert

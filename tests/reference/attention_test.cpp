// The truth and the bound of attention: the specification's rows, and random ones against Arb.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "reference/attention/bound.hpp"
#include "reference/attention/named_classes.hpp"
#include "tests/reference/arb_ball.hpp"
#include "tests/reference/attention_fixtures.hpp"
#include "tests/reference/attention_formulas.hpp"
#include "tests/reference/double_tier.hpp"
#include "tests/reference/random_attention.hpp"

namespace attncert {
namespace {

constexpr Precision fixture_precision{192};

// A number printed to 40 significant digits.
ArbBall printed(const std::string& text) {
  ArbBall value;
  arb_set_str(value.get(), text.c_str(), judge_bits);
  return value * (ArbBall(1.0) + [] {
           ArbBall error;
           arb_set_str(error.get(), "0 +/- 1e-39", judge_bits);
           return error;
         }());
}

// Bounds are printed of the formulas as they first stood: since then absolute terms of 2^-126 have grown a little.
void expect_bound(double ours, const std::string& theirs, const std::string& what) {
  EXPECT_NEAR(ours / std::strtod(theirs.c_str(), nullptr), 1, 1e-9) << what;
}

// Where the class promises nothing, Arb divides by what may be 0.
void judge_row(const AttentionCase& input, const reference::RoundingClass& rounding, const std::string& name,
               DoubleTier& tier) {
  const reference::AttentionRow row = input.row();
  const auto truth = reference::attention_truth(row, {128});
  const auto bound = reference::attention_bound(row, truth, rounding);
  const AttentionFormulas judge(row, rounding);
  ASSERT_EQ(truth.keys, judge.keys) << name;
  const auto expect_near = [&](const Interval& ours, const ArbValue& theirs) {
    if (!arb_is_finite(theirs.get())) {
      EXPECT_EQ(ours.upper(), INFINITY) << name;
      return;
    }
    EXPECT_NEAR(ours.upper() / near(theirs), 1, 1e-12) << name;
    EXPECT_GE(ours.upper(), near(theirs) * (1 - 0x1p-52)) << name;
  };
  for (std::size_t channel = 0; channel < row.value_size; ++channel) {
    EXPECT_TRUE(meets(truth.output[channel], judge.o[channel])) << name;
    expect_near(bound.output[channel], judge.B[channel]);
  }
  EXPECT_TRUE(meets(truth.lse, judge.lse)) << name;
  EXPECT_LE(truth.lse.width(), 0x1p-100) << name;
  expect_near(bound.lse, judge.B_lse);
  const auto fast = reference::attention_truth(row, DoublePrecision{});
  const auto fast_bound = reference::attention_bound(row, fast, rounding);
  tier.compare(fast.output, truth.output, fast_bound.output, bound.output, name);
  tier.compare(std::span(&fast.lse, 1), std::span(&truth.lse, 1), std::span(&fast_bound.lse, 1),
               std::span(&bound.lse, 1), name);
}

// By the formulas as they first stood; the library's bounds are those of the page.
TEST(Attention, FixturesAreReproduced) {
  DoubleTier tier;
  for (const AttentionFixture& fixture : attention_fixtures()) {
    reference::RoundingClass rounding;
    fixture.declare(rounding);
    const reference::AttentionRow row = fixture.input.row();
    const auto truth = reference::attention_truth(row, fixture_precision);
    const auto bound = reference::attention_bound(row, truth, rounding);
    const AttentionFormulas first(row, rounding, true);
    ASSERT_EQ(truth.output.size(), fixture.output.size()) << fixture.name;
    for (std::size_t c = 0; c < fixture.output.size(); ++c) {
      EXPECT_TRUE(meets(truth.output[c], printed(fixture.output[c]))) << fixture.name << c;
      EXPECT_LE(truth.output[c].relative_width(), 1e-40) << fixture.name << c;
      expect_bound(near(first.B[c]), fixture.bound[c], fixture.name + " output");
      expect_bound(near(first.of_products[c]), fixture.product[c], fixture.name + " nu");
    }
    EXPECT_TRUE(meets(truth.lse, printed(fixture.lse))) << fixture.name;
    expect_bound(near(first.B_lse), fixture.lse_bound, fixture.name + " lse");
    EXPECT_EQ(bound.weights.rescales, fixture.rescales) << fixture.name;
    expect_bound(bound.sum.upper(), fixture.sum, fixture.name + " mu");
    ASSERT_EQ(bound.weights.output.size(), fixture.weights.size()) << fixture.name;
    for (std::size_t k = 0; k < fixture.weights.size(); ++k)
      expect_bound(near(first.eta[k]), fixture.weights[k], fixture.name + " eta");
    judge_row(fixture.input, rounding, fixture.name, tier);
  }
}

// Absolute terms large enough to be seen beside the relative ones, and roundings that no named class has.
void vary(Choices& choices, reference::RoundingClass& rounding) {
  for (reference::Rounding* each : {&rounding.single, &rounding.output_sum, &rounding.operands, &rounding.values,
                                    &rounding.stored_scores, &rounding.tanh, &rounding.weights, &rounding.part_output})
    if (choices.below(3) == 0) each->absolute = 0x1p-30;
  for (reference::Rounding* each : {&rounding.operands, &rounding.values, &rounding.part_output})
    if (choices.below(4) == 0) each->relative = 0x1p-11;
  rounding.levels = 1 + choices.below(2);
  rounding.fma_rescale = !rounding.three_pass && choices.below(3) == 0;
}

TEST(Attention, ArbAgreesOnRandomRowsOfEveryClass) {
  constexpr std::uint64_t rows = 500;
  DoubleTier tier;
  for (std::uint64_t n = 0; n < rows && !testing::Test::HasFailure(); ++n) {
    const Tape tape = random_tape(20261126, "attention", n, 1000);
    Choices choices(tape);
    const AttentionCase input = random_attention(choices);
    const std::size_t block = 1 + choices.below(4), parts = 2 + choices.below(3);
    constexpr double lags[] = {0, 5.5};
    for (auto [name, rounding] : reference::named_classes(block, parts)) {
      rounding.lazy = choices.pick(lags);
      if (rounding.order != reference::BlockOrder::any && choices.flip())
        rounding.order = reference::BlockOrder::descending;
      if (rounding.weights.relative != 0) rounding.sum_of_rounded = !rounding.normalised && choices.flip();
      vary(choices, rounding);
      judge_row(input, rounding, name + " row " + std::to_string(n), tier);
    }
  }
  tier.expect_narrow();
}

}  // namespace
}  // namespace attncert

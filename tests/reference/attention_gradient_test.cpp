// Gradients of attention: the truth and the bound against Arb.
#include <gtest/gtest.h>

#include <array>

#include "reference/attention/named_classes.hpp"
#include "tests/reference/arb_ball.hpp"
#include "tests/reference/double_tier.hpp"
#include "tests/reference/gradient_formulas.hpp"
#include "tests/reference/gradient_group.hpp"

namespace attncert {
namespace {

void expect_same(std::span<const Interval> truths, std::span<const Interval> bounds,
                 const GradientFormulas::Numbers& values, const GradientFormulas::Numbers& most,
                 const std::string& name) {
  ASSERT_EQ(truths.size(), values.size());
  for (std::size_t n = 0; n < truths.size(); ++n) {
    EXPECT_TRUE(meets(truths[n], values[n])) << name;
    const double bound = bounds[n].upper();
    if (!arb_is_finite(most[n].get())) {  // where the class promises nothing, Arb divides by what may be 0
      EXPECT_EQ(bound, INFINITY) << name;
      continue;
    }
    EXPECT_NEAR(bound / near(most[n]), 1, 1e-12) << name;
    EXPECT_GE(bound, near(most[n]) * (1 - 0x1p-52)) << name;
  }
}

TEST(AttentionGradient, ArbAgreesOnRandomGroupsOfEveryClass) {
  constexpr std::uint64_t groups = 500;
  DoubleTier tier;
  for (reference::NamedClass& named : reference::named_classes(2, 2)) {
    if (named.name.starts_with("pbf16")) named.rounding.output = {0x1p-8, reference::f32_underflow};
    const reference::GradientRounding rounding = reference::backward_of(named.rounding);
    for (std::uint64_t n = 0; n < groups; ++n) {
      const Tape tape = random_tape(20261127, "attention-gradient-" + named.name, n, 1500);
      Choices choices(tape);
      const GradientGroup group(choices);
      const reference::Wanted all = reference::everything(group.rows);
      const auto truth = reference::gradient_truth(group.rows, rounding.unfused, all, gradient_precision);
      const auto bound = reference::gradient_bound(group.rows, truth, rounding, all, gradient_precision);
      const GradientFormulas judge(group.rows, rounding);
      const std::string name = named.name + ", group " + std::to_string(n);
      for (std::size_t i = 0; i < group.rows.size(); ++i)
        expect_same(truth.dQ[i], bound.dQ[i], judge.dQ[i], judge.dQ_bound[i], name);
      expect_same(flat(truth.dK), flat(bound.dK), judge.dK, judge.dK_bound, name);
      expect_same(flat(truth.dV), flat(bound.dV), judge.dV, judge.dV_bound, name);
      const auto with_sinks = group.with_sinks();
      if (!with_sinks.empty()) {
        const auto sink = reference::sink_gradient(with_sinks, rounding, gradient_precision);
        GradientFormulas::Numbers value(1), most(1);
        value[0] = judge.dsink, most[0] = judge.dsink_bound;
        expect_same(std::array{sink.truth}, std::array{sink.bound}, value, most, name + ", sink");
        const auto quick = reference::sink_gradient(with_sinks, rounding, DoublePrecision());
        tier.compare(std::vector{quick.truth}, std::vector{sink.truth}, std::vector{quick.bound},
                     std::vector{sink.bound}, name);
      }
      const DoublePrecision doubles;
      const auto fast = reference::gradient_truth(group.rows, rounding.unfused, all, doubles);
      const auto fast_bound = reference::gradient_bound(group.rows, fast, rounding, all, doubles);
      tier.compare(flat(fast.dQ), flat(truth.dQ), flat(fast_bound.dQ), flat(bound.dQ), name);
      tier.compare(flat(fast.dK), flat(truth.dK), flat(fast_bound.dK), flat(bound.dK), name);
      tier.compare(flat(fast.dV), flat(truth.dV), flat(fast_bound.dV), flat(bound.dV), name);
    }
  }
  tier.expect_narrow();
}

// Of one key alone, and of the rows alone: what is not wanted is not looked at.
TEST(AttentionGradient, WhatIsWantedIsWhatAllHave) {
  const auto upper_ends = [](const std::vector<Interval>& bounds) {
    std::vector<double> ends;
    for (const Interval& bound : bounds) ends.push_back(bound.upper());
    return ends;
  };
  for (const bool unfused : {false, true})
    for (std::uint64_t n = 0; n < 100; ++n) {
      const Tape tape = random_tape(20261127, "gradients-wanted", n, 1500);
      Choices choices(tape);
      const GradientGroup group(choices);
      reference::GradientRounding rounding;
      rounding.unfused = unfused;
      const auto of = [&](const reference::Wanted& wanted) {
        const auto truth = reference::gradient_truth(group.rows, unfused, wanted, gradient_precision);
        return reference::gradient_bound(group.rows, truth, rounding, wanted, gradient_precision);
      };
      const auto all = of(reference::everything(group.rows));
      const std::size_t key = choices.below(group.rows[0].row.key_count());
      const auto one = of({false, {key}}), rows = of({true, {}});
      EXPECT_EQ(upper_ends(one.dK[0]), upper_ends(all.dK[key]));
      EXPECT_EQ(upper_ends(one.dV[0]), upper_ends(all.dV[key]));
      EXPECT_EQ(upper_ends(flat(rows.dQ)), upper_ends(flat(all.dQ)));
      EXPECT_TRUE(one.dQ.empty() && rows.dK.empty() && rows.dV.empty());
    }
}

}  // namespace
}  // namespace attncert

// Keys and values that are a scale times what is stored: an adversary rounds that product wherever a kernel may apply
// the scale, and everything after it. No bound is left, and without the terms for the scales some are.
#include "reference/attention/scaled_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/attention/bound.hpp"
#include "tests/reference/attention_member.hpp"
#include "tests/reference/random_attention.hpp"

namespace attncert {
namespace {

enum class Applied { to_keys_and_values, to_scores_and_outputs, to_query_and_outputs };

double sign(double x) { return x < 0 ? -1 : 1; }

// What the kernel goes on with. upward[j]: whether key j's score is to be larger; outputs larger in magnitude or not.
AttentionCase moved(const AttentionCase& exact, Applied applied, double unit, const std::vector<bool>& upward,
                    double outputs) {
  AttentionCase c = exact;
  const std::size_t size = c.query.size();
  const bool keys = applied == Applied::to_keys_and_values, query = applied == Applied::to_query_and_outputs;
  for (std::size_t n = 0; n < c.keys.size() && keys; ++n)
    c.keys[n] *= 1 + unit * (upward[n / size] ? 1 : -1) * sign(c.query[n % size] * c.keys[n]);
  for (std::size_t i = 0; i < size && query; ++i)  // of the first key's product
    c.query[i] *= 1 + unit * (upward[0] ? 1 : -1) * sign(c.query[i] * c.keys[i]);
  // Two roundings of the constant, and the sum's product with the stored scale.
  if (applied == Applied::to_scores_and_outputs) c.scale *= 1 + 3 * (upward[0] ? 1 : -1) * unit * (1 - 0x1p-20);
  for (double& value : c.values) value *= 1 + outputs * unit;
  return c;
}

// How far the adversary moves the target from the truth, as a share of the bound.
double moved_share(Adversary& program, Adversary::Id target, const Interval& truth, const Interval& bound) {
  double most = 0;
  for (const double direction : {1.0, -1.0}) {
    const double error = std::abs(program.worst(target, direction) - truth.midpoint());
    if (error != 0) most = std::max(most, error / bound.upper());
  }
  return most;
}

// The largest error over the bound of the class with, and of the one without, the terms of the scales.
struct Worst {
  double with = 0, without = 0;
};

void attack(const AttentionCase& exact, const reference::RoundingClass& rounding, Applied applied, Worst& worst) {
  const reference::AttentionRow row = exact.row();
  const reference::ScaleRange scales{0.75, 1.5};
  const auto scaled = with_scaled_values(with_scaled_keys(rounding, scales), scales);
  const auto truth = reference::attention_truth(row, {128});
  const auto bound = reference::attention_bound(row, truth, scaled),
             narrow = reference::attention_bound(row, truth, rounding);
  const double unit = rounding.scaled.relative;
  for (std::size_t c = 0; c <= row.value_size; ++c) {  // the LSE last
    const bool lse = c == row.value_size;
    for (const double direction : {-1.0, 1.0}) {
      std::vector<bool> upward;
      for (std::size_t j = 0; j < row.key_count(); ++j)
        upward.push_back(lse ? direction > 0 : direction * (row.value(j, c) - truth.output[c].midpoint()) > 0);
      const double outputs = lse ? 0 : direction * sign(truth.output[c].midpoint());
      const AttentionCase other = moved(exact, applied, unit, upward, outputs);
      const reference::AttentionRow given = other.row();
      AttentionMember member(given, rounding, {});
      const auto share_of = [&](const auto& of) {
        return lse ? moved_share(member.program, member.lse, truth.lse, of.lse)
                   : moved_share(member.program, member.output[c], truth.output[c], of.core[c]);
      };
      worst.with = std::max(worst.with, share_of(bound));
      worst.without = std::max(worst.without, share_of(narrow));
    }
  }
}

Worst attacked(const reference::RoundingClass& rounding, Applied applied) {
  Worst worst;
  for (std::uint64_t n = 0; n < 60; ++n) {
    const Tape tape = random_tape(20261129, "scaled-inputs", n, 1000);
    Choices choices(tape);
    Worst here;
    attack(random_attention(choices), rounding, applied, here);
    EXPECT_LE(here.with, 1) << n;
    worst = {std::max(worst.with, here.with), std::max(worst.without, here.without)};
  }
  return worst;
}

TEST(ScaledInputs, NoRoundingLeavesTheBound) {
  reference::RoundingClass f32, three_pass, narrow;
  three_pass.three_pass = true;
  narrow.three_pass = true, narrow.scaled = reference::bf16_rounding;
  for (const Applied applied :
       {Applied::to_keys_and_values, Applied::to_scores_and_outputs, Applied::to_query_and_outputs})
    for (const auto& rounding : {f32, three_pass}) {
      const Worst worst = attacked(rounding, applied);
      EXPECT_GE(worst.with, 0.125);
    }
  const Worst worst = attacked(narrow, Applied::to_keys_and_values);
  EXPECT_GE(worst.with, 0.125);
  EXPECT_GT(worst.without, 100);
}

TEST(ScaledInputs, ScalesOfOneChangeNothing) {
  for (const reference::RoundingClass& rounding : {reference::RoundingClass()}) {
    EXPECT_EQ(with_scaled_keys(rounding, {}), rounding);
    EXPECT_EQ(with_scaled_values(rounding, {}), rounding);
  }
  const reference::RoundingClass plain;
  const auto keys = with_scaled_keys(plain, {0x1p-4, 0x1p2}), values = with_scaled_values(plain, {0x1p-4, 0x1p2});
  EXPECT_EQ(keys.constants, plain.constants + 2);
  EXPECT_EQ(keys.products, plain.products + 1);
  EXPECT_GE(keys.operands.relative, 0x1p-24);
  EXPECT_LE(keys.operands.relative, 0x1.00001p-24);
  // An underflow of what is stored counts times the scale, of a query that is scaled times its reciprocal.
  EXPECT_EQ(keys.single.absolute, 0x1p-124);
  EXPECT_EQ(keys.operands.absolute, (2 + 16) * 0x1p-126);
  EXPECT_GE(values.values.relative, 0x1p-24);
  EXPECT_EQ(values.values.absolute, 0x1p-125);
  EXPECT_EQ(values.output_sum.absolute, 0x1p-124);
}

}  // namespace
}  // namespace attncert

// Simulated kernels of each class, their roundings chosen by an adversary, never leave the class's bound; and the bound
// is not idle: some member reaches an eighth of it or more.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/attention/bound.hpp"
#include "tests/reference/attention_member.hpp"
#include "tests/reference/random_attention.hpp"

namespace attncert {
namespace {

struct Shares {
  double output = 0, lse = 0;  // largest error over its bound
};

void attack(const AttentionCase& input, const reference::RoundingClass& rounding, MemberForm form, Shares& worst) {
  const reference::AttentionRow row = input.row();
  const auto truth = reference::attention_truth(row, {128});
  const auto bound = reference::attention_bound(row, truth, rounding);
  AttentionMember member(row, rounding, form);
  for (std::size_t c = 0; c < row.value_size; ++c)
    worst.output = std::max(worst.output, share(member.program, member.output[c], truth.output[c], bound.core[c]));
  worst.lse = std::max(worst.lse, share(member.program, member.lse, truth.lse, bound.lse));
}

constexpr double exact_step = 0x1p-10;

// Equal keys, whose sums are the longest chains; rising keys, each a new maximum. Exact: of scores without an error,
// and of weights nearly equal, so that rescaling is all that errs; the early values oppose the late ones.
AttentionCase chosen(std::size_t keys, double step) {
  AttentionCase c;
  c.query = {1, step == exact_step ? 0 : 0x1.234568p-3};
  for (std::size_t j = 0; j < keys; ++j) {
    c.keys.insert(c.keys.end(), {0x1.8p1 + step * static_cast<double>(j), 0x1.9abcdep-2});
    if (step == exact_step) {
      c.keys[2 * j] -= 3;
      c.values.push_back(j < keys / 2 ? -1.0 : 1.0);
    } else {
      c.values.push_back(j % 3 == 0 ? -1.0 : 1.0 + 0x1p-5 * static_cast<double>(j));
    }
  }
  return c;
}

void expect_covered(const reference::RoundingClass& rounding, MemberForm form) {
  Shares worst;
  for (const std::size_t keys : {1, 2, 17, 64})
    for (const double step : {0.0, 0.125, -0.125, 1.0, exact_step}) attack(chosen(keys, step), rounding, form, worst);
  constexpr std::uint64_t rows = 150;
  for (std::uint64_t n = 0; n < rows; ++n) {
    const Tape tape = random_tape(20261126, "attention-adversary", n, 1000);
    Choices choices(tape);
    const AttentionCase input = random_attention(choices);
    Shares here;
    attack(input, rounding, form, here);
    EXPECT_LE(here.output, 1) << n;
    EXPECT_LE(here.lse, 1) << n;
    worst = {std::max(worst.output, here.output), std::max(worst.lse, here.lse)};
  }
  EXPECT_LE(worst.output, 1);
  EXPECT_LE(worst.lse, 1);
  EXPECT_GE(worst.output, 0.125);
  EXPECT_GE(worst.lse, 0.125);
  testing::Test::RecordProperty("output", std::to_string(worst.output));
  testing::Test::RecordProperty("lse", std::to_string(worst.lse));
}

constexpr MemberForm plain{}, fma{true, false}, sink_first{false, true};

reference::RoundingClass blocks(std::size_t block) {
  reference::RoundingClass rounding;
  rounding.block = rounding.sum_chunk = rounding.output_chunk = block;
  rounding.order = reference::BlockOrder::ascending;
  return rounding;
}

TEST(AttentionAdversary, OnlineOverSingleKeys) {
  expect_covered({}, plain);
  expect_covered({}, sink_first);
}
TEST(AttentionAdversary, RoundedPivot) { expect_covered({}, fma); }
TEST(AttentionAdversary, ThreePass) {
  reference::RoundingClass rounding;
  rounding.three_pass = true;
  expect_covered(rounding, plain);
}
TEST(AttentionAdversary, BlocksSummedApart) {
  for (const std::size_t block : {2, 4, 16}) expect_covered(blocks(block), plain);
}
TEST(AttentionAdversary, RunningSumsOverBlocks) {
  reference::RoundingClass rounding = blocks(8);
  rounding.sum_chunk = rounding.output_chunk = 0;
  expect_covered(rounding, plain);
}
TEST(AttentionAdversary, WeightsInHalfPrecision) {
  for (const bool sum_of_rounded : {false, true}) {
    reference::RoundingClass rounding = blocks(4);
    rounding.weights.relative = 0x1p-8;
    rounding.sum_of_rounded = sum_of_rounded;
    expect_covered(rounding, plain);
  }
}
TEST(AttentionAdversary, SplitKeys) {
  for (const std::size_t parts : {2, 4}) {
    reference::RoundingClass rounding;
    rounding.parts = parts;
    expect_covered(rounding, plain);
  }
}

}  // namespace
}  // namespace attncert

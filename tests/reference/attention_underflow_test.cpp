// What a right kernel may lose to an underflow of scaled inputs is within the bound. The kernels' results are worked
// out by hand: all that they compute is 0.
#include <gtest/gtest.h>

#include "reference/attention/bound.hpp"
#include "reference/attention/named_classes.hpp"
#include "tests/reference/attention_case.hpp"

namespace attncert {
namespace {

using reference::Rounding;

// Two keys far apart, values 1 and -1.
AttentionCase two_keys(double query, double key, double scale) {
  return {.query = {query}, .keys = {key, -key}, .values = {1, -1}, .scale = scale};
}

// That a kernel without a score to tell the keys apart, whose output is 0, is within the bound, which says something.
void expect_zero_is_within(const AttentionCase& input, const reference::RoundingClass& rounding) {
  const auto truth = reference::attention_truth(input.row(), Precision{128});
  const auto bound = reference::attention_bound(input.row(), truth, rounding);
  EXPECT_GE(bound.output[0].upper(), truth.output[0].upper());
  EXPECT_LT(bound.output[0].upper(), 1);
}

TEST(AttentionUnderflow, OfAScaledQueryIsWithinTheBound) {
  // q / 8 = 2^-127 is flushed: scores of +-1/32 become 0.
  expect_zero_is_within(two_keys(0x1p-124, 0x1p122, 0.125), {});
  // Products q k of 2^-127 are flushed before they are scaled by 16.
  expect_zero_is_within(two_keys(0x1p-100, 0x1p-27, 16), {});
  // q / 8 = 2^-25 is half of f16's smallest number, and a tie goes to the even 0.
  reference::RoundingClass narrow;
  narrow.operands = reference::f16_rounding;
  expect_zero_is_within(two_keys(0x1p-22, 60000, 0.125), narrow);
}

// dS = +-2^-22 of two keys of equal score; scaled by 1/8 and stored in f16 it is 0.
TEST(AttentionUnderflow, OfAScaledGradientIsWithinTheBound) {
  AttentionCase input = two_keys(0, 60000, 0.125);
  const std::vector<double> upstream{0x1p-21}, output{0};
  const std::vector<reference::GradientRow> rows{{input.row(), upstream, output, 0x1.62e43p-1, 0x1p-25}};
  reference::GradientRounding rounding;
  rounding.dS = reference::f16_rounding;
  const auto wanted = reference::everything(rows);
  const auto truth = reference::gradient_truth(rows, false, wanted, Precision{128});
  const auto bound = reference::gradient_bound(rows, truth, rounding, wanted, Precision{128});
  EXPECT_GT(truth.dQ[0][0].lower(), 0.003);
  EXPECT_GE(bound.dQ[0][0].upper(), truth.dQ[0][0].upper());
  EXPECT_LT(bound.dQ[0][0].upper(), 2 * truth.dQ[0][0].upper());
}

}  // namespace
}  // namespace attncert

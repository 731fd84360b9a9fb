// The truth of sparsemax against the exact projection: what it calls known is within its bound, what it calls zero is
// zero, and only entries next to the threshold are left open.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "properties/conformance/double_double/sparsemax.hpp"
#include "reference/normalizers/sparsemax.hpp"
#include "tests/properties/conformance/double_double/rows.hpp"

namespace attncert {
namespace {

// T tau as two doubles, and what they miss.
double_double::Threshold threshold_of(const TestRow& row, const LogitRow& reference) {
  std::vector<double> present;
  for (std::size_t i = 0; i < row.logits.size(); ++i)
    if (reference.present(i)) present.push_back(row.logits[i]);
  const Rational exact_value =
      reference::sparsemax(std::span<const double>(present), row.temperature).threshold * exact(row.temperature);
  double_double::Threshold threshold;
  threshold.value.high = approximate(exact_value);
  const Rational left = exact_value - exact(threshold.value.high);
  threshold.value.low = approximate(left);
  threshold.error = 2 * std::abs(approximate(left - exact(threshold.value.low)));
  return threshold;
}

struct Counts {
  std::uint64_t zero = 0, known = 0, unknown = 0;
  double fraction = 0;
};

template <class T>
void try_row(std::uint64_t which, Counts& counts) {
  const TestRow row = test_row<T>(which, 200);
  if (kind(row.reference()) != RowKind::ordinary) return;
  const LogitRow reference = row.reference();
  const auto exact = reference::sparsemax_normalizer.truth(reference);
  double_double::Sparsemax sparsemax;
  const std::vector<T> logits = narrowed<T>(row.logits);
  const auto truth =
      sparsemax.truth<T>(logits, row.mask, double_double::inverse(row.temperature), threshold_of(row, reference));
  if (!truth) return;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const Interval weight = reference.present(i) ? exact->value(i, test_precision) : Interval(0.0, test_precision);
    if (std::isnan(truth->high[i])) {
      ++counts.zero;
      ASSERT_EQ(weight.upper(), 0) << text(row.recipe) << " at " << i;
    } else if (std::isinf(truth->high[i])) {
      ++counts.unknown;
    } else {
      ++counts.known;
      const Interval pair =
          interval_of(truth->high[i], truth->low[i]) * interval_of(truth->times.high, truth->times.low);
      counts.fraction = std::max(
          counts.fraction, fraction_of_bound(pair, weight * Interval(0x1p512, test_precision), truth->relative, 0));
      ASSERT_LT(counts.fraction, 1) << text(row.recipe) << " at " << i;
    }
  }
}

template <class T>
void try_sparse_rows() {
  Counts counts;
  for (std::uint64_t which = 0; which < 400; ++which) {
    try_row<T>(which, counts);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
  std::printf("zero %llu, known %llu, left open %llu; fraction of the bound %.3f\n",
              static_cast<unsigned long long>(counts.zero), static_cast<unsigned long long>(counts.known),
              static_cast<unsigned long long>(counts.unknown), counts.fraction);
  EXPECT_GT(counts.known, 1000u);
  EXPECT_GT(counts.zero, 1000u);
  EXPECT_LT(counts.unknown, counts.known / 4);
}

TEST(DoubleDoubleSparsemax, IsTheProjectionForFloatLogits) { try_sparse_rows<float>(); }
TEST(DoubleDoubleSparsemax, IsTheProjectionForDoubleLogits) { try_sparse_rows<double>(); }

TEST(DoubleDoubleSparsemax, JudgesTheSupportExactly) {
  const std::vector<float> logits{1, 0.75f, -3};  // threshold 0.375: weights 0.625, 0.375, 0
  double_double::Sparsemax sparsemax;
  const auto truth = sparsemax.truth<float>(logits, {}, {}, {{0.375, 0}, 0});
  ASSERT_TRUE(truth);
  double_double::Judgement judgement;
  const auto outside = [&](const std::vector<float>& computed) {
    double_double::judge<float>(judgement, *truth, computed, double_double::f32, {1});
    EXPECT_TRUE(judgement.undecided.empty());
    return judgement.outside;
  };
  EXPECT_EQ(outside({0.625f, 0.375f, 0}), 0u);
  EXPECT_EQ(outside({0.625f, 0.375f, 0x1p-149f}), 1u);
  EXPECT_EQ(outside({0.625f, 0, 0}), 1u);
}

}  // namespace
}  // namespace attncert

// The bounds of docs/double-double.md against Interval at 256 bits: constants, exponentials, sums and truths, on rows
// of every regime and on every instruction set. The fraction of a bound that was reached is asked for, too: a bound
// that nothing comes near would hide a broken computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "properties/conformance/double_double/constants.hpp"
#include "properties/conformance/double_double/truths.hpp"
#include "src/core/counter.hpp"
#include "tests/properties/conformance/double_double/rows.hpp"

namespace attncert {
namespace {

using double_double::DoubleDouble;
using double_double::Exponentials;
using double_double::Factor;

Interval number(double value) { return Interval(value, test_precision); }
Interval ln2() { return log(number(2)); }

// Within half a unit in the last place of a double.
bool rounds_to(const Interval& exact, double value) {
  return less_equal(abs(exact - number(value)), number(std::ldexp(1.0, std::ilogb(value) - 53))) == Truth::yes;
}

TEST(DoubleDoubleConstants, AreWhatTheyAreCalled) {
  const Interval step = ln2() / number(16);
  EXPECT_TRUE(rounds_to(number(1) / step, double_double::steps_per_unit));
  for (const auto& [value, bit] : {std::pair{double_double::step_first, 41}, std::pair{double_double::step_second, 78}})
    EXPECT_EQ(std::rint(std::ldexp(value, bit)), std::ldexp(value, bit));
  const Interval first = step - number(double_double::step_first), second = first - number(double_double::step_second);
  EXPECT_EQ(less_equal(abs(first), number(0x1p-42)), Truth::yes);
  EXPECT_EQ(less_equal(abs(second), number(0x1p-79)), Truth::yes);
  EXPECT_TRUE(rounds_to(second, double_double::step_third));
  for (std::size_t j = 0; j < 16; ++j) {
    const Interval power = exp(number(static_cast<double>(j)) * step);
    EXPECT_TRUE(rounds_to(power, double_double::power_heads[j])) << j;
    if (j == 0) continue;
    EXPECT_TRUE(rounds_to(power / number(double_double::power_heads[j]) - number(1), double_double::power_rests[j]))
        << j;
  }
  EXPECT_EQ(double_double::power_rests[0], 0);
  double factorial = 2;
  const double heads[] = {double_double::inverse_factorial_3, double_double::inverse_factorial_4};
  const double rests[] = {double_double::inverse_factorial_3_rest, double_double::inverse_factorial_4_rest};
  for (int k = 3; k <= 11; ++k) {
    factorial *= k;
    const Interval inverse = number(1) / number(factorial);
    EXPECT_TRUE(rounds_to(inverse, k < 5 ? heads[k - 3] : double_double::inverse_factorials[k - 5])) << k;
    if (k >= 5) continue;
    EXPECT_TRUE(rounds_to(inverse - number(heads[k - 3]), rests[k - 3])) << k;
  }
  EXPECT_TRUE(rounds_to(ln2(), double_double::ln2_high));
  EXPECT_TRUE(rounds_to(ln2() - number(double_double::ln2_high), double_double::ln2_low));
  EXPECT_EQ(less(exp(number(double_double::deepest_argument)), number(0x1p-1022) * number(0x1p-132)), Truth::yes);
}

// exp(x_i) of a row with its sums, once for all instruction sets.
struct ExactRow {
  std::vector<std::optional<Interval>> exponentials;  // empty where nothing takes part
  Interval sum = number(0), rest = number(0);
  double deepest = 0;
};

ExactRow exact_row(const TestRow& row, double pivot) {
  ExactRow exact;
  bool left_out = false;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    const bool present = (row.mask.empty() || row.mask[i] != 0) && row.logits[i] != -HUGE_VAL;
    exact.exponentials.emplace_back();
    if (!present) continue;
    const Interval x = (number(row.logits[i]) - number(pivot)) / number(row.temperature);
    exact.exponentials.back() = exp(x);
    exact.deepest = std::min(exact.deepest, x.lower());
    exact.sum += *exact.exponentials.back();
    if (row.logits[i] == pivot && !left_out) left_out = true;
    else exact.rest += *exact.exponentials.back();
  }
  return exact;
}

struct Reached {  // the largest fractions of the bounds
  double exponential = 0, deep = 0, sum = 0, rest = 0, weight = 0, logarithm = 0, off_by_one = 0;
  std::uint64_t rows = 0, refused = 0, elements = 0;
};

void widen(double& most, double value) { most = std::max(most, value); }

// Fractions of the bound of `truth` against exact(i).
template <class Exact>
double truth_fraction(const double_double::Truth& truth, double& deep, const Exact& exact) {
  double most = 0;
  for (std::size_t i = 0; i < truth.length; ++i) {
    if (std::isnan(truth.high[i])) continue;
    const Interval pair = interval_of(truth.high[i], truth.low[i]) * interval_of(truth.times.high, truth.times.low);
    const Interval value = exact(i) * number(std::ldexp(1.0, truth.scale));
    if (value.is_point() && value.upper() == 0 && truth.high[i] == 0) continue;
    const double fraction = fraction_of_bound(pair, value, truth.relative, truth.absolute);
    // Near the absolute term's own size it is the argument's cut that shows, not arithmetic.
    widen(less(abs(value), number(0x1p20 * truth.absolute)) == Truth::no ? most : deep, fraction);
  }
  return most;
}

void check_row(const TestRow& row, const ExactRow& exact, const Exponentials& e, Reached& reached) {
  const Interval one = number(0x1p512);
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    ASSERT_EQ(e.is_present(i), exact.exponentials[i].has_value());
    if (!e.is_present(i)) continue;
    const Interval scaled = *exact.exponentials[i] * one;
    const Interval pair = interval_of(e.high()[i], e.low()[i]);
    if (less(scaled, number(Exponentials::absolute)) == Truth::yes)
      widen(reached.deep, fraction_of_bound(pair, scaled, 0, Exponentials::absolute));
    else widen(reached.exponential, fraction_of_bound(pair, scaled, e.relative(), 0));
    ++reached.elements;
  }
  widen(reached.sum, fraction_of_bound(interval_of(e.sum().high, e.sum().low), exact.sum, e.sum_relative(), 0));
  const DoubleDouble rest = e.scaled_rest();
  if (exact.rest.upper() > 0)
    widen(reached.rest, fraction_of_bound(interval_of(rest.high, rest.low), exact.rest * one, e.sum_relative(),
                                          0x1p24 * Exponentials::absolute));
  else EXPECT_EQ(rest.high, 0);
}

void check_truths(const TestRow& row, const ExactRow& exact, const Exponentials& e, Reached& reached) {
  const auto& x = exact.exponentials;
  widen(reached.weight,
        truth_fraction(softmax_truth(e), reached.deep, [&](std::size_t i) { return *x[i] / exact.sum; }));
  if (const auto truth = softmax1_truth(e)) {
    const Interval one = exp(-number(e.pivot()) / number(row.temperature));  // the further logit 0, pivot shifted out
    if (one.is_finite())
      widen(reached.off_by_one,
            truth_fraction(*truth, reached.deep, [&](std::size_t i) { return *x[i] / (exact.sum + one); }));
  }
  double_double::LogSoftmax logarithms;
  if (const auto truth = logarithms.truth(e)) {
    const Interval lambda = log1p(exact.rest);
    widen(reached.logarithm, truth_fraction(*truth, reached.deep, [&](std::size_t i) {
            return (number(row.logits[i]) - number(e.pivot())) / number(row.temperature) - lambda;
          }));
  }
}

// One row of logits T, on the instruction sets named.
template <class T>
void try_row(std::uint64_t which, std::size_t longest, const std::vector<std::string>& sets, Reached& reached) {
  const TestRow row = test_row<T>(which, longest);
  const std::vector<T> logits = narrowed<T>(row.logits);
  std::optional<ExactRow> exact;
  for (const std::string& set : sets) {
    SCOPED_TRACE(set + " row " + std::to_string(which) + " " + text(row.recipe) +
                 " T=" + std::to_string(row.temperature));
    const ForcedInstructionSet forced(set);
    Exponentials e;
    ++reached.rows;
    if (!e.compute<T>(logits, row.mask, double_double::inverse(row.temperature))) {
      ++reached.refused;
      bool reason = kind(row.reference()) != RowKind::ordinary;
      for (const double z : row.logits) reason = reason || std::abs(z) > double_double::largest_logit;
      EXPECT_TRUE(reason) << "refused without need";
      continue;
    }
    ASSERT_EQ(kind(row.reference()), RowKind::ordinary);
    if (!exact) exact = exact_row(row, e.pivot());
    check_row(row, *exact, e, reached);
    check_truths(row, *exact, e, reached);
    // Stop at the first row that breaks a bound: its name is worth more than a long list.
    ASSERT_LT(std::max({reached.exponential, reached.deep, reached.sum, reached.rest, reached.weight, reached.logarithm,
                        reached.off_by_one}),
              1);
  }
}

void report(const Reached& r) {
  std::printf(
      "rows %llu, refused %llu, exponentials %llu; fraction of the bound: exponential %.3f, sum %.3f, rest %.3f, "
      "softmax %.3f, softmax1 %.3f, log-softmax %.3f\n",
      static_cast<unsigned long long>(r.rows), static_cast<unsigned long long>(r.refused),
      static_cast<unsigned long long>(r.elements), r.exponential, r.sum, r.rest, r.weight, r.off_by_one, r.logarithm);
}

template <class T>
void try_rows() {
  Reached reached;
  for (std::uint64_t which = 0; which < 160; ++which) {
    try_row<T>(which, which == 0 ? 4096 : 600, instruction_sets(), reached);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  report(reached);
  // Half of the bound of an exponential is the rounding of its term of degree 5: rows of a few thousand reach a
  // quarter.
  EXPECT_GT(reached.exponential, 0.25);
  EXPECT_LT(static_cast<double>(reached.refused), 0.4 * static_cast<double>(reached.rows));
}

// s log(n) / T as a factor, of either sign.
TEST(DoubleDoubleBounds, HoldForScalableFactors) {
  double most = 0;
  for (const double scale : {1.0, 0.43, -2.5})
    for (const std::size_t n : {2u, 3u, 17u, 1000u}) {
      const double_double::Factor factor = double_double::scalable(scale, n, 0.7);
      const Interval exact = number(scale) * log(number(static_cast<double>(n))) / number(0.7);
      widen(most, fraction_of_bound(interval_of(factor.value.high, factor.value.low), exact, factor.relative, 0));
      const std::vector<float> logits = normal_logits<float>(n, n, 3);
      for (const std::string& set : instruction_sets()) {
        const ForcedInstructionSet forced(set);
        Exponentials e;
        ASSERT_TRUE(e.compute<float>(logits, {}, factor));
        for (std::size_t i = 0; i < std::min<std::size_t>(n, 40); ++i) {
          const Interval x = (number(static_cast<double>(logits[i])) - number(e.pivot())) * exact;
          widen(most,
                fraction_of_bound(interval_of(e.high()[i], e.low()[i]), exp(x) * number(0x1p512), e.relative(), 0));
        }
      }
    }
  EXPECT_LT(most, 1);
  for (const double r : {1e-250, 1e-5, 0.39, 0.41, 0.9, 1.8, 12345.0, 0x1p900}) {
    const DoubleDouble value = double_double::log1p({r, r * 0x1p-55});
    const Interval exact = log1p(interval_of(r, r * 0x1p-55));
    EXPECT_LT(fraction_of_bound(interval_of(value.high, value.low), exact, double_double::log1p_error, 0), 1) << r;
  }
}

TEST(DoubleDoubleBounds, HoldForFloatLogits) { try_rows<float>(); }
TEST(DoubleDoubleBounds, HoldForDoubleLogits) { try_rows<double>(); }

}  // namespace
}  // namespace attncert

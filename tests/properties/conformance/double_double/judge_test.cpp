// The double-double tier's judgement against Interval's, element by element: what it decides, Interval must decide
// alike. Computed rows are exact values moved by a few units, with special values strewn in, in all four formats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "reference/normalizers/log_softmax.hpp"
#include "reference/normalizers/softmax.hpp"
#include "src/core/counter.hpp"
#include "src/kernel/dtype.hpp"
#include "tests/properties/conformance/double_double/rows.hpp"

namespace attncert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double_double::OutputFormat output_format(attncert_dtype dtype) {
  const Format& f = format(dtype);
  return {f.digits, f.min_exponent, f.max_exponent};
}

// reference/ulp.hpp's definition for any format, from the exact value's ends; wider only where they straddle a binade.
struct ExactError {
  double lower, upper;
};
ExactError exact_error(double computed, const Interval& exact, const double_double::OutputFormat& f) {
  if (std::isnan(computed)) return {kInfinity, kInfinity};
  if (std::isinf(computed)) {
    // It counts as the number behind the largest; what lies between half of that and that is not for this test.
    const Interval half(std::ldexp(1.0, f.max_exponent - 1), test_precision), along = computed > 0 ? exact : -exact;
    if (less(half + half, along) == Truth::yes) return {0, 0};
    return {less(along, half) == Truth::yes ? kInfinity : 0, kInfinity};
  }
  const Interval distance = abs(Interval(computed, test_precision) - exact);
  const Interval size = abs(exact);
  const auto unit = [&](double end) {
    const int binade = end == 0 ? f.min_exponent - 1 : std::max(std::ilogb(end), f.min_exponent - 1);
    // in two steps: the unit itself may be subnormal, its reciprocal infinite
    return Interval(std::ldexp(1.0, binade), test_precision) * Interval(std::ldexp(1.0, 1 - f.digits), test_precision);
  };
  // A power of two is the lower end of its binade; the double just below an exact end may be one too few.
  return {(distance / unit(size.upper())).lower(), (distance / unit(size.lower())).upper()};
}

// What a kernel might have said: the exact value rounded, off by up to 7 units, or something quite wrong.
double plausible(attncert_dtype dtype, const Interval& exact, std::uint64_t word) {
  const double_double::OutputFormat f = output_format(dtype);
  const double value = rounded(dtype, exact.midpoint());
  switch (word % 40) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return word & 64 ? kInfinity : -kInfinity;
    case 2:
      return 0;
    case 3:
      return rounded(dtype, value * 1.25);
    case 4:
      return -value;
    default:
      break;
  }
  if (!std::isfinite(value)) return value;
  const int binade = value == 0 ? f.min_exponent - 1 : std::max(std::ilogb(value), f.min_exponent - 1);
  const double steps = static_cast<double>(word >> 8 & 15) - 8;
  return rounded(dtype, value + steps * std::ldexp(1.0, binade - f.digits + 1));
}

struct TierTotals {
  std::uint64_t elements = 0, outside = 0, undecided = 0, sampled = 0;
};

// `truth` of the row against `exact(i)`; `present` tells who takes part.
template <class T, class Exact>
void compare(const double_double::Truth& truth, attncert_dtype dtype, const LogitRow& row, double absent,
             std::uint64_t seed, TierTotals& totals, const Exact& exact) {
  const double_double::OutputFormat f = output_format(dtype);
  std::vector<T> computed(truth.length);
  std::vector<ExactError> errors(truth.length);
  std::vector<double> each(truth.length);
  for (std::size_t i = 0; i < truth.length; ++i) {
    const std::uint64_t word = random_word(seed, i);
    const double levels[] = {0.5, 1, 2.75, 4};
    each[i] = levels[word >> 16 & 3];
    if (row.present(i)) {
      computed[i] = static_cast<T>(plausible(dtype, exact(i), word));
      errors[i] = exact_error(static_cast<double>(computed[i]), exact(i), f);
    } else {
      computed[i] = static_cast<T>(word % 50 == 0 ? 0x1p-14 : absent);
      errors[i] = static_cast<double>(computed[i]) == absent ? ExactError{0, 0} : ExactError{kInfinity, kInfinity};
    }
  }
  for (const double constant : {-1.0, 0.0, 0.5, 3.25}) {
    const double_double::Allowance allowance =
        constant < 0 ? double_double::Allowance{0, each} : double_double::Allowance{constant, {}};
    double_double::Judgement judgement;
    double_double::judge<T>(judgement, truth, computed, f, allowance, 0, 5);
    for (const EntryError& one : judgement.sample) {
      const double allowed = constant < 0 ? each[one.position] : constant;
      ASSERT_GE(one.ulp, errors[one.position].lower) << one.position;
      ASSERT_LE(one.ulp, 2.1 * errors[one.position].upper + 0x1p-20) << one.position;
      if (one.ulp > 0 && allowed > 0) {
        ASSERT_EQ(one.share, one.ulp / allowed) << one.position;
      }
    }
    totals.sampled += judgement.sample.size();
    ASSERT_EQ(judgement.elements, truth.length);
    std::uint64_t outside = 0;
    double worst = 0;
    bool share_is_of_an_entry = judgement.worst_fraction == 0 || std::isinf(judgement.worst_fraction);  // of 0 allowed
    for (std::size_t i = 0, next = 0; i < truth.length; ++i) {
      if (next < judgement.undecided.size() && judgement.undecided[next] == i) {
        ++next;
        continue;
      }
      const double allowed = constant < 0 ? each[i] : constant;
      outside += errors[i].lower > allowed;
      ASSERT_TRUE(errors[i].lower > allowed || errors[i].upper <= allowed)
          << "decided what Interval leaves open: " << i << " holds " << static_cast<double>(computed[i]) << ", error ["
          << errors[i].lower << ", " << errors[i].upper << "], allowed " << allowed;
      ASSERT_GE(judgement.worst_ulp, errors[i].lower) << i;
      worst = std::max(worst, errors[i].upper);
      share_is_of_an_entry |= allowed == judgement.worst_allowed &&
                              2.1 * errors[i].upper + 0x1p-20 >= judgement.worst_fraction * judgement.worst_allowed;
    }
    ASSERT_TRUE(share_is_of_an_entry) << judgement.worst_fraction << " of " << judgement.worst_allowed;
    ASSERT_EQ(judgement.outside, outside) << "constant " << constant;
    ASSERT_LE(judgement.worst_ulp, 2 * worst * (1 + 0x1p-40) + 0x1p-20)
        << static_cast<double>(computed[judgement.worst_position]);
    if (judgement.worst_fraction > 0 && std::isfinite(judgement.worst_fraction)) {
      const std::size_t at = judgement.worst_position;
      const double allowed = constant < 0 ? each[at] : constant;
      ASSERT_GE(2.1 * errors[at].upper + 0x1p-20, judgement.worst_fraction * allowed) << at;
    }
    totals.elements += truth.length;
    totals.outside += outside;
    totals.undecided += judgement.undecided.size();
  }
}

template <class T>
void judge_row(std::uint64_t which, attncert_dtype dtype, TierTotals& totals) {
  const TestRow test = test_row<T>(which, 300);
  if (kind(test.reference()) != RowKind::ordinary) return;
  const LogitRow row = test.reference();
  const auto exact = reference::softmax_normalizer.truth(row);
  const auto exact_logarithms = reference::log_softmax_normalizer.truth(row);
  std::vector<std::optional<Interval>> weights(test.logits.size()), logarithms(test.logits.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!row.present(i)) continue;
    weights[i] = exact->value(i, test_precision);
    logarithms[i] = exact_logarithms->value(i, test_precision);
  }
  const std::vector<T> logits = narrowed<T>(test.logits);
  for (const std::string& set : instruction_sets()) {
    SCOPED_TRACE(set + " row " + std::to_string(which) + " " + text(test.recipe));
    const ForcedInstructionSet forced(set);
    double_double::Exponentials e;
    if (!e.compute<T>(logits, test.mask, double_double::inverse(test.temperature))) return;
    compare<T>(softmax_truth(e), dtype, row, 0, which, totals, [&](std::size_t i) { return *weights[i]; });
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    double_double::LogSoftmax log_softmax;
    if (const auto truth = log_softmax.truth(e))
      compare<T>(*truth, dtype, row, -kInfinity, which, totals, [&](std::size_t i) { return *logarithms[i]; });
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

template <class T>
void judge_rows(attncert_dtype dtype) {
  TierTotals totals;
  for (std::uint64_t which = 1; which < 120; ++which) {
    judge_row<T>(which, dtype, totals);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
  std::printf("elements %llu, outside %llu, undecided %llu\n", static_cast<unsigned long long>(totals.elements),
              static_cast<unsigned long long>(totals.outside), static_cast<unsigned long long>(totals.undecided));
  EXPECT_GT(totals.sampled, 1000u);
  EXPECT_GT(totals.outside, totals.elements / 10);
}

TEST(DoubleDoubleJudge, DecidesAsIntervalDoesF32) { judge_rows<float>(ATTNCERT_F32); }
TEST(DoubleDoubleJudge, DecidesAsIntervalDoesF64) { judge_rows<double>(ATTNCERT_F64); }
TEST(DoubleDoubleJudge, DecidesAsIntervalDoesF16) { judge_rows<float>(ATTNCERT_F16); }
TEST(DoubleDoubleJudge, DecidesAsIntervalDoesBf16) { judge_rows<float>(ATTNCERT_BF16); }

// A truth of 2^-10 knows a softmax in f32 to 2^14 ulp: it says nothing, neither of an element nor of the worst one.
TEST(DoubleDoubleJudge, CountsNothingOfWhatItLeavesOpen) {
  double_double::Exponentials e;
  const std::vector<double> logits{0, 1, 2, 3, 4};
  ASSERT_TRUE(e.compute<double>(logits, {}, double_double::inverse(1)));
  double_double::Truth truth = softmax_truth(e);
  std::vector<double> computed;
  for (std::size_t i = 0; i < logits.size(); ++i) computed.push_back(truth.high[i] * truth.times.high * 0x1p-512);
  double_double::Judgement judgement;
  double_double::judge<double>(judgement, truth, computed, double_double::f32, {4, {}});
  EXPECT_EQ(judgement.undecided.size(), 0u);
  EXPECT_LT(judgement.worst_ulp, 0x1p-20);
  truth.relative = 0x1p-10;
  double_double::judge<double>(judgement, truth, computed, double_double::f32, {4, {}});
  EXPECT_EQ(judgement.undecided.size(), logits.size());
  EXPECT_EQ(judgement.worst_ulp, 0);
  EXPECT_EQ(judgement.worst_fraction, 0);
}

enum class Verdict : std::uint8_t { right, wrong, open };

// Of a row of one entry. error: the truth's own; cancels: its terms may.
Verdict verdict_of(attncert_dtype dtype, double exact, double computed, double error = 0, double relative = 0,
                   bool cancels = false) {
  double_double::Truth truth;
  const std::vector<double> high(16, exact), low(16, 0.0), errors(16, error), sizes(16, std::abs(exact));
  truth.length = 1;
  truth.high = high.data();
  truth.low = low.data();
  truth.error = errors.data();
  truth.relative = relative;
  truth.magnitude = cancels ? sizes.data() : nullptr;
  double_double::Judgement judgement;
  const std::vector<float> row{static_cast<float>(computed)};
  double_double::judge<float>(judgement, truth, row, output_format(dtype), {4, {}});
  if (!judgement.undecided.empty()) return Verdict::open;
  EXPECT_EQ(judgement.worst_ulp, judgement.outside == 0 ? 0 : kInfinity);
  return judgement.outside == 0 ? Verdict::right : Verdict::wrong;
}

// An infinity stands for what lies beyond the largest number: right from 2^16 on in f16, from 2^128 on in the others.
TEST(DoubleDoubleJudge, InfinitiesAreDecidedWhereTheyAreSure) {
  for (const attncert_dtype dtype : {ATTNCERT_F16, ATTNCERT_BF16, ATTNCERT_F32}) {
    const double beyond = std::ldexp(1.0, format(dtype).max_exponent), more = beyond * (1 + 0x1p-6);
    EXPECT_EQ(verdict_of(dtype, -more, -kInfinity), Verdict::right);
    EXPECT_EQ(verdict_of(dtype, more, kInfinity), Verdict::right);
    EXPECT_EQ(verdict_of(dtype, -more, kInfinity), Verdict::wrong);
    EXPECT_EQ(verdict_of(dtype, beyond, kInfinity), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, beyond * (1 - 0x1p-20), kInfinity), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, beyond * 0.49, kInfinity), Verdict::wrong);
    EXPECT_EQ(verdict_of(dtype, more, kInfinity, beyond * 0x1p-5), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, beyond * 0.49, kInfinity, beyond), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, more, kInfinity, 0, 0, true), Verdict::right);
    EXPECT_EQ(verdict_of(dtype, more, -kInfinity, 0, 0, true), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, beyond * 0.49, kInfinity, 0, 0, true), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, more, kInfinity, 0, 0x1p-5), Verdict::open);
    // Of what is not known at all nothing is said, whatever the signs of the bounds.
    EXPECT_EQ(verdict_of(dtype, more, kInfinity, kInfinity, 2), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, more, kInfinity, 2 * more, 2), Verdict::open);
    EXPECT_EQ(verdict_of(dtype, 0, kInfinity, kInfinity), Verdict::open);
  }
}

}  // namespace
}  // namespace attncert

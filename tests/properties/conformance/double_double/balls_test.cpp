// Truths made of balls against Interval at 256 bits: every entry's distance from the exact value is within the error
// that it carries, and its magnitude has the digits that a unit needs, for every normalizer that has such a truth, on
// rows of every regime, with extreme temperatures, upstream gradients and parameters, on every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/accuracy/tier_truths.hpp"
#include "properties/conformance/double_double/balls.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/counter.hpp"
#include "tests/properties/conformance/double_double/rows.hpp"

namespace attncert {
namespace {

struct Seen {
  std::uint64_t rows = 0, refused = 0, entries = 0, unknown = 0;
  double worst = 0;   // error as a fraction of what the ball says
  double widest = 0;  // the largest error that a ball says, relative to its magnitude
};

void check_entry(const double_double::Truth& truth, int min_exponent, std::size_t i, RowTruth& exact, Seen& seen) {
  if (std::isinf(truth.high[i])) {
    ++seen.unknown;
    return;
  }
  const Interval unit(std::ldexp(1.0, truth.scale), test_precision);
  const Interval value = exact.value(i, test_precision) * unit, pair = interval_of(truth.high[i], truth.low[i]);
  const Interval distance = abs(pair - value);
  ++seen.entries;
  ASSERT_EQ(less_equal(distance, Interval(truth.error[i], test_precision)), attncert::Truth::yes)
      << "entry " << i << ": " << pair.text() << " +- " << truth.error[i] << ", exact " << value.text();
  if (truth.error[i] > 0)
    seen.worst = std::max(seen.worst, (distance / Interval(truth.error[i], test_precision)).upper());
  if (truth.magnitude == nullptr) return;
  const long double size = std::ldexp(exact.magnitude(i), truth.scale);
  // Below the format's normal numbers, whose unit is one and the same.
  if (size < std::ldexp(1.0L, min_exponent - 5 + truth.scale)) return;
  ASSERT_LE(std::fabs(truth.magnitude[i] / size - 1), 0x1p-45L) << "entry " << i << ", magnitude";
  seen.widest = std::max(seen.widest, truth.error[i] / truth.magnitude[i]);
}

void check_row(const Normalizer& normalizer, const LogitRow& row, int min_exponent, Seen& seen) {
  ++seen.rows;
  const TierTruth tier(normalizer, row, min_exponent);
  if (!tier.truth()) {
    ++seen.refused;
    return;
  }
  if (tier.truth()->error == nullptr) return;
  const auto exact = normalizer.truth(row);
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (std::isnan(tier.truth()->high[i])) {
      const bool absent = !row.present(i) || exact->value(i, test_precision).upper() == 0;
      ASSERT_TRUE(absent) << "entry " << i << " is called absent";
      continue;
    }
    check_entry(*tier.truth(), min_exponent, i, *exact, seen);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Balls, HoldWhatIsExact) {
  std::size_t served = 0;
  for (const Subject* subject : subjects()) {
    if (!TierTruth::serves(*subject)) continue;
    Seen seen;
    for (std::uint64_t n = 0; n < 240; ++n) {
      const attncert_dtype dtype = n % 2 == 0 ? ATTNCERT_F32 : ATTNCERT_F64;
      const AccuracyCase which{"regime:" + std::to_string(n), AccuracyCase::Source::regime, 0, 0, 0, n};
      LogitRow row = case_row(which, 20261130, Effort::quick, dtype);
      add_parameters(row, which, 20261130, dtype, *subject);
      if (kind(row) != RowKind::ordinary || row.logits.size() > 120) continue;
      for (const std::string& set : instruction_sets()) {
        SCOPED_TRACE(std::string(subject->name) + " " + which.name + " on " + set);
        const ForcedInstructionSet forced(set);
        check_row(*subject, row, format(dtype).min_exponent, seen);
        ASSERT_FALSE(HasFatalFailure());
      }
    }
    if (seen.entries == 0) continue;  // its truth is none of balls
    ++served;
    std::printf(
        "%s: %llu rows, %llu refused, %llu entries, %llu not known; %.3g of the error, 2^%.1f of the magnitude\n",
        std::string(subject->name).c_str(), static_cast<unsigned long long>(seen.rows),
        static_cast<unsigned long long>(seen.refused), static_cast<unsigned long long>(seen.entries),
        static_cast<unsigned long long>(seen.unknown), seen.worst, std::log2(seen.widest));
    EXPECT_GT(seen.worst, 0.001) << "an error that nothing comes near hides a broken computation";
    EXPECT_LT(4 * seen.refused, seen.rows);
  }
  EXPECT_GE(served, 27u);
}

// Pairs in (0, 1], each with an error that is none or a part of it, and the end of each ball that `sign` says.
struct Drawn {
  double_double::Balls balls;
  std::vector<Interval> ends;
};
double random_unit(std::uint64_t seed, std::uint64_t n) {
  return std::ldexp(static_cast<double>(random_word(seed, n) >> 11), -53);
}
double_double::Number drawn_number(std::uint64_t seed, std::uint64_t n, double part) {
  const double high = std::ldexp(1 + random_unit(seed, 3 * n), -1 - static_cast<int>(random_below(seed, n, 20)));
  const double low = high * (random_unit(seed, 3 * n + 1) - 0.5) * 0x1p-53;
  return {high, low, high * part};
}
Interval end_of(const double_double::Number& number, int sign) {
  return interval_of(number.high, number.low) + Interval(sign * number.error, test_precision);
}
Drawn drawn_balls(std::uint64_t seed, std::size_t length, double part, int sign) {
  Drawn drawn;
  drawn.balls.resize(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double_double::Number number = drawn_number(seed, i, part);
    drawn.balls.high[i] = number.high, drawn.balls.low[i] = number.low, drawn.balls.error[i] = number.error;
    drawn.ends.push_back(end_of(number, sign));
  }
  return drawn;
}

void expect_inside(const Interval& exact, double high, double low, double error, const char* what) {
  const Interval distance = abs(interval_of(high, low) - exact);
  EXPECT_EQ(less_equal(distance, Interval(error, test_precision)), attncert::Truth::yes)
      << what << ": " << distance.upper() << " > " << error;
}
void expect_each_inside(const Drawn& drawn, double unit, const char* what) {
  for (std::size_t i = 0; i < drawn.balls.length; ++i)
    expect_inside(drawn.ends[i] * Interval(unit, test_precision), drawn.balls.high[i], drawn.balls.low[i],
                  drawn.balls.error[i], what);
}

// Whatever element of its operands' balls is taken, the result is within the result's ball: at both ends of each, and
// where the operands are exact, so that nothing but the operation's own roundings is left.
TEST(Balls, OperationsCountTheirErrorsAndThoseOfTheirOperands) {
  constexpr std::size_t length = 48;
  for (const std::string& set : instruction_sets())
    for (const double part : {0.0, 0x1p-90, 0x1p-40})
      for (const int sign : {-1, 1}) {
        SCOPED_TRACE(set + ", errors of " + std::to_string(part) + ", end " + std::to_string(sign));
        const ForcedInstructionSet forced(set);
        Drawn drawn = drawn_balls(1, length, part, sign);
        const double_double::Number total = sum(drawn.balls), by = drawn_number(2, 0, part),
                                    over = drawn_number(2, 1, part);
        expect_inside(sum(drawn.ends, test_precision), total.high, total.low, total.error, "sum");
        Drawn scaled = drawn, squared = drawn;
        scale(scaled.balls, by, over);
        square(squared.balls);
        for (Interval& end : scaled.ends) end = end * end_of(by, sign) / end_of(over, -sign);
        for (Interval& end : squared.ends) end = square(end);
        expect_each_inside(scaled, 1, "scale");
        expect_each_inside(squared, double_double::ball_unit, "square");
        for (const double power : {0.25, 3.5, 40.0, -0.75}) {
          Drawn raised = drawn;
          const double_double::Number exponent{power, 0, std::abs(power) * part};
          raise(raised.balls, exponent);
          for (Interval& end : raised.ends) end = exp(log(end) * end_of(exponent, power < 0 ? sign : -sign));
          expect_each_inside(raised, double_double::ball_unit, "raise");
        }
      }
}

}  // namespace
}  // namespace attncert

// The exponentials of DoubleIntervals in vectors of every instruction set, on both sides of a vector: they hold the
// exact ones, and are the same bits everywhere and beside whatever they stand.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "reference/double_interval.hpp"
#include "reference/interval.hpp"
#include "src/core/tape.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr Precision bits_of_functions{256};

// Points and slivers near 0, of moderate size and out of range.
DoubleInterval drawn_interval(Choices& choices) {
  const double digits = 1 + std::ldexp(static_cast<double>(choices.below(std::uint64_t{1} << 52)), -52);
  const int exponent = static_cast<int>(choices.flip() ? choices.between(-60, 9) : choices.between(-1074, 40));
  const double x = choices.below(8) == 0 ? 0 : std::ldexp(choices.flip() ? digits : -digits, exponent);
  const double width = choices.flip() ? 0 : std::ldexp(std::abs(x), -static_cast<int>(choices.below(54)));
  return DoubleInterval::between(x, x + width);
}

void expect_around(const DoubleInterval& ours, const Interval& exact, const std::string& name) {
  EXPECT_LE(ours.lower(), exact.lower()) << name;
  EXPECT_GE(ours.upper(), exact.upper()) << name;
}

void expect_same_ends(const DoubleInterval& a, const DoubleInterval& b, const std::string& name) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.lower()), std::bit_cast<std::uint64_t>(b.lower())) << name;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.upper()), std::bit_cast<std::uint64_t>(b.upper())) << name;
}

// Of the drawn ones in one call: the exact ones, each as it is alone, with the best instruction set.
void expect_functions(const std::vector<DoubleInterval>& drawn, const std::string& set, const std::string& name) {
  std::vector<DoubleInterval> powers, less_one;
  {
    const ForcedInstructionSet forced(set);
    powers = less_one = drawn;
    each_exp(powers), each_expm1(less_one);
  }
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const Interval low(drawn[k].lower(), bits_of_functions), high(drawn[k].upper(), bits_of_functions);
    if (std::max(std::abs(drawn[k].lower()), std::abs(drawn[k].upper())) <
        1e6) {  // beyond, MPFI has exponents to spare
      expect_around(powers[k], Interval::between(exp(low), exp(high)), name + " exp");
      expect_around(less_one[k], Interval::between(expm1(low), expm1(high)), name + " expm1");
    }
    expect_same_ends(powers[k], exp(drawn[k]), name + " exp");
    expect_same_ends(less_one[k], expm1(drawn[k]), name + " expm1");
  }
}

// The seams side by side, and ends without a bound.
TEST(DoubleFunctions, HoldTheExactOnesAtTheirSeams) {
  std::vector<DoubleInterval> drawn;
  for (const double seam : {0.0, 0x1p-1074, 0x1p-1022, 0x1p-10, 0.35, 0.34657359027997264, 708.0, 709.0, 745.2})
    for (const double x : {seam, std::nextafter(seam, 1000), -seam, std::nextafter(-seam, -1000)})
      for (const double end : {x, x + 1}) drawn.push_back(DoubleInterval::between(x, end));
  for (const std::string& set : instruction_sets()) {
    expect_functions(drawn, set, set + ", seams");
    const ForcedInstructionSet forced(set);
    std::vector<DoubleInterval> open{DoubleInterval::whole_line(), DoubleInterval::between(1, INFINITY),
                                     DoubleInterval::between(-INFINITY, 0), DoubleInterval::between(INFINITY, INFINITY),
                                     DoubleInterval::between(-INFINITY, -INFINITY)};
    std::vector<DoubleInterval> less_one = open;
    each_exp(open), each_expm1(less_one);
    EXPECT_EQ(open[0].lower(), 0);
    EXPECT_LE(less_one[0].lower(), -1);
    EXPECT_GE(less_one[0].lower(), -1 - 0x1p-50);
    EXPECT_LE(open[1].lower(), std::numbers::e);
    EXPECT_GT(open[1].lower(), 2.7);
    for (const std::size_t unbounded : {0, 1, 3}) {
      EXPECT_EQ(open[unbounded].upper(), INFINITY) << set;
      EXPECT_EQ(less_one[unbounded].upper(), INFINITY) << set;
    }
    EXPECT_GE(open[2].upper(), 1);
    EXPECT_LE(open[2].upper(), 1 + 0x1p-50);
    EXPECT_EQ(open[4].lower(), 0);
    EXPECT_LE(open[4].upper(), 0x1p-1000);
  }
}

TEST(DoubleFunctions, HoldTheExactOnesAndAreTheSameWithEveryInstructionSet) {
  for (const std::string& set : instruction_sets())
    for (std::uint64_t n = 0; n < 400 && !HasFailure(); ++n) {
      const Tape tape = random_tape(20261129, "double-functions", n, 1000);
      Choices choices(tape);
      std::vector<DoubleInterval> drawn;
      for (std::uint64_t count = choices.between(0, 21); count > 0; --count) drawn.push_back(drawn_interval(choices));
      expect_functions(drawn, set, set + ", case " + std::to_string(n));
    }
}

}  // namespace
}  // namespace attncert

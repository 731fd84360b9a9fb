// ulp: cases by hand, MPFR's correctly rounded values (mpfr_subnormalize) within half a unit and their neighbours
// beyond it, and the definition evaluated in exact rationals.
#include "reference/ulp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/reference/random_set.hpp"

#include <mpfr.h>

namespace attncert {
namespace {

constexpr Precision p200{200};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
void expect_error(T computed, const Rational& value, double error) {
  const UlpError e = ulp_error(computed, Interval(value, p200));
  EXPECT_EQ(e.lower, error);
  EXPECT_EQ(e.upper, error);
}

TEST(Ulp, ByHandInDouble) {
  expect_error(1.0, Rational(1), 0);
  expect_error(std::nextafter(1.0, 2.0), Rational(1), 1);
  expect_error(std::nextafter(1.0, 0.0), Rational(1), 0.5);  // the grid is twice as fine below 1, the unit is that of 1
  expect_error(1.0, Rational(exact(std::nextafter(1.0, 0.0))), 1);  // and here that of the exact value
  expect_error(1.0, Rational(exact(std::nextafter(1.0, 2.0))), 1);
  expect_error(-1.0, Rational(-1), 0);
  expect_error(-1.0, Rational(-exact(std::nextafter(1.0, 2.0))), 1);
  expect_error(3.0, Rational(2), 0x1p51);
  expect_error(1.0, Rational(-1), 0x1p53);
}

TEST(Ulp, ByHandInFloat) {
  expect_error(std::nextafter(1.0f, 2.0f), Rational(1), 1);
  expect_error(std::nextafter(8.0f, 0.0f), Rational(8), 0.5);
  expect_error(0.0f, power_of_two(-149), 1);
  expect_error(0.0f, Rational(power_of_two(-150)), 0.5);
  expect_error(0x1p-149f, Rational(0), 1);
  expect_error(0x1p-126f, Rational(0), 0x1p23);
  expect_error(std::numeric_limits<float>::max(), power_of_two(128), 0.5);
}

TEST(Ulp, BelowTheSmallestNormalTheUnitIsTheSmallestSubnormal) {
  expect_error(0.0, power_of_two(-1074), 1);
  expect_error(0.0, power_of_two(-1075), 0.5);
  expect_error(0.0, power_of_two(-2000), 0x1p-926);
  expect_error(0x1p-1074, Rational(0), 1);
  expect_error(-0x1p-1074, Rational(0), 1);
  expect_error(0.0, Rational(0), 0);
  expect_error(-0.0, Rational(0), 0);
  expect_error(std::nextafter(0x1p-1022, 0.0), power_of_two(-1022), 1);
  expect_error(0x1p-1022, Rational(power_of_two(-1022) + power_of_two(-1074)), 1);
  expect_error(0.0, power_of_two(-1022), 0x1p52);
}

TEST(Ulp, NaNAndInfinitiesAreInfinitelyWrong) {
  const Interval one(1.0, p200);
  for (const double x : {std::nan(""), kInfinity, -kInfinity}) {
    EXPECT_EQ(ulp_error(x, one).lower, kInfinity);
    EXPECT_EQ(ulp_error(x, one).upper, kInfinity);
    EXPECT_EQ(ulp_error(static_cast<float>(x), one).upper, kInfinity);
  }
  EXPECT_DEATH(static_cast<void>(ulp_error(1.0, Interval::whole_line(p200))), "is_finite");
}

TEST(Ulp, OfAWideEnclosureIsOutward) {
  const auto set = [](const Rational& low, const Rational& high) {
    return Interval::between(Interval(low, p200), Interval(high, p200));
  };
  const UlpError inside = ulp_error(1.5, set(1, 2));  // units 2^-52 (1) to 2^-51 (2); distance 0 to 1/2
  EXPECT_EQ(inside.lower, 0);
  EXPECT_EQ(inside.upper, 0x1p51);
  const UlpError outside = ulp_error(4.0, set(1, 2));  // distance 2 to 3
  EXPECT_EQ(outside.lower, 0x1p52);                    // 2 / 2^-51
  EXPECT_EQ(outside.upper, 3 * 0x1p52);                // 3 / 2^-52
  const UlpError straddling = ulp_error(0x1p-1074, set(Rational(-power_of_two(-1000)), power_of_two(-1000)));
  EXPECT_EQ(straddling.lower, 0);
  EXPECT_GE(straddling.upper, 0x1p74);  // 2^-1000 over the smallest subnormal
}

template <class T>
Rational random_value(Choices& choices) {
  constexpr int low = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits - 3;
  const auto exponent = static_cast<long>(choices.between(0, std::numeric_limits<T>::max_exponent - 2 - low)) + low;
  const Rational significand = 1 + Rational(static_cast<unsigned long>(choices.below(1u << 31))) / 0x7fffffff;
  const Rational value = significand * power_of_two(exponent);
  return choices.flip() ? Rational(-value) : value;
}

// Rounded to nearest in T's format, with its exponents: the correctly rounded value, without any arithmetic of ours.
template <class T>
T correctly_rounded(const Rational& value) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_set_emin(std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits + 1);
  mpfr_set_emax(std::numeric_limits<T>::max_exponent);
  mpfr_t rounded;
  mpfr_init2(rounded, std::numeric_limits<T>::digits);
  const int ternary = mpfr_set_q(rounded, value.get_mpq_t(), MPFR_RNDN);
  mpfr_subnormalize(rounded, ternary, MPFR_RNDN);
  const T result = static_cast<T>(mpfr_get_d(rounded, MPFR_RNDN));
  mpfr_clear(rounded);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return result;
}

template <class T>
void check_against_correct_rounding(const char* stream) {
  constexpr T infinite = std::numeric_limits<T>::infinity();
  for (std::uint64_t n = 0; n < 3000; ++n) {
    const Tape tape = random_tape(20251021, stream, n, 40);
    Choices choices(tape);
    const Rational value = random_value<T>(choices);
    const Interval enclosure(value, p200);
    const T nearest = correctly_rounded<T>(value);
    ASSERT_LE(ulp_error(nearest, enclosure).lower, 0.5);
    ASSERT_LE(ulp_error(nearest, enclosure).upper, std::nextafter(0.5, 1.0));  // a tie, rounded outward
    for (const T neighbour : {std::nextafter(nearest, infinite), std::nextafter(nearest, -infinite)}) {
      const UlpError error = ulp_error(neighbour, enclosure);
      ASSERT_GE(error.upper, 0.5);
      ASSERT_GE(error.lower, std::nextafter(0.5, 0.0));
      // Away from 0 and up from a power of two, a step is two units of a value that lies below that power.
      int exponent = 0;
      const bool power = std::fabs(std::frexp(nearest, &exponent)) == T(0.5);
      ASSERT_LE(error.lower, power ? 2.5 : 1.5);
    }
  }
}

TEST(Ulp, CorrectlyRoundedDoublesAreWithinHalfAUnit) { check_against_correct_rounding<double>("ulp-double"); }
TEST(Ulp, CorrectlyRoundedFloatsAreWithinHalfAUnit) { check_against_correct_rounding<float>("ulp-float"); }

// The definition itself in exact rationals: floor(log2 |v|) by comparison with powers of two.
template <class T>
Rational unit(const Rational& value) {
  long exponent = std::numeric_limits<T>::min_exponent - 1;
  while (power_of_two(exponent + 1) <= abs(value)) ++exponent;
  return power_of_two(exponent - std::numeric_limits<T>::digits + 1);
}

template <class T>
void check_against_definition(const char* stream) {
  for (std::uint64_t n = 0; n < 300; ++n) {
    const Tape tape = random_tape(20251021, stream, n, 40);
    Choices choices(tape);
    const Rational value = random_value<T>(choices);
    const T computed = correctly_rounded<T>(random_value<T>(choices));
    const Rational error = abs(Rational(exact(static_cast<double>(computed)) - value)) / unit<T>(value);
    const UlpError ours = ulp_error(computed, Interval(value, p200));
    ASSERT_LE(exact(ours.lower), error);
    if (!std::isfinite(ours.upper)) continue;  // beyond a double
    ASSERT_GE(exact(ours.upper), error);
    ASSERT_LE(exact(ours.upper), exact(ours.lower) * (1 + power_of_two(-50)) + power_of_two(-1074));
  }
}

TEST(Ulp, IsTheDefinitionInRationals) {
  check_against_definition<double>("ulp-definition-double");
  check_against_definition<float>("ulp-definition-float");
}

}  // namespace
}  // namespace attncert

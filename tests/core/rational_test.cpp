// Exact text: round trips, lowest terms, and everything that is not "p" or "p/q".
#include "src/core/rational.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/core/tape.hpp"

namespace attncert {
namespace {

TEST(Rational, RatioIsInLowestTerms) {
  EXPECT_EQ(to_text(ratio(6, 4)), "3/2");
  EXPECT_EQ(to_text(ratio(-6, 3)), "-2");
  EXPECT_EQ(to_text(ratio(0, 7)), "0");
  EXPECT_DEATH(ratio(1, 0), "denominator");
}

TEST(Rational, ExactIsTheFloatItself) {
  EXPECT_EQ(to_text(exact(0.1)), "3602879701896397/36028797018963968");
  EXPECT_EQ(exact(-0.0), 0);
  EXPECT_EQ(exact(0x1p-1074) * exact(0x1p1000) * exact(0x1p74), 1);
  EXPECT_EQ(exact(std::numeric_limits<double>::max()).get_d(), std::numeric_limits<double>::max());
  EXPECT_DEATH(exact(std::numeric_limits<double>::infinity()), "isfinite");
  EXPECT_DEATH(exact(std::nan("")), "isfinite");
}

TEST(Rational, TextRoundTrips) {
  for (std::uint64_t n = 0; n < 2000; ++n) {
    const Tape tape = random_tape(20251021, "rational", n, 300);
    Choices choices(tape);
    mpz_class numerator = 0, denominator = 1;
    for (std::uint64_t k = choices.below(5); k-- > 0;) numerator = (numerator << 64) + mpz_class(choices.word());
    for (std::uint64_t k = choices.below(5); k-- > 0;) denominator = (denominator << 64) + mpz_class(choices.word());
    Rational value(choices.flip() ? mpz_class(-numerator) : numerator, denominator);
    value.canonicalize();
    const auto back = rational_from_text(to_text(value));
    ASSERT_TRUE(back);
    ASSERT_EQ(*back, value);
  }
}

TEST(Rational, ReadsWhatAPersonWrites) {
  const auto read = [](const char* text) { return to_text(*rational_from_text(text)); };
  EXPECT_EQ(read("4/6"), "2/3");
  EXPECT_EQ(read("-4/6"), "-2/3");
  EXPECT_EQ(read("007"), "7");
  EXPECT_EQ(read("0/5"), "0");
  EXPECT_EQ(read("-0"), "0");
  EXPECT_EQ(read("8/4"), "2");
}

TEST(Rational, RejectsEverythingElse) {
  for (const char* text : {"",
                           "-",
                           "/",
                           "1/",
                           "/2",
                           "1/0",
                           "1/00",
                           "1/-2",
                           "--1",
                           "+1",
                           " 1",
                           "1 ",
                           "1/ 2",
                           "1.5",
                           "1e3",
                           "0x10",
                           "1/2/3",
                           "a",
                           "1a",
                           "inf",
                           "nan",
                           "1\n",
                           "\xEF\xBB\xBF"
                           "1"}) {
    const auto value = rational_from_text(text);
    EXPECT_FALSE(value) << text;
    if (value) continue;
    EXPECT_NE(value.error().message.find(';'), std::string::npos) << "no remedy: " << value.error().message;
    EXPECT_EQ(value.error().message.find('\n'), std::string::npos) << "one line";
  }
  EXPECT_FALSE(rational_from_text(std::string_view("1\0002", 3))) << "a zero byte";
  EXPECT_TRUE(rational_from_text(std::string(100'000, '7')));
  EXPECT_FALSE(rational_from_text(std::string(100'001, '7')));
}

TEST(Rational, BitsCountNumeratorAndDenominator) {
  EXPECT_EQ(bits(Rational(0)), 1u);
  EXPECT_EQ(bits(Rational(1)), 1u);
  EXPECT_EQ(bits(Rational(-4)), 3u);
  EXPECT_EQ(bits(ratio(3, 4)), 4u);
  EXPECT_LT(bits(ratio(1, 2)), bits(ratio(5, 7)));
}

TEST(Rational, ApproximateIsNear) {
  EXPECT_EQ(approximate(ratio(1, 2)), 0.5);
  EXPECT_NEAR(approximate(ratio(1, 3)), 1.0 / 3, 0x1p-53);
}

}  // namespace
}  // namespace attncert

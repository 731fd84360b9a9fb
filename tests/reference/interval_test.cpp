// Construction and questions: exact values in, outward doubles and decimals out, certain comparisons, lifetimes.
#include "reference/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "tests/reference/arb_ball.hpp"
#include "tests/reference/random_set.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Precision p64{64};

Interval set(const Rational& low, const Rational& high, Precision p = p64) {
  return Interval::between(Interval(low, p), Interval(high, p));
}

TEST(Construction, OfAValueThatFitsIsThePoint) {
  for (const double x : {0.0, 1.0, -0.1, 0x1p-1074, 1.7976931348623157e308, -0x1.fffffffffffffp-1022}) {
    const Interval point(x, {53});
    EXPECT_TRUE(point.is_point());
    EXPECT_EQ(point.lower(), x);
    EXPECT_EQ(point.upper(), x);
    EXPECT_EQ(point.lower_exact(), Rational(x));
  }
  EXPECT_TRUE(Interval(ratio(5, 8), {3}).is_point());
}

TEST(Construction, OfAValueThatDoesNotFitIsItsNeighbours) {
  for (std::uint64_t n = 0; n < 2000; ++n) {
    const Tape tape = random_tape(20251021, "construct", n, 100);
    Choices choices(tape);
    const Precision p{static_cast<int>(choices.between(2, 200))};
    const Rational value = element(random_set(choices), choices) / Rational(choices.between(1, 9));
    const Interval x(value, p);
    ASSERT_TRUE(x.contains(value));
    ASSERT_TRUE(is_tight(x));
    ASSERT_EQ(x.is_point(), x.lower_exact() == value) << "a point only when it is the value";
  }
  EXPECT_FALSE(Interval(0.1, {20}).is_point());
  EXPECT_TRUE(Interval(0.1, {20}).contains(exact(0.1)));
}

TEST(Construction, RoundedIsOutward) {
  const Interval third = Interval(ratio(1, 3), {200}), coarse = third.rounded({53});
  EXPECT_EQ(coarse.precision().bits, 53);
  EXPECT_TRUE(is_inside(third, coarse));
  EXPECT_TRUE(is_tight(coarse));
  EXPECT_TRUE(same_ends(coarse.rounded({300}), coarse));
}

TEST(Construction, RejectsOurOwnMistakes) {
  EXPECT_DEATH(Interval(infinity, p64), "isfinite");
  EXPECT_DEATH(Interval(std::nan(""), p64), "isfinite");
  EXPECT_DEATH(Interval(1.0, {0}), "precision");
  EXPECT_DEATH(Interval::between(Interval(2.0, p64), Interval(1.0, p64)), "lessequal");
  EXPECT_DEATH(static_cast<void>(Interval::whole_line(p64).lower_exact()), "number");
}

TEST(Lifetime, CopiesMovesAndMovedFrom) {
  Interval a(2.0, p64);
  Interval b = a;
  b += a;
  EXPECT_TRUE(a.contains(2) && b.contains(4) && !b.contains(2));
  const Interval c = std::move(a);
  EXPECT_TRUE(c.contains(2));
  Interval moved_copy = a;  // NOLINT(bugprone-use-after-move): a moved-from object may be copied and assigned to
  a = b;
  EXPECT_TRUE(a.contains(4));
  moved_copy = Interval(3.0, {200});
  EXPECT_EQ(moved_copy.precision().bits, 200);
  moved_copy = b;
  EXPECT_EQ(moved_copy.precision().bits, 64);
  Interval& self = moved_copy;
  moved_copy = self;
  EXPECT_TRUE(moved_copy.contains(4));
}

TEST(Questions, DoublesAreRoundedOutward) {
  for (std::uint64_t n = 0; n < 3000; ++n) {
    const Tape tape = random_tape(20251021, "doubles", n, 200);
    Choices choices(tape);
    const RandomSet drawn = random_set(choices);
    const Interval x = interval(drawn, {150});
    ASSERT_TRUE(std::isinf(x.lower()) || (!drawn.low_infinite && exact(x.lower()) <= drawn.low));
    ASSERT_TRUE(std::isinf(x.upper()) || (!drawn.high_infinite && exact(x.upper()) >= drawn.high));
    if (!x.is_finite()) {
      ASSERT_EQ(x.width(), infinity);
      continue;
    }
    const Rational width = drawn.high - drawn.low;
    const Rational low = abs(drawn.low), high = abs(drawn.high), smallest = low < high ? low : high;
    ASSERT_TRUE(std::isinf(x.width()) || exact(x.width()) >= width);
    ASSERT_TRUE(std::isinf(x.width()) || exact(x.width()) <= width * (1 + power_of_two(-50)) + power_of_two(-1074));
    const double relative = x.relative_width();
    if (width == 0) {
      ASSERT_EQ(relative, 0);
    } else if (drawn.low <= 0 && drawn.high >= 0) {
      ASSERT_EQ(relative, infinity);
    } else if (std::isfinite(relative)) {
      ASSERT_GE(exact(relative), Rational(width / smallest));
      ASSERT_LE(exact(relative), Rational(width / smallest) * (1 + power_of_two(-50)) + power_of_two(-1074));
    }
    const bool ends_finite = std::isfinite(x.lower()) && std::isfinite(x.upper());
    ASSERT_TRUE(!ends_finite || (x.lower() <= x.midpoint() && x.midpoint() <= x.upper()));
  }
  EXPECT_EQ(Interval(ratio(1, 3), {200}).lower(), 0x1.5555555555555p-2);
  EXPECT_EQ(Interval(ratio(1, 3), {200}).upper(), 0x1.5555555555556p-2);
  EXPECT_EQ(set(-2, 4).midpoint(), 1);
  EXPECT_EQ(Interval::whole_line(p64).midpoint(), 0);
  EXPECT_EQ(set(2, 3).relative_width(), 0.5);
  EXPECT_EQ(set(-3, -2).relative_width(), 0.5);
  EXPECT_EQ(set(0, 1).relative_width(), infinity);
}

TEST(Questions, MiddleIsAPointInside) {
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const Tape tape = random_tape(20251021, "middle", n, 200);
    Choices choices(tape);
    RandomSet drawn = random_set(choices);
    drawn.low_infinite = drawn.high_infinite = false;
    const Interval x = interval(drawn, p64), m = middle(x);
    ASSERT_TRUE(m.is_point() && is_inside(m, x)) << x.text();
    const Rational centre = (drawn.low + drawn.high) / 2;
    ASSERT_LE(abs(Rational(m.lower_exact() - centre)), abs(centre) * power_of_two(-63));  // the sum rounded to 64 bits
  }
  EXPECT_TRUE(middle(Interval::whole_line(p64)).is_point());
  Interval largest(1.0, p64);  // twice it overflows
  for (const mpfr_ptr end : {largest.engine().left(), largest.engine().right()}) {
    mpfr_set_inf(end, 1);
    mpfr_nextbelow(end);
  }
  EXPECT_TRUE(same_ends(middle(largest), largest));
}

TEST(Questions, ContainsIsExact) {
  const Interval x = set(ratio(1, 4), ratio(3, 4));
  const Rational hair = power_of_two(-5000);
  EXPECT_TRUE(x.contains(ratio(1, 4)) && x.contains(ratio(3, 4)) && x.contains(ratio(1, 3)));
  EXPECT_FALSE(x.contains(Rational(ratio(1, 4) - hair)) || x.contains(Rational(ratio(3, 4) + hair)));
  EXPECT_TRUE(Interval::whole_line(p64).contains(power_of_two(100000)));
}

// "[lo, hi]" back to exact numbers, without the code that wrote it.
Rational from_decimal(std::string text) {
  long exponent = 0;
  if (const auto e = text.find('e'); e != std::string::npos) {
    exponent = std::stol(text.substr(e + 1));
    text.resize(e);
  }
  if (const auto point = text.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(text.size() - point - 1);
    text.erase(point, 1);
  }
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(exponent)));
  const Rational digits{mpz_class(text, 10)};
  return exponent < 0 ? Rational(digits / Rational(power)) : Rational(digits * Rational(power));
}

TEST(Questions, TextIsRoundedOutwardAndNear) {
  for (std::uint64_t n = 0; n < 1500; ++n) {
    const Tape tape = random_tape(20251021, "text", n, 200);
    Choices choices(tape);
    RandomSet drawn = random_set(choices);
    drawn.low_infinite = drawn.high_infinite = false;
    const int digits = static_cast<int>(choices.between(1, 30));
    const std::string text = interval(drawn, {100}).text(digits);
    const auto comma = text.find(", ");
    const Rational low = from_decimal(text.substr(1, comma - 1));
    const Rational high = from_decimal(text.substr(comma + 2, text.size() - comma - 3));
    ASSERT_TRUE(low <= drawn.low && drawn.high <= high) << text;
    Rational unit(1);
    for (int i = 1; i < digits; ++i) unit /= 10;
    ASSERT_TRUE(drawn.low - low <= abs(drawn.low) * unit && high - drawn.high <= abs(drawn.high) * unit) << text;
  }
  EXPECT_EQ(Interval::whole_line(p64).text(), "[-inf, inf]");
  EXPECT_EQ(set(-1, ratio(1, 8)).text(), "[-1, 0.125]");
}

TEST(Comparison, IsCertain) {
  const Interval a = set(1, 2), b = set(2, 3), c = set(3, 4), line = Interval::whole_line(p64), point = set(2, 2);
  EXPECT_EQ(less(a, c), Truth::yes);
  EXPECT_EQ(less(c, a), Truth::no);
  EXPECT_EQ(less(a, b), Truth::unknown) << "2 < 2 fails, 1 < 3 holds";
  EXPECT_EQ(less(b, a), Truth::no) << "no element of [2,3] is below one of [1,2]";
  EXPECT_EQ(less_equal(a, b), Truth::yes);
  EXPECT_EQ(less_equal(b, a), Truth::unknown) << "2 <= 2 holds, 3 <= 1 fails";
  EXPECT_EQ(less_equal(c, a), Truth::no);
  EXPECT_EQ(less(point, point), Truth::no);
  EXPECT_EQ(less_equal(point, point), Truth::yes);
  EXPECT_EQ(less(a, a), Truth::unknown);
  EXPECT_EQ(less(a, line), Truth::unknown);
  EXPECT_EQ(less_equal(line, line), Truth::unknown);
  EXPECT_EQ(overlaps(a, b), Truth::yes) << "they touch";
  EXPECT_EQ(overlaps(a, c), Truth::no);
  EXPECT_EQ(overlaps(c, line), Truth::yes);
}

TEST(Comparison, AgreesWithAllPairsOfEnds) {
  for (std::uint64_t n = 0; n < 3000; ++n) {
    const Tape tape = random_tape(20251021, "compare", n, 200);
    Choices choices(tape);
    RandomSet x = random_set(choices), y = choices.below(3) == 0 ? x : random_set(choices);
    if (x.low_infinite || x.high_infinite || y.low_infinite || y.high_infinite) continue;
    const bool all = x.high < y.low, none = x.low >= y.high;
    const Truth expected = all ? Truth::yes : none ? Truth::no : Truth::unknown;
    ASSERT_EQ(less(interval(x, p64), interval(y, {90})), expected);
    ASSERT_EQ(overlaps(interval(x, p64), interval(y, {90})), truth(x.low <= y.high && y.low <= x.high));
  }
}

TEST(TruthTable, AndIsMinOrIsMax) {
  constexpr Truth yes = Truth::yes, no = Truth::no, unknown = Truth::unknown;
  struct Row {
    Truth a, b, both, either;
  };
  constexpr Row table[] = {
      {no, no, no, no},           {no, unknown, no, unknown},           {no, yes, no, yes},
      {unknown, no, no, unknown}, {unknown, unknown, unknown, unknown}, {unknown, yes, unknown, yes},
      {yes, no, no, yes},         {yes, unknown, unknown, yes},         {yes, yes, yes, yes}};
  for (const Row& row : table) {
    EXPECT_EQ(row.a && row.b, row.both);
    EXPECT_EQ(row.a || row.b, row.either);
  }
  EXPECT_EQ(!yes, no);
  EXPECT_EQ(!no, yes);
  EXPECT_EQ(!unknown, unknown);
  EXPECT_EQ(truth(true), yes);
  EXPECT_EQ(truth(false), no);
}

}  // namespace
}  // namespace attncert

// exp expm1 log log1p sqrt square abs and minus, and a^(p/q): Arb judges values at elements of random sets; more
// precision gives a subset; points give neighbours; outside the domain comes the whole line.
#include <gtest/gtest.h>

#include "tests/reference/arb_ball.hpp"
#include "tests/reference/random_set.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t function_cases = 1500;

struct Unary {
  const char* name;
  Interval (*ours)(const Interval&);
  void (*arb)(arb_t, const arb_t, slong);
  bool (*defined)(const Rational&);
};

bool everywhere(const Rational&) { return true; }
Interval minus(const Interval& a) { return -a; }
void arb_square(arb_t y, const arb_t x, slong bits) { arb_mul(y, x, x, bits); }
void arb_minus(arb_t y, const arb_t x, slong) { arb_neg(y, x); }
void arb_magnitude(arb_t y, const arb_t x, slong) { arb_abs(y, x); }

const Unary functions[] = {
    {"exp", exp, arb_exp, everywhere},
    {"expm1", expm1, arb_expm1, everywhere},
    {"log", log, arb_log, [](const Rational& x) { return x > 0; }},
    {"log1p", log1p, arb_log1p, [](const Rational& x) { return x > -1; }},
    {"sqrt", sqrt, arb_sqrt, [](const Rational& x) { return x >= 0; }},
    {"square", square, arb_square, everywhere},
    {"abs", abs, arb_magnitude, everywhere},
    {"minus", minus, arb_minus, everywhere},
};

class Functions : public testing::TestWithParam<Unary> {};

TEST_P(Functions, ArbAgrees) {
  std::uint64_t decided = 0;
  for (std::uint64_t n = 0; n < function_cases; ++n) {
    const Tape tape = random_tape(20251021, GetParam().name, n, 200);
    Choices choices(tape);
    const RandomSet set = random_set(choices);
    const Interval result = GetParam().ours(interval(set, {choices.flip() ? 64 : 150}));
    ASSERT_TRUE(is_sound(result)) << GetParam().name << " case " << n;
    for (int i = 0; i < 2; ++i) {
      const Rational x = element(set, choices);
      if (!GetParam().defined(x)) continue;
      ArbBall judge;
      GetParam().arb(judge.get(), ArbBall(x).get(), judge_bits);
      decided += arb_is_finite(judge.get()) && result.is_finite() ? 1 : 0;
      ASSERT_TRUE(meets(result, judge)) << GetParam().name << " case " << n << ": " << result.text();
    }
  }
  EXPECT_GT(decided, function_cases / 3) << "few cases say anything";
}

TEST_P(Functions, MorePrecisionGivesASubset) {
  for (std::uint64_t n = 0; n < function_cases; ++n) {
    const Tape tape = random_tape(20251021, GetParam().name, n, 200);
    Choices choices(tape);
    const RandomSet set = random_set(choices);
    const Interval coarse = GetParam().ours(interval(set, {53})), fine = GetParam().ours(interval(set, {200}));
    ASSERT_TRUE(is_inside(fine, coarse)) << GetParam().name << " case " << n << ": " << fine.text() << coarse.text();
  }
}

TEST_P(Functions, PointsGiveNeighbours) {
  for (std::uint64_t n = 0; n < function_cases; ++n) {
    const Tape tape = random_tape(20251021, GetParam().name, n, 200);
    Choices choices(tape);
    const Rational x = random_dyadic(choices);
    if (!GetParam().defined(x)) continue;
    const Interval result = GetParam().ours(Interval(x, {choices.flip() ? 64 : 150}));
    ASSERT_TRUE(is_tight(result)) << GetParam().name << " case " << n << ": " << result.text();
  }
}

TEST_P(Functions, AssignmentToTheArgumentChangesNothing) {
  for (std::uint64_t n = 0; n < function_cases / 5; ++n) {
    const Tape tape = random_tape(20251021, GetParam().name, n, 200);
    Choices choices(tape);
    const Interval a = interval(random_set(choices), {64});
    Interval x = a;
    x = GetParam().ours(x);
    ASSERT_TRUE(same_ends(x, GetParam().ours(a)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Functions, testing::ValuesIn(functions),
                         [](const auto& of) { return std::string(of.param.name); });

void arb_power(ArbBall& y, const Rational& x, long p, unsigned long q) {
  fmpq_t exponent;
  fmpq_init(exponent);
  fmpq_set_si(exponent, p, q);
  arb_pow_fmpq(y.get(), ArbBall(x).get(), exponent, judge_bits);
  fmpq_clear(exponent);
}

constexpr long numerators[] = {1, 2, 3, 4, 5, 7, -1, -2, -3, 100, -100, 1234567};
constexpr unsigned long denominators[] = {1, 2, 3, 4, 5, 6, 97, 100000};

TEST(Pow, ArbAgrees) {
  for (std::uint64_t n = 0; n < function_cases; ++n) {
    const Tape tape = random_tape(20251021, "pow", n, 200);
    Choices choices(tape);
    RandomSet set = random_set(choices);
    if (choices.below(4) != 0 && !set.low_infinite && set.low < 0) set = {0, abs(set.low), false, set.high_infinite};
    const long p = choices.pick(numerators);
    const unsigned long q = choices.pick(denominators);
    const Interval coarse = pow(interval(set, {64}), p, q), fine = pow(interval(set, {200}), p, q);
    ASSERT_TRUE(is_sound(coarse));
    ASSERT_EQ(overlaps(coarse, fine), Truth::yes);
    ASSERT_LE(fine.width(), coarse.width());
    const Rational x = element(set, choices);
    if (x < 0 || (x == 0 && p < 0)) continue;
    ArbBall judge;
    if (x == 0) continue;  // judged below; Arb has no root of the point 0 for every exponent
    arb_power(judge, x, p, q);
    ASSERT_TRUE(meets(coarse, judge)) << x << "^(" << p << "/" << q << ") " << coarse.text();
    ASSERT_TRUE(meets(fine, judge)) << x << "^(" << p << "/" << q << ") " << fine.text(60);
  }
}

TEST(Pow, OfAPointIsAtMostTwoUnitsWide) {
  for (std::uint64_t n = 0; n < function_cases; ++n) {
    const Tape tape = random_tape(20251021, "pow-point", n, 100);
    Choices choices(tape);
    const Rational x = 1 + Rational(static_cast<unsigned long>(choices.below(1 << 20))) * power_of_two(-20);
    const Interval result = pow(Interval(x, {64}), choices.pick(numerators), choices.pick(denominators));
    ASSERT_LE(result.relative_width(), 0x1p-62);  // neighbours are at most 2^-63 apart, relatively
  }
}

TEST(Pow, ExactCases) {
  const Precision p{64};
  const auto is = [&](const Interval& a, const Rational& value) { return same_ends(a, Interval(value, p)); };
  EXPECT_TRUE(is(pow(Interval(8.0, p), 2, 3), 4));
  EXPECT_TRUE(is(pow(Interval(8.0, p), -2, 3), ratio(1, 4)));
  EXPECT_TRUE(is(pow(Interval(3.0, p), 5, 1), 243));
  EXPECT_TRUE(is(pow(Interval(7.0, p), 0, 5), 1));
  EXPECT_TRUE(is(pow(Interval(0.0, p), 1, 2), 0));
  EXPECT_TRUE(is(pow(Interval(0.0, p), 3, 1), 0));
  EXPECT_TRUE(is(pow(Interval(3.0, p), 4, 4), 3)) << "4/4 is 1";
  EXPECT_TRUE(is(pow(Interval(2.0, p), 1000000, 1000000), 2));
  const Interval line = Interval::whole_line(p);
  EXPECT_TRUE(same_ends(pow(Interval(0.0, p), -1, 2), line));
  EXPECT_TRUE(same_ends(pow(Interval(-1.0, p), 2, 1), line));
  EXPECT_TRUE(same_ends(pow(max(line, Interval(4.0, p)), 1, 2), max(line, Interval(2.0, p))));
  EXPECT_TRUE(
      same_ends(pow(max(line, Interval(4.0, p)), -1, 2), Interval::between(Interval(0.0, p), Interval(0.5, p))));
}

// The root is nearer to 1 than its guard bits can tell: only its direction keeps the value inside. x > 1, so x^-r < 1 <
// x^r.
TEST(Pow, TheRootIsRoundedInThePowersDirection) {
  const Precision p{64};
  const Rational above = 1 + power_of_two(-63), below = 1 - power_of_two(-64);
  const unsigned long q = 1ul << 40;
  EXPECT_LT(pow(Interval(above, p), -1, q).lower_exact(), 1);
  EXPECT_GT(pow(Interval(above, p), 1, q).upper_exact(), 1);
  EXPECT_GT(pow(Interval(below, p), -1, q).upper_exact(), 1);
  EXPECT_LT(pow(Interval(below, p), 1, q).lower_exact(), 1);
}

TEST(Domain, OutsideComesTheWholeLine) {
  const Precision p{64};
  const Interval line = Interval::whole_line(p), minus_one(-1.0, p), zero(0.0, p), two(2.0, p), tiny(-0x1p-1074, p);
  EXPECT_TRUE(same_ends(log(Interval::between(minus_one, two)), line));
  EXPECT_TRUE(same_ends(log(zero), line));
  EXPECT_TRUE(same_ends(log(Interval::between(tiny, two)), line));
  EXPECT_TRUE(same_ends(sqrt(Interval::between(tiny, two)), line));
  EXPECT_TRUE(same_ends(log1p(Interval::between(-two, two)), line));
  EXPECT_TRUE(same_ends(log1p(minus_one), line));
  EXPECT_EQ(log(Interval::between(zero, two)).lower(), -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(log(Interval::between(zero, two)).upper(), 0.6931471805599453, 1e-15);
  EXPECT_TRUE(same_ends(sqrt(zero), zero));
}

TEST(Exponent, BeyondTheRangeGivesLimits) {
  const Precision p{64};
  const Interval down = exp(Interval(-1e300, p)), up = exp(Interval(1e300, p)), line = Interval::whole_line(p);
  EXPECT_TRUE(down.contains(0));
  EXPECT_TRUE(down.is_finite());
  EXPECT_GT(down.upper(), 0);
  EXPECT_EQ(down.upper(), 0x1p-1074);
  EXPECT_EQ(less(down, Interval(0.0, p)), Truth::no);
  EXPECT_FALSE(up.is_finite());
  EXPECT_EQ(up.lower(), std::numeric_limits<double>::max());
  EXPECT_EQ(up.upper(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(same_ends(exp(line), max(line, Interval(0.0, p))));
  EXPECT_TRUE(same_ends(expm1(line), max(line, Interval(-1.0, p))));
  EXPECT_TRUE(same_ends(log(exp(line)), line));
  EXPECT_TRUE(same_ends(square(line), max(line, Interval(0.0, p))));
  EXPECT_TRUE(same_ends(abs(min(line, Interval(-1.0, p))), max(line, Interval(1.0, p))));
  EXPECT_TRUE(same_ends(square(Interval::between(Interval(-1.0, p), Interval(2.0, p))),
                        Interval::between(Interval(0.0, p), Interval(4.0, p))));
  EXPECT_TRUE(same_ends(abs(Interval::between(Interval(-3.0, p), Interval(2.0, p))),
                        Interval::between(Interval(0.0, p), Interval(3.0, p))));
}

}  // namespace
}  // namespace attncert

// + - * / and max, min, hull: containment of exact rational results, two precisions, aliasing, and Arb on the whole
// sets. One line per operation; every operation meets every check.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/reference/arb_ball.hpp"
#include "tests/reference/random_set.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t cases = 3000;
constexpr Precision precisions[] = {{53}, {64}, {113}, {256}, {300}};

struct Binary {
  const char* name;
  Interval (*ours)(const Interval&, const Interval&);
  Interval& (Interval::*in_place)(const Interval&);  // null: none
  Rational (*exact)(const Rational&, const Rational&);
  void (*arb)(arb_t, const arb_t, const arb_t, slong);
  bool rounds;  // ends need rounding; the others copy ends
};

const Binary operations[] = {
    {"add", [](const Interval& a, const Interval& b) { return a + b; }, &Interval::operator+=,
     [](const Rational& x, const Rational& y) -> Rational { return x + y; }, arb_add, true},
    {"subtract", [](const Interval& a, const Interval& b) { return a - b; }, &Interval::operator-=,
     [](const Rational& x, const Rational& y) -> Rational { return x - y; }, arb_sub, true},
    {"multiply", [](const Interval& a, const Interval& b) { return a * b; }, &Interval::operator*=,
     [](const Rational& x, const Rational& y) -> Rational { return x * y; }, arb_mul, true},
    {"divide", [](const Interval& a, const Interval& b) { return a / b; }, &Interval::operator/=,
     [](const Rational& x, const Rational& y) -> Rational { return x / y; }, arb_div, true},
    {"max", [](const Interval& a, const Interval& b) { return max(a, b); }, nullptr,
     [](const Rational& x, const Rational& y) -> Rational { return x < y ? y : x; }, arb_max, false},
    {"min", [](const Interval& a, const Interval& b) { return min(a, b); }, nullptr,
     [](const Rational& x, const Rational& y) -> Rational { return x < y ? x : y; }, arb_min, false},
    {"hull", [](const Interval& a, const Interval& b) { return hull(a, b); }, nullptr,
     [](const Rational& x, const Rational&) -> Rational { return x; }, arb_union, false},
};

class Arithmetic : public testing::TestWithParam<Binary> {};

struct Drawn {
  explicit Drawn(const char* name, std::uint64_t number)
      : tape(random_tape(20251021, name, number, 200)), choices(tape), a(random_set(choices)), b(random_set(choices)) {}
  Tape tape;
  Choices choices;
  RandomSet a, b;
};

bool divides_by_zero(const Binary& operation, const Rational& divisor) {
  return std::string_view(operation.name) == "divide" && divisor == 0;
}

TEST_P(Arithmetic, ContainsTheExactResultOfElements) {
  for (std::uint64_t n = 0; n < cases; ++n) {
    Drawn drawn(GetParam().name, n);
    const Precision p = drawn.choices.pick(precisions), q = drawn.choices.pick(precisions);
    const Interval result = GetParam().ours(interval(drawn.a, p), interval(drawn.b, q));
    ASSERT_TRUE(is_sound(result)) << GetParam().name << " case " << n;
    ASSERT_EQ(result.precision(), std::max(p, q));
    for (int i = 0; i < 3; ++i) {
      const Rational x = element(drawn.a, drawn.choices), y = element(drawn.b, drawn.choices);
      if (divides_by_zero(GetParam(), y)) continue;
      ASSERT_TRUE(result.contains(GetParam().exact(x, y))) << GetParam().name << " case " << n << ": " << result.text();
    }
  }
}

TEST_P(Arithmetic, MorePrecisionGivesASubset) {
  for (std::uint64_t n = 0; n < cases; ++n) {
    Drawn drawn(GetParam().name, n);
    const Interval coarse = GetParam().ours(interval(drawn.a, {53}), interval(drawn.b, {53}));
    const Interval fine = GetParam().ours(interval(drawn.a, {200}), interval(drawn.b, {64}));
    ASSERT_TRUE(is_inside(fine, coarse)) << GetParam().name << " case " << n << ": " << fine.text() << coarse.text();
  }
}

TEST_P(Arithmetic, AliasingChangesNothing) {
  for (std::uint64_t n = 0; n < cases; ++n) {
    Drawn drawn(GetParam().name, n);
    const Precision p = drawn.choices.pick(precisions), q = drawn.choices.pick(precisions);
    const Interval a = interval(drawn.a, p), b = interval(drawn.b, q), copy = interval(drawn.a, p);
    ASSERT_TRUE(same_ends(GetParam().ours(a, a), GetParam().ours(a, copy))) << GetParam().name << " case " << n;
    if (GetParam().in_place == nullptr) continue;
    Interval x = a;
    (x.*GetParam().in_place)(x);
    ASSERT_TRUE(same_ends(x, GetParam().ours(a, copy))) << GetParam().name << " case " << n;
    x = a;
    (x.*GetParam().in_place)(b);
    ASSERT_TRUE(same_ends(x, GetParam().ours(a, b))) << GetParam().name << " case " << n;
    ASSERT_TRUE(same_ends(a, copy)) << "the operand changed";
  }
}

TEST_P(Arithmetic, PointsGiveNeighbours) {
  for (std::uint64_t n = 0; n < cases; ++n) {
    Drawn drawn(GetParam().name, n);
    const Rational x = random_dyadic(drawn.choices), y = random_dyadic(drawn.choices);
    if (divides_by_zero(GetParam(), y) || std::string_view(GetParam().name) == "hull") continue;
    const Precision p = drawn.choices.pick(precisions);
    const Interval result = GetParam().ours(Interval(x, p), Interval(y, p));
    ASSERT_TRUE(is_tight(result)) << GetParam().name << " case " << n << ": " << result.text();
    ASSERT_TRUE(GetParam().rounds || result.is_point());
  }
}

TEST_P(Arithmetic, ArbAgrees) {
  for (std::uint64_t n = 0; n < cases; ++n) {
    Drawn drawn(GetParam().name, n);
    const Interval result = GetParam().ours(interval(drawn.a, {64}), interval(drawn.b, {64}));
    for (int i = 0; i < 2; ++i) {
      const ArbBall x(element(drawn.a, drawn.choices)), y(element(drawn.b, drawn.choices));
      ArbBall judge;
      GetParam().arb(judge.get(), x.get(), y.get(), judge_bits);
      ASSERT_TRUE(meets(result, judge)) << GetParam().name << " case " << n << ": " << result.text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, Arithmetic, testing::ValuesIn(operations),
                         [](const auto& of) { return std::string(of.param.name); });

// The set of all results, not only a set that holds them: the ends are attained, up to rounding.
TEST(ArithmeticEnds, AreTheExactEnds) {
  const Precision p{64};
  const auto set = [&](long low, long high) {
    return Interval::between(Interval(Rational(low), p), Interval(Rational(high), p));
  };
  EXPECT_TRUE(same_ends(set(1, 2) + set(-3, 5), set(-2, 7)));
  EXPECT_TRUE(same_ends(set(1, 2) - set(-3, 5), set(-4, 5)));
  EXPECT_TRUE(same_ends(set(1, 2) * set(3, 5), set(3, 10)));
  EXPECT_TRUE(same_ends(set(-1, 2) * set(3, 5), set(-5, 10)));
  EXPECT_TRUE(same_ends(set(-1, 2) * set(-3, 5), set(-6, 10)));
  EXPECT_TRUE(same_ends(set(-2, -1) * set(-3, 5), set(-10, 6)));
  EXPECT_TRUE(same_ends(set(-2, -1) * set(-5, -3), set(3, 10)));
  EXPECT_TRUE(same_ends(set(-2, -1) * set(3, 5), set(-10, -3)));
  EXPECT_TRUE(same_ends(set(4, 8) / set(1, 2), set(2, 8)));
  EXPECT_TRUE(same_ends(set(-4, 8) / set(1, 2), set(-4, 8)));
  EXPECT_TRUE(same_ends(set(-4, 8) / set(-2, -1), set(-8, 4)));
  EXPECT_TRUE(same_ends(max(set(-4, 1), set(-2, 0)), set(-2, 1)));
  EXPECT_TRUE(same_ends(min(set(-4, 1), set(-2, 0)), set(-4, 0)));
  EXPECT_TRUE(same_ends(hull(set(-4, -3), set(1, 2)), set(-4, 2)));
}

// Every pair of intervals with ends in this list, 0 times an infinite end being 0: the limits of products of elements.
// The products are exact in doubles. An engine that met 0 * inf = NaN, or lost it in a comparison, would show here.
TEST(ArithmeticEnds, EveryPairOfEnds) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double ends[] = {-infinity, -4, -2, -0.0, 0.0, 1, 8, infinity};
  const Precision p{64};
  struct Pair {
    double low, high;
    Interval set;
  };
  std::vector<Pair> sets;
  for (const double low : ends)
    for (const double high : ends) {
      if (low > high || low == infinity || high == -infinity) continue;
      const Interval line = Interval::whole_line(p);
      sets.push_back(
          {low, high,
           Interval::between(low == -infinity ? line : Interval(low, p), high == infinity ? line : Interval(high, p))});
    }
  const auto product = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
  const auto expect_product = [&](const Interval& result, const Pair& a, double low, double high) {
    const auto [least, most] =
        std::minmax({product(a.low, low), product(a.low, high), product(a.high, low), product(a.high, high)});
    EXPECT_EQ(mpfr_get_d(result.engine().left(), MPFR_RNDN), least) << result.text();
    EXPECT_EQ(mpfr_get_d(result.engine().right(), MPFR_RNDN), most) << result.text();
  };
  for (const Pair& a : sets)
    for (const Pair& b : sets) {
      expect_product(a.set * b.set, a, b.low, b.high);
      if (b.low > 0 || b.high < 0) expect_product(a.set / b.set, a, 1 / b.high, 1 / b.low);  // 1 / inf = 0
      else EXPECT_TRUE(same_ends(a.set / b.set, Interval::whole_line(p)));
    }
}

TEST(ArithmeticEnds, InfiniteEndsAreLimits) {
  const Precision p{64};
  const Interval line = Interval::whole_line(p), zero(0.0, p), one(1.0, p), two(2.0, p);
  const Interval above = max(line, one), below = min(line, -one);  // [1, inf], [-inf, -1]
  EXPECT_TRUE(same_ends(zero * line, zero));
  EXPECT_TRUE(same_ends(above * Interval::between(zero, two), max(line, zero)));
  EXPECT_TRUE(same_ends(above * below, below));
  EXPECT_TRUE(same_ends(below * below, above));
  EXPECT_TRUE(same_ends(one / above, Interval::between(zero, one)));
  EXPECT_TRUE(same_ends(below / above, min(line, zero)));
  EXPECT_TRUE(same_ends(above - above, line));
  EXPECT_TRUE(same_ends(above + above, max(line, two)));
  EXPECT_TRUE(same_ends(one / zero, line));
  EXPECT_TRUE(same_ends(zero / zero, line));
  EXPECT_TRUE(same_ends(one / Interval::between(-one, two), line));
  EXPECT_TRUE(same_ends(one / Interval::between(zero, two), line));
}

}  // namespace
}  // namespace attncert

// exp of slim sets, which costs one exponential instead of two: Arb judges both ends of sets whose widths lie around
// the one where that ends, 2^-(bits / 2), and far below it; and the upper end is only a little above MPFR's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/reference/arb_ball.hpp"
#include "tests/reference/random_set.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t exp_cases = 20000;

// +-[1, 2) 2^e with as many digits as the interval holds: 2^-60 to 1024, beyond the 700 of a double's exponentials.
Rational random_end(Choices& choices) {
  const Rational part(static_cast<unsigned long>(choices.word()));
  const Rational size = (1 + part * power_of_two(-64)) * power_of_two(choices.between(-60, 9));
  return choices.flip() ? Rational(-size) : size;
}

Rational random_width(Choices& choices, const Rational& end, int bits) {
  const Rational edge = power_of_two(-(bits / 2));
  const Rational near = power_of_two(-static_cast<long>(choices.between(1, bits / 2)));
  switch (choices.below(5)) {
    case 0:
      return abs(end) * power_of_two(-33);
    case 1:
      return abs(end) * power_of_two(-static_cast<long>(choices.below(static_cast<std::uint64_t>(bits))));
    case 2:
      return edge * (1 + near);
    case 3:
      return edge * (1 - near);
    default:
      return edge;
  }
}

ArbBall exponential(const Rational& x) {
  ArbBall result;
  arb_exp(result.get(), ArbBall(x).get(), judge_bits);
  return result;
}

// At most 3 units in the last place and 2^-61 of the width above e^b rounded: e^a upward is 1 unit at most, w^2 beyond
// the w^2 / 2 of e^w another (w^2 < 2^(1 - bits)), the last sum a third; three roundings of w to 64 bits are 3 2^-63.
// Sets that are not slim, and points: none.
bool is_tight_above(const Interval& result, const Interval& set, bool slim) {
  mpfr_t most, more;
  mpfr_init2(most, set.engine().bits());
  mpfr_init2(more, 64);
  mpfr_exp(most, set.engine().right(), MPFR_RNDU);
  if (slim) {
    mpfr_sub(more, set.engine().right(), set.engine().left(), MPFR_RNDU);
    mpfr_mul_2si(more, more, -61, MPFR_RNDU);
    mpfr_mul(more, more, most, MPFR_RNDU);
    for (int unit = 0; unit < 3; ++unit) mpfr_nextabove(most);
    mpfr_add(most, most, more, MPFR_RNDU);
  }
  const bool tight = mpfr_lessequal_p(result.engine().right(), most);
  mpfr_clears(most, more, static_cast<mpfr_ptr>(nullptr));
  return tight;
}

TEST(SlimExp, HoldsTheExponentialsOfBothEnds) {
  std::uint64_t slim = 0, wider = 0;
  for (std::uint64_t n = 0; n < exp_cases; ++n) {
    const Tape tape = random_tape(20251021, "slim-exp", n, 40);
    Choices choices(tape);
    constexpr int all_bits[] = {64, 24, 53, 128, 151};
    const int bits = choices.pick(all_bits);
    const Rational end = random_end(choices);
    const Rational other = end + random_width(choices, end, bits);
    const Interval set = Interval::between(Interval(end, {bits}), Interval(other, {bits}));
    const Rational low = set.lower_exact(), high = set.upper_exact();
    const bool is_slim = high - low < power_of_two(-(bits / 2));
    (is_slim ? slim : wider) += low < high ? 1 : 0;
    const Interval result = exp(set);
    ASSERT_TRUE(is_sound(result));
    ASSERT_TRUE(meets(result, exponential(low)) && meets(result, exponential(high)))
        << "case " << n << " bits " << bits << ": exp of " << set.text(40) << " is not " << result.text(40);
    ASSERT_TRUE(is_tight_above(result, set, is_slim && low < high))
        << "case " << n << " bits " << bits << ": exp of " << set.text(40) << " is less than " << result.text(40);
  }
  EXPECT_GE(slim, exp_cases / 3);
  EXPECT_GE(wider, exp_cases / 3);
}

// The smallest exponentials that a double holds, the largest, and sets that straddle 0.
TEST(SlimExp, BesideTheNumbersThatMatter) {
  const Precision p{64};
  for (const double x : {0.0, -0.0, 700.0, -700.0, 709.0, -745.0, 0x1p-60, -0x1p-60, 1.0, -1.0}) {
    for (const int width : {-33, -34, -40, -50}) {
      for (const double below : {0.0, 0.5, 1.0}) {  // of the width, on the left of x
        const Rational w = power_of_two(width) * Rational(std::max(std::abs(x), 0x1p-20));
        const Interval set = Interval::between(Interval(exact(x) - Rational(below) * w, p),
                                               Interval(exact(x) + Rational(1 - below) * w, p));
        const Interval result = exp(set);
        ASSERT_TRUE(meets(result, exponential(set.lower_exact())) && meets(result, exponential(set.upper_exact())))
            << x << " width 2^" << width << ": " << result.text(40);
      }
    }
  }
}

}  // namespace
}  // namespace attncert

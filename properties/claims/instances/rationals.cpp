// One choice a statement: the order in which operands and arguments are evaluated is the compiler's, and a tape means
// the same to every compiler.
#include "properties/claims/instances/rationals.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace attncert {

Rational power_of_ten(int exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::abs(exponent)));
  return exponent >= 0 ? Rational(power) : Rational(1, power);
}

Rational power_of_two(int exponent) {
  const mpz_class power = mpz_class(1) << static_cast<unsigned long>(std::abs(exponent));
  return exponent >= 0 ? Rational(power) : Rational(1, power);
}

Rational small_rational(Choices& choices) {
  const auto denominator = static_cast<unsigned long>(1 + choices.below(8));
  // 0, 1, -1, 2, -2, ...: the simplest first
  const auto index = static_cast<long>(choices.below(17));
  return ratio(index % 2 == 1 ? (index + 1) / 2 : -(index / 2), denominator);
}

Rational any_rational(Choices& choices) {
  switch (choices.below(8)) {
    default:
      return small_rational(choices);
    case 5: {
      const Rational power = power_of_ten(static_cast<int>(choices.between(0, 9)));
      return small_rational(choices) * power;
    }
    case 6: {
      const Rational power = power_of_ten(static_cast<int>(choices.between(0, 9)));
      return small_rational(choices) / power;
    }
    case 7: {
      const double bits = std::bit_cast<double>(choices.word());
      // Exponents beyond 2^+-200 would make every later number as long; the kernels' generators have them.
      if (!std::isfinite(bits) || std::abs(bits) > 0x1p200 || (bits != 0 && std::abs(bits) < 0x1p-200))
        return small_rational(choices);
      return exact(bits);
    }
  }
}

Rational positive_rational(Choices& choices) {
  const auto numerator = static_cast<long>(1 + choices.below(9));
  const auto denominator = static_cast<unsigned long>(1 + choices.below(9));
  Rational value = ratio(numerator, denominator);
  switch (choices.below(6)) {
    default:
      return value;
    case 4:
      return value * power_of_ten(static_cast<int>(choices.between(0, 9)));
    case 5:
      return value / power_of_ten(static_cast<int>(choices.between(0, 9)));
  }
}

Rational temperature_rational(Choices& choices) {
  switch (choices.below(6)) {
    default: {
      const auto denominator = static_cast<unsigned long>(1 + choices.below(12));
      return ratio(static_cast<long>(1 + choices.below(5)), denominator);
    }
    case 2:
      return power_of_two(static_cast<int>(choices.between(0, 100)));
    case 3:
      return power_of_two(-static_cast<int>(choices.between(0, 100)));
    case 4:
      return power_of_ten(static_cast<int>(choices.between(0, 30)));
    case 5:
      return power_of_ten(-static_cast<int>(choices.between(0, 30)));
  }
}

}  // namespace attncert

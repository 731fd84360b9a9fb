#include "properties/claims/instances/weights.hpp"

#include <algorithm>

#include "properties/claims/instances/rationals.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {

bool on_simplex(const std::vector<Rational>& weights) {
  return sum(weights) == 1 &&
         std::all_of(weights.begin(), weights.end(), [](const Rational& weight) { return sgn(weight) >= 0; });
}

std::vector<Rational> normalized(std::vector<Rational> parts) {
  const Rational total = sum(parts);
  ATTNCERT_ASSERT(sgn(total) > 0);
  for (Rational& part : parts) part /= total;
  return parts;
}

std::vector<Rational> generate_weights(Choices& choices, std::size_t length) {
  std::vector<Rational> parts(length, Rational(1));
  switch (choices.below(6)) {
    case 0:  // small integers, zeros among them
      for (Rational& part : parts) part = static_cast<unsigned long>(choices.below(10));
      break;
    case 1:
      break;  // uniform
    case 2:   // one large, the rest alike
      parts[choices.below(length)] = static_cast<unsigned long>(1 + choices.below(200));
      break;
    case 3:  // geometric
      for (std::size_t i = 0; i < length; ++i) parts[i] = power_of_two(-static_cast<int>(i * (1 + choices.below(3))));
      break;
    case 4:  // (1, e, .., e) and its like, e = 10^-k
      for (std::size_t i = 1; i < length; ++i) parts[i] = power_of_ten(-static_cast<int>(choices.between(0, 14)));
      break;
    default:  // simple fractions
      for (Rational& part : parts) part = positive_rational(choices);
  }
  if (sgn(sum(parts)) == 0) parts.assign(length, Rational(1));
  return normalized(std::move(parts));
}

}  // namespace attncert

// 1/(1 + (L-1) R) <= a_i <= R/(R + L - 1) for a = F / sum F, F > 0, R = max F / min F (claims.md, section 1): both
// sides as one relation, the largest of a_i (R + L - 1)/R and 1/(a_i (1 + (L-1) R)) is at most 1. All rational.
#include <algorithm>

#include "check/instance.hpp"

namespace attncert::check {

SidesAt weights_order_sharp(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require(!instance.F.empty(), "the claim speaks of F and there are no values");
  Rational sum = 0, least = *instance.F[0], most = least, worst = 0;
  for (const Rational* value : instance.F) {
    require(*value > 0, "a value of F is not positive");
    sum += *value;
    least = std::min(least, *value);
    most = std::max(most, *value);
  }
  const Rational R = most / least, others(instance.L - 1);
  for (const Rational* value : instance.F) {
    const Rational a = *value / sum;
    worst = std::max({worst, Rational(a * (R + others) / R), Rational(1 / (a * (1 + others * R)))});
  }
  return [worst](slong bits) { return Sides{Ball(worst, bits), Ball(Rational(1), bits)}; };
}

}  // namespace attncert::check

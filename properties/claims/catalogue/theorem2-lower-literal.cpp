// 1 - N_s/N <= (1/(r N)) sum xi_i, arXiv 2508.17821, Theorem 2, lower bound, with k = i allowed in xi_i as the double
// sum is printed (docs/specification.md#theorem2). Above delta = sqrt 2 M the extra pairs carry M^2 - delta^2/2 < 0 and
// make xi_i smaller than the distance it should bound.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

Truth real_radii(const Instance& instance) {
  const Rational separation = sides::exact_squared_separation(instance);
  for (const Rational& square : sides::exact_squared_radii(instance, sides::Reading::literal, separation))
    if (sgn(square) < 0) return Truth::no;
  return Truth::yes;
}

// The regular simplex, N = L - 1 >= 3, weights 1 and b of the one that is left: with rho = -1/N every f_i is sqrt(2
// (N-1)/N), r = 1 + b, and xi_i = sqrt((N-1)/N), so that the sides have the quotient (1 + b)/xi up to r = f: sqrt 2.
known::Instances simplices() {
  const auto with = [](const Rational& b) {
    return known::selection(normalized({1, 1, 1, b}), 3, {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}, 3);
  };
  return {with(ratio(1, 8)), with(ratio(154700538, 1000000000))};  // sqrt(4/3) - 1 = 0.15470053838...
}

}  // namespace

Claim theorem2_lower_literal() {
  return {
      .statement = {.source = "arXiv 2508.17821, Theorem 2, lower bound, k = i allowed as printed",
                    .section = "6",
                    .text = "The share N_s/N is at least 1 - (1/(rN)) sum xi_i with the double sum as printed.",
                    .proof = "With k = i allowed, xi_i^2 has additional pairs a_j a_i with the factor M^2 - delta^2/2, "
                             "which is negative for delta > sqrt 2 M (possible for L <= d+1 only); xi_i can then fall "
                             "below the distance f_i that it has to bound. Four tokens (1,1,1), (1,-1,-1), (-1,1,-1), "
                             "(-1,-1,1) with a = (8, 8, 8, 1)/25 and N = 3: every f_i = 16/25 exceeds r = 9 sqrt3/25, "
                             "so N_s = 0, but the printed lower bound on N_s/N is 0.274. The reading k != i holds "
                             "always (theorem2-lower), the literal one for delta <= sqrt 2 M "
                             "(theorem2-lower-literal-close).",
                    .domain = "distinct tokens on a sphere, L <= 25, d <= 8; captured rows with unit tokens",
                    .kind =
                        Sided{.parts = {{.left = "1 - N_s / N",
                                         .right = "(1/(r N)) sum over i in I of xi_i, k = i allowed",
                                         .lhs = sides::inseparable_share,
                                         .rhs = sides::mean_radius<sides::Reading::literal>,
                                         .attained = sides::radius_share_is_separable_share<sides::Reading::literal>}},
                              .hypotheses = sides::sphere_hypotheses(
                                  {hypotheses::positive_radius, {"every xi_i is real", real_radii}}),
                              .generate = axial_selection,
                              .known = simplices,
                              .real = RealRows::selections}},
      .expected = Expected::refuted};
}

}  // namespace attncert

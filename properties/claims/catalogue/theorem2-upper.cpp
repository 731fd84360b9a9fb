// N_s / N <= (1/N) sum exp(-(r - xi_i)^2 / (16 M^2)), arXiv 2508.17821, Theorem 2, upper bound as printed
// (docs/specification.md#separable-share). The right side is below 1 whenever some xi_i != r, although N_s = N is
// common.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Interval rhs(const Instance& instance, Precision precision) {
  const Interval& r = sides::threshold(instance, precision);
  const Interval scale(Rational(16 * instance.tokens->squared_norm(0)), precision);
  Interval total(0.0, precision);
  for (const Interval& xi : sides::radii(instance, sides::Reading::distinct, precision))
    total += exp(-(square(r - xi) / scale));
  return total / Interval(Rational(instance.count), precision);
}

// Exponentials of algebraic numbers that are not 0 are linearly independent of 1 (Lindemann), so equality needs every
// exponent to vanish and every selected token to be separable.
bool attained(const Instance& instance) {
  if (!instance.separable(Precision{}).is(instance.count)) return false;
  const Rational threshold = exact_squared_threshold(instance);
  const Rational separation = sides::exact_squared_separation(instance);
  for (const Rational& square : sides::exact_squared_radii(instance, sides::Reading::distinct, separation))
    if (square != threshold) return false;
  return true;
}

}  // namespace

Claim theorem2_upper() {
  return {.statement =
              {.source = "arXiv 2508.17821, Theorem 2, upper bound as printed",
               .section = "7",
               .text = "The share N_s/N of separable tokens is at most (1/N) sum exp(-(r - xi_i)^2 / (16 M^2)).",
               .proof = "At N = 1 the selected token has f = 0 <= r, so N_s/N = 1, while xi = 0 makes the right "
                        "side exp(-r^2/(16 M^2)) < 1 whenever r > 0: L = 2, a = (3/4, 1/4), x = (1, -1) has r = M "
                        "= 1, and 1 stands against e^(-1/16). Every instance with N_s = N and some xi_i != r "
                        "fails as well. Since r and xi_i lie between 0 and M (r <= a_j M + ||s|| <= (a_j + A) M), "
                        "the right side is never below e^(-1/16), so that e^(1/16) is the largest quotient. A "
                        "tail bound would have to use the mean distance and only its excess over r "
                        "(separability-concentration); for every instance there is separability-sandwich.",
               .domain = "distinct tokens on a sphere, L <= 25, d <= 6; captured rows with unit tokens",
               .kind = Sided{.parts = {{.left = "N_s / N",
                                        .right = "(1/N) sum over i in I of exp(-(r - xi_i)^2 / (16 M^2))",
                                        .lhs = sides::separable_share,
                                        .rhs = rhs,
                                        .attained = attained}},
                             .hypotheses = sides::sphere_hypotheses({hypotheses::positive_radius}),
                             .generate = spherical_selection,
                             .known =
                                 [] {
                                   return known::Instances{known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1)};
                                 },
                             .real = RealRows::selections}},
          .expected = Expected::refuted};
}

}  // namespace attncert

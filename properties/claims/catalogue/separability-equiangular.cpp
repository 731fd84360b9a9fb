// N_s = N for equiangular tokens of inner product rho M^2, 0 <= rho < 1, and a top-N set
// (docs/specification.md#separable-share): r^2 - f_i^2 = (1-rho)(a_i^2 + a_j^2) + rho (a_i - a_j)(2A - a_i - a_j) >= 0
// in units of M^2, where r = f_j. Every instance is a case of equality, because N_s cannot exceed N.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

bool attained(const Instance& instance) { return instance.separable(Precision{}).is(instance.count); }

// ||x_i - x_j||^2 is one number of at most 2 M^2.
Truth equiangular(const Instance& instance) {
  const Rational first = instance.tokens->squared_distance(0, 1);
  if (first > 2 * instance.tokens->squared_norm(0)) return Truth::no;
  for (std::size_t i = 0; i < instance.length; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (instance.tokens->squared_distance(i, j) != first) return Truth::no;
  return Truth::yes;
}

}  // namespace

Claim separability_equiangular() {
  return {
      .statement = {.source = "corrected limit of separability",
                    .section = "7",
                    .text = "Equiangular tokens with rho >= 0 are all separable, whatever L, N and the weights.",
                    .proof = "Let x_i.x_j = rho M^2 for i != j, and S2 the sum of the squared selected weights. In "
                             "units of M^2, a selected token has f_i^2 = (1-rho)(S2 - a_i^2) + rho (A - a_i)^2, an "
                             "unselected one f_j^2 = (1-rho)(S2 + a_j^2) + rho (A - a_j)^2. Their difference f_j^2 - "
                             "f_i^2 = (1-rho)(a_i^2 + a_j^2) + rho (a_i - a_j)(2A - a_i - a_j) is not negative: 0 <= "
                             "rho < 1, a_i >= a_j because I is a top-N set, and neither exceeds A. So f_i <= r for "
                             "every selected token. For rho < 0 it can fail.",
                    .domain = "tokens c (e_i + t (1,..,1)), L <= 8; captured rows with unit tokens",
                    .kind = Sided{.parts = {{.left = "1",
                                             .right = "N_s / N",
                                             .lhs = sides::constant<1>,
                                             .rhs = sides::separable_share,
                                             .attained = attained}},
                                  .hypotheses = sides::sphere_hypotheses(
                                      {{"equal inner products rho M^2 with rho >= 0", equiangular}}),
                                  .attained_is_cheap = true,
                                  .generate = equiangular_selection,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::orthonormal({ratio(1, 2), ratio(1, 4), ratio(1, 4)}, 2),
                                            known::orthonormal(known::heavy(ratio(1, 2), 48), 5)};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert

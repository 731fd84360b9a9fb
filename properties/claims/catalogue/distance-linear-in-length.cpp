// d-tilde grows linearly in L at N = 5 while the logits stay bounded in L, arXiv 2508.17821, experiments
// (docs/specification.md#fixed-n), read as "d-tilde >= c L for some c > 0". Refuted along a family: equal tokens and
// equal logits, d-tilde = 4 (L-5)/L < 4, so that L/d-tilde = L^2/(4 (L-5)) exceeds every 1/c.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
namespace {

ExactInstance member(std::size_t length) { return sides::equal_tokens(length, 5); }

}  // namespace

Claim distance_linear_in_length() {
  return {
      .statement = {.source = "arXiv 2508.17821, experiments on the distance",
                    .section = "5",
                    .text = "With N = 5 selected tokens and logits bounded in L, the distance d-tilde grows linearly "
                            "in L: it is at least c L for some c > 0.",
                    .proof = "With a largest ratio R of two values of F, the top N have mass at most NR/(NR+L-N), so "
                             "||s|| is at most M times that, and each of the L-N unselected tokens is at most "
                             "a_i M + ||s|| from s. The sum is at most M [1 + (L-N-1) NR/(NR+L-N)], below "
                             "M (1 + NR) for every L: the distance is bounded (distance-cap-fixed-n). It looks "
                             "linear while L is small beside NR, and at every L only where one weight does not "
                             "fall with L (distance-linear-with-sink).",
                    .domain = "L = 8, 16, ..., 2^20, and all L >= 6 by the closed form",
                    .kind = Families{.left = "L / d-tilde along a family with N = 5 and equal logits",
                                     .right = "any constant 1/c",
                                     .families = {{.name = "equal-weights",
                                                   .text = "x_i = 1, a_i = 1/L, N = 5",
                                                   .rule = "given",
                                                   .quantity = "length-over-distance",
                                                   .member = member,
                                                   .value = sides::length_over_one_dimensional_distance,
                                                   .closed_form = {{Rational(0), Rational(0), Rational(1)}, {-20, 4}},
                                                   .first_exponent = 3,
                                                   .why_all_lengths =
                                                       "s = 5/L, so each of the L-5 unselected tokens is at distance "
                                                       "4/L, and L / (4 (L-5)/L) = L^2/(4 L - 20)"}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert

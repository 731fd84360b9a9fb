// N = Theta(L) implies d-tilde -> 0, arXiv 2508.17821, corollary of Theorem 1 (docs/specification.md#collapse). Refuted
// along a family: equal tokens, equal weights, half of them selected; d-tilde = (L - N)(N - 1)/L = (L - 2)/4 grows
// without bound.
#include "properties/claims/catalogue/sides/family.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
namespace {

ExactInstance member(std::size_t length) { return sides::equal_tokens(length, length / 2); }

}  // namespace

Claim theorem1_collapse() {
  return {
      .statement = {.source = "arXiv 2508.17821, corollary of Theorem 1",
                    .section = "4",
                    .text = "When the number of selected tokens grows like L, the distance d-tilde tends to 0.",
                    .proof = "Equal tokens x_i = 1, equal weights 1/L and N = L/2: s = N/L, each unselected token lies "
                             "at the distance (N-1)/L from it, and d-tilde = (L-N)(N-1)/L = (L-2)/4 grows without "
                             "bound. Theorem 1 does not suggest the corollary either: at N = c L its bound grows like "
                             "c (1-c) L. What is true is mean-distance-limit: the mean distance vanishes exactly where "
                             "||s|| does. Only N -> L empties the sum.",
                    .domain = "L = 2, 4, ..., 2^20, and all even L by the closed form",
                    .kind = Families{.left = "d-tilde along a family with N = L/2",
                                     .right = "any sequence that tends to 0",
                                     .families = {{.name = "equal-tokens",
                                                   .text = "x_i = 1, a_i = 1/L, N = L/2",
                                                   .rule = "given",
                                                   .quantity = "distance",
                                                   .member = member,
                                                   .value = sides::one_dimensional_distance,
                                                   .closed_form = {{ratio(-2, 4), ratio(1, 4)}, {Rational(1)}},
                                                   .why_all_lengths =
                                                       "s = N/L, so each of the L-N unselected tokens is at distance "
                                                       "(N-1)/L, and (L-N)(N-1)/L = (L-2)/4 at N = L/2"}}}},
      .expected = Expected::refuted};
}

}  // namespace attncert

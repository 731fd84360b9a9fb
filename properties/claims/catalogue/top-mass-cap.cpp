// A <= N R / (N R + L - N) for every N < L, R = max a / min a = max F / min F (docs/specification.md#lemma1): what N
// tokens can hold when the values of F differ by a factor of at most R. Attained by N tokens at one extreme of F and
// the rest at the other.
#include <algorithm>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Rational mass(const Instance& instance) { return instance.selected_mass(); }

Rational cap(const Instance& instance) {
  const auto [least, most] = std::minmax_element(instance.weights.begin(), instance.weights.end());
  const Rational scaled = *most / *least * instance.count;
  return scaled / (scaled + (instance.length - instance.count));
}

}  // namespace

Claim top_mass_cap() {
  return {
      .statement = {.source = "corrected Lemma 1, mass of N tokens",
                    .section = "1",
                    .text = "N < L weights of a separable positive F sum to at most N R / (N R + L - N).",
                    .proof = "Let m = min F, and let the N heaviest tokens have values of sum G and the others values "
                             "of sum H. A = G/(G + H) grows with G and falls with H. Every value is at most R m and at "
                             "least m, so that G <= N R m and H >= (L-N) m, which gives A <= N R / (N R + L - N). N "
                             "other tokens have no larger mass. Attained by N tokens at the maximum of F and L - N at "
                             "its minimum.",
                    .domain = "any positive weights, any N of them selected, L <= 24; captured rows",
                    .kind = Sided{.parts = {{.left = "A",
                                             .right = "N R/(N R + L - N)",
                                             .lhs = sides::enclosed<mass>,
                                             .rhs = sides::enclosed<cap>,
                                             .attained = sides::equal<mass, cap>}},
                                  .hypotheses = sides::any_selection_hypotheses(
                                      {hypotheses::positive_weights, hypotheses::something_unselected}),
                                  .generate = any_selection,
                                  .real = RealRows::selections,
                                  .proved = Proved{"all 1 <= N < L, all positive F of any R", "scaling, permutation"}}},
      .expected = Expected::proved};
}

}  // namespace attncert

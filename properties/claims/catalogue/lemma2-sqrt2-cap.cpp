// ||J||_2 <= sqrt 2, arXiv 2508.17821, Lemma 2, second term (docs/specification.md#lemma2). sqrt 2 is the diameter of
// the simplex: it bounds differences of weights, not their derivative.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/separable.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

bool attained(const Instance& instance) { return sides::squared_jacobian_norm_is(instance, 2); }

}  // namespace

Claim lemma2_sqrt2_cap() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 2, cap, spectral norm",
                    .section = "8",
                    .text = "The Jacobian of a separable positive F never exceeds sqrt 2.",
                    .proof = "F = exp(l/T) at two equal logits has J = [[1, -1], [-1, 1]]/(4T), of norm 1/(2T): more "
                             "than sqrt 2 for T < 1/(2 sqrt 2), and without bound as T -> 0. sqrt 2 is the diameter of "
                             "the simplex and bounds the difference of two weight vectors (weights-diameter), not a "
                             "derivative. What bounds the Jacobian is half of max |F'/F| (jacobian-log-slope).",
                    .domain = "values F > 0 and derivatives at the logits, L <= 24",
                    .kind = Sided{.parts = {{.left = "||J||_2",
                                             .right = "sqrt 2",
                                             .lhs = sides::jacobian_norm,
                                             .rhs = sides::root_of_two,
                                             .attained = attained}},
                                  .hypotheses = {hypotheses::values_with_slopes},
                                  .attained_is_cheap = true,
                                  .generate = separable_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::separable({1, 1}, {10, 10})};
                                      }}},
      .expected = Expected::refuted};
}

}  // namespace attncert

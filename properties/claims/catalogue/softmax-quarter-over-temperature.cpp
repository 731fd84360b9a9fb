// ||J||_2 <= min{1/(4T), sqrt 2} for softmax, arXiv 2508.17821, Lemma 2's corollary, spectral reading
// (docs/specification.md#lemma2). 1/4 is the largest entry of diag p - p p^T; the largest eigenvalue reaches 1/2.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

// Four equal logits have lambda_1 = 1/4, and 1/(4T) <= sqrt 2 for 32 T^2 >= 1. Other logits would need an algebraic
// relation between exponentials of different rationals, which Lindemann's theorem excludes for two distinct weights.
bool attained(const Instance& instance) {
  const Rational& t = *instance.temperature;
  return instance.length == 4 && sides::all_logits_equal(instance) && 32 * t * t >= 1;
}

}  // namespace

Claim softmax_quarter_over_temperature() {
  return {
      .statement = {.source = "arXiv 2508.17821, Lemma 2, softmax corollary, spectral norm",
                    .section = "8",
                    .text = "Softmax's Jacobian at temperature T has norm at most min{1/(4T), sqrt 2}.",
                    .proof = "Two equal logits have J = [[1, -1], [-1, 1]]/(4T): the entries are 1/(4T), the norm is "
                             "1/(2T). That is twice what is claimed for T >= 1/(4 sqrt 2); below, where the claim is "
                             "sqrt 2, no multiple of it suffices. 1/(4T) bounds the largest entry of J "
                             "(softmax-largest-entry), and 1/(2T) its norm (softmax-half-over-temperature).",
                    .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
                    .kind = Sided{.parts = {{.left = "||J||_2 = lambda_1(diag p - p p^T) / T",
                                             .right = "min{1/(4T), sqrt 2}",
                                             .lhs = sides::spectral_norm,
                                             .rhs = sides::quarter_or_root_of_two,
                                             .attained = attained}},
                                  .hypotheses = {hypotheses::positive_temperature},
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .known =
                                      [] {
                                        return known::Instances{known::logits({0, 0})};
                                      },
                                  .real = RealRows::logits}},
      .expected = Expected::refuted};
}

}  // namespace attncert

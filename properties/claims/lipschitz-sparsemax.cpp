// Sparsemax: ||f(l) - f(l')||_p <= K_p ||l - l'||_p / T with K_2 = 1, K_1 = K_inf = 2 (1 - 1/L) (claims.md section 13).
// Everything but the root of the l_2 norm is rational, and equality is decided without it.
#include "properties/claims/sides/lipschitz.hpp"
#include "properties/generators/hypotheses.hpp"
#include "properties/generators/instances.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

std::vector<Rational> weights(const Instance& instance, const sides::Logits& logits) {
  return reference::sparsemax(logits, *instance.temperature).weights;
}

Rational end_constant(const Instance& instance) {  // K_1 = K_inf
  return 2 - ratio(2, instance.length);
}

Interval lhs(const Instance& instance, Precision precision) {
  const sides::Stretch by = sides::stretch(instance, weights, precision);
  return max(by.two, max(by.one, by.infinity) / Interval(end_constant(instance), precision));
}

bool attained(const Instance& instance) {
  const sides::ExactStretch by = sides::exact_stretch(instance, weights);
  const Rational &t = *instance.temperature, end = end_constant(instance);
  return by.squared_two * t * t == 1 || by.one * t == end || by.infinity * t == end;
}

std::vector<Hypothesis> all_hypotheses() {
  std::vector<Hypothesis> all = sides::pair_hypotheses();
  all.push_back({"L >= 2", hypotheses::at_least_two_tokens});
  return all;
}

}  // namespace

Claim lipschitz_sparsemax() {
  return {
      .statement = {.id = "lipschitz-sparsemax",
                    .source = "corrected Lipschitz constants; Martins, Astudillo, ICML 2016",
                    .section = "13",
                    .text = "Sparsemax at temperature T has the Lipschitz constants 1/T in l_2 and 2 (1 - 1/L)/T in "
                            "l_1 and l_inf; all are attained.",
                    .proof =
                        "A projection on a convex set shortens l_2 distances. Along the segment between two rows "
                        "the map is piecewise linear with Jacobian (I_S - 11^T/k)/T on a support of k tokens, whose "
                        "absolute row and column sums are 2 (1 - 1/k), at most 2 (1 - 1/L).",
                    .left = "max over p in {1, 2, inf} of ||f(l) - f(l')||_p / (K_p ||l - l'||_p)",
                    .right = "1/T; K_2 = 1, K_1 = K_inf = 2 (1 - 1/L)",
                    .hypotheses = all_hypotheses(),
                    .lhs = lhs,
                    .rhs = sides::constant_over_temperature<1, 1>,
                    .attained = attained,
                    .generate = logit_pair,
                    .domain = "pairs of rational rows, 2 <= L <= 24, T from 10^-30 to 10^30"},
      .expected = Expected::supported};
}

}  // namespace attncert

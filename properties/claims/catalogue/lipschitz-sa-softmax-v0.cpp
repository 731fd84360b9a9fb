// Self-adjusted softmax v0, z_i p_i with z = l/T and p = softmax(z): the constant (1 + max|z|/2)/T on rows with |z|
// bounded, in l_1, l_2 and l_inf (docs/specification.md#sa-softmax). max|z| is convex, so the rows themselves have the
// largest.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"

namespace attncert {
namespace {

sides::Values values(const Instance& instance, const sides::Logits& logits, Precision precision) {
  return sides::self_adjusted(instance, logits, 0, *instance.temperature, precision);
}

Interval constant(const Instance& instance, Precision precision) {
  Rational largest = 0;
  for (const auto* row : {&instance.logits, &instance.other_logits})
    for (const Rational& logit : *row) largest = std::max<Rational>(largest, abs(logit));
  const Rational& t = *instance.temperature;
  return Interval(Rational((1 + largest / t / 2) / t), precision);
}

}  // namespace

Claim lipschitz_sa_softmax_v0() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text = "Self-adjusted softmax v0 is (1 + M/2)/T-Lipschitz in l_1, l_2 and l_inf on rows with |z| "
                            "<= M, z = l/T.",
                    .proof =
                        "The Jacobian by z is diag p + diag(z) (diag p - p p^T), with norms at most 1 and M/2. On the "
                        "segment between two rows |z| is at most its larger end.",
                    .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = sides::lipschitz_parts<values>(
                                      sides::ends_and_two, {"(1 + M/2)/T", constant, "M = max |l|/T over both rows"}),
                                  .hypotheses = sides::pair_hypotheses(),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::around({power_of_ten(15), power_of_ten(15)}, {1, -1}, known::small),
                                            known::around(
                                                known::above_rest({power_of_ten(15), power_of_ten(15)}, 0, 48),
                                                known::above_rest({1, -1}, 0, 48), known::small)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

// Sparsemax: ||f(l) - f(l')||_p <= K_p ||l - l'||_p / T with K_p = (2 (1 - 1/L))^|1 - 2/p|
// (docs/specification.md#sparsemax). The weights are rational, so that equality in l_1, l_2 and l_inf is decided
// exactly.
#include <algorithm>

#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

std::vector<Rational> weights(const Instance& instance, const sides::Logits& logits) {
  return reference::sparsemax(logits, *instance.temperature).weights;
}

Rational end_constant(const Instance& instance) {  // K_1 = K_inf
  return 2 - ratio(2, instance.length);
}

// ||f(l) - f(l')||_p / (K_p ||l - l'||_p), in the order of the exponents
std::vector<Interval> quotients(const Instance& instance, Precision precision) {
  const Interval end(end_constant(instance), precision), root = sqrt(end);
  const Interval third = pow(end, 1, 3);
  const Interval constants[] = {end, pow(end, 3, 5), third, Interval(1.0, precision), third, root, end};
  std::vector<Interval> result = sides::stretches(instance, weights, precision);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] /= constants[k];
  return result;
}

Interval lhs(const Instance& instance, Precision precision) { return sides::largest(quotients(instance, precision)); }

// The exponents between 1, 2 and inf: on two tokens the difference is (x, -x) and ||h||_p >= 2^(1/p - 1) ||h||_1, so
// that their quotients are at most that of l_1. From three tokens on they are below 1, the norm being below its
// interpolated bound (proof).
bool attained(const Instance& instance) {
  const sides::ExactNorms by = sides::exact_stretch(instance, weights);
  const Rational &t = *instance.temperature, end = end_constant(instance);
  const Rational one = by.one * t / end, squared_two = by.squared_two * t * t, infinity = by.infinity * t / end;
  if (std::max<Rational>({one, squared_two, infinity}) != 1) return false;
  if (instance.length == 2) return true;
  const std::vector<Interval> all = quotients(instance, Precision{});
  const Interval bound(Rational(1 / t), Precision{});
  for (const std::size_t between : {1u, 2u, 4u, 5u})
    if (less(all[between], bound) != Truth::yes) return false;
  return true;
}

}  // namespace

Claim lipschitz_sparsemax() {
  return {
      .statement =
          {.source = "corrected Lipschitz constants; Martins, Astudillo, ICML 2016",
           .section = "13",
           .text = "Sparsemax at temperature T is (2 (1 - 1/L))^|1 - 2/p|/T-Lipschitz in l_p, p in {1, 5/4, "
                   "3/2, 2, 3, 4, inf}.",
           .proof = "A projection on a convex set shortens l_2 distances. Along the segment between two rows "
                    "the map is piecewise linear with Jacobian (I_S - 11^T/k)/T on a support of k tokens, "
                    "whose absolute row and column sums are 2 (1 - 1/k), at most 2 (1 - 1/L): its norms in "
                    "l_1 and l_inf. The norm in l_p is at most the product of those of the nearer end and of "
                    "l_2 to the powers |1 - 2/p| and 1 - |1 - 2/p| (Riesz, Thorin). For k >= 3 and p other "
                    "than 1, 2, inf it is less: by the three lines theorem a vector would otherwise reach "
                    "the norm of l_2, so have sum 0, and after powers of its entries reach that of l_1 (or "
                    "the transpose would), so be one-hot.",
           .domain = "pairs of rational rows, 2 <= L <= 24, T from 10^-30 to 10^30",
           .kind = Sided{.left = "max over p in {1, 5/4, 3/2, 2, 3, 4, inf} of ||f(l) - f(l')||_p / (K_p ||l - l'||_p)",
                         .right = "1/T; K_p = (2 (1 - 1/L))^|1 - 2/p|",
                         .hypotheses = sides::pair_hypotheses({hypotheses::at_least_two_tokens}),
                         .lhs = lhs,
                         .rhs = sides::constant_over_temperature<1, 1>,
                         .attained = attained,
                         .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

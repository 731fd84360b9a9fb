// Self-adjusted softmax v1, (z_i - min z) p_i with z = l/T: constants (c_p + R/2)/T on rows of range R, c_1 = 1,
// c_2 = sqrt(2), c_inf = 2, which sharpen the 2 + R/2 of docs/specification.md#sa-softmax. The range is convex, so the
// rows themselves have the largest on the segment between them.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

sides::Values values(const Instance& instance, const sides::Logits& logits, Precision precision) {
  const Rational least = *std::min_element(logits.begin(), logits.end());
  return sides::self_adjusted(instance, logits, least, *instance.temperature, precision);
}

// (c_p + R/2)/T, c = 2^(1-1/p)
Part part(sides::Exponent p, std::string_view text) {
  return sides::lipschitz_part<values>(
      p, {text,
          [p](const Instance& instance, Precision precision) {
            const Rational range = std::max(attncert::range(instance.logits), attncert::range(instance.other_logits));
            const Interval half(Rational(range / (2 * *instance.temperature)), precision);
            return (sides::two_to_rest(p, precision) + half) / Interval(*instance.temperature, precision);
          },
          "R = the larger range of l/T in the two rows"});
}

}  // namespace

Claim lipschitz_sa_softmax_v1() {
  return {
      .statement =
          {.source = "corrected Lipschitz constants, sharpened",
           .section = "13",
           .text = "Self-adjusted softmax v1 is (c_p + R/2)/T-Lipschitz in l_p, p in {1, 2, inf}, on rows "
                   "with max z - min z <= R, z = l/T; c_1 = 1, c_2 = sqrt(2), c_inf = 2.",
           .proof = "On a part of the segment with one smallest token m the Jacobian by z is diag(z - min z) "
                    "(diag p - p p^T) + diag(p) (I - 1 e_m^T). The first has norms at most R/2. The columns of "
                    "the second sum to p_j, and to 1 - p_m at m; its rows to 2 p_i; the l_2 norm is at most the "
                    "root of the product of the two.",
           .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
           .kind =
               Sided{
                   .parts = {part(sides::Exponent::one, "(1 + R/2)/T"), part(sides::Exponent::two, "(sqrt(2) + R/2)/T"),
                             part(sides::Exponent::infinity, "(2 + R/2)/T")},
                   .hypotheses = sides::pair_hypotheses(),
                   .generate = logit_pair,
                   .known =
                       [] {
                         return known::Instances{known::around({0, 0, -power_of_ten(15)}, {1, -1, 0}, known::small)};
                       }}},
      .expected = Expected::supported};
}

}  // namespace attncert

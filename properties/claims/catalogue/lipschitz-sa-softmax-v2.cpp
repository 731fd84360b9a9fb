// Self-adjusted softmax v2, (z_i - min z)/(max z - min z) p_i: the constant 1/(2T) + 1/R in l_1, l_2 and l_inf, R the
// smallest range of l on the segment between the rows, R > 0. It sharpens the (1/2 + (2 + sqrt 2)/(R/T))/T of
// docs/specification.md#sa-softmax.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

sides::Values values(const Instance& instance, const sides::Logits& logits, Precision precision) {
  return sides::self_adjusted(instance, logits, *std::min_element(logits.begin(), logits.end()), range(logits),
                              precision);
}

Interval constant(const Instance& instance, Precision precision) {
  const Rational& range = instance.once<sides::smallest_range>();
  return Interval(Rational(1 / (2 * *instance.temperature) + 1 / range), precision);
}

Truth positive_range(const Instance& instance) { return truth(sgn(instance.once<sides::smallest_range>()) > 0); }

}  // namespace

Claim lipschitz_sa_softmax_v2() {
  return {
      .statement =
          {.source = "corrected Lipschitz constants, sharpened",
           .section = "13",
           .text = "Self-adjusted softmax v2 is (1/(2T) + 1/R)-Lipschitz in l_1, l_2 and l_inf where the "
                   "range of l is at least R > 0 on the segment between the rows.",
           .proof = "With u_i = (l_i - min l)/(max l - min l), and on a part of the segment with one smallest "
                    "token m and one largest token n, the Jacobian is diag(u) (diag p - p p^T)/T + diag(p) (I - "
                    "(1-u) e_m^T - u e_n^T)/R. The first has norms at most 1/(2T). The second has zero rows at m "
                    "and n; another row sums to 2 p_i <= p_i + p_n <= 1, and no column to more than 1.",
           .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
           .kind =
               Sided{
                   .parts = sides::lipschitz_parts<values>(
                       sides::ends_and_two, {"(1/(2T) + 1/R)", constant, "R = min over the segment of max l - min l"}),
                   .hypotheses =
                       sides::pair_hypotheses({{"R > 0: no row on the segment has equal logits", positive_range}}),
                   .generate = logit_pair,
                   .known =
                       [] {
                         return known::Instances{known::around({0, 0, -power_of_ten(15)}, {1, -1, 0}, known::small)};
                       }}},
      .expected = Expected::supported};
}

}  // namespace attncert

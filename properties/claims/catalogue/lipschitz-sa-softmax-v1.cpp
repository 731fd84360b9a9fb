// Self-adjusted softmax v1, (z_i - min z) p_i with z = l/T: constants (c_p + R/2)/T on rows of range R, c_1 = 1,
// c_2 = sqrt(2), c_inf = 2, which sharpen the 2 + R/2 of docs/specification.md#sa-softmax. The range is convex, so the
// rows themselves have the largest on the segment between them.
#include <algorithm>

#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

sides::Values values(const Instance& instance, const sides::Logits& logits, Precision precision) {
  const Rational least = *std::min_element(logits.begin(), logits.end());
  return sides::self_adjusted(instance, logits, least, *instance.temperature, precision);
}

Interval lhs(const Instance& instance, Precision precision) {
  const Rational range = std::max(attncert::range(instance.logits), attncert::range(instance.other_logits));
  const Interval half(Rational(range / (2 * *instance.temperature)), precision);
  const Interval one(1.0, precision), two(2.0, precision);
  const sides::Stretch by = sides::stretch(instance, values, precision);
  return max(max(by.one / (one + half), by.two / (sqrt(two) + half)), by.infinity / (two + half));
}

}  // namespace

Claim lipschitz_sa_softmax_v1() {
  return {
      .statement = {.source = "corrected Lipschitz constants, sharpened",
                    .section = "13",
                    .text = "Self-adjusted softmax v1 is (c_p + R/2)/T-Lipschitz in l_p, p in {1, 2, inf}, on rows "
                            "with max z - min z <= R, z = l/T; c_1 = 1, c_2 = sqrt(2), c_inf = 2.",
                    .proof =
                        "On a part of the segment with one smallest token m the Jacobian by z is diag(z - min z) "
                        "(diag p - p p^T) + diag(p) (I - 1 e_m^T). The first has norms at most R/2. The columns of "
                        "the second sum to p_j, and to 1 - p_m at m; its rows to 2 p_i; the l_2 norm is at most the "
                        "root of the product of the two.",
                    .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
                    .kind =
                        Sided{.left = "max over p in {1, 2, inf} of ||f(l) - f(l')||_p / ((c_p + R/2) ||l - l'||_p)",
                              .right = "1/T; R = the larger range of z in the two rows",
                              .hypotheses = sides::pair_hypotheses(),
                              .lhs = lhs,
                              .rhs = sides::constant_over_temperature<1, 1>,
                              .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

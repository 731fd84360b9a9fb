// Self-adjusted softmax v3, v2 with the range stretched to hold 0: constants 1/(2T) + c_p/R, c_1 = 1, c_2 = sqrt(2),
// c_inf = 2, R the smallest stretched range of l on the segment between the rows, R > 0. They sharpen the
// (1/2 + (2 + sqrt 2)/(R/T))/T of docs/specification.md#sa-softmax. At l = 0 the rule is not continuous, so R > 0 is
// needed.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"

namespace attncert {
namespace {

sides::Values values(const Instance& instance, const sides::Logits& logits, Precision precision) {
  const auto [low, high] = std::minmax_element(logits.begin(), logits.end());
  const Rational least = std::min<Rational>(*low, 0), range = std::max<Rational>(*high, 0) - least;
  return sides::self_adjusted(instance, logits, least, range, precision);
}

const Rational& smallest_range(const Instance& instance) { return instance.once<sides::smallest_range_with_zero>(); }

// 1/(2T) + c_p/R, c = 2^(1-1/p)
Part part(sides::Exponent p, std::string_view text) {
  return sides::lipschitz_part<values>(p, {text,
                                           [p](const Instance& instance, Precision precision) {
                                             const Interval half(Rational(1 / (2 * *instance.temperature)), precision);
                                             return half + sides::two_to_rest(p, precision) /
                                                               Interval(smallest_range(instance), precision);
                                           },
                                           "R = min over the segment of max(l, 0) - min(l, 0)"});
}

Truth positive_range(const Instance& instance) { return truth(sgn(smallest_range(instance)) > 0); }

}  // namespace

Claim lipschitz_sa_softmax_v3() {
  return {
      .statement = {.source = "corrected Lipschitz constants, sharpened",
                    .section = "13",
                    .text = "Self-adjusted softmax v3 is (1/(2T) + c_p/R)-Lipschitz in l_p, p in {1, 2, inf}, where "
                            "the range of l and 0 is at least R > 0 on the segment between the rows; c_1 = 1, c_2 = "
                            "sqrt(2), c_inf = 2.",
                    .proof =
                        "As for v2 with 0 among the ends: on a part of the segment the second term of the Jacobian is "
                        "diag(p) (I - (1-u) e_m^T - u e_n^T)/R, without the column of an end that is 0. Rows sum to at "
                        "most 2 p_i, columns to at most 1, and the l_2 norm is at most the root of the product.",
                    .domain = "pairs of rational rows, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = {part(sides::Exponent::one, "(1/(2T) + 1/R)"),
                                            part(sides::Exponent::two, "(1/(2T) + sqrt(2)/R)"),
                                            part(sides::Exponent::infinity, "(1/(2T) + 2/R)")},
                                  .hypotheses =
                                      sides::pair_hypotheses({{"R > 0: no row on the segment is 0", positive_range}}),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::around({0, 0, -power_of_ten(15)}, {1, -1, 0}, known::small),
                                            known::around({power_of_ten(15), power_of_ten(15)}, {1, -1}, known::small)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

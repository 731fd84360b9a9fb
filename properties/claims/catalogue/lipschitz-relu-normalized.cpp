// ReLU-normalized weights a = z+ / S, S = sum z+ (docs/specification.md#relu-normalized), have no global constant: the
// map is homogeneous of degree 0. On a pair of rows with S, S' > 0 and h = z+ - z'+, a - a' = (I - a' 1^T) h / S
// exactly, so that
//   ||a - a'||_p <= ||I - a' 1^T||_p ||l - l'||_p / S   on the k tokens that are positive in either row, k >= 2,
// with the norms 2 (1 - min a'), sqrt(k) ||a'||_2 and max(1 + (k-2) a'). As l' -> l it is the norm of the Jacobian.
#include <algorithm>
#include <map>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

Rational positive_sum(const sides::Logits& logits) {
  Rational total = 0;
  for (const Rational& logit : logits)
    if (sgn(logit) > 0) total += logit;
  return total;
}

std::vector<Rational> weights(const Instance&, const sides::Logits& logits) {
  std::vector<Rational> parts;
  for (const Rational& logit : logits) parts.push_back(std::max<Rational>(logit, 0));
  return normalized(std::move(parts));
}

std::vector<std::size_t> positive_somewhere(const Instance& instance) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < instance.length; ++i)
    if (sgn(instance.logits[i]) > 0 || sgn(instance.other_logits[i]) > 0) result.push_back(i);
  return result;
}

// (K_p S)^2 of p = 1, 2, inf
std::map<sides::Exponent, Rational> squared_constants(const Instance& instance) {
  const std::vector<Rational> all = weights(instance, instance.other_logits);
  const std::vector<std::size_t> indices = positive_somewhere(instance);
  const auto k = static_cast<unsigned long>(indices.size());
  Rational least = 1, most = 0, squares = 0;
  for (const std::size_t i : indices) {
    least = std::min(least, all[i]);
    most = std::max(most, all[i]);
    squares += all[i] * all[i];
  }
  const Rational column = 2 * (1 - least), row = 1 + (k - 2) * most;
  return {{sides::Exponent::one, column * column},
          {sides::Exponent::two, k * squares},
          {sides::Exponent::infinity, row * row}};
}

Part part(sides::Exponent p, std::string_view text) {
  const auto squared = [p](const Instance& instance) {
    const Rational s = positive_sum(instance.logits);
    return Rational(instance.once<squared_constants>().at(p) / (s * s));
  };
  Part result = sides::lipschitz_part<weights>(p, {text, [squared](const Instance& instance, Precision precision) {
                                                     return sqrt(Interval(squared(instance), precision));
                                                   }});
  result.attained = [p, squared](const Instance& instance) {
    return sides::is_attained<weights>(instance, p, squared(instance));
  };
  return result;
}

Truth positive_sums(const Instance& instance) {
  return truth(sgn(positive_sum(instance.logits)) > 0 && sgn(positive_sum(instance.other_logits)) > 0);
}
Truth two_positive(const Instance& instance) { return truth(positive_somewhere(instance).size() >= 2); }

}  // namespace

Claim lipschitz_relu_normalized() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text = "On a pair of rows, K_p/S is a Lipschitz constant of ReLU-normalized weights in l_p, p in "
                            "{1, 2, inf}: K_p is the norm of I - a' 1^T on the tokens positive in either row, S the "
                            "sum of the positive logits l.",
                    .proof =
                        "a - a' = h/S - a' (S - S')/S = (I - a' 1^T) h/S with h the difference of the positive "
                        "parts, which is at most |l - l'| entry by entry. The norm of the projector I - a' 1^T on k "
                        ">= 2 tokens is that of a' 1^T in l_2, and a sum of absolute values in l_1 and l_inf.",
                    .domain = "pairs of rational rows, L <= 24",
                    .kind = Sided{.parts = {part(sides::Exponent::one, "2 (1 - min a')/S"),
                                            part(sides::Exponent::two, "sqrt(k) ||a'||_2/S"),
                                            part(sides::Exponent::infinity, "max(1 + (k-2) a')/S")},
                                  .hypotheses =
                                      sides::pair_hypotheses({{"a positive logit in each row", positive_sums},
                                                              {"k >= 2 tokens positive in either row", two_positive}}),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::pair({2, 2, 3}, {1, 2, 3}), known::pair({5, 3, 1}, {1, 2, 3}),
                                            known::pair({ratio(1, 2), ratio(3, 2), ratio(7, 2)}, {1, 2, 3})};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

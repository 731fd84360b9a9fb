// ReLU-normalized weights a = z+ / S, S = sum z+ (docs/specification.md#relu-normalized), have no global constant: the
// map is homogeneous of degree 0. On a pair of rows with S, S' > 0 and h = z+ - z'+, a - a' = (I - a' 1^T) h / S
// exactly, so that
//   ||a - a'||_p <= ||I - a' 1^T||_p ||l - l'||_p / S   on the k tokens that are positive in either row, k >= 2,
// with the norms 2 (1 - min a'), sqrt(k) ||a'||_2 and max(1 + (k-2) a'). As l' -> l it is the norm of the Jacobian.
#include <algorithm>

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

// K_p S
sides::ExactNorms constants(const Instance& instance) {
  const std::vector<Rational> all = weights(instance, instance.other_logits);
  const std::vector<std::size_t> indices = positive_somewhere(instance);
  const auto k = static_cast<unsigned long>(indices.size());
  Rational least = 1, most = 0, squares = 0;
  for (const std::size_t i : indices) {
    least = std::min(least, all[i]);
    most = std::max(most, all[i]);
    squares += all[i] * all[i];
  }
  return {2 * (1 - least), k * squares, 1 + (k - 2) * most};
}

Interval lhs(const Instance& instance, Precision precision) {
  const sides::ExactNorms by = sides::exact_stretch(instance, weights), k = constants(instance);
  const Interval two = sqrt(Interval(Rational(by.squared_two / k.squared_two), precision));
  return max(two, Interval(std::max<Rational>(by.one / k.one, by.infinity / k.infinity), precision));
}

Interval rhs(const Instance& instance, Precision precision) {
  return Interval(Rational(1 / positive_sum(instance.logits)), precision);
}

bool attained(const Instance& instance) {
  const sides::ExactNorms by = sides::exact_stretch(instance, weights), k = constants(instance);
  const Rational s = positive_sum(instance.logits);
  const Rational one = by.one * s / k.one, squared_two = by.squared_two * s * s / k.squared_two;
  return std::max<Rational>({one, squared_two, by.infinity * s / k.infinity}) == 1;
}

Truth positive_sums(const Instance& instance) {
  return truth(sgn(positive_sum(instance.logits)) > 0 && sgn(positive_sum(instance.other_logits)) > 0);
}
Truth two_positive(const Instance& instance) { return truth(positive_somewhere(instance).size() >= 2); }

}  // namespace

Claim lipschitz_relu_normalized() {
  return {
      .statement =
          {.source = "corrected Lipschitz constants",
           .section = "13",
           .text = "On a pair of rows, K_p/S is a Lipschitz constant of ReLU-normalized weights in l_p, p in "
                   "{1, 2, inf}: K_p is the norm of I - a' 1^T on the tokens positive in either row, S the "
                   "sum of the positive logits l.",
           .proof = "a - a' = h/S - a' (S - S')/S = (I - a' 1^T) h/S with h the difference of the positive "
                    "parts, which is at most |l - l'| entry by entry. The norm of the projector I - a' 1^T on k "
                    ">= 2 tokens is that of a' 1^T in l_2, and a sum of absolute values in l_1 and l_inf.",
           .domain = "pairs of rational rows, L <= 24",
           .kind = Sided{.left = "max over p in {1, 2, inf} of ||a - a'||_p / (K_p ||l - l'||_p)",
                         .right = "1/S; K_1 = 2 (1 - min a'), K_2 = sqrt(k) ||a'||_2, K_inf = max(1 + (k-2) a')",
                         .hypotheses = sides::pair_hypotheses({{"a positive logit in each row", positive_sums},
                                                               {"k >= 2 tokens positive in either row", two_positive}}),
                         .lhs = lhs,
                         .rhs = rhs,
                         .attained = attained,
                         .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

// ||softmax(l/T) - softmax(l'/T)||_p <= ||l - l'||_p / (2T) for every p: arXiv 2510.23012
// (docs/specification.md#tanh-bound). With the means of sides/pair.hpp: m_p(p' - p) <= m_p(h)/2, h = (l' - l)/T; 0/0
// counts as 0. The constant is a supremum, so near equality more bits decide.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

// x_p, in the order of the exponents
std::vector<Interval> half_distances(const sides::SoftmaxPair& pair, Precision precision) {
  std::vector<Interval> result = sides::half_means(enclosures(pair.h, precision), precision);
  for (Interval& value : result) value *= Interval(0.5, precision);
  return result;
}

Interval lhs(const Instance& instance, Precision precision) {
  const sides::SoftmaxPair pair = sides::softmax_pair(instance, precision);
  Interval quotient(0.0, precision);
  if (sgn(pair.oscillation()) == 0) return quotient;  // p = p'
  const auto means = sides::half_means(pair.difference, precision), distances = half_distances(pair, precision);
  for (std::size_t k = 0; k < means.size(); ++k) quotient = max(quotient, means[k] / distances[k]);
  return quotient;
}

constexpr std::string_view proof =
    "The saturating bound (softmax-tanh-lipschitz) with q = p gives ||p - p'||_p <= 2^(1/p) tanh(2^(1-1/p) "
    "||l-l'||_p/(4T)), "
    "and tanh(x) <= x turns the right side into ||l-l'||_p/(2T). Two tokens with logits (-t, t) and (t, -t) reach the "
    "first "
    "bound, and tanh(x)/x -> 1 as t -> 0: no smaller constant will do, and no pair of different rows attains this one.";

}  // namespace

Claim softmax_half_lipschitz_lp() {
  return {
      .statement = {.source = "arXiv 2510.23012",
                    .section = "0",
                    .text = "Softmax at temperature T is 1/(2T)-Lipschitz in l_p, p in {1, 5/4, 3/2, 2, 3, 4, inf}.",
                    .proof = proof,
                    .domain = "pairs of rational rows of logits, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.left = "max over p of ||p-p'||_p / (||l-l'||_p/(2T))",
                                  .right = "1",
                                  .hypotheses = sides::softmax_pair_hypotheses(),
                                  .lhs = lhs,
                                  .rhs = sides::constant<1>,
                                  .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

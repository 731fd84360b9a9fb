// ||softmax(l/T) - softmax(l'/T)||_q <= 2^(1/q) tanh(2^(1-1/p) ||l - l'||_p / (4T)) for every p and q, and half the l_1
// distance <= tanh(osc(l - l') / (4T)) (docs/specification.md#tanh-bound). In one line: the largest quotient is at most
// 1. In the means of sides/pair.hpp it is the largest m_q over tanh of half the least m_p, or the second line's; 0/0
// counts as 0. Next to equality the slack decides: m_q <= m_1 for a sum of 0 and osc/2 <= m_p hold term by term, so
// that 1 minus the largest quotient is 1 minus the second line's, which is a sum of nonnegative terms.
#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

constexpr double narrow = 0x1p-20;  // of a quotient near 1: wider enclosures ask for more bits, not for the slack

Interval quarter(const sides::SoftmaxPair& pair, Precision precision) {
  return Interval(Rational(pair.oscillation() / 4), precision);
}

Interval lhs(const Instance& instance, Precision precision) {
  const sides::SoftmaxPair pair = sides::softmax_pair(instance, precision);
  if (sgn(pair.oscillation()) == 0) return Interval(0.0, precision);  // p = p'
  const auto means = sides::half_means(pair.difference, precision);
  const auto distances = sides::half_means(enclosures(pair.h, precision), precision);
  const Interval norms = sides::hyperbolic_tangent(sides::least(distances) * Interval(0.5, precision));
  const Interval oscillation = sides::hyperbolic_tangent(quarter(pair, precision));
  return max(sides::largest(means) / norms, means.front() / oscillation);
}

Interval slack(const Instance& instance, Precision precision) {
  if (lhs(instance, precision).width() > narrow) return Interval::whole_line(precision);
  const sides::SoftmaxPair pair = sides::softmax_pair(instance, precision);
  return sides::variation_slack(pair, precision) / sides::hyperbolic_tangent(quarter(pair, precision));
}

bool attained(const Instance& instance) {
  return instance.logits != instance.other_logits &&
         sides::variation_is_attained(instance.logits, instance.other_logits);
}

constexpr std::string_view proof =
    "With r_i = p'_i/p_i, the mean of r over p is 1 and all r lie in an interval [m, R] with R/m = e^D, D = osc(l - "
    "l')/T. "
    "Half the l_1 distance is the mean of (r - 1)_+, a convex function of r, so it is at most the mean of its chord on "
    "[m, R], "
    "(R-1)(1-m)/(R-m); over all m with R = m e^D that is largest at m = e^(-D/2), where it is tanh(D/4). A vector of "
    "sum 0 "
    "has positive and negative entries of the same total t, so its l_q norm is at most 2^(1/q) t. By Hoelder's "
    "inequality on "
    "two entries osc(h) <= 2^(1-1/p) ||h||_p. Two tokens with logits (-t, t) and (t, -t) make all of it equalities.";

}  // namespace

Claim softmax_tanh_lipschitz() {
  return {
      .statement = {.source = "corrected Lemma 2, finite differences of softmax in every norm",
                    .section = "0",
                    .text = "Weights of two rows of logits differ in l_q by at most 2^(1/q) tanh(2^(1-1/p) ||l-l'||_p "
                            "/(4T)), p, q in {1, 5/4, 3/2, 2, 3, 4, inf}, and in total variation by at most "
                            "tanh(osc(l-l')/(4T)).",
                    .proof = proof,
                    .domain = "pairs of rational rows of logits, L <= 24, T from 10^-30 to 10^30",
                    .kind =
                        Sided{.left = "max over p, q of ||p-p'||_q / (2^(1/q) tanh(2^(1-1/p) ||l-l'||_p/(4T))), and of "
                                      "TV(p, p')/tanh(osc(l-l')/(4T))",
                              .right = "1",
                              .hypotheses = sides::softmax_pair_hypotheses(),
                              .lhs = lhs,
                              .rhs = sides::constant<1>,
                              .slack = slack,
                              .attained = attained,
                              .attained_is_cheap = true,
                              .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

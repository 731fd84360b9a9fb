// ||softmax(l/T) - softmax(l'/T)||_q <= 2^(1/q) tanh(2^(1-1/p) ||l - l'||_p / (4T)) for every p and q, and half the l_1
// distance <= tanh(osc(l - l') / (4T)) (docs/specification.md#tanh-bound): a part for each. Next to equality the slack
// decides: ||v||_q <= 2^(1/q) ||v||_1/2 for a sum of 0 and osc <= 2^(1-1/p) ||.||_p hold term by term, so that no part
// misses by less than 2^(1/q) times what the total variation misses by, which is a sum of nonnegative terms.
#include <algorithm>
#include <map>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/norms.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

using sides::Exponent;
using sides::softmax_pair_of;
using ByExponent = std::map<Exponent, Interval>;

Interval variation(const Instance& instance, Precision precision) {
  const auto& pair = instance.once<softmax_pair_of>(precision);
  return norm(pair.difference, Exponent::one, precision) * Interval(0.5, precision);
}
Interval variation_bound(const Instance& instance, Precision precision) {
  const Rational quarter = instance.once<softmax_pair_of>(precision).oscillation() / 4;
  return sides::hyperbolic_tangent(Interval(quarter, precision));
}

// ||p - p'||_q
ByExponent distances(const Instance& instance, Precision precision) {
  ByExponent result;
  for (const Exponent q : sides::all_exponents)
    result.emplace(q, norm(instance.once<softmax_pair_of>(precision).difference, q, precision));
  return result;
}

// tanh(2^(1-1/p) ||l - l'||_p / (4T))
ByExponent tangents(const Instance& instance, Precision precision) {
  ByExponent result;
  const std::vector<Interval> h = enclosures(instance.once<softmax_pair_of>(precision).h, precision);
  const Interval quarter(0.25, precision);
  for (const Exponent p : sides::all_exponents)
    result.emplace(p, sides::hyperbolic_tangent(sides::two_to_rest(p, precision) * norm(h, p, precision) * quarter));
  return result;
}

// What the total variation misses by, where the sides are narrow: wider enclosures ask for more bits, not for this.
Interval variation_gap(const Instance& instance, Precision precision) {
  constexpr double narrow = 0x1p-20;
  const auto& pair = instance.once<softmax_pair_of>(precision);
  const Interval quotient = variation(instance, precision) / variation_bound(instance, precision);
  if (!(quotient.width() <= narrow)) return Interval::whole_line(precision);
  return sides::variation_slack(pair, precision);
}

bool variation_attained(const Instance& instance) {
  return instance.logits != instance.other_logits &&
         sides::variation_is_attained(instance.logits, instance.other_logits);
}

// Where the total variation is attained: ||p - p'||_q = 2^(1/q) TV(p, p'). Every weight rises or falls.
bool one_and_one(const Instance& instance, Exponent q) {
  if (q == Exponent::one) return true;
  const std::vector<Rational>& h = instance.once<softmax_pair_of>(Precision{}).h;
  const Rational most = *std::max_element(h.begin(), h.end());
  const auto rising = static_cast<std::size_t>(std::count(h.begin(), h.end(), most)), falling = h.size() - rising;
  return q == Exponent::infinity ? rising == 1 || falling == 1 : rising == 1 && falling == 1;
}

// osc(h) = 2^(1-1/p) ||h||_p
bool two_steps(const Instance& instance, Exponent p) {
  const std::vector<Rational>& h = instance.once<softmax_pair_of>(Precision{}).h;
  const auto [low, high] = std::minmax_element(h.begin(), h.end());
  Rational total = 0, largest = 0;
  std::size_t moved = 0;
  for (const Rational& step : h) {
    total += abs(step);
    largest = std::max<Rational>(largest, abs(step));
    moved += sgn(step) != 0 ? 1 : 0;
  }
  const Rational oscillation = *high - *low;
  if (p == Exponent::one) return total == oscillation;
  return 2 * largest == oscillation && (p == Exponent::infinity || moved == 2);
}

Part of_norms(Exponent q, Exponent p) {
  const std::string step = sides::two_to_rest_text(p) + sides::norm_text("l - l'", p) + "/(4T)";
  Part part{.name = sides::lasting("q = " + std::string(sides::text(q)) + ", p = " + std::string(sides::text(p))),
            .left = sides::lasting(sides::norm_text("p - p'", q)),
            .right = sides::lasting(sides::two_to_inverse_text(q) + "tanh(" + step + ")")};
  part.lhs = [q](const Instance& instance, Precision precision) { return instance.once<distances>(precision).at(q); };
  part.rhs = [q, p](const Instance& instance, Precision precision) {
    return sides::two_to_inverse(q, precision) * instance.once<tangents>(precision).at(p);
  };
  part.slack = [lhs = part.lhs, rhs = part.rhs, q](const Instance& instance, Precision precision) {
    const Interval least = sides::two_to_inverse(q, precision) * instance.once<variation_gap>(precision);
    return Interval::between(least, max(least, rhs(instance, precision) - lhs(instance, precision)));
  };
  part.attained = [q, p](const Instance& instance) {
    return variation_attained(instance) && one_and_one(instance, q) && two_steps(instance, p);
  };
  return part;
}

std::vector<Part> parts() {
  std::vector<Part> all = {{.name = "TV",
                            .left = "TV(p, p')",
                            .right = "tanh(osc(l - l')/(4T))",
                            .lhs = variation,
                            .rhs = variation_bound,
                            .slack = variation_gap,
                            .attained = variation_attained}};
  for (const Exponent q : sides::all_exponents)
    for (const Exponent p : sides::all_exponents) all.push_back(of_norms(q, p));
  return all;
}

constexpr std::string_view proof =
    "With r_i = p'_i/p_i, the mean of r over p is 1 and all r lie in an interval [m, R] with R/m = e^D, D = osc(l - "
    "l')/T. Half the l_1 distance is the mean of (r - 1)_+, a convex function of r, so it is at most the mean of its "
    "chord on [m, R], (R-1)(1-m)/(R-m); over all m with R = m e^D that is largest at m = e^(-D/2), where it is "
    "tanh(D/4). A vector of sum 0 has positive and negative entries of the same total t, so its l_q norm is at most "
    "2^(1/q) t. By Hoelder's inequality on two entries osc(h) <= 2^(1-1/p) ||h||_p. Two tokens with logits (-t, t) "
    "and (t, -t) make all of it equalities.";

}  // namespace

Claim softmax_tanh_lipschitz() {
  return {
      .statement = {.source = "corrected Lemma 2, finite differences of softmax in seven norms",
                    .section = "0",
                    .text = "Weights of two rows of logits differ in l_q by at most 2^(1/q) tanh(2^(1-1/p) ||l-l'||_p "
                            "/(4T)), p, q in {1, 5/4, 3/2, 2, 3, 4, inf}, and in total variation by at most "
                            "tanh(osc(l-l')/(4T)).",
                    .proof = proof,
                    .domain = "pairs of rational rows of logits, L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = parts(),
                                  .hypotheses = sides::softmax_pair_hypotheses(),
                                  .attained_is_cheap = true,
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{known::pair({0, 2}, {2, 0}, 3),
                                                                known::pair({0, 0}, {1, -1}, 1),
                                                                known::pair({0, 1, 2, 3}, {2, 3, 0, 1}),
                                                                known::pair({0, 0, 0}, {1, -1, -1})};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

// ||a - a'||_p <= 2^(1/p) tanh(2^(1-1/p) kappa ||l - l'||_p / 4) <= (kappa/2) ||l - l'||_p for a = F/sum F with F > 0
// and kappa the largest slope of log F (docs/specification.md#separable-slope). Values of F at two rows of logits are
// those of the function whose logarithm is linear between neighbouring ones: kappa is its largest slope there. Both
// bounds as quotients, in the means of sides/pair.hpp: with x_p = kappa m_p(l - l')/2 the largest m_p(a' - a)/tanh(x_p)
// and m_p(a' - a)/x_p; 0/0 counts as 0.
#include <algorithm>
#include <map>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/log_slope.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

using sides::Slope;

// By logit; the values of both rows.
std::map<Rational, Rational> table(const Instance& instance) {
  std::map<Rational, Rational> values;
  for (std::size_t i = 0; i < instance.length; ++i) {
    values.emplace(instance.logits[i], instance.F[i]);
    values.emplace(instance.other_logits[i], instance.other_F[i]);
  }
  return values;
}

std::vector<Slope> neighbouring_slopes(const Instance& instance) {
  std::vector<Slope> slopes;
  const auto values = table(instance);
  for (auto left = values.begin(), right = left; ++right != values.end(); left = right)
    slopes.emplace_back(left->second, right->second, right->first - left->first);
  return slopes;
}

Interval lhs(const Instance& instance, Precision precision) {
  const std::vector<Rational> before = normalized(instance.F), after = normalized(instance.other_F);
  Interval kappa(0.0, precision), quotient = kappa;
  if (before == after) return quotient;
  for (const Slope& slope : neighbouring_slopes(instance)) kappa = max(kappa, slope.at(precision));
  const auto h = enclosures(difference(instance.other_logits, instance.logits), precision);
  const auto means = sides::half_means(enclosures(difference(after, before), precision), precision);
  const auto distances = sides::half_means(h, precision);
  for (std::size_t k = 0; k < means.size(); ++k) {
    const Interval x = distances[k] * kappa * Interval(0.5, precision);
    quotient = max(quotient, max(means[k] / sides::hyperbolic_tangent(x), means[k] / x));
  }
  return quotient;
}

// r_i = a'_i/a_i and its ends.
struct Ratios {
  std::vector<Rational> weights, r;
  Rational least, largest;

  explicit Ratios(const Instance& instance) : weights(normalized(instance.F)) {
    const std::vector<Rational> after = normalized(instance.other_F);
    for (std::size_t i = 0; i < weights.size(); ++i) r.emplace_back(after[i] / weights[i]);
    const auto [low, high] = std::minmax_element(r.begin(), r.end());
    least = *low;
    largest = *high;
  }
};

// From below by the proof's own terms: with r in [m, R] and tanh(D/4) = (R-m)/(sqrt R + sqrt m)^2, D = log(R/m), half
// the l_1 distance misses tanh(D/4) by (sqrt(mR) - 1)^2/(R-m) + sum_i a_i min{(R - r_i)(1 - m), (R - 1)(r_i -
// m)}/(R-m).
Interval slack(const Instance& instance, Precision precision) {
  const Ratios ratios(instance);
  const Rational &m = ratios.least, &R = ratios.largest, spread = R - m;
  Rational chord = 0;
  for (std::size_t i = 0; i < instance.length; ++i)
    chord += ratios.weights[i] * std::min(Rational((R - ratios.r[i]) * (1 - m)), Rational((R - 1) * (ratios.r[i] - m)));
  const Interval one(1.0, precision), away(Rational(m * R - 1), precision);
  const Interval middle = square(away / (sqrt(Interval(Rational(m * R), precision)) + one));
  const Interval roots = square(sqrt(Interval(R, precision)) + sqrt(Interval(m, precision)));
  const Interval lowest =
      (Interval(chord, precision) + middle) * roots / Interval(Rational(spread * spread), precision);
  return Interval::between(lowest, max(lowest, one - lhs(instance, precision)));
}

// Whether log F has the slope kappa all the way from l_i to l'_i. An answer that 256 bits leave open counts as no.
bool steepest(const Instance& instance, std::size_t i, const std::vector<Slope>& slopes) {
  if (instance.logits[i] == instance.other_logits[i]) return false;
  const Precision precision{256};
  const Slope own(instance.F[i], instance.other_F[i], instance.other_logits[i] - instance.logits[i]);
  return std::all_of(slopes.begin(), slopes.end(), [&](const Slope& slope) {
    return slope == own || less(slope.at(precision), own.at(precision)) == Truth::yes;
  });
}

// Half the l_1 distance is tanh(D/4): r takes the values m and R = 1/m only. Then p = 1: all that moves moves at the
// slope kappa, at most one logit of F upward and one downward. Or p = inf: one weight on one side carries it all, log F
// moves as far down as up, and what moves farthest does so at the slope kappa. 1 < p < inf: two tokens and the case p =
// 1.
bool attained(const Instance& instance) {
  const Ratios ratios(instance);
  if (ratios.least == ratios.largest || ratios.least * ratios.largest != 1) return false;
  const std::vector<Slope> slopes = neighbouring_slopes(instance);
  std::size_t higher = 0, up = 0, down = 0;
  Rational rise = 1, fall = 1, farthest = 0;
  bool all_steepest = true;
  for (std::size_t i = 0; i < instance.length; ++i) {
    if (ratios.r[i] != ratios.least && ratios.r[i] != ratios.largest) return false;
    const Rational change = instance.other_F[i] / instance.F[i];
    const Rational distance = abs(instance.other_logits[i] - instance.logits[i]);
    higher += ratios.r[i] == ratios.largest ? 1 : 0;
    up += change > 1 ? 1 : 0;
    down += change < 1 ? 1 : 0;
    rise = std::max(rise, change);
    fall = std::min(fall, change);
    farthest = std::max(farthest, distance);
    all_steepest = all_steepest && (sgn(distance) == 0 || steepest(instance, i, slopes));
  }
  if (up <= 1 && down <= 1 && all_steepest) return true;
  if ((higher != 1 && higher + 1 != instance.length) || rise * fall != 1) return false;
  for (std::size_t i = 0; i < instance.length; ++i)
    if (abs(instance.other_logits[i] - instance.logits[i]) == farthest && steepest(instance, i, slopes)) return true;
  return false;
}

Truth two_positive_rows(const Instance& instance) {
  for (const auto* row : {&instance.F, &instance.other_F}) {
    if (row->size() != instance.length) return Truth::no;
    for (const Rational& value : *row)
      if (sgn(value) <= 0) return Truth::no;
  }
  return truth(instance.logits.size() == instance.length && instance.other_logits.size() == instance.length);
}

Truth one_function(const Instance& instance) {
  const auto values = table(instance);
  for (std::size_t i = 0; i < instance.length; ++i)
    if (values.at(instance.logits[i]) != instance.F[i] || values.at(instance.other_logits[i]) != instance.other_F[i])
      return Truth::no;
  return Truth::yes;
}

constexpr std::string_view proof =
    "The weights are softmax of log F, so the saturating bound (softmax-tanh-lipschitz) at T = 1 holds with log F(l) - "
    "log F(l') "
    "in place of l - l', and no entry of that exceeds kappa |l_i - l'_i|: log F has no larger slope. tanh(x) <= x "
    "gives the "
    "second bound. Two tokens that exchange their logits attain the first, at every length of the step; L stands "
    "nowhere.";

}  // namespace

Claim general_lipschitz() {
  return {
      .statement = {.source = "corrected Lemma 2, finite differences of a separable positive F in every norm",
                    .section = "0",
                    .text =
                        "Weights F/sum F of two rows of logits differ in l_p by at most 2^(1/p) tanh(2^(1-1/p) kappa "
                        "||l-l'||_p/4) <= (kappa/2) ||l-l'||_p, kappa the largest slope of log F, p in {1, 5/4, "
                        "3/2, 2, 3, 4, inf}.",
                    .proof = proof,
                    .domain = "pairs of rational rows of logits and values of F > 0 at them, L <= 24",
                    .kind = Sided{.left = "max over p of ||a-a'||_p / (2^(1/p) tanh(2^(1-1/p) kappa ||l-l'||_p/4)) and "
                                          "||a-a'||_p / ((kappa/2) ||l-l'||_p)",
                                  .right = "1",
                                  .hypotheses = {{"F > 0 at every logit of both rows", two_positive_rows},
                                                 {"equal logits have equal values of F", one_function}},
                                  .lhs = lhs,
                                  .rhs = sides::constant<1>,
                                  .slack = slack,
                                  .attained = attained,
                                  .attained_is_cheap = true,
                                  .generate = separable_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

// ||a - a'||_p <= 2^(1/p) tanh(2^(1-1/p) kappa ||l - l'||_p / 4) <= (kappa/2) ||l - l'||_p for a = F/sum F with F > 0
// and kappa the largest slope of log F (docs/specification.md#separable-slope). Values of F at two rows of logits are
// those of the function whose logarithm is linear between neighbouring ones: kappa is its largest slope there. Both
// bounds hold the difference of the weights, a part for each and for every p.
#include <algorithm>
#include <map>
#include <string>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/catalogue/sides/log_slope.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/weights.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

using sides::Exponent;
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

Interval kappa(const Instance& instance, Precision precision) {
  Interval largest(0.0, precision);
  for (const Slope& slope : instance.once<neighbouring_slopes>()) largest = max(largest, slope.at(precision));
  return largest;
}

std::vector<Rational> exact_change(const Instance& instance) {
  return difference(normalized(instance.F), normalized(instance.other_F));
}
std::vector<Interval> change(const Instance& instance, Precision precision) {
  return enclosures(instance.once<exact_change>(), precision);
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
Ratios ratios_of(const Instance& instance) { return Ratios(instance); }

// What half the l_1 distance misses tanh(D/4) by, D = log(R/m): with r in [m, R] and tanh(D/4) = (R-m)/(sqrt R + sqrt
// m)^2 that is (sqrt(mR) - 1)^2/(R-m) + sum_i a_i min{(R - r_i)(1 - m), (R - 1)(r_i - m)}/(R-m). Each part misses by at
// least 2^(1/p) times it.
Interval variation_gap(const Instance& instance, Precision precision) {
  const Ratios& ratios = instance.once<ratios_of>();
  const Rational &m = ratios.least, &R = ratios.largest, spread = R - m;
  if (sgn(spread) == 0) return Interval(0.0, precision);  // both rows have the same weights
  Rational chord = 0;
  for (std::size_t i = 0; i < instance.length; ++i)
    chord += ratios.weights[i] * std::min(Rational((R - ratios.r[i]) * (1 - m)), Rational((R - 1) * (ratios.r[i] - m)));
  const Interval one(1.0, precision), away(Rational(m * R - 1), precision);
  const Interval middle = square(away / (sqrt(Interval(Rational(m * R), precision)) + one));
  return (Interval(chord, precision) + middle) / Interval(spread, precision);
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

// How log F moves: by tokens of F that rise and that fall, and by the slopes.
struct Moves {
  std::size_t up = 0, down = 0;
  Rational rise = 1, fall = 1, farthest = 0;
  bool all_steepest = true, farthest_steepest = false;  // every move, and one that is farthest, has the slope kappa
  bool alike = true;                                    // all logits that move move equally far
};
Moves moves(const Instance& instance) {
  Moves result;
  const std::vector<Slope>& slopes = instance.once<neighbouring_slopes>();
  for (std::size_t i = 0; i < instance.length; ++i) {
    const Rational change = instance.other_F[i] / instance.F[i];
    const Rational distance = abs(instance.other_logits[i] - instance.logits[i]);
    result.up += change > 1 ? 1 : 0;
    result.down += change < 1 ? 1 : 0;
    result.rise = std::max(result.rise, change);
    result.fall = std::min(result.fall, change);
    if (sgn(distance) == 0) continue;
    const bool steep = steepest(instance, i, slopes);
    result.all_steepest = result.all_steepest && steep;
    result.alike = result.alike && (sgn(result.farthest) == 0 || distance == result.farthest);
    result.farthest_steepest =
        distance > result.farthest ? steep : result.farthest_steepest || (steep && distance == result.farthest);
    result.farthest = std::max(result.farthest, distance);
  }
  return result;
}

// Half the l_1 distance is tanh(D/4): r takes the values m and R = 1/m only. Then p = 1: all that moves moves at the
// slope kappa, at most one logit of F upward and one downward. Or p = inf: one weight on one side carries it all, log F
// moves as far down as up, and what moves farthest does so at the slope kappa. 1 < p < inf: two tokens, the case p = 1,
// and both move equally far.
bool attained(Exponent p, const Instance& instance) {
  const Ratios& ratios = instance.once<ratios_of>();
  if (ratios.least == ratios.largest || ratios.least * ratios.largest != 1) return false;
  std::size_t higher = 0;
  for (const Rational& r : ratios.r) {
    if (r != ratios.least && r != ratios.largest) return false;
    higher += r == ratios.largest ? 1 : 0;
  }
  const Moves& m = instance.once<moves>();
  if (p == Exponent::infinity)
    return (higher == 1 || higher + 1 == instance.length) && m.rise * m.fall == 1 && m.farthest_steepest;
  const bool one_and_one = m.up <= 1 && m.down <= 1 && m.all_steepest;
  return one_and_one && (p == Exponent::one || (instance.length == 2 && m.up == 1 && m.down == 1 && m.alike));
}

Interval half_kappa(const Instance& instance, Precision precision) {
  return instance.once<kappa>(precision) * Interval(0.5, precision);
}

// The part of the tangent or of the straight line above it.
Part part(Exponent p, bool straight) {
  Part result = sides::lipschitz_part(p, {"(kappa/2)", half_kappa});
  if (!straight) {
    result.right = sides::lasting(sides::two_to_inverse_text(p) + "tanh(" + sides::two_to_rest_text(p) + "kappa " +
                                  sides::norm_text("l - l'", p) + "/4)");
    result.rhs = [p](const Instance& instance, Precision precision) {
      const Interval x = sides::two_to_rest(p, precision) * sides::step_norm(instance, p, precision) *
                         half_kappa(instance, precision) * Interval(0.5, precision);
      return sides::two_to_inverse(p, precision) * sides::hyperbolic_tangent(x);
    };
    result.attained = [p](const Instance& instance) { return attained(p, instance); };
  }
  result.name = sides::lasting((straight ? "linear, " : "tanh, ") + std::string(result.name));
  result.left = sides::lasting(sides::norm_text("a - a'", p));
  result.lhs = [p](const Instance& instance, Precision precision) {
    return norm(instance.once<change>(precision), p, precision);
  };
  result.slack = [lhs = result.lhs, rhs = result.rhs, p](const Instance& instance, Precision precision) {
    const Interval least = sides::two_to_inverse(p, precision) * instance.once<variation_gap>(precision);
    return Interval::between(least, max(least, rhs(instance, precision) - lhs(instance, precision)));
  };
  return result;
}

std::vector<Part> parts() {
  std::vector<Part> all;
  for (const bool straight : {false, true})
    for (const Exponent p : sides::all_exponents) all.push_back(part(p, straight));
  return all;
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
    "The weights are softmax of log F, so the saturating bound (softmax-tanh-lipschitz) at T = 1 holds with log F(l) "
    "- log F(l') in place of l - l', and no entry of that exceeds kappa |l_i - l'_i|: log F has no larger slope. "
    "tanh(x) <= x gives the second bound. Two tokens that exchange their logits attain the first, at every length of "
    "the step; L stands nowhere.";

}  // namespace

Claim general_lipschitz() {
  return {
      .statement = {.source = "corrected Lemma 2, finite differences of a separable positive F in seven norms",
                    .section = "0",
                    .text =
                        "Weights F/sum F of two rows of logits differ in l_p by at most 2^(1/p) tanh(2^(1-1/p) kappa "
                        "||l-l'||_p/4) <= (kappa/2) ||l-l'||_p, kappa the largest slope of log F, p in {1, 5/4, "
                        "3/2, 2, 3, 4, inf}.",
                    .proof = proof,
                    .domain = "pairs of rational rows of logits and values of F > 0 at them, L <= 24",
                    .kind = Sided{.parts = parts(),
                                  .hypotheses = {{"F > 0 at every logit of both rows", two_positive_rows},
                                                 {"equal logits have equal values of F", one_function}},
                                  .attained_is_cheap = true,
                                  .generate = separable_pair,
                                  .known =
                                      [] {
                                        return known::Instances{known::separable_pair({0, 1}, {1, 2}, {1, 0}, {2, 1}),
                                                                known::separable_pair({0, 1}, {1, 1 + known::small},
                                                                                      {1, 0}, {1 + known::small, 1}),
                                                                known::separable_pair({0, 0, 0}, {1, 1, 1}, {1, -1, -1},
                                                                                      {2, ratio(1, 2), ratio(1, 2)})};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

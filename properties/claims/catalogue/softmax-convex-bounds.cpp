// Convex bounds of the first softmax weight p = 1/D on a box of logits, D = 1 + sum_{j>=2} exp(d_j), d_j = (x_j -
// x_1)/T in [l_j, u_j]: the exponential-reciprocal (ER) and linear bounds of Wei, Wu, Wu, Chen, Barrett, Farchi,
// AISTATS 2023 (arXiv 2303.01713), the other weights by permutation. With C = 1 + sum of the chords of exp, D_l and D_u
// the values of D at the ends, y = 1 + sum of the tangents of exp at t_j = min(log of the chord's slope, l_j + 1), y_l
// = y at the ends l:
//   1/C <= p <= 1/D_l + 1/D_u - D/(D_l D_u) <= 1/y_l + 1/D_u - y/(y_l D_u).
// The weights lie below every exponent, so each part is multiplied out, and sums stand over exp of their own largest
// exponent: D' = D/exp(max(0, d_j)). The parts, with the slack that decides next to equality, whose terms are positive
// one by one:
//   D <= C                                        sum(chord - exp)
//   D_l/D <= 1 + D_l/D_u - D/D_u                  (1 - D_l/D)(1 - D/D_u)
//   (y_l/D_l)(1 + D_l/D_u - D/D_u) <= 1 - (y - y_l)/D_u     (1 - D/D_u)(1 - y_l/D_l) + (D - y)/D_u
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

// Between the rows z (logits) and z' (other_logits) the box is their hull, the point z + theta (z' - z) with theta
// given for every token by the parameters.
Instance point_in_a_box(Choices& choices) {
  Instance instance = logit_pair(choices);
  const bool corner = choices.below(4) == 3;
  for (std::size_t j = 0; j < instance.length; ++j)
    instance.parameters.push_back(corner ? ratio(choices.flip() ? 1 : 0, 1)
                                         : ratio(static_cast<long>(choices.below(9)), 8));
  return instance;
}

Truth point_lies_in_the_box(const Instance& instance) {
  const auto inside = [](const Rational& theta) { return theta >= 0 && theta <= 1; };
  return truth(instance.other_logits.size() == instance.length && instance.parameters.size() == instance.length &&
               std::all_of(instance.parameters.begin(), instance.parameters.end(), inside));
}

struct Difference {
  Rational d, low, high;  // (x_j - x_1)/T and its ends on the box
  bool at_an_end() const { return d == low || d == high; }
};

struct Box {
  std::vector<Difference> of;                   // tokens 2..L
  Rational top = 0, top_low = 0, top_high = 0;  // the largest of 0 and the d, of 0 and their low or high ends
};

Box box(const Instance& instance) {
  Box result;
  const auto& z = instance.logits;
  const auto& other = instance.other_logits;
  const auto point = [&](std::size_t j) { return Rational(z[j] + instance.parameters[j] * (other[j] - z[j])); };
  for (std::size_t j = 1; j < instance.length; ++j) {
    Difference next{point(j) - point(0), std::min(z[j], other[j]) - std::max(z[0], other[0]),
                    std::max(z[j], other[j]) - std::min(z[0], other[0])};
    for (Rational* value : {&next.d, &next.low, &next.high}) *value /= *instance.temperature;
    result.top = std::max(result.top, next.d);
    result.top_low = std::max(result.top_low, next.low);
    result.top_high = std::max(result.top_high, next.high);
    result.of.push_back(std::move(next));
  }
  return result;
}

Interval exp_of(const Rational& exponent, Precision precision) { return exp(Interval(exponent, precision)); }

// Below this width differences cancel, and remainders in Lagrange's form, of relative width 2^-10, decide a sign.
constexpr double narrow = 0x1p-10;

// t - l = min(log((exp(w) - 1)/w), 1), w = u - l: 1 from w = 2 on, since (e^2 - 1)/2 > e; w/2 + [0, w^2/24] for narrow
// w, by 0 <= log(sinh x/x) <= x^2/6.
Interval tangent_step(const Difference& j, Precision precision) {
  const Rational w = j.high - j.low;
  const Interval one(1.0, precision);
  if (w >= 2) return one;
  if (sgn(w) == 0) return {0.0, precision};
  const Interval width(w, precision), zero(0.0, precision);
  if (w < narrow) return width * Interval(0.5, precision) + hull(zero, square(width) / Interval(24.0, precision));
  return min(log(expm1(width) / width), one);
}

struct Sums {
  std::vector<Interval> low;      // exp(l_j) over exp(top_low)
  std::vector<Interval> step;     // t_j - l_j
  Interval D, D_low, D_high;      // each over exp of its own top
  Interval low_to_high, to_high;  // exp(top_low - top_high), exp(top - top_high)
  Interval fall;                  // 1 - (y - y_l)/D_u
};

Sums sums(const Box& box, Precision precision) {
  Sums s{{},
         {},
         exp_of(-box.top, precision),
         exp_of(-box.top_low, precision),
         exp_of(-box.top_high, precision),
         exp_of(box.top_low - box.top_high, precision),
         exp_of(box.top - box.top_high, precision),
         Interval(1.0, precision)};
  Interval rise(0.0, precision);
  for (const Difference& j : box.of) {
    s.low.push_back(exp_of(j.low - box.top_low, precision));
    s.step.push_back(tangent_step(j, precision));
    s.D += exp_of(j.d - box.top, precision);
    s.D_low += s.low.back();
    s.D_high += exp_of(j.high - box.top_high, precision);
    if (j.d != j.low) rise += s.low.back() * exp(s.step.back()) * Interval(j.d - j.low, precision);
  }
  s.fall -= rise * s.low_to_high / s.D_high;
  return s;
}

// All from one pass over the box.
struct Sides {
  Sums s;
  Interval chords;     // C over exp(top)
  Interval tangents;   // y_l over exp(top_low)
  Interval low_share;  // D_l/D
  Interval er;         // 1 + D_l/D_u - D/D_u, D_l times the ER upper bound
};

Sides sides_of(const Instance& instance, Precision precision) {
  const Box& b = instance.once<box>();
  Sums s = sums(b, precision);
  const Interval one(1.0, precision), to_low = exp_of(b.top_low - b.top, precision);
  Interval chords = exp_of(-b.top, precision), tangents = exp_of(-b.top_low, precision);
  for (std::size_t k = 0; k < b.of.size(); ++k) {
    const Difference& j = b.of[k];
    tangents += s.low[k] * exp(s.step[k]) * (one - s.step[k]);
    if (j.at_an_end()) {
      chords += exp_of(j.d - b.top, precision);
    } else {
      const Interval part((j.d - j.low) / (j.high - j.low), precision);
      chords += part * exp_of(j.high - b.top, precision) + (one - part) * s.low[k] * to_low;
    }
  }
  Interval low_share = s.D_low / s.D * to_low;
  Interval er = one + s.D_low / s.D_high * s.low_to_high - s.D / s.D_high * s.to_high;
  return {std::move(s), std::move(chords), std::move(tangents), std::move(low_share), std::move(er)};
}

Interval denominator(const Instance& instance, Precision precision) { return instance.once<sides_of>(precision).s.D; }
Interval chords(const Instance& instance, Precision precision) { return instance.once<sides_of>(precision).chords; }
Interval low_share(const Instance& instance, Precision precision) {
  return instance.once<sides_of>(precision).low_share;
}
Interval er_upper(const Instance& instance, Precision precision) { return instance.once<sides_of>(precision).er; }
Interval er_over_tangents(const Instance& instance, Precision precision) {
  const Sides& all = instance.once<sides_of>(precision);
  return all.tangents / all.s.D_low * all.er;
}
Interval linear_upper(const Instance& instance, Precision precision) {
  return instance.once<sides_of>(precision).s.fall;
}

// chord - exp, over exp(scale), as part (1 - part) w^2/2 exp at some point for narrow w; each form keeps the digits
// that the others lose.
Interval chord_gap(const Difference& j, const Rational& scale, Precision precision) {
  const Rational w = j.high - j.low;
  const Interval part((j.d - j.low) / w, precision), rest((j.high - j.d) / w, precision), half(0.5, precision);
  const Interval factor = exp_of(j.high - scale, precision), width(w, precision);
  if (w < narrow) return factor * exp(hull(-width, Interval(0.0, precision))) * part * rest * square(width) * half;
  if (w > 1) return factor * (part + rest * exp_of(-w, precision) - exp_of(j.d - j.high, precision));
  return factor * (rest * expm1(-width) - expm1(Interval(j.d - j.high, precision)));
}

// (exp - tangent)/exp at a distance z >= -1 beyond the tangent's point
Interval tangent_gap(const Interval& z, Precision precision) {
  const Interval zero(0.0, precision), one(1.0, precision), half(0.5, precision);
  if (std::max(-z.lower(), z.upper()) < narrow) return exp(-z) * square(z) * half * exp(hull(zero, z));
  return z.lower() > 1 ? one - (one + z) * exp(-z) : exp(-z) * (expm1(z) - z);
}

// The slacks of the three parts.
struct Slacks {
  Interval chord, reciprocal, linear;
};

Slacks slacks(const Instance& instance, Precision precision) {
  const Box& b = instance.once<box>();
  const Sums& s = instance.once<sides_of>(precision).s;
  const Interval zero(0.0, precision);
  Interval chord = zero, above_low = zero,
           below_high = zero;                     // C - D, D - D_l, D_u - D, over exp of top, top, top_high
  Interval tangents_low = zero, tangents = zero;  // D_l - y_l, D - y, over exp of top_low, top_high
  for (std::size_t k = 0; k < b.of.size(); ++k) {
    const Difference& j = b.of[k];
    const Interval from_low(j.d - j.low, precision), to_end(j.d - j.high, precision);
    if (!j.at_an_end()) chord += chord_gap(j, b.top, precision);
    if (j.d != j.low) above_low -= exp_of(j.d - b.top, precision) * expm1(-from_low);
    if (j.d != j.high) below_high -= exp_of(j.high - b.top_high, precision) * expm1(to_end);
    if (j.low == j.high) continue;
    tangents_low += s.low[k] * tangent_gap(-s.step[k], precision);
    tangents += exp_of(j.d - b.top_high, precision) * tangent_gap(from_low - s.step[k], precision);
  }
  const Interval left = below_high / s.D_high;  // 1 - D/D_u
  return {chord, above_low / s.D * left, left * tangents_low / s.D_low + tangents / s.D_high};
}

Interval chord_slack(const Instance& instance, Precision precision) { return instance.once<slacks>(precision).chord; }
Interval reciprocal_slack(const Instance& instance, Precision precision) {
  return instance.once<slacks>(precision).reciprocal;
}
Interval linear_slack(const Instance& instance, Precision precision) { return instance.once<slacks>(precision).linear; }

template <auto holds>
bool every(const Instance& instance) {
  const Box& b = instance.once<box>();
  return std::all_of(b.of.begin(), b.of.end(), holds);
}
bool at_an_end(const Difference& j) { return j.at_an_end(); }
bool lowest(const Difference& j) { return j.d == j.low; }
bool highest(const Difference& j) { return j.d == j.high; }
bool no_width(const Difference& j) { return j.low == j.high; }

bool at_one_end(const Instance& instance) { return every<lowest>(instance) || every<highest>(instance); }

}  // namespace

Claim softmax_convex_bounds() {
  return {.statement =
              {.source = "Wei et al., AISTATS 2023, arXiv 2303.01713",
               .section = "literature",
               .text = "On a box of logits the exponential-reciprocal lower and upper bounds enclose softmax, and the "
                       "linear upper bound lies above them.",
               .proof = "p = 1/D with D = 1 + sum exp(d_j). exp is convex, so its chords over the ranges of the d_j "
                        "lie above it, C >= D and 1/C <= p. The reciprocal is convex too: its chord over [D_l, D_u] "
                        "lies above it, which is the upper bound. Tangents of exp lie below it, so y <= D and "
                        "y_l <= D_l; the chord of the reciprocal over the longer range [y_l, D_u] lies above the "
                        "former one, and higher still at y than at D because it falls. y_l stays positive as each "
                        "tangent's point is at most 1 beyond l_j. Equality at points whose differences are all at "
                        "ends of their ranges. Here p is the first weight, d_j = (x_j - x_1)/T in [l_j, u_j], "
                        "j >= 2; D_l and D_u are D at all l_j and at all u_j; C is D with the chord of exp over "
                        "[l_j, u_j] for each exp; y is D with the tangent of exp at t_j = min(log((exp(u_j) - "
                        "exp(l_j))/(u_j - l_j)), l_j + 1) for each exp, and y_l is y at all l_j.",
               .domain = "rational boxes of any width and points in them, L <= 24, T from 10^-30 to 10^30; the first "
                         "weight, the others by permutation",
               .kind = Sided{.parts = {{.name = "ER lower",
                                        .left = "D",
                                        .right = "C (p >= 1/C, times C D)",
                                        .lhs = denominator,
                                        .rhs = chords,
                                        .slack = chord_slack,
                                        .attained = every<at_an_end>},
                                       {.name = "ER upper",
                                        .left = "D_l/D",
                                        .right = "1 + D_l/D_u - D/D_u (p <= 1/D_l + 1/D_u - D/(D_l D_u), times D_l)",
                                        .lhs = low_share,
                                        .rhs = er_upper,
                                        .slack = reciprocal_slack,
                                        .attained = at_one_end},
                                       {.name = "linear upper",
                                        .left = "(y_l/D_l)(1 + D_l/D_u - D/D_u)",
                                        .right = "1 - (y - y_l)/D_u (1/D_l + 1/D_u - D/(D_l D_u) <= 1/y_l + 1/D_u - "
                                                 "y/(y_l D_u), times y_l)",
                                        .lhs = er_over_tangents,
                                        .rhs = linear_upper,
                                        .slack = linear_slack,
                                        .attained = every<no_width>}},
                             .hypotheses = {hypotheses::positive_temperature,
                                            {"the point lies in the box", point_lies_in_the_box}},
                             .attained_is_cheap = true,
                             .generate = point_in_a_box,
                             .known =
                                 [] {
                                   return known::Instances{known::pair({0, 1, 2}, {3, -1, 0}, 1, {1, 1, 1}),
                                                           known::pair({0, 1, 2}, {0, -1, 0}, 1, {0, 1, 0}),
                                                           known::pair({1, 2, 3}, {1, 2, 3}, 1, {0, 0, 0})};
                                 }}},
          .expected = Expected::supported};
}

}  // namespace attncert

// ell(p1, p2) <= lambda_1(diag p - p p^T) <= p1 (1 - p1 + p2) <= 1/2 (docs/specification.md#largest-eigenvalue).
// Everything is in units of p2, which may lie far below every exponent: u_j = p_j/p2 = exp((l_j - l_2)/T), and y = x/p2
// solves g(y) = p1/(p1 - p2 y) - sum_{j>=2} u_j/(y - u_j) = 0. lambda_1 is enclosed by certified signs of g alone: its
// two bounds play no part in that. Next to equality the slack decides, by the identities of the proof:
//   g(c) = sum_{j>=3} u_j (1-u_j)/((c-1)(c-u_j))  at c = p1 (1-p1+p2)/p2,   -g(e) = sum_{j>=3} u_j^2/(e (e-u_j))  at
//   e = ell/p2,   1 - 2 c p2 = (p1-p2)^2 + t^2 + 2 p2 t, t = 1-p1-p2, each over the slope g' for a difference of roots.
// At p1 = p2 = p there is no root between: lambda_1 = p, and ell = p1 (1-p1+p2) = p as well. Where all weights but the
// largest are equal lambda_1 = p1 (1-p1+p2), and g has no third term to find that root by.
#include "properties/claims/catalogue/sides/softmax.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"

namespace attncert {
namespace {

struct Spectrum {
  bool alike;  // all weights but the largest are equal: lambda_1 is the ceiling
  bool tie;    // p1 = p2
  Interval p1, p2;
  std::vector<Interval> u;  // of all tokens but the first; u[0] = 1 is the second's
  Interval gap;             // p1 - p2
  Interval rest, tail;      // (1 - p1)/p2, (1 - p1 - p2)/p2
  Interval floor, ceiling;  // ell/p2, p1 (1 - p1 + p2)/p2
};

Spectrum spectrum(const Instance& instance, Precision precision) {
  const SoftmaxRow& row = instance.softmax(precision);
  const auto [first, second] = two_largest(instance.logits);
  const Interval one(1.0, precision), two(2.0, precision), four(4.0, precision);
  std::vector<Interval> u{one};
  Interval tail(0.0, precision);
  for (std::size_t j = 0; j < instance.length; ++j) {
    if (j == first || j == second) continue;
    const Rational exponent = (instance.logits[j] - instance.logits[second]) / *instance.temperature;
    u.push_back(exp(Interval(exponent, precision)));
    tail += u.back();
  }
  const Interval &p1 = row.top.p1, &p2 = row.top.p2;
  const bool alike = sides::one_logit_above_equal_others(instance);
  const Interval rest = tail + one, b = two * p1 + tail * (p1 + p2);
  const Interval root = sqrt(max(square(b) - four * p1 * tail, Interval(0.0, precision)));
  if (instance.logits[first] == instance.logits[second])
    return {alike, true, p1, p1, std::move(u), Interval(0.0, precision), rest, tail, one, one};
  return {alike, false, p1, p2, std::move(u), p1 - p2, rest, tail, (b + root) / two, p1 * (rest + one)};
}

// g and g' at y; the whole line where y is not certainly between u_2 = 1 and p1/p2.
struct Secular {
  Interval value, slope;
};
Secular secular(const Spectrum& s, const Interval& y, Precision precision) {
  const Interval right = s.p1 - s.p2 * y;
  Interval value = s.p1 / right, slope = s.p1 * s.p2 / square(right);
  for (const Interval& u : s.u) {
    const Interval gap = y - u;
    value -= u / gap;
    slope += u / square(gap);
  }
  const Interval zero(0.0, precision), one(1.0, precision);
  if (less(one, y) != Truth::yes || less(zero, right) != Truth::yes)
    return {Interval::whole_line(precision), Interval::whole_line(precision)};
  return {std::move(value), std::move(slope)};
}

// A guess decides nothing: Newton from the ceiling, kept between floor and ceiling.
Interval guessed_root(const Spectrum& s, Precision precision) {
  const Interval half(0.5, precision), converged(power_of_two(6 - precision.bits), precision);
  Interval low = middle(s.floor), high = middle(s.ceiling), y = middle((low + high) * half);
  for (int step = 0; step < 64; ++step) {
    const Secular at = secular(s, y, precision);
    if (!at.value.is_finite() || !at.slope.is_finite()) return y;
    (less(Interval(0.0, precision), middle(at.value)) == Truth::yes ? high : low) = y;
    Interval next = middle(y - middle(at.value) / middle(at.slope));
    if (less_equal(abs(next - y), y * converged) == Truth::yes) return next;  // doubles would underflow here
    if (less(low, next) != Truth::yes || less(next, high) != Truth::yes) next = middle((low + high) * half);
    y = next;
  }
  return y;
}

// lambda_1/p2; the whole line when no two signs of g could be certified around the guess.
Interval eigenvalue(const Spectrum& s, Precision precision) {
  const Interval one(1.0, precision), zero(0.0, precision);
  if (s.alike || s.tie) return s.ceiling;
  const Interval y = guessed_root(s, precision);
  for (const int k : {precision.bits - 12, precision.bits - 20, precision.bits / 2, 24, 12}) {
    const Interval step(power_of_two(-k), precision);
    const Interval below = middle(y * (one - step)), above = middle(y * (one + step));
    if (less(secular(s, below, precision).value, zero) == Truth::yes &&
        less(zero, secular(s, above, precision).value) == Truth::yes)
      return Interval::between(below, above);
  }
  return Interval::whole_line(precision);
}

// Times p2, from units of p2.
template <class Number>
Interval scaled(const Instance& instance, Precision precision, const Number& number) {
  const Spectrum s = spectrum(instance, precision);
  return number(s) * s.p2;
}
Interval floor(const Instance& instance, Precision precision) {
  return scaled(instance, precision, [](const Spectrum& s) { return s.floor; });
}
Interval ceiling(const Instance& instance, Precision precision) {
  return scaled(instance, precision, [](const Spectrum& s) { return s.ceiling; });
}
Interval lambda(const Instance& instance, Precision precision) {
  return scaled(instance, precision, [precision](const Spectrum& s) { return eigenvalue(s, precision); });
}

// lambda_1 - ell and p1 (1 - p1 + p2) - lambda_1: -g(e) and g(c) over a slope between.
Interval above_floor(const Instance& instance, Precision precision) {
  return scaled(instance, precision, [precision](const Spectrum& s) {
    Interval below(0.0, precision);
    if (s.tie || s.u.size() == 1) return below;
    const Interval y = eigenvalue(s, precision);
    if (!y.is_finite()) return y;
    for (std::size_t j = 1; j < s.u.size(); ++j) below += square(s.u[j]) / (s.floor * (s.floor - s.u[j]));
    return below / secular(s, hull(y, s.floor), precision).slope;
  });
}
Interval below_ceiling(const Instance& instance, Precision precision) {
  return scaled(instance, precision, [precision](const Spectrum& s) {
    const Interval one(1.0, precision);
    Interval above(0.0, precision);
    if (s.tie || s.alike) return above;
    const Interval y = eigenvalue(s, precision);
    if (!y.is_finite()) return y;
    for (std::size_t j = 1; j < s.u.size(); ++j)  // c - 1 = rest (p1 - p2)
      above += s.u[j] * (one - s.u[j]) / (s.rest * s.gap * (s.ceiling - s.u[j]));
    return above / secular(s, hull(y, s.ceiling), precision).slope;
  });
}
Interval below_half(const Instance& instance, Precision precision) {
  const Spectrum s = spectrum(instance, precision);
  const Interval half(0.5, precision), two(2.0, precision);
  return (square(s.gap) + square(s.p2) * (square(s.tail) + two * s.tail)) * half;
}

bool tie(const Instance& instance) {
  const auto [first, second] = two_largest(instance.logits);
  return instance.logits[first] == instance.logits[second];
}
bool is_floor(const Instance& instance) { return tie(instance) || instance.length == 2; }
bool is_ceiling(const Instance& instance) { return tie(instance) || sides::one_logit_above_equal_others(instance); }
bool is_half(const Instance& instance) { return tie(instance) && instance.length == 2; }

}  // namespace

Claim softmax_spectral_bounds() {
  return {.statement =
              {.source = "corrected Lemma 2, softmax, spectral norm",
               .section = "8",
               .text = "The largest eigenvalue of diag p - p p^T lies between ell(p1, p2) and p1 (1 - p1 + p2) <= 1/2.",
               .proof = "x is an eigenvalue where sum p_j^2/(p_j - x) = 1, which for sum p = 1 and x != 0 reads "
                        "sum p_j/(p_j - x) = 0. If p1 > p2 the largest one is the root in (p2, p1) of p1/(p1 - x) "
                        "= sum over j >= 2 of p_j/(x - p_j), where the left side grows and the right side falls; "
                        "if p1 = p2 it is p1. Writing x - p2 for every x - p_j, j >= 2, makes the right side "
                        "larger and its root p1 (1 - p1 + p2): the upper bound. Writing x for x - p_j, j >= 3, "
                        "makes it smaller, and the root is ell = (B + sqrt(B^2 - 4 p1 p2 t))/2 with t = 1 - p1 - "
                        "p2, B = 2 p1 p2 + t (p1 + p2): the lower bound. Finally 1/2 - p1 (1 - p1 + p2) = ((p1 - "
                        "p2)^2 + t^2 + 2 p2 t)/2 >= 0. Equality: above where all weights but the largest are "
                        "equal, below at L = 2, and in both at p1 = p2. The two bounds are within a factor of 4 - "
                        "2 sqrt 2.",
               .domain = "rational logits, L <= 24, T from 10^-30 to 10^30; captured rows at T = 1",
               .kind = Sided{.parts = {{.name = "floor",
                                        .left = "ell",
                                        .right = "lambda",
                                        .lhs = floor,
                                        .rhs = lambda,
                                        .slack = above_floor,
                                        .attained = is_floor},
                                       {.name = "ceiling",
                                        .left = "lambda",
                                        .right = "U",
                                        .lhs = lambda,
                                        .rhs = ceiling,
                                        .slack = below_ceiling,
                                        .attained = is_ceiling},
                                       {.name = "half",
                                        .left = "U",
                                        .right = "1/2",
                                        .lhs = ceiling,
                                        .rhs = sides::constant<1, 2>,
                                        .slack = below_half,
                                        .attained = is_half}},
                             .hypotheses = {hypotheses::positive_temperature, hypotheses::at_least_two_tokens},
                             .attained_is_cheap = true,
                             .generate = logit_row,
                             .real = RealRows::logits,
                             .proved =
                                 Proved{"all weights, 2 <= L <= 5; p1 (1 - p1 + p2) <= 1/2 for all L", "permutation"}}},
          .expected = Expected::proved};
}

}  // namespace attncert

// ell(p1, p2) <= lambda_1(diag p - p p^T) <= p1 (1 - p1 + p2) <= 1/2 (docs/specification.md#largest-eigenvalue), as
// quotients: the largest of ell/lambda_1, lambda_1/(p1 (1 - p1 + p2)) and 2 p1 (1 - p1 + p2) is at most 1.
// Everything is in units of p2, which may lie far below every exponent: u_j = p_j/p2 = exp((l_j - l_2)/T), and y = x/p2
// solves g(y) = p1/(p1 - p2 y) - sum_{j>=2} u_j/(y - u_j) = 0. lambda_1 is enclosed by certified signs of g alone: its
// two bounds play no part in that. Next to equality the slack decides, by the identities of the proof:
//   g(c) = sum_{j>=3} u_j (1-u_j)/((c-1)(c-u_j))  at c = p1 (1-p1+p2)/p2,   -g(e) = sum_{j>=3} u_j^2/(e (e-u_j))  at
//   e = ell/p2,   1 - 2 c p2 = (p1-p2)^2 + t^2 + 2 p2 t, t = 1-p1-p2, each over the slope g' for a difference of roots.
// At p1 = p2 = p there is no root between: lambda_1 = p, and ell = p1 (1-p1+p2) = p as well. Where all weights but the
// largest are equal lambda_1 = p1 (1-p1+p2), and g has no third term to find that root by.
#include "properties/claims/catalogue/sides/certain.hpp"
#include "properties/claims/catalogue/sides/cover.hpp"
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

Interval lhs(const Instance& instance, Precision precision) {
  const Spectrum s = spectrum(instance, precision);
  const Interval y = eigenvalue(s, precision);
  return max(max(s.floor / y, y / s.ceiling), Interval(2.0, precision) * s.ceiling * s.p2);
}

Interval slack(const Instance& instance, Precision precision) {
  const Spectrum s = spectrum(instance, precision);
  const Interval y = eigenvalue(s, precision), one(1.0, precision), two(2.0, precision), zero(0.0, precision);
  const Interval half = square(s.gap) + square(s.p2) * (square(s.tail) + two * s.tail);
  if (s.tie) return min(half, zero);
  if (!y.is_finite()) return y;
  Interval above = zero, below = zero;  // g(c), -g(e)
  for (std::size_t j = 1; j < s.u.size(); ++j) {
    const Interval& u = s.u[j];
    above += u * (one - u) / (s.rest * s.gap * (s.ceiling - u));  // c - 1 = rest (p1 - p2)
    below += square(u) / (s.floor * (s.floor - u));
  }
  const Interval upper = s.alike ? zero : above / secular(s, hull(y, s.ceiling), precision).slope / s.ceiling;
  const Interval lower = s.u.size() == 1 ? zero : below / secular(s, hull(y, s.floor), precision).slope / y;
  return min(min(upper, lower), half);
}

// Floor: two tokens, or p1 = p2. Ceiling: equal logits but the largest, or p1 = p2. That is one quotient of three.
bool attained(const Instance& instance) {
  const auto [first, second] = two_largest(instance.logits);
  const bool one_is_equal =
      instance.logits[first] == instance.logits[second] || sides::one_logit_above_equal_others(instance);
  return one_is_equal && sides::certainly_not_negative(slack, instance);
}

constexpr std::size_t longest_covered = 5;

// lambda_1 <= U = p1 (1 - p1 + p2): det(z I - diag p + p p^T)/z = sum_i p_i prod_{j != i} (z - p_j) is >= 0 at z = U +
// x for all x in [0, 1]. Where p1 > p2 lambda_1 is a simple root and at most 1, and the sign would change there; the
// rest are limits.
sides::Quotient ceiling(std::size_t length, sides::Point x) {
  const auto p = sides::ordered_weights(length, x);
  const sides::Quotient z = p[0] * (1 - p[0] + p[1]) + x[length - 1];
  sides::Quotient sum = 0;
  for (std::size_t i = 0; i < length; ++i) {
    sides::Quotient product = p[i];
    for (std::size_t j = 0; j < length; ++j)
      if (j != i) product = product * (z - p[j]);
    sum = sum + product;
  }
  return sum;
}

// ell <= lambda_1: with p_3, p_4, ... as one sum t at 0 the secular function g is not smaller anywhere in (p2, p1), so
// that its root ell is not larger: sum_{j>=3} p_j/(z - p_j) - t/z >= 0 at z = p2 + (p1 - p2) x.
sides::Quotient floor(std::size_t length, sides::Point x) {
  const auto p = sides::ordered_weights(length, x);
  const sides::Quotient z = p[1] + (p[0] - p[1]) * x[length - 1];
  sides::Quotient sum = 0;
  for (std::size_t j = 2; j < length; ++j) sum = sum + p[j] / (z - p[j]) - p[j] / z;
  return sum;
}

// p1 (1 - p1 + p2) <= 1/2 where p2 = p1 x[1] and p1 + p2 = x[0] <= 1
sides::Quotient half(sides::Point x) {
  const sides::Quotient p1 = x[0] / (1 + x[1]);
  return ratio(1, 2) - p1 * (1 - p1 + p1 * x[1]);
}

std::vector<CoverPiece> pieces() {
  std::vector<CoverPiece> all{{.name = "half", .coordinates = 2, .slack = half}};
  for (std::size_t length = 2; length <= longest_covered; ++length) {
    const auto of = [length](auto side) { return [length, side](sides::Point x) { return side(length, x); }; };
    const std::string at = " L=" + std::to_string(length);
    all.push_back({.name = "ceiling" + at, .coordinates = length, .slack = of(ceiling)});
    all.push_back({.name = "floor" + at, .coordinates = length, .slack = of(floor)});
  }
  return all;
}

}  // namespace

Claim softmax_spectral_bounds() {
  return {
      .statement = {.source = "corrected Lemma 2, softmax, spectral norm",
                    .section = "8",
                    .text = "The two largest weights enclose the largest eigenvalue of diag p - p p^T between "
                            "ell(p1, p2) and p1 (1 - p1 + p2), which is at most 1/2.",
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
                    .kind = Sided{.left = "max{ ell/lambda_1, lambda_1/(p1 (1-p1+p2)), 2 p1 (1-p1+p2) }",
                                  .right = "1",
                                  .hypotheses = {hypotheses::positive_temperature, hypotheses::at_least_two_tokens},
                                  .lhs = lhs,
                                  .rhs = sides::constant<1>,
                                  .slack = slack,
                                  .attained = attained,
                                  .attained_is_cheap = true,
                                  .generate = logit_row,
                                  .real = RealRows::logits,
                                  .cover = Cover{"all weights, 2 <= L <= 5; p1 (1 - p1 + p2) <= 1/2 for all L",
                                                 {"permutation"},
                                                 pieces}}},
      .expected = Expected::proved};
}

}  // namespace attncert

// Log-softmax: ||f(l) - f(l')||_p <= K_p ||l - l'||_p / T with K_1 = max(1, L-1), K_2 = sqrt(L), K_inf = 2; L >= 2
// (docs/specification.md#log-softmax). f(l) - f(l') = (h - m)/T, m = T (lse(l/T) - lse(l'/T)) between the ends of h.
// One-hot rows come nearer to the constants than any precision shows; the slack is a sum that has no negative term
// there. With m = (1-theta) min h + theta max h:
//   inf: 2 H - (max h - m) = (H - max h) + (m - min h) + (H + min h), H = ||h||_inf, and the same at the other end;
//   2: at m = h_k: L ||h||^2 - ||h - m||^2 = ((L-1) sum' h_i^2 - (sum' h_i)^2) + (sum h_i)^2, sum' without k;
//      convexity in m adds L theta (1-theta) (max h - min h)^2 to the mean of both ends;
//   1: (L-1) ||h|| - ||h - m|| from the nearer end h_k: (L-1) ||h|| - ||h - h_k|| exactly, plus (L - 2z) |m - h_k| with
//      z steps at that end, less 2 (|m - h_k| - |h_i - h_k|)+ of the others, which is 0 near the end.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"
#include "reference/normalizers/log_softmax.hpp"

namespace attncert {
namespace {

sides::Values values(const Instance& instance, const sides::Logits& logits, Precision precision) {
  return reference::log_softmax(logits, *instance.temperature, precision);
}

// The two rows' step h, its norms and ends.
struct Step {
  std::vector<Rational> h;
  Rational one, squared_two, infinity;  // ||h|| in l_1, squared in l_2, in l_inf
  Rational total, least, most;
};

Step step(const Instance& instance) {
  Step s;
  s.h = difference(instance.logits, instance.other_logits);
  s.squared_two = sum_of_squares(s.h);
  for (const Rational& entry : s.h) {
    s.one += abs(entry);
    s.infinity = std::max<Rational>(s.infinity, abs(entry));
  }
  s.total = sum(s.h);
  s.least = *std::min_element(s.h.begin(), s.h.end());
  s.most = *std::max_element(s.h.begin(), s.h.end());
  return s;
}

// T (lse((l + rise)/T) - lse(l/T)) for rise >= 0, which is m - min h for l' and h - min h, and max h - m for l and max
// h - h. A small one is -T log(1 - share), share the part of the mass that the rise added: no term of it is negative.
Interval rise_of_lse(const std::vector<Rational>& row, const std::vector<Rational>& rise, const Rational& t,
                     Precision precision) {
  Rational top = row[0] + rise[0], old_top = row[0];
  for (std::size_t i = 0; i < row.size(); ++i) {
    top = std::max<Rational>(top, row[i] + rise[i]);
    old_top = std::max(old_top, row[i]);
  }
  const Interval zero(0.0, precision), temperature(t, precision);
  Interval added = zero, total = zero, old_total = zero;  // in units of exp(top/T), and of exp(old_top/T)
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Interval term = exp(Interval(Rational((row[i] + rise[i] - top) / t), precision));
    added -= term * expm1(Interval(Rational(-rise[i] / t), precision));
    total += term;
    old_total += exp(Interval(Rational((row[i] - old_top) / t), precision));
  }
  const Interval share = added / total;
  if (less(share, Interval(0.5, precision)) == Truth::yes) return max(zero, -(temperature * log1p(-share)));
  return max(zero, Interval(Rational(top - old_top), precision) + temperature * (log(total) - log(old_total)));
}

Rational squared_gap_at(const Step& s, const Rational& end) {  // L ||h||^2 - ||h - end||^2
  const auto others = static_cast<unsigned long>(s.h.size() - 1);
  const Rational rest = s.total - end;
  return others * (s.squared_two - end * end) - rest * rest + s.total * s.total;
}

// (L-1) ||h||_1 - sum |from_i - x|, where from_i >= 0 is how far h_i is from one end and x how far m is: |from_i - x| =
// from_i - x + 2 (x - from_i)+, and at the end itself (x - from_i)+ = x.
Interval gap_of_sums(const Rational& one, const std::vector<Rational>& from, const Interval& x, Precision precision) {
  const Interval zero(0.0, precision);
  Rational at_end = one * static_cast<unsigned long>(from.size() - 1);
  long times = static_cast<long>(from.size());
  Interval passed = zero;
  for (const Rational& entry : from) {
    at_end -= entry;
    if (sgn(entry) == 0) times -= 2;
    else passed += max(x - Interval(entry, precision), zero);
  }
  return Interval(at_end, precision) + Interval(Rational(times), precision) * x - (passed + passed);
}

// Where m is: m - min h, max h - m and the steps from either end.
struct Middle {
  std::vector<Rational> up, down;  // h - min h and max h - h
  Interval left, right;            // m - min h, max h - m
};

Middle middle_of(const Instance& instance, Precision precision) {
  const Step& s = instance.once<step>();
  std::vector<Rational> up, down;
  for (const Rational& entry : s.h) {
    up.push_back(entry - s.least);
    down.push_back(s.most - entry);
  }
  Interval left = rise_of_lse(instance.other_logits, up, *instance.temperature, precision);
  Interval right = rise_of_lse(instance.logits, down, *instance.temperature, precision);
  return {std::move(up), std::move(down), std::move(left), std::move(right)};
}

// The slacks of the three parts, times T.
Interval slack_of_one(const Instance& instance, Precision precision) {
  const Step& s = instance.once<step>();
  const Middle& m = instance.once<middle_of>(precision);
  return less(m.left, m.right) == Truth::yes ? gap_of_sums(s.one, m.up, m.left, precision)
                                             : gap_of_sums(s.one, m.down, m.right, precision);
}

Interval slack_of_two(const Instance& instance, Precision precision) {
  const Step& s = instance.once<step>();
  const Middle& m = instance.once<middle_of>(precision);
  const auto length = static_cast<unsigned long>(instance.length);
  const Rational span = s.most - s.least;
  const Interval range(span, precision), theta = m.left / range, rest = m.right / range;
  const Interval squared = rest * Interval(squared_gap_at(s, s.least), precision) +
                           theta * Interval(squared_gap_at(s, s.most), precision) +
                           Interval(Rational(length * span * span), precision) * theta * rest;
  const Interval most = sqrt(Interval(Rational(length * s.squared_two), precision));
  const Interval moved = sides::change_norm<values>(instance, sides::Exponent::two, precision);
  return squared / (most + moved * Interval(*instance.temperature, precision));
}

Interval slack_of_infinity(const Instance& instance, Precision precision) {
  const Step& s = instance.once<step>();
  const Middle& m = instance.once<middle_of>(precision);
  const Interval above(Rational(s.infinity - s.most), precision), below(Rational(s.infinity + s.least), precision);
  return min(above + m.left + below, below + m.right + above);
}

// Two tokens: ||h - m||_1 = |h_1 - h_2| is ||h||_1 where the steps have no common sign.
bool attained(const Instance& instance) {
  const Step& s = instance.once<step>();
  return instance.length == 2 && sgn(s.least) <= 0 && sgn(s.most) >= 0;
}

using Number = Rational (*)(std::size_t length);

// K_p/T by the square of K_p, and the slack; where both rows are one step apart in every logit it is never asked.
Part part(sides::Exponent p, std::string_view text, Number squared_constant, Side slack) {
  Part result = sides::lipschitz_part<values>(
      p, {text, [squared_constant](const Instance& instance, Precision precision) {
            const Interval constant = sqrt(Interval(squared_constant(instance.length), precision));
            return constant / Interval(*instance.temperature, precision);
          }});
  result.slack = [slack](const Instance& instance, Precision precision) {
    const Step& s = instance.once<step>();
    if (s.least == s.most) return Interval::whole_line(precision);
    return slack(instance, precision) / Interval(*instance.temperature, precision);
  };
  return result;
}

std::vector<Part> parts() {
  using sides::Exponent;
  std::vector<Part> all = {
      part(
          Exponent::one, "max(1, L-1)/T", [](std::size_t L) { return Rational((L - 1) * (L - 1)); }, slack_of_one),
      part(
          Exponent::two, "sqrt(L)/T", [](std::size_t L) { return Rational(L); }, slack_of_two),
      part(
          Exponent::infinity, "2/T", [](std::size_t) { return Rational(4); }, slack_of_infinity)};
  all.front().attained = attained;
  return all;
}

}  // namespace

Claim lipschitz_log_softmax() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text = "Log-softmax at temperature T has the Lipschitz constants max(1, L-1)/T in l_1, sqrt(L)/T "
                            "in l_2 and 2/T in l_inf.",
                    .proof = "The difference of two rows is (h - m)/T with one number m between the smallest and the "
                             "largest step. Each norm of h - m is convex in m, so that one of the two ends has the "
                             "largest, and there |h_i - h_k| <= |h_i| + |h_k| gives l_1 and l_inf, and the squares, by "
                             "Cauchy's inequality, L ||h||^2. One-hot rows come as near as one likes.",
                    .domain = "pairs of rational rows, 2 <= L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = parts(),
                                  .hypotheses = sides::pair_hypotheses({hypotheses::at_least_two_tokens}),
                                  .generate = logit_pair,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::pair({ratio(1, 2), ratio(-1, 2)}, {ratio(-1, 2), ratio(1, 2)}),
                                            known::around({1000, 0, 0}, {1, 0, 0}, 1),
                                            known::around({1000, 0, 0}, {2, -1, -1}, 1),
                                            known::around({1000, 0, 0}, {1, -1, -1}, 1),
                                            known::around(known::repeated(1000, 0, 48), known::repeated(1, 0, 48), 1),
                                            known::around(known::repeated(1000, 0, 48), known::repeated(47, -1, 48),
                                                          1)};
                                      }}},
      .expected = Expected::supported};
}

}  // namespace attncert

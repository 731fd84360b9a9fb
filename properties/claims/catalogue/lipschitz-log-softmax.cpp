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
  sides::ExactNorms size;
  Rational total, least, most;
};

Step step(const Instance& instance) {
  Step s;
  s.h = difference(instance.logits, instance.other_logits);
  s.size = sides::norms(s.h);
  s.total = sum(s.h);
  s.least = *std::min_element(s.h.begin(), s.h.end());
  s.most = *std::max_element(s.h.begin(), s.h.end());
  return s;
}

Interval lhs(const Instance& instance, Precision precision) {
  const sides::Stretch by = sides::stretch(instance, values, precision);
  const auto length = static_cast<unsigned long>(instance.length);
  const Interval all(Rational(length), precision), others(Rational(length - 1), precision), two(2.0, precision);
  return max(max(by.one / others, by.two / sqrt(all)), by.infinity / two) * Interval(*instance.temperature, precision);
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
  return others * (s.size.squared_two - end * end) - rest * rest + s.total * s.total;
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

Interval slack(const Instance& instance, Precision precision) {
  const Step s = step(instance);
  const auto as_interval = [&](const Rational& value) { return Interval(value, precision); };
  const auto length = static_cast<unsigned long>(instance.length);
  std::vector<Rational> up, down;  // h - min h and max h - h
  for (const Rational& entry : s.h) {
    up.push_back(entry - s.least);
    down.push_back(s.most - entry);
  }
  const Interval left = rise_of_lse(instance.other_logits, up, *instance.temperature, precision);  // m - min h
  const Interval right = rise_of_lse(instance.logits, down, *instance.temperature, precision);     // max h - m
  const Rational span = s.most - s.least;
  const Interval reach = as_interval(s.size.infinity);
  const Interval above = as_interval(s.size.infinity - s.most), below = as_interval(s.size.infinity + s.least);
  const Interval high = above + left + below, low = below + right + above;
  Interval gap = min(high, low) / (reach + reach);
  const Interval one(1.0, precision);
  if (sgn(span) == 0) return one - lhs(instance, precision);  // both rows are one: never asked
  const Interval theta = left / as_interval(span), rest = right / as_interval(span);
  const Interval squared = rest * as_interval(squared_gap_at(s, s.least)) +
                           theta * as_interval(squared_gap_at(s, s.most)) +
                           as_interval(length * span * span) * theta * rest;
  const sides::Stretch by = sides::stretch(instance, values, precision);
  const Interval temperature = as_interval(*instance.temperature);
  const Interval root = by.two * temperature / sqrt(as_interval(length));  // the quotient of l_2
  gap = min(gap, squared / as_interval(length * s.size.squared_two) / (one + root));
  const Interval absolute = less(left, right) == Truth::yes ? gap_of_sums(s.size.one, up, left, precision)
                                                            : gap_of_sums(s.size.one, down, right, precision);
  return min(gap, absolute / as_interval(s.size.one * (length - 1)));
}

// Two tokens: ||h - m||_1 = |h_1 - h_2| is ||h||_1 where the steps have no common sign.
bool attained(const Instance& instance) {
  const Step s = step(instance);
  return instance.length == 2 && sgn(s.least) <= 0 && sgn(s.most) >= 0;
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
                    .kind = Sided{.left = "max over p in {1, 2, inf} of T ||f(l) - f(l')||_p / (K_p ||l - l'||_p)",
                                  .right = "1; K_1 = max(1, L-1), K_2 = sqrt(L), K_inf = 2",
                                  .hypotheses = sides::pair_hypotheses({hypotheses::at_least_two_tokens}),
                                  .lhs = lhs,
                                  .rhs = sides::constant<1>,
                                  .slack = slack,
                                  .attained = attained,
                                  .generate = logit_pair}},
      .expected = Expected::supported};
}

}  // namespace attncert

#include "properties/claims/catalogue/sides/entmax.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "properties/claims/instances/rationals.hpp"

namespace attncert::sides {
namespace {

Power power_of(const Rational& alpha) {
  const Rational below = alpha - 1;
  return {below.get_den().get_si(), below.get_num().get_ui()};
}

// d_j = (alpha-1) (max z - z_j) / T
std::vector<Rational> depths(const Rational& alpha, const Logits& logits, const Rational& temperature) {
  const Rational top = *std::max_element(logits.begin(), logits.end()), unit = (alpha - 1) / temperature;
  std::vector<Rational> result;
  for (const Rational& logit : logits) result.push_back((top - logit) * unit);
  return result;
}

// One step of Newton's method on intervals: every root in t is in the result, which need not lie in t. The slope is
// positive: the largest logit has depth 0 and t > 0.
Interval newton(const Depths& depths, const Power& power, const Interval& t, Precision precision) {
  const Interval at = middle(t), zero(0.0, precision);
  Interval mass(-1.0, precision), slope = zero;
  for (const auto& [d, count] : depths) {
    if (less(zero, at - d) != Truth::no) mass += count * power(max(at - d, zero));
    if (less(zero, t - d) != Truth::no) slope += count * power.slope(max(t - d, zero), precision);
  }
  return at - mass / slope;
}

bool inside(const Interval& inner, const Interval& outer) {
  return inner.is_finite() && outer.lower_exact() < inner.lower_exact() && inner.upper_exact() < outer.upper_exact();
}

Interval tokens(const Depths& depths) {
  Interval total(0.0, depths.front().count.precision());
  for (const Depth& entry : depths) total += entry.count;
  return total;
}

Rational width(const Interval& t) { return t.upper_exact() - t.lower_exact(); }

// A step that maps an interval into itself shows that the root is there. Elsewhere [1/L, 1] has it: L t^beta >= 1 >=
// t^beta.
Interval threshold(const Depths& depths, const Power& power, Precision precision) {
  const Interval one(1.0, precision), guess(guessed_threshold(depths, power), precision);
  const Interval around(power_of_two(-36), precision);
  Interval t = Interval::between(guess * (one - around), guess * (one + around));
  if (const Interval next = newton(depths, power, t, precision); inside(next, t)) t = next;
  else t = Interval::between(one / tokens(depths), one);
  while (true) {  // halves the width at least, until rounding stops it
    const Interval next = newton(depths, power, t, precision);
    if (!next.is_finite()) return t;
    const Rational low = std::max(t.lower_exact(), next.lower_exact());
    const Rational high = std::min(t.upper_exact(), next.upper_exact());
    const Interval both = Interval::between(Interval(low, precision), Interval(high, precision));
    if (width(both) * 4 >= width(t) * 3) return both;
    t = both;
  }
}

Interval two(std::size_t k, Precision precision) {
  const Interval one(1.0, precision);
  const Interval v = one / pow(Interval(Rational(static_cast<unsigned long>(k - 1)), precision), 1, 3);
  return (one - v + square(v)) / sqrt(one + v);
}

}  // namespace

Interval Power::slope(const Interval& x, Precision precision) const {
  const long rest = run - static_cast<long>(rise);
  const Interval beta(ratio(run, rise), precision);
  return rest == 0 ? beta : beta * pow(x, rest, rise);
}

double guessed_threshold(const Depths& depths, const Power& power) {
  const double beta = static_cast<double>(power.run) / static_cast<double>(power.rise);
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double t = (low + high) / 2;
    double total = 0;
    for (const auto& [depth, count] : depths) {
      const double d = depth.midpoint();
      total += d < t ? count.midpoint() * std::pow(t - d, beta) : 0.0;
    }
    (total > 1 ? high : low) = t;
  }
  return high;
}

Depths enclosed(const std::map<Rational, unsigned long>& counted, Precision precision) {
  Depths result;
  for (const auto& [depth, count] : counted)
    result.push_back({Interval(depth, precision), Interval(Rational(count), precision)});
  return result;
}

Values entmax(const Rational& alpha, const Logits& logits, const Rational& temperature, Precision precision) {
  const Power power = power_of(alpha);
  const std::vector<Rational> exact = depths(alpha, logits, temperature);
  std::map<Rational, unsigned long> counted;
  for (const Rational& d : exact)
    if (d < 1) ++counted[d];
  const Interval one(1.0, precision), zero(0.0, precision);
  const bool one_hot = counted.size() == 1 && counted.begin()->second == 1;
  const Interval t = one_hot ? one : threshold(enclosed(counted, precision), power, precision);
  std::map<Rational, Interval> weights;
  for (const auto& [d, count] : counted) weights.emplace(d, power(max(t - Interval(d, precision), zero)));
  Values result;
  for (const Rational& d : exact) result.push_back(d < 1 ? weights.at(d) : zero);
  return result;
}

// With depths d_j in units of z/(2T), a token of depth D has weight iff the sum of (D - d_j)^2 over the smaller ones is
// below 1. On the support of k tokens, k t^2 - 2 S1 t + S2 = 1.
Values entmax_three_halves(const Instance& instance, const Logits& logits, Precision precision) {
  const std::vector<Rational> depth = depths(ratio(3, 2), logits, *instance.temperature);
  std::map<Rational, unsigned long> counted;
  for (const Rational& d : depth) ++counted[d];
  Rational count = 0, sum = 0, squares = 0;  // over the support
  std::optional<Rational> deepest;           // of it
  for (const auto& [d, times] : counted) {
    if (count * d * d - 2 * sum * d + squares >= 1) break;
    deepest = d;
    count += times;
    sum += times * d;
    squares += times * d * d;
  }
  const Rational radicand = sum * sum - count * (squares - 1);
  const Interval root = sqrt(Interval(radicand, precision)), zero(0.0, precision), all(count, precision);
  std::map<Rational, Interval> weights;
  for (const auto& [d, times] : counted)
    weights.emplace(d, d <= *deepest ? square((Interval(Rational(sum - count * d), precision) + root) / all) : zero);
  Values result;
  for (const Rational& d : depth) result.push_back(weights.at(d));
  return result;
}

Interval three_halves_constant(std::size_t length, Precision precision) {
  ATTNCERT_ASSERT(length >= 2);
  return max(two(2, precision), two(length, precision));
}

}  // namespace attncert::sides

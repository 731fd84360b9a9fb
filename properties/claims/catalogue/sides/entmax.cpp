#include "properties/claims/catalogue/sides/entmax.hpp"

#include <algorithm>
#include <cmath>

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
Interval newton(const Values& depth, const Power& power, const Interval& t, Precision precision) {
  const Interval at = middle(t), zero(0.0, precision);
  Interval mass(-1.0, precision), slope = zero;
  for (const Interval& d : depth) {
    if (less(zero, at - d) != Truth::no) mass += power(max(at - d, zero));
    if (less(zero, t - d) != Truth::no) slope += power.slope(max(t - d, zero), precision);
  }
  return at - mass / slope;
}

bool inside(const Interval& inner, const Interval& outer) {
  return inner.is_finite() && outer.lower_exact() < inner.lower_exact() && inner.upper_exact() < outer.upper_exact();
}

Rational width(const Interval& t) { return t.upper_exact() - t.lower_exact(); }

// A step that maps an interval into itself shows that the root is there. Elsewhere [1/L, 1] has it: L t^beta >= 1 >=
// t^beta.
Interval threshold(const Values& depth, const Power& power, Precision precision) {
  const Interval one(1.0, precision), guess(guessed_threshold(depth, power), precision);
  const Interval around(power_of_two(-36), precision);
  Interval t = Interval::between(guess * (one - around), guess * (one + around));
  if (const Interval next = newton(depth, power, t, precision); inside(next, t)) t = next;
  else t = Interval::between(Interval(ratio(1, depth.size()), precision), one);
  while (true) {  // halves the width at least, until rounding stops it
    const Interval next = newton(depth, power, t, precision);
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

double guessed_threshold(const Values& depth, const Power& power) {
  std::vector<double> d;
  for (const Interval& entry : depth) d.push_back(entry.midpoint());
  const double beta = static_cast<double>(power.run) / static_cast<double>(power.rise);
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double t = (low + high) / 2;
    double total = 0;
    for (const double entry : d) total += entry < t ? std::pow(t - entry, beta) : 0.0;
    (total > 1 ? high : low) = t;
  }
  return high;
}

Values entmax(const Rational& alpha, const Logits& logits, const Rational& temperature, Precision precision) {
  const Power power = power_of(alpha);
  const std::vector<Rational> exact = depths(alpha, logits, temperature);
  Values depth;
  for (const Rational& d : exact)
    if (d < 1) depth.emplace_back(d, precision);
  const Interval zero(0.0, precision);
  const Interval t = depth.size() == 1 ? Interval(1.0, precision) : threshold(depth, power, precision);
  Values result;
  for (const Rational& d : exact) result.push_back(d < 1 ? power(max(t - Interval(d, precision), zero)) : zero);
  return result;
}

// With depths d_j in units of z/(2T), a token of depth D has weight iff the sum of (D - d_j)^2 over the smaller ones is
// below 1. On the support of k tokens, k t^2 - 2 S1 t + S2 = 1.
Values entmax_three_halves(const Instance& instance, const Logits& logits, Precision precision) {
  const std::vector<Rational> depth = depths(ratio(3, 2), logits, *instance.temperature);
  const auto supported = [&](const Rational& own) {
    Rational total = 0;
    for (const Rational& d : depth)
      if (d < own) total += (own - d) * (own - d);
    return total < 1;
  };
  Rational count = 0, sum = 0, squares = 0;
  for (const Rational& d : depth) {
    if (d >= 1 || !supported(d)) continue;
    count += 1;
    sum += d;
    squares += d * d;
  }
  const Rational radicand = sum * sum - count * (squares - 1);
  const Interval root = sqrt(Interval(radicand, precision)), zero(0.0, precision), all(count, precision);
  Values result;
  for (const Rational& d : depth) {
    const bool weighs = d < 1 && supported(d);
    result.push_back(weighs ? square((Interval(Rational(sum - count * d), precision) + root) / all) : zero);
  }
  return result;
}

Interval three_halves_constant(std::size_t length, Precision precision) {
  ATTNCERT_ASSERT(length >= 2);
  return max(two(2, precision), two(length, precision));
}

}  // namespace attncert::sides

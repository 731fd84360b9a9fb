#include "reference/bounds/softmax_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace attncert::reference {
namespace {

// The sign of g at a point x that lies in (p2, p1) with certainty; unknown when it does not or g straddles 0.
Truth certainly_right_of_root(std::span<const Interval> weights, std::size_t first, const Interval& x,
                              Precision precision) {
  Interval left(0.0, precision);
  const Interval zero(0.0, precision);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (j == first) continue;
    const Interval gap = x - weights[j];
    if (less(zero, gap) != Truth::yes) return Truth::unknown;
    left += weights[j] / gap;
  }
  const Interval gap = weights[first] - x;
  if (less(zero, gap) != Truth::yes) return Truth::unknown;
  return less(left, weights[first] / gap);
}

// A guess at the root of g in (low, high), to about the working precision: Newton, or a bisection where Newton leaves
// the bracket. Points only; a guess decides nothing, the signs of g beside it do.
Interval guessed_root(std::span<const Interval> weights, Interval low, Interval high, Precision precision) {
  const Interval half(0.5, precision);
  Interval x = middle((low + high) * half);
  for (int step = 0; step < 64; ++step) {
    Interval g(0.0, precision), slope(0.0, precision);
    for (const Interval& p : weights) {
      const Interval gap = middle(p) - x;
      const Interval term = middle(p) / gap;  // p1/(p1 - x) and -p_j/(x - p_j) are one expression
      g += term;
      slope += term / gap;
    }
    g = middle(g);
    (less(Interval(0.0, precision), g) == Truth::yes ? high : low) = x;
    Interval next = middle(x - g / middle(slope));
    // Converged: asked before the bracket, whose ends are by then as near as rounding.
    const double size = std::abs(x.midpoint());  // 0 where a double does not reach so far down
    if (size > 0 && std::abs((next - x).midpoint()) <= size * std::ldexp(1.0, 6 - precision.bits)) return next;
    if (less(low, next) != Truth::yes || less(next, high) != Truth::yes) next = middle((low + high) * half);
    x = next;
  }
  return x;
}

}  // namespace

TopWeights top_weights(std::span<const Interval> weights, std::size_t first, std::size_t second, Precision precision) {
  const Interval zero(0.0, precision);
  TopWeights top{first, weights[first], second == first ? zero : weights[second], zero, zero};
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (j != first && j != second) top.tail += weights[j];
  top.rest = top.tail + top.p2;
  return top;
}

Interval two_weight_floor(const TopWeights& top, Precision precision) {
  const Interval two(2.0, precision), four(4.0, precision);
  const Interval b = two * top.p1 * top.p2 + top.tail * (top.p1 + top.p2);
  const Interval discriminant = max(square(b) - four * top.p1 * top.p2 * top.tail, Interval(0.0, precision));
  return (b + sqrt(discriminant)) / two;
}

Interval largest_eigenvalue(std::span<const Interval> weights, const TopWeights& top, std::size_t second,
                            Precision precision) {
  if (weights.size() == 1) return Interval(0.0, precision);
  // Between the two largest weights, by interlacing, and at most the trace, as no eigenvalue is negative. Sharper
  // bounds may guide the guess, which decides nothing, and no more: claims about them are judged by this enclosure.
  const Interval one(1.0, precision), margin(0x1p-10, precision);
  Interval trace(0.0, precision);
  for (const Interval& p : weights) trace += p * (one - p);
  const Interval cap = min(top.p1, trace);
  if (second == top.first || less(top.p2, top.p1) != Truth::yes) return Interval::between(top.p2, cap);
  // The guess's bracket has a ratio of at most 1.172; a little wider, so that rounding leaves the root inside.
  const Interval floor = two_weight_floor(top, precision), ceiling = top.p1 * (top.rest + top.p2);
  const Interval x = guessed_root(weights, middle(max(top.p2, floor * (one - margin))),
                                  middle(min(top.p1, ceiling * (one + margin))), precision);
  // Certify x (1 -+ 2^-k), the narrowest k that succeeds on each side.
  const auto certified = [&](double sign, Truth right_of_root, const Interval& otherwise) {
    for (const int k : {precision.bits - 12, precision.bits - 20, precision.bits / 2, 24, 12}) {
      const Interval beside = middle(x * (one + Interval(std::ldexp(sign, -std::min(k, 1000)), precision)));
      if (certainly_right_of_root(weights, top.first, beside, precision) == right_of_root) return beside;
    }
    return otherwise;
  };
  return Interval::between(max(top.p2, certified(-1, Truth::no, top.p2)), min(cap, certified(1, Truth::yes, cap)));
}

}  // namespace attncert::reference

// sparsemax, 1.5-entmax and entmax: x_i = (alpha - 1) (z_i - max z) / T, a threshold tau with sum (x_i - tau)^b = 1,
// b = 1 / (alpha - 1), and the powers. What the threshold may be off by moves every height, and the support with them.
#include <algorithm>
#include <cmath>
#include <functional>

#include "properties/conformance/budget_classes/row_terms.hpp"

namespace attncert::classes {
namespace {

constexpr Real beyond = 1e300L;  // what a power without bound next to a threshold counts as

Real alpha_of(std::string_view normalizer, const Row& row) {
  if (normalizer.starts_with("sparsemax")) return 2;
  if (normalizer.starts_with("entmax-1.5")) return 1.5;
  return static_cast<Real>(row.given.parameters.alpha_numerator) /
         static_cast<Real>(row.given.parameters.alpha_denominator);
}

Real power(Real base, Real exponent) {
  return base <= 0 ? 0 : exponent == 1 ? base : exponent == 2 ? base * base : std::pow(base, exponent);
}

// By Newton's rule, and halving where it leaves the bracket, or does not converge by itself (b < 1): the mass falls
// from at least 1 at -1 to at most 1 at -n^(1 - alpha), which may be 10^-200. x: descending.
Real threshold_of(const Reals& x, Real alpha) {
  const Real b = 1 / (alpha - 1);
  Real low = -1, high = -std::pow(static_cast<Real>(x.size()), 1 - alpha), at = low;
  for (int step = 0; step < 300 && low < high; ++step) {
    Real mass = 0, slope = 0;
    for (std::size_t i = 0; i < x.size() && x[i] > at; ++i) {
      const Real v = x[i] - at, p = power(v, b);
      mass += p;
      slope += b * p / v;
    }
    (mass >= 1 ? low : high) = at;
    Real next = at + (mass - 1) / slope;
    const bool halves = b < 1 && step % 3 == 2;
    if (halves || !(next > low && next < high)) next = -std::sqrt(low * high);
    if (std::abs(next - at) <= 0x1p-63L * std::abs(at)) return next;
    at = next;
  }
  return at;
}

struct Sums {  // over the support, v = x - tau
  Real count = 0, x = 0, squares = 0, v = 0, slope = 0, of_x = 0, of_squares = 0, of_mass = 0;
};

// How many of the logits, descending, lie within `reach` of the threshold on either side.
struct Near {
  Real above = 0, below = 0;
};
Near near(const Reals& x, Real tau, Real reach) {
  Near found;
  for (const Real one : x)
    if (std::abs(one - tau) <= reach) ++(one > tau ? found.above : found.below);
  return found;
}

// What sorting makes of an error `off` of its thresholds: a logit next to its threshold may be counted on either side.
// b = 1: m logits wrongly counted among the k others move the threshold by m / k of that error, and logits up to so far
// away can be counted wrongly. b = 2: by the squares of their distances, which are below `off`.
Real with_support(const Reals& x, Real tau, const Sums& s, Real b, Real off) {
  if (b == 2) {
    const Near wrong = near(x, tau, off);
    return off * (1 + std::min<Real>(1, (wrong.above + wrong.below) * off / (2 * s.v)));
  }
  for (Real factor = 1;;) {
    const Near wrong = near(x, tau, factor * off);
    const Real next = 1 + (wrong.above + wrong.below) / std::max<Real>(1, s.count - wrong.above);
    if (next <= factor) return factor * off;
    factor = next;
  }
}

// What a threshold may be off by, absolute. Of sorting: the sums that its closed form is made of. Of halving or
// Newton's rule: what the mass may be off by, over its slope; for b < 1, where the slope has no bound next to an entry,
// by what it is at least: b / |tau|, as no height exceeds |tau|.
Real threshold_error(const Reals& x, Real tau, const Sums& s, Real b, const Row& row, Real roundings) {
  const Real additions = row.additions(), u = row.arithmetic.u;
  const Real of_power = b == 1 ? 0 : b == 2 ? 1 : row.arithmetic.exponential_error();
  const Real of_sum = additions + of_power + b;
  if (b < 1) return std::abs(tau) * (grown(of_sum / b, u) + (roundings + 2) * u);
  const Real found = (s.of_mass + of_sum) / s.slope + 2 * std::abs(tau);
  Real closed = 0;
  if (b == 1) closed = (roundings + additions + 2) * std::abs(tau);
  if (b == 2)
    closed = (s.of_x + additions * s.x) / s.count + 3 * std::abs(tau) +
             ((3 * additions + 4) * s.squares + 4 * s.of_squares + 2) / (2 * s.v);
  return std::max(closed == 0 ? 0 : with_support(x, tau, s, b, u * closed), u * found);
}

}  // namespace

Heights heights_of(std::string_view normalizer, const Row& row) {
  const Real alpha = alpha_of(normalizer, row), b = 1 / (alpha - 1), u = row.arithmetic.u;
  const Real roundings = row.arithmetic.roundings_of_exponent(row.given.temperature) + (alpha == 2 ? 0 : 2);
  const auto x_of = [&](std::size_t i) { return (alpha - 1) * ((row.z(i) - row.largest) / row.t()); };
  Reals candidates;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.given.present(i) && x_of(i) > -1) candidates.push_back(x_of(i));
  std::sort(candidates.begin(), candidates.end(), std::greater<>());
  const Real tau = threshold_of(candidates, alpha);
  Sums s;
  for (const Real x : candidates) {
    const Real v = x - tau, slope = b == 1 ? 1 : power(v, b - 1), off = roundings * std::abs(x);
    if (v <= 0) break;
    s.count += 1;
    s.x += std::abs(x);
    s.squares += x * x;
    s.v += v;
    s.slope += b * slope;
    s.of_x += off;
    s.of_squares += off * std::abs(x);
    s.of_mass += b * slope * off;
  }
  const Real stated = row.arithmetic.threshold;
  // A height that underflows is all that is wrong where none is told from 0 (large alpha, ties).
  const bool told = s.count > 0;
  const Real of_threshold = (stated != 0 ? stated
                             : told      ? threshold_error(candidates, tau, s, b, row, roundings)
                                         : 0) +
                            row.arithmetic.smallest;
  Heights heights{Reals(row.length(), -1), Reals(row.length(), 0), b};
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.given.present(i)) continue;
    heights.value[i] = x_of(i) - tau;
    heights.error[i] = of_threshold + u * roundings * std::abs(x_of(i));
  }
  return heights;
}

Reals sparse(std::string_view normalizer, const Row& row) {
  const Heights heights = heights_of(normalizer, row);
  const Real b = heights.power, u = row.arithmetic.u;
  const Real of_power = b == 1 ? 0 : b == 2 ? 1 : row.arithmetic.exponential_error();
  Real all = 0;
  Reals off = at_present(row, [&](std::size_t i) -> Real {
    const Real v = heights.value[i], p = power(v, b), most = power(v + heights.error[i], b);
    if (most == 0) return 0;
    const Real least = power(v - heights.error[i], b);
    // For b < 1 an entry may weigh by a height that is below the last digit of x and of the threshold.
    const Real either_way = b < 1 ? most - least : std::max(most - p, p - least);
    return either_way + grown(of_power + b, u) * most + row.floor();
  });
  if (row.arithmetic.threshold == 0) return off;
  for (const Real one : off) all += one;  // the weights are divided by their sum
  const Real of_sum = grown((row.additions() + 2) + all / u, u);
  for (std::size_t i = 0; i < row.length(); ++i) off[i] += (power(heights.value[i], b) + off[i]) * of_sum;
  return off;
}

// s_i (g_i - sum s_j g_j / sum s_j) / T with s = (x - tau)^(b - 1): where a logit may lie on either side of the
// threshold, so may its s.
Reals sparse_derivative(std::string_view normalizer, const Row& row) {
  const Heights heights = heights_of(normalizer, row);
  const Real b = heights.power, u = row.arithmetic.u;
  const Real of_power = b == 1 ? 0 : b == 2 ? 1 : row.arithmetic.exponential_error() + std::abs(b - 1) + 1;
  const auto slope = [&](Real v) -> Real {
    if (b == 1) return v > 0 ? 1 : 0;
    return v > 0 ? std::pow(v, b - 1) : b < 1 && v == 0 ? beyond : 0;
  };
  Real sum = 0, sizes = 0;
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.given.present(i)) continue;
    sum += slope(heights.value[i]);
    sizes += slope(heights.value[i]) * std::abs(row.g(i));
  }
  if (sum == 0) return at_present(row, [](std::size_t) { return beyond; });  // no height is told from 0
  const Real mean = sizes / sum;                                             // of |g|
  const Reals off = at_present(row, [&](std::size_t i) -> Real {
    const Real v = heights.value[i], d = heights.error[i];
    if (v + d <= 0) return 0;
    if (b < 1 && v <= d) return beyond;  // it has no bound at the threshold
    const Real ends[] = {slope(std::max<Real>(v - d, 0)), slope(v + d)};
    return std::max(std::abs(ends[0] - slope(v)), std::abs(ends[1] - slope(v))) +
           of_power * u * std::max(ends[0], ends[1]);
  });
  Real of_mean = (2 * row.additions() + 2) * u * mean;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.given.present(i)) of_mean += off[i] * (std::abs(row.g(i)) + mean) / sum;
  return at_present(row, [&](std::size_t i) -> Real {
    if (heights.value[i] + heights.error[i] <= 0) return 0;
    const Real size = std::abs(row.g(i)) + mean, s = slope(heights.value[i]);
    return (off[i] * (size + of_mean) + (s + off[i]) * (of_mean + 4 * u * size)) / row.t() +
           (size / row.t() + 1) * row.floor();
  });
}

}  // namespace attncert::classes

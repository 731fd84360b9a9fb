#include "properties/conformance/faults/sparse_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "src/core/rational.hpp"

namespace attncert::plain {
namespace {

// Whether T + k z_k - (z_1 + ... + z_k) > 0. Decided in long double where rounding cannot matter, else exactly.
bool belongs(const Row& row, const std::vector<double>& sorted, std::size_t k, Real sum_below_top) {
  const Real top = static_cast<Real>(sorted[0]), own = static_cast<Real>(sorted[k - 1]) - top;
  const Real margin = row.t() + static_cast<Real>(k) * own - sum_below_top;
  const Real size = row.t() + static_cast<Real>(k) * std::abs(own) + std::abs(sum_below_top);
  // Each of the k differences, products and sums errs by 2^-64 of at most `size`.
  if (std::abs(margin) > std::ldexp(size, -62) * static_cast<Real>(k + 4)) return margin > 0;
  Rational exactly = exact(row.temperature);
  for (std::size_t j = 0; j < k; ++j) exactly += exact(sorted[k - 1]) - exact(sorted[j]);
  return exactly > 0;
}

Real nearest(const Rational& value) {  // GMP truncates to double; adding the remainder gives long double's precision
  const double most = approximate(value);
  return static_cast<Real>(most) + static_cast<Real>(approximate(value - exact(most)));
}

}  // namespace

std::vector<double> descending(const Row& row) {
  std::vector<double> sorted;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) sorted.push_back(row.logits[i]);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted;
}

std::size_t projected_support(const Row& row, const std::vector<double>& sorted) {
  Real below_top = 0;
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    below_top += static_cast<Real>(sorted[k - 1]) - static_cast<Real>(sorted[0]);
    if (!belongs(row, sorted, k, below_top)) return k - 1;
  }
  return sorted.size();
}

Reals sparsemax_weights(const Row& row, const Support& support) {
  const std::vector<double> sorted = descending(row);
  const std::size_t k = support(row, sorted);
  Rational exact_sum = -exact(row.temperature);
  Real sum = -row.t();
  const Real top = static_cast<Real>(sorted[0]), count = static_cast<Real>(k);
  for (std::size_t j = 0; j < k; ++j) {
    sum += static_cast<Real>(sorted[j]) - top;
    exact_sum += exact(sorted[j]);
  }
  Reals weights(row.length(), 0);
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.present(i)) continue;
    const Real weight = (count * (row.z(i) - top) - sum) / (count * row.t());
    // The error is at most 2^-63 k of the terms, which are at most 1 + k at a support entry. Weights that are not far
    // above it are computed exactly. Below -1/k no rounding makes a weight positive.
    if (weight < -1 / count) continue;
    const bool safe = row.dtype != ATTNCERT_F64 && weight > 0x1p-20L;
    const Real value = safe ? weight : nearest((exact(row.logits[i]) * k - exact_sum) / (exact(row.temperature) * k));
    weights[i] = std::max(value, Real{0});
  }
  return weights;
}

RowFunction sparsemax(Support support, Contract contract) {
  return guarded(std::move(contract),
                 [support = std::move(support)](Row& row) { row.out = sparsemax_weights(row, support); });
}

Real alpha_of(const Row& row) {
  return static_cast<Real>(row.parameters.alpha_numerator) / static_cast<Real>(row.parameters.alpha_denominator);
}

Real power(Real base, Real exponent) { return base <= 0 ? 0 : exponent == 2 ? base * base : std::pow(base, exponent); }

Real mass(const Reals& x, const Cut& cut, Real alpha) {
  Real sum = 0;
  for (const Real value : x) {
    if (value < cut.at) break;  // sorted
    sum += power((value - cut.at) + cut.gap, 1 / (alpha - 1));
  }
  return sum;
}

Real closed_form_three_halves(const Reals& x, Real) {  // Peters, Niculae and Martins 2019, algorithm 2
  Real sum = 0, squares = 0, threshold = -1;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum += x[n];
    squares += x[n] * x[n];
    const Real k = static_cast<Real>(n + 1), mean = sum / k, spread = squares - sum * mean;
    const Real next = mean - std::sqrt(std::max(Real{0}, (1 - spread) / k));
    if (next > x[n]) break;
    threshold = next;
  }
  return threshold;
}

namespace {

// The lowest entry that what lies above it leaves some mass for. A rest of the size of the roundings is none: it is 0
// where an entry is on the threshold, and that of other rows of f32 at alpha = 2, T - sum (z_j - z_i), is no less than
// the last digit of T, 2^-53, of it.
Real lowest_of_support(const Reals& x, Real alpha) {
  const auto leaves_some = [&](Real at) { return mass(x, at, alpha) < 1 - 0x1p-56L; };
  return *std::prev(std::partition_point(x.begin(), x.end(), leaves_some));
}

// The gap below the lowest entry is above 0, and at most 1 + that entry: there the largest alone has a weight of 1.
struct Bracket {
  Real low = std::numeric_limits<Real>::min(), high;
  Real middle() const { return std::sqrt(low) * std::sqrt(high); }
};

}  // namespace

Cut bisected(const Reals& x, Real alpha) {
  const Real at = lowest_of_support(x, alpha);
  Bracket gap{.high = 1 + at};
  for (Real middle = gap.middle(); gap.low < middle && middle < gap.high; middle = gap.middle())
    (mass(x, {at, middle}, alpha) >= 1 ? gap.high : gap.low) = middle;
  return {at, gap.high};
}

// From the upper end, where the mass is a convex function of the gap (alpha <= 2) no step leaves the bracket but by
// rounding. Where it is concave every third step halves the bracket.
Cut safeguarded_newton(const Reals& x, Real alpha) {
  const Real exponent = 1 / (alpha - 1), at = lowest_of_support(x, alpha);
  Bracket bracket{.high = 1 + at};
  Real gap = bracket.high;
  for (int step = 0; step < 300; ++step) {
    Real slope = 0;
    for (std::size_t i = 0; i < x.size() && x[i] >= at; ++i) slope += exponent * power((x[i] - at) + gap, exponent - 1);
    const Real excess = mass(x, {at, gap}, alpha) - 1;
    (excess >= 0 ? bracket.high : bracket.low) = gap;
    Real next = gap - excess / slope;
    const bool halves = exponent < 1 && step % 3 == 2;
    if (halves || !(next >= bracket.low && next <= bracket.high)) next = bracket.middle();
    if (std::abs(next - gap) <= 0x1p-64L * gap) return {at, next};
    gap = next;
  }
  return {at, gap};
}

Reals entmax_weights(const Row& row, const EntmaxSteps& steps) {
  const Real alpha = steps.alpha(row), exponent = 1 / (alpha - 1);
  const std::vector<double> sorted = descending(row);
  Reals x;
  for (const double z : sorted) {
    x.push_back((alpha - 1) * ((static_cast<Real>(z) - static_cast<Real>(sorted[0])) / row.t()));
    if (x.back() <= -1) break;  // no threshold is lower
  }
  const Cut cut = steps.threshold(x, alpha);
  return at_present(row, [&](std::size_t i) -> Real {
    const Real own = (alpha - 1) * ((row.z(i) - static_cast<Real>(sorted[0])) / row.t());
    return own < cut.at ? 0 : power((own - cut.at) + cut.gap, exponent);
  });
}

RowFunction entmax(EntmaxSteps steps, Contract contract) {
  return guarded(std::move(contract), [steps = std::move(steps)](Row& row) { row.out = entmax_weights(row, steps); });
}

}  // namespace attncert::plain

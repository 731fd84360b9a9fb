// ((L-N)(N-1)/L) ||xbar|| <= ((L-N)/L) sum m_i <= E d-tilde <= ((L-N)/L) sum sqrt(m_i^2 + V_i)
//   <= (L-N) sqrt([(N+1) A + N (N-3)(B-A)/(L-1)]/L)
// over a uniformly random index set (docs/specification.md#expected-distance), A = sum ||y_i||^2, B = ||xbar||^2, y_i =
// a_i x_i. m_i and V_i are the norm of the mean and the variance of y_i - s given that i is not selected: Jensen from
// both sides, the triangle inequality below and Cauchy-Schwarz above. In one line: the last term plus the largest of
// the four differences is at most the last term. Attained by equal y_i (below) and orthonormal y_i (above); at L = 2
// and N = L-1 all variances vanish.
#include <algorithm>
#include <array>

#include "properties/claims/catalogue/sides/certain.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/catalogue/sides/subsets.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

// The four bounds as c sqrt(q), or a sum of such.
struct Chain {
  Rational share;                         // (L-N)/L
  Rational lowest;                        // of ||xbar||: (L-N)(N-1)/L
  Rational squared_output;                // B
  std::vector<Rational> squared_means;    // m_i^2
  std::vector<Rational> squared_spreads;  // m_i^2 + V_i
  Rational squared_highest;               // of L-N: [..]/L
};

Chain chain(const Instance& instance) {
  const sides::WeightedTokens tokens = sides::weighted_tokens(instance);
  const Rational length(instance.length), n(instance.count);
  const Rational drawn = n / (length - 1);  // chance of another token to be selected
  const Rational squares = tokens.squares();
  Chain result{(length - n) / length, 0, sum_of_squares(tokens.sum), {}, {}, 0};
  result.lowest = result.share * (n - 1);
  for (const auto& y : tokens.y) {
    result.squared_means.push_back(squared_distance(scaled(1 + drawn, y), scaled(drawn, tokens.sum)));
    Rational variance = 0;
    if (instance.length >= 3)
      variance = n * (1 - drawn) / (length - 2) *
                 (squares - sum_of_squares(y) - squared_distance(tokens.sum, y) / (length - 1));
    result.squared_spreads.push_back(result.squared_means.back() + variance);
  }
  result.squared_highest =
      ((n + 1) * squares + n * (n - 3) * (result.squared_output - squares) / (length - 1)) / length;
  return result;
}

Interval sum_of_roots(const std::vector<Rational>& squares, Precision precision) {
  Interval sum(0.0, precision);
  for (const Rational& square : squares) sum += sqrt(Interval(square, precision));
  return sum;
}

Interval rhs(const Instance& instance, Precision precision) {
  return Interval(sides::outside(instance), precision) * sqrt(Interval(chain(instance).squared_highest, precision));
}

// c0 - c1, c1 - E d-tilde, E d-tilde - c3, c3 - c4
std::array<Interval, 4> steps(const Instance& instance, Precision precision) {
  const Chain bounds = chain(instance);
  const Interval share(bounds.share, precision), expected = sides::expected_distance(instance, precision);
  const Interval lowest = Interval(bounds.lowest, precision) * sqrt(Interval(bounds.squared_output, precision));
  const Interval below = share * sum_of_roots(bounds.squared_means, precision);
  const Interval above = share * sum_of_roots(bounds.squared_spreads, precision);
  return {lowest - below, below - expected, expected - above, above - rhs(instance, precision)};
}

Interval lhs(const Instance& instance, Precision precision) {
  const auto step = steps(instance, precision);
  return rhs(instance, precision) + max(max(step[0], step[1]), max(step[2], step[3]));
}

void add(SurdSum& sum, const Rational& factor, const std::vector<Rational>& squares) {
  for (const Rational& square : squares) sum.add(factor, square);
}

std::array<bool, 4> equal_steps(const Instance& instance) {
  const Chain bounds = chain(instance);
  SurdSum lower, upper, below = sides::exact_expected_distance(instance), above = below;
  lower.add(-bounds.lowest, bounds.squared_output);
  add(lower, bounds.share, bounds.squared_means);
  add(below, -bounds.share, bounds.squared_means);
  add(above, -bounds.share, bounds.squared_spreads);
  upper.add(-sides::outside(instance), bounds.squared_highest);
  add(upper, bounds.share, bounds.squared_spreads);
  return {lower.is_zero(), below.is_zero(), above.is_zero(), upper.is_zero()};
}

// One step of the chain is an equality, and every other one is that too or certainly not upward.
bool attained(const Instance& instance) {
  const auto equal = equal_steps(instance);
  if (std::find(equal.begin(), equal.end(), true) == equal.end()) return false;
  return sides::shown_at_some_precision([&](Precision precision) {
    const auto step = steps(instance, precision);
    const Interval zero(0.0, precision);
    bool all = true;
    for (std::size_t k = 0; k < step.size(); ++k) all = all && (equal[k] || less_equal(step[k], zero) == Truth::yes);
    return all;
  });
}

}  // namespace

Claim expected_distance_sandwich() {
  return {
      .statement =
          {.source = "corrected Theorem 1, expectation",
           .section = "3",
           .text = "E d-tilde lies between the sums of the conditional means and root mean squares, and "
                   "those between multiples of ||xbar|| and of the root of the second moment.",
           .proof = "Condition on i being unselected. The mean of y_i - s is then (1 + N/(L-1)) y_i - "
                    "(N/(L-1)) xbar, of norm m_i, and V_i is its variance, that of N draws without "
                    "replacement from the other tokens. The mean of a norm is at least the norm of the mean "
                    "(Jensen) and at most the root of the mean square, m_i <= E f_i <= sqrt(m_i^2 + V_i); "
                    "weighting with P(i out) = (L-N)/L and summing gives c1 and c3. Below, sum m_i is at "
                    "least the norm of the sum of these means, (N-1) ||xbar||: that is c0. Above, "
                    "Cauchy-Schwarz over i with sum (m_i^2 + V_i) = (N+1) A + N (N-3)(B-A)/(L-1) "
                    "(expected-squared-distance) gives c4. Equality: all y_i equal for c0 and c1, orthonormal "
                    "y_i for c4. In numbers: A = sum ||y_i||^2, B = ||xbar||^2, c0 = ((L-N)(N-1)/L) ||xbar||, "
                    "c1 = ((L-N)/L) sum m_i, c3 = ((L-N)/L) sum sqrt(m_i^2 + V_i), and V_i = N (L-1-N)/((L-1)"
                    "(L-2)) (A - ||y_i||^2 - ||xbar - y_i||^2/(L-1)), 0 at L = 2.",
           .domain = "any tokens, all index sets of N, 2 <= L <= 8, d <= 4; captured rows of 8 keys",
           .kind = Sided{.left = "c4 + max{c0 - c1, c1 - E d-tilde, E d-tilde - c3, c3 - c4}, c0 <= .. <= c4 the chain",
                         .right = "c4 = (L-N) sqrt([(N+1) A + N (N-3)(B-A)/(L-1)]/L)",
                         .hypotheses = sides::random_subset_hypotheses({hypotheses::something_unselected}),
                         .lhs = lhs,
                         .rhs = rhs,
                         .attained = attained,
                         .generate = free_selection,
                         .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert

// ((L-N)(N-1)/L) ||xbar|| <= ((L-N)/L) sum m_i <= E d-tilde <= ((L-N)/L) sum sqrt(m_i^2 + V_i)
//   <= (L-N) sqrt([(N+1) A + N (N-3)(B-A)/(L-1)]/L)
// over a uniformly random index set (docs/specification.md#expected-distance), A = sum ||y_i||^2, B = ||xbar||^2, y_i =
// a_i x_i. m_i and V_i are the norm of the mean and the variance of y_i - s given that i is not selected: Jensen from
// both sides, the triangle inequality below and Cauchy-Schwarz above: a part for every step. Attained by equal y_i
// (below) and orthonormal y_i (above); at L = 2 and N = L-1 all variances vanish.
#include "properties/claims/catalogue/sides/known.hpp"
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

// c0 to c4, c2 = E d-tilde: enclosed, and exactly.
Interval output(const Instance& instance, Precision precision) {
  const Chain& bounds = instance.once<chain>();
  return Interval(bounds.lowest, precision) * sqrt(Interval(bounds.squared_output, precision));
}
Interval means(const Instance& instance, Precision precision) {
  const Chain& bounds = instance.once<chain>();
  return Interval(bounds.share, precision) * sum_of_roots(bounds.squared_means, precision);
}
Interval expected(const Instance& instance, Precision precision) {
  return instance.once<sides::expected_distance>(precision);
}
Interval spreads(const Instance& instance, Precision precision) {
  const Chain& bounds = instance.once<chain>();
  return Interval(bounds.share, precision) * sum_of_roots(bounds.squared_spreads, precision);
}
Interval moment(const Instance& instance, Precision precision) {
  return Interval(sides::outside(instance), precision) *
         sqrt(Interval(instance.once<chain>().squared_highest, precision));
}

SurdSum sum(const Rational& factor, const std::vector<Rational>& squares) {
  SurdSum result;
  for (const Rational& square : squares) result.add(factor, square);
  return result;
}
SurdSum exact_output(const Instance& instance) {
  const Chain& bounds = instance.once<chain>();
  return {bounds.lowest, bounds.squared_output};
}
SurdSum exact_means(const Instance& instance) {
  const Chain& bounds = instance.once<chain>();
  return sum(bounds.share, bounds.squared_means);
}
SurdSum exact_spreads(const Instance& instance) {
  const Chain& bounds = instance.once<chain>();
  return sum(bounds.share, bounds.squared_spreads);
}
SurdSum exact_moment(const Instance& instance) {
  return {sides::outside(instance), instance.once<chain>().squared_highest};
}

template <auto left, auto right>
bool equal(const Instance& instance) {
  return instance.once<left>() == instance.once<right>();
}

}  // namespace

Claim expected_distance_sandwich() {
  return {.statement = {.source = "corrected Theorem 1, expectation",
                        .section = "3",
                        .text = "E d-tilde lies between the sums of the conditional means and root mean squares, and "
                                "those between multiples of ||xbar|| and of the root of the second moment.",
                        .proof =
                            "Condition on i being unselected. The mean of y_i - s is then (1 + N/(L-1)) y_i - "
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
                        .kind = Sided{.parts = {{.name = "c0, c1",
                                                 .left = "((L-N)(N-1)/L) ||xbar||",
                                                 .right = "((L-N)/L) sum m_i",
                                                 .lhs = output,
                                                 .rhs = means,
                                                 .attained = equal<exact_output, exact_means>},
                                                {.name = "c1, E",
                                                 .left = "((L-N)/L) sum m_i",
                                                 .right = "E d-tilde",
                                                 .lhs = means,
                                                 .rhs = expected,
                                                 .attained = equal<exact_means, sides::exact_expected_distance>},
                                                {.name = "E, c3",
                                                 .left = "E d-tilde",
                                                 .right = "((L-N)/L) sum sqrt(m_i^2 + V_i)",
                                                 .lhs = expected,
                                                 .rhs = spreads,
                                                 .attained = equal<sides::exact_expected_distance, exact_spreads>},
                                                {.name = "c3, c4",
                                                 .left = "((L-N)/L) sum sqrt(m_i^2 + V_i)",
                                                 .right = "(L-N) sqrt([(N+1) A + N (N-3)(B-A)/(L-1)]/L)",
                                                 .lhs = spreads,
                                                 .rhs = moment,
                                                 .attained = equal<exact_spreads, exact_moment>}},
                                      .hypotheses = sides::random_subset_hypotheses({hypotheses::something_unselected}),
                                      .generate = free_selection,
                                      .known =
                                          [] {
                                            return known::Instances{
                                                known::selection(known::Row(5, ratio(1, 5)), 1, known::Row(5, 1), 3),
                                                known::orthonormal(known::Row(4, ratio(1, 4)), 2),
                                                known::selection({ratio(2, 3), ratio(1, 3)}, 1, {1, -1}, 1)};
                                          },
                                      .real = RealRows::selections}},
          .expected = Expected::supported};
}

}  // namespace attncert

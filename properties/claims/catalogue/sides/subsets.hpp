// Every index set of N out of L tokens, for expectations over a uniformly random one
// (docs/specification.md#expected-distance).
#pragma once

#include "properties/claims/claim.hpp"
#include "reference/surd.hpp"

namespace attncert::sides {

// 1 <= N <= L, weights on the simplex, 2 <= L <= longest_enumerated, and more. The instance's own index set plays no
// part.
Hypotheses random_subset_hypotheses(Hypotheses more = {});
inline constexpr std::size_t longest_enumerated = 8;  // 70 sets at most

Interval expected_distance(const Instance& instance, Precision precision);  // E d-tilde
SurdSum exact_expected_distance(const Instance& instance);
// ((L-N)/L) sum ||(a_i + N/(L-1)) x_i - xbar||^2, arXiv 2508.17821, Theorem 1: the printed expectation less its eps.
Rational printed_expectation(const Instance& instance);
Rational expected_squared_distance(const Instance& instance);  // E sum over i not in I of ||a_i x_i - s||^2

// y_i = a_i x_i and their sum xbar, exactly.
struct WeightedTokens {
  std::vector<std::vector<Rational>> y;
  std::vector<Rational> sum;
  Rational squares() const;  // sum ||y_i||^2
};
WeightedTokens weighted_tokens(const Instance& instance);

}  // namespace attncert::sides

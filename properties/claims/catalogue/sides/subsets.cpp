#include "properties/claims/catalogue/sides/subsets.hpp"

#include <bit>
#include <cstdint>
#include <span>

#include "properties/claims/catalogue/sides/selection.hpp"
#include "reference/exact_rows.hpp"

namespace attncert::sides {
namespace {

Truth enumerable(const Instance& instance) {
  return truth(instance.length >= 2 && instance.length <= longest_enumerated);
}

// Calls visit(is_selected as bits) for every index set, and returns how many there are.
template <class Visit>
unsigned long for_each_subset(const Instance& instance, const Visit& visit) {
  unsigned long sets = 0;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << instance.length; ++set) {
    if (static_cast<std::size_t>(std::popcount(set)) != instance.count) continue;
    ++sets;
    visit(set);
  }
  return sets;
}

bool holds(std::uint32_t set, std::size_t i) { return (set >> i & 1U) == 1; }

}  // namespace

Hypotheses random_subset_hypotheses(Hypotheses more) {
  more.insert(more.begin(), Hypothesis{"2 <= L and L <= 8", enumerable});
  return any_selection_hypotheses(std::move(more));
}

Interval expected_distance(const Instance& instance, Precision precision) {
  const std::size_t d = instance.dimension();
  const auto tokens = instance.tokens->enclosures(precision);
  std::vector<Interval> y;
  for (std::size_t i = 0; i < instance.length; ++i) {
    const Interval weight(instance.weights[i], precision);
    for (std::size_t k = 0; k < d; ++k) y.push_back(weight * tokens[i * d + k]);
  }
  Interval total(0.0, precision);
  const unsigned long sets = for_each_subset(instance, [&](std::uint32_t set) {
    std::vector<Interval> s(d, Interval(0.0, precision));
    for (std::size_t i = 0; i < instance.length; ++i)
      for (std::size_t k = 0; holds(set, i) && k < d; ++k) s[k] += y[i * d + k];
    for (std::size_t i = 0; i < instance.length; ++i)
      if (!holds(set, i)) total += sqrt(squared_distance(std::span(y).subspan(i * d, d), s, precision));
  });
  return total / Interval(Rational(sets), precision);
}

namespace {

// ||y_i - s||^2 for every index set and every i outside, and how many sets there are.
struct SquaredDistances {
  std::vector<Rational> squares;
  unsigned long sets = 0;
};
SquaredDistances squared_distances(const Instance& instance) {
  const WeightedTokens weighted = weighted_tokens(instance);
  SquaredDistances result;
  result.sets = for_each_subset(instance, [&](std::uint32_t set) {
    std::vector<Rational> s(instance.dimension());
    for (std::size_t i = 0; i < instance.length; ++i)
      for (std::size_t k = 0; holds(set, i) && k < s.size(); ++k) s[k] += weighted.y[i][k];
    for (std::size_t i = 0; i < instance.length; ++i)
      if (!holds(set, i)) result.squares.push_back(squared_distance(s, weighted.y[i]));
  });
  return result;
}

}  // namespace

SurdSum exact_expected_distance(const Instance& instance) {
  const SquaredDistances distances = squared_distances(instance);
  SurdSum sum;
  for (const Rational& square : distances.squares) sum.add(ratio(1, distances.sets), square);
  return sum;
}

Rational expected_squared_distance(const Instance& instance) {
  const SquaredDistances distances = squared_distances(instance);
  return sum(distances.squares) / distances.sets;
}

Rational printed_expectation(const Instance& instance) {
  const std::vector<Rational> mean = weighted_tokens(instance).sum;
  const Rational extra = ratio(static_cast<long>(instance.count), instance.length - 1);
  Rational total = 0;
  for (std::size_t i = 0; i < instance.length; ++i)
    total += squared_distance(mean, scaled(instance.weights[i] + extra, instance.tokens->token(i)));
  return total * outside(instance) / instance.length;
}

WeightedTokens weighted_tokens(const Instance& instance) {
  WeightedTokens result;
  result.sum.resize(instance.dimension());
  for (std::size_t i = 0; i < instance.length; ++i) {
    result.y.push_back(scaled(instance.weights[i], instance.tokens->token(i)));
    for (std::size_t k = 0; k < result.sum.size(); ++k) result.sum[k] += result.y[i][k];
  }
  return result;
}

Rational WeightedTokens::squares() const {
  Rational total = 0;
  for (const auto& vector : y) total += sum_of_squares(vector);
  return total;
}

}  // namespace attncert::sides

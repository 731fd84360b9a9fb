#include "reference/bounds/weighted_tokens.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace attncert::reference {
namespace {

static_assert(std::numeric_limits<long double>::max_exponent >= 16384, "squares of doubles must not overflow");

// A sum of d squares of rounded differences is off by less than (d + 3) 2^-64 of itself: 2^-40 holds for d < 2^23.
constexpr long double slack = 0x1p-40L;

std::vector<std::size_t> descending(const std::vector<double>& weights) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return weights[i] != weights[j] ? weights[i] > weights[j] : i < j; });
  return order;
}

std::vector<long double> all_pairs(const std::vector<double>& tokens, std::size_t length, std::size_t dimension) {
  std::vector<long double> squares(length * length, 0);
  for (std::size_t i = 0; i < length; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      long double sum = 0;
      for (std::size_t k = 0; k < dimension; ++k) {
        const long double difference = static_cast<long double>(tokens[i * dimension + k]) - tokens[j * dimension + k];
        sum += difference * difference;
      }
      squares[i * length + j] = squares[j * length + i] = sum;
    }
  return squares;
}

}  // namespace

WeightedRow::WeightedRow(const WeightedTokens& row, Precision precision)
    : precision_(precision),
      dimension_(row.dimension),
      given_(row.weights),
      order_(descending(row.weights)),
      total_(1.0, precision),
      screen_(all_pairs(row.tokens, row.weights.size(), row.dimension)) {
  Rational total = 0;
  for (const double weight : row.weights) {
    exact_weights_.push_back(exact(weight));
    weights_.emplace_back(weight, precision);
    total += exact_weights_.back();
  }
  if (row.divided) total_ = Interval(total, precision);
  tokens_.reserve(row.tokens.size());
  for (const double entry : row.tokens) tokens_.emplace_back(entry, precision);
  for (std::size_t i = 0; i < length(); ++i) norms_.push_back(sqrt(sum_of_squares(token(i), precision)));
}

std::vector<bool> WeightedRow::selected(std::size_t N) const {
  std::vector<bool> is_selected(length(), false);
  for (std::size_t k = 0; k < N; ++k) is_selected[order_[k]] = true;
  return is_selected;
}

std::size_t WeightedRow::ties() const {
  std::size_t count = 0;
  for (std::size_t k = 1; k < length(); ++k) count += given_[order_[k]] == given_[order_[k - 1]];
  return count;
}

const Interval& WeightedRow::squared_distance(std::size_t i, std::size_t j) const {
  const auto pair = std::minmax(i, j);
  auto found = enclosed_.find(pair);
  if (found == enclosed_.end())
    found = enclosed_.emplace(pair, attncert::squared_distance(token(i), token(j), precision_)).first;
  return found->second;
}

template <class Includes>
Interval WeightedRow::extreme(bool farthest, const Includes& includes) const {
  std::optional<long double> best;
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < length(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (includes(i, j)) visit(i, j, screen_[i * length() + j]);
  };
  each([&](std::size_t, std::size_t, long double square) {
    best = !best ? square : farthest ? std::max(*best, square) : std::min(*best, square);
  });
  if (!best) return Interval(0.0, precision_);
  std::optional<Interval> result;
  each([&](std::size_t i, std::size_t j, long double square) {
    if (farthest ? square < *best * (1 - slack) : square > *best * (1 + slack)) return;
    const Interval& pair = squared_distance(i, j);
    result = !result ? pair : farthest ? max(*result, pair) : min(*result, pair);
  });
  return *result;
}

Interval WeightedRow::across(std::size_t N) const {
  const std::vector<bool> is_selected = selected(N);
  return extreme(true, [&](std::size_t i, std::size_t j) { return is_selected[i] != is_selected[j]; });
}
Interval WeightedRow::smallest() const {
  return extreme(false, [](std::size_t, std::size_t) { return true; });
}
Interval WeightedRow::largest() const {
  return extreme(true, [](std::size_t, std::size_t) { return true; });
}

}  // namespace attncert::reference

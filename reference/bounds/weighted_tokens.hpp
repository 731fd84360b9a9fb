// One row of weights over L tokens, as the bounds of Theorems 1 and 2 read it (arXiv 2508.17821): the inputs are
// doubles and exact. Sums run over the weights as given; what divides by their sum W does so once, at the end (the
// quantities are homogeneous in the weights), so that dyadic inputs keep exact zeros and exact ties.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "reference/interval.hpp"

namespace attncert::reference {

struct WeightedTokens {
  std::vector<double> weights, tokens;  // tokens: row-major, weights.size() of them
  std::size_t dimension = 0;
  bool divided = true;  // a_i = w_i / sum w; false: a_i = w_i
};

class WeightedRow {
 public:
  WeightedRow(const WeightedTokens& row, Precision precision);

  std::size_t length() const { return order_.size(); }
  std::size_t dimension() const { return dimension_; }
  Precision precision() const { return precision_; }
  const std::vector<std::size_t>& order() const { return order_; }  // descending, ties by the lower index
  std::vector<bool> selected(std::size_t N) const;
  std::size_t ties() const;  // N in 1..L-1 with equal weights on both sides of the edge

  const std::vector<Interval>& weights() const { return weights_; }  // undivided
  const std::vector<Rational>& exact_weights() const { return exact_weights_; }
  const Interval& total() const { return total_; }  // W; the point 1 where weights are as given
  const std::vector<Interval>& tokens() const { return tokens_; }
  std::span<const Interval> token(std::size_t i) const {
    return std::span(tokens_).subspan(i * dimension_, dimension_);
  }
  const std::vector<Interval>& norms() const { return norms_; }

  // Squared distances: the largest between the N selected and the others (0 without such a pair), and the smallest and
  // the largest of all pairs (L >= 2). Pairs are screened in long double, which holds every square of a double and is
  // far more precise than the slack; those that may be the extreme one are enclosed.
  Interval across(std::size_t N) const;
  Interval smallest() const;
  Interval largest() const;

 private:
  template <class Includes>
  Interval extreme(bool farthest, const Includes& includes) const;
  const Interval& squared_distance(std::size_t i, std::size_t j) const;

  Precision precision_;
  std::size_t dimension_;
  std::vector<double> given_;
  std::vector<std::size_t> order_;
  std::vector<Rational> exact_weights_;
  std::vector<Interval> weights_, tokens_, norms_;
  Interval total_;
  std::vector<long double> screen_;  // squared distances of all pairs
  mutable std::map<std::pair<std::size_t, std::size_t>, Interval> enclosed_;
};

}  // namespace attncert::reference

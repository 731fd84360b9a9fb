#include "properties/claims/instances/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/exact_rows.hpp"

namespace attncert {

TokenSet::TokenSet(std::size_t length, std::size_t dimension, std::vector<Rational> values)
    : length_(length), dimension_(dimension), values_(std::move(values)) {
  ATTNCERT_ASSERT(values_.size() == length_ * dimension_);
}

Rational TokenSet::squared_norm(std::size_t i) const { return sum_of_squares(token(i)); }

Rational TokenSet::squared_distance(std::size_t i, std::size_t j) const {
  return attncert::squared_distance(token(i), token(j));
}

bool TokenSet::on_a_sphere(std::size_t length) const {
  const auto known = spherical_.find(length);
  if (known != spherical_.end()) return known->second;
  const Rational radius = squared_norm(0);
  bool equal = sgn(radius) > 0;
  for (std::size_t i = 1; equal && i < length; ++i) equal = squared_norm(i) == radius;
  return spherical_[length] = equal;
}

std::span<const Interval> TokenSet::enclosures(Precision precision) const {
  std::vector<Interval>& all = enclosures_[precision];
  if (all.empty()) {
    all.reserve(values_.size());
    for (const Rational& value : values_) all.emplace_back(value, precision);
  }
  return all;
}

// The double of a rational is off by at most 2u |x| (u = 2^-53; GMP truncates), so a coordinate of a difference is off
// by at most 4uM + u|x_i - x_j|, M the largest norm; squaring, and summing d squares in any order, adds a relative (d +
// 3) u. With ||x_i - x_j|| <= 2M every squared distance is therefore within (32 + 4 (d + 8)) u M^2 of the exact one (to
// first order in u); the margin is twice that. Subnormal coordinates add at most d * 2^-1070, far below it unless M is
// itself tiny, which the floor of the margin covers.
const std::vector<double>& TokenSet::screened_distances() const {
  if (!screened_.empty()) return screened_;
  std::vector<double> transposed(values_.size());
  double largest = 0;
  for (std::size_t i = 0; i < length_; ++i) {
    double norm = 0;
    for (std::size_t k = 0; k < dimension_; ++k) {
      const double x = approximate(token(i)[k]);
      transposed[k * length_ + i] = x;
      norm += x * x;
    }
    largest = std::max(largest, norm);
  }
  margin_ = 2 * (32 + 4 * (static_cast<double>(dimension_) + 8)) * 0x1p-53 * largest + 0x1p-1000;
  screened_.assign(length_ * length_, 0.0);
  for (std::size_t i = 0; i < length_; ++i) {
    double* row = screened_.data() + i * length_;
    for (std::size_t k = 0; k < dimension_; ++k) {
      const double* coordinate = transposed.data() + k * length_;
      const double x = coordinate[i];
      for (std::size_t j = 0; j < length_; ++j) row[j] += (coordinate[j] - x) * (coordinate[j] - x);
    }
  }
  return screened_;
}

const std::vector<std::size_t>& TokenSet::first_like() const {
  if (!first_like_.empty()) return first_like_;
  std::vector<std::size_t> order(length_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto less = [&](std::size_t i, std::size_t j) {
    return std::ranges::lexicographical_compare(token(i), token(j));
  };
  std::stable_sort(order.begin(), order.end(), less);
  first_like_.resize(length_);
  for (std::size_t n = 0; n < length_; ++n) {
    const bool repeated = n != 0 && !less(order[n - 1], order[n]);
    first_like_[order[n]] = repeated ? first_like_[order[n - 1]] : order[n];
  }
  return first_like_;
}

const std::vector<std::pair<std::size_t, std::size_t>>& TokenSet::closest_candidates(std::size_t length) const {
  ATTNCERT_ASSERT(length >= 2 && length <= length_);
  auto& pairs = closest_[length];
  if (!pairs.empty()) return pairs;
  const auto& first = first_like();
  for (std::size_t i = 0; i < length && pairs.empty(); ++i)
    if (first[i] != i) pairs.emplace_back(first[i], i);  // at distance 0
  if (!pairs.empty()) return pairs;
  const auto& screened = screened_distances();
  double smallest = screened[1];
  for (std::size_t i = 0; i < length; ++i)
    for (std::size_t j = 0; j < i; ++j) smallest = std::min(smallest, screened[i * length_ + j]);
  for (std::size_t i = 0; i < length; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(screened[i * length_ + j] > smallest + 2 * margin_)) pairs.emplace_back(j, i);
  return pairs;
}

std::vector<std::size_t> TokenSet::different(std::span<const std::size_t> tokens) const {
  std::vector<bool> seen(length_);
  std::vector<std::size_t> list;
  for (const std::size_t i : tokens) {
    if (seen[first_like()[i]]) continue;
    seen[first_like()[i]] = true;
    list.push_back(i);
  }
  return list;
}

std::vector<std::pair<std::size_t, std::size_t>> TokenSet::farthest_candidates(
    std::span<const std::size_t> all_from, std::span<const std::size_t> all_to) const {
  const auto& screened = screened_distances();
  const std::vector<std::size_t> from = different(all_from), to = different(all_to);
  double largest = 0;
  for (const std::size_t i : from)
    for (const std::size_t j : to) largest = std::max(largest, screened[i * length_ + j]);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const std::size_t i : from)
    for (const std::size_t j : to)
      if (!(screened[i * length_ + j] < largest - 2 * margin_)) pairs.emplace_back(i, j);
  return pairs;
}

Rational TokenSet::largest_squared_distance(std::span<const std::size_t> from, std::span<const std::size_t> to) const {
  Rational largest = 0;
  for (const auto& [i, j] : farthest_candidates(from, to)) largest = std::max(largest, squared_distance(i, j));
  return largest;
}

}  // namespace attncert

// TokenSet: token vectors in exact numbers, shared by every instance over them; row-major, token i at i * dimension.
// Maxima and minima over pairs are screened in double (with a proved margin) and confirmed in Interval.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "reference/interval.hpp"
#include "src/core/rational.hpp"

namespace attncert {

class TokenSet {
 public:
  TokenSet(std::size_t length, std::size_t dimension, std::vector<Rational> values);

  std::size_t length() const { return length_; }
  std::size_t dimension() const { return dimension_; }
  std::span<const Rational> token(std::size_t i) const {
    return std::span(values_).subspan(i * dimension_, dimension_);
  }

  Rational squared_norm(std::size_t i) const;
  Rational squared_distance(std::size_t i, std::size_t j) const;

  // Whether the first `length` tokens have one and the same squared norm, exactly, and it is positive.
  bool on_a_sphere(std::size_t length) const;

  // Enclosures of the coordinates; computed once per precision. Not for concurrent use of one set.
  std::span<const Interval> enclosures(Precision precision) const;

  // Pairs (i, j) among which a pair of smallest distance over the first `length` tokens certainly is. length >= 2. Of
  // equal tokens one stands for all, here and below.
  const std::vector<std::pair<std::size_t, std::size_t>>& closest_candidates(std::size_t length) const;

  // Pairs (i, j), i in `from`, j in `to`, among which a pair of largest distance certainly is.
  std::vector<std::pair<std::size_t, std::size_t>> farthest_candidates(std::span<const std::size_t> from,
                                                                       std::span<const std::size_t> to) const;
  Rational largest_squared_distance(std::span<const std::size_t> from, std::span<const std::size_t> to) const;

 private:
  // Screening: squared distances in double, and a bound on the error of each (see tokens.cpp).
  const std::vector<double>& screened_distances() const;
  // By token the first one that equals it.
  const std::vector<std::size_t>& first_like() const;
  std::vector<std::size_t> different(std::span<const std::size_t> tokens) const;  // the first of each kind

  std::size_t length_, dimension_;
  std::vector<Rational> values_;
  mutable std::map<Precision, std::vector<Interval>> enclosures_;
  mutable std::vector<double> screened_;
  mutable std::vector<std::size_t> first_like_;
  mutable double margin_ = 0;
  mutable std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> closest_;
  mutable std::map<std::size_t, bool> spherical_;
};

}  // namespace attncert

// The definitions of Theorems 1 and 2 as they stand, in long double: what curves are held against here. 64 bits and O(L
// d) a point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attncert::test {

using Real = long double;

struct DirectRow {
  std::size_t dimension = 0;
  std::vector<Real> a;               // weights, already divided by their sum where that is meant
  std::vector<std::vector<Real>> x;  // tokens
  std::vector<std::size_t> order;    // by weight, descending, ties by index
};

template <class T>
DirectRow direct_row(const std::vector<T>& weights, const std::vector<T>& tokens, std::size_t dimension, bool divided);

struct DirectPoint {
  Real distance = 0, context = 0, mass = 0, unselected = 0, diameter = 0, largest = 0, printed = 0, corrected = 0;
  Real r = 0;  // infinite where nothing is unselected
  std::size_t separable = 0, surely = 0, possibly = 0;
  Real lower[2] = {}, upper[2] = {}, corrected_lower = 0;  // distinct, literal
};
DirectPoint direct_point(const DirectRow& row, std::size_t N);         // up to `corrected`, and r
DirectPoint direct_separability(const DirectRow& row, std::size_t N);  // all of it; O(N^3), 0 < N < L

// Over every index set of N tokens (L <= 12): E sum over i not in I of ||a_i x_i - s||^2; and the formula the paper
// prints.
Real mean_squared_distance(const DirectRow& row, std::size_t N);
Real printed_expectation(const DirectRow& row, std::size_t N);

// Rows of many kinds; the same seed and kind, the same row.
inline constexpr std::size_t row_kinds = 12;
template <class T>
struct Drawn {
  std::size_t dimension = 0;
  std::vector<T> weights, tokens;
};
template <class T>
Drawn<T> drawn(std::size_t kind, std::uint64_t seed, std::size_t length, std::size_t dimension);

}  // namespace attncert::test

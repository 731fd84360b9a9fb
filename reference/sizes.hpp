// What bounds the errors of inner products of rows of doubles, and of their sums by columns.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace attncert {

template <class Number>  // Interval or DoubleInterval, or double: near them
struct Sizes {
  Number products, second;  // sum |a_k b_k|, sum |b_k|
  std::size_t terms;        // how many k have neither number 0
};

// What lies in each column of a matrix.
struct Extents {
  explicit Extents(std::size_t columns)
      : lowest(columns, std::numeric_limits<double>::infinity()),
        highest(columns, -std::numeric_limits<double>::infinity()),
        terms(columns, 0),
        magnitudes(columns, 0) {}
  std::vector<double> lowest, highest, terms;  // how many entries are not 0
  std::vector<double> magnitudes;              // their sum, rounded to nearest
};

// Of every column c of rows that two weights each have.
template <class Number>  // Interval or DoubleInterval
struct ColumnSums {
  std::vector<Number> distances, sizes;  // sum first_k |rows_k[c] - to_c|, sum second_k |rows_k[c]|
  Extents extents;
};

}  // namespace attncert

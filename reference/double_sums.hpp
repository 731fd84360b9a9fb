// Sums of doubles in vectors, for DoubleInterval: each of n terms that are products of at most two doubles or of a
// double and a difference, added in an order that the instruction set decides, with FMA or without. No term passes more
// than n + 1 roundings (docs/reference.md). Nothing is allocated; all numbers are finite.
#pragma once

#include <cstddef>

#include "reference/sizes.hpp"

namespace attncert::double_sums {

// Of n numbers, or products a_k b_k.
struct Sum {
  double total = 0, magnitude = 0;  // of the terms, and of their magnitudes
};
Sum sum(const double* items, std::size_t n);
Sum dot(const double* a, const double* b, std::size_t n);

Sizes<double> sizes(const double* a, const double* b, std::size_t n);

// Rows of numbers; one a weight.
struct Rows {
  const double* const* rows;
  std::size_t count, columns;
};
// totals_c += sum_k weights_k rows_k[c], magnitudes_c += sum_k |weights_k rows_k[c]|.
void add_weighted(const double* weights, const Rows& rows, double* totals, double* magnitudes);
// totals_c += sum_k weights_k |rows_k[c] - to_c|.
void add_distances(const double* weights, const Rows& rows, const double* to, double* totals);
// Of each column c.
struct Columns {
  double *lowest, *highest;  // are lowered and raised to its entries
  double* terms;             // += how many of them are not 0, below 2^53
  double* magnitudes;        // += their magnitudes
};
void extend(const Rows& rows, const Columns& columns);

}  // namespace attncert::double_sums

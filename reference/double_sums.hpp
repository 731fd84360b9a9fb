// Sums of doubles in vectors, for DoubleInterval: each of n terms that are products of at most two doubles or of a
// double and a difference, added in an order that the instruction set decides, with FMA or without. No term passes more
// than n + 1 roundings (docs/reference.md). Nothing is allocated; all numbers are finite.
#pragma once

#include <cstddef>

#include "reference/sizes.hpp"

namespace attncert::double_sums {

struct Sum {
  double total = 0, magnitude = 0;  // of the terms, and of their magnitudes
};
Sum sum(const double* items, std::size_t n);

// Of n intervals, as DoubleInterval keeps their ends: the lower one negated.
struct Magnitudes {
  double total = 0;     // the sum of the largest magnitudes
  double relative = 0;  // the largest width in units of an interval's magnitude, of those up to 2^-30
  bool wider = false;   // there are others
  bool negative = false;
};
inline constexpr double tight_interval = 0x1p-30;
Magnitudes magnitudes(const double* ends, std::size_t n, double* largest);  // one magnitude each

// Rows of numbers.
struct Rows {
  const double* const* rows;
  std::size_t count, columns;
};
// Of a_c rows_k[c] over the columns, one a row.
void dots(const double* a, const Rows& rows, Sum* sums);
void sizes(const double* a, const Rows& rows, Sizes<double>* to);

// totals_c += sum_k weights_k rows_k[c], magnitudes_c += sum_k |weights_k rows_k[c]|.
void add_weighted(const double* weights, const Rows& rows, double* totals, double* magnitudes);
// totals_c += sum_k weights_k |rows_k[c] - to_c|.
void add_distances(const double* weights, const Rows& rows, const double* to, double* totals);
// Of each column c, where each row has two weights.
struct Columns {
  const double *first, *second, *to;
  double *distances, *sizes;   // += sum_k first_k |rows_k[c] - to_c|, sum_k second_k |rows_k[c]|
  double *lowest, *highest;    // are lowered and raised to its entries
  double *terms, *magnitudes;  // += how many of them are not 0, below 2^53; += their magnitudes
};
void add_columns(const Rows& rows, const Columns& columns);

}  // namespace attncert::double_sums

// One row's work as the instruction sets do it: plain arrays in, plain arrays and sums out (row_pass.cpp,
// logarithm_pass.cpp).
#pragma once

#include <cstddef>

#include "properties/conformance/double_double/double_double.hpp"

namespace attncert::double_double {

template <class T>
struct Extent {
  T smallest, largest;  // of the present ones (finite or +inf); largest < smallest where there is none
  bool any_absent;      // a -inf
  bool any_refused;     // NaN, +inf, or beyond the largest logit
};
Extent<float> extent(const float* logits, std::size_t length);
Extent<double> extent(const double* logits, std::size_t length);

struct RowPass {
  std::size_t length;
  double pivot;
  DoubleDouble factor;
  bool plain;  // nothing absent, no exponent below the deepest argument
  double *high, *low;
};
// Writes the exponentials and returns their sum, times 2^512 like them.
DoubleDouble exponentials(const RowPass& pass, const float* logits);
DoubleDouble exponentials(const RowPass& pass, const double* logits);

// Sum of the pairs, NaN counting nothing.
DoubleDouble sum(const double* high, const double* low, std::size_t count);

// unit (logit - pivot) factor + shift, NaN where the logit is -inf.
struct LogarithmPass {
  std::size_t length;
  double pivot;
  DoubleDouble factor;
  double unit;  // a power of two
  DoubleDouble shift;
  double *high, *low;
};
void logarithms(const LogarithmPass& pass, const float* logits);
void logarithms(const LogarithmPass& pass, const double* logits);

}  // namespace attncert::double_double

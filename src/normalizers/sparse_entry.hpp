// What the kernels share that look for a support (entmax_candidates-inl.h): room for candidates, and how far a temperature counts.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"
#include "src/normalizers/entry.hpp"

namespace attncert {

// One row of candidates and two vectors of the widest instruction set (64 bytes): compressed stores run over.
template <class T>
std::size_t sparse_scratch(const attncert_arguments* arguments) {
  return (arguments->length + 2 * 64 / sizeof(T)) * sizeof(T);
}

struct SparseEntry : PlainEntry {
  template <class T>
  static constexpr double limit = FormatLimits<T>::sparse_limit;
  template <class T>
  static constexpr ScratchNeeded* scratch = sparse_scratch<T>;
};

// entmax and its derivative: alpha > 1.
struct AlphaEntry : SparseEntry {
  static constexpr bool accepts(const attncert_parameters& p) {
    return p.alpha_denominator != 0 && p.alpha_numerator > p.alpha_denominator;
  }
};

}  // namespace attncert

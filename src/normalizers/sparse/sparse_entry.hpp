// What the kernels share that look for a support (entmax_candidates-inl.h): room for candidates, and how far a
// temperature counts.
#pragma once

#include "attncert/kernel.h"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/sparse/sparse_scratch.hpp"

namespace attncert {

struct SparseEntry : PlainEntry {
  template <class T>
  static constexpr double limit = FormatLimits<T>::sparse_limit;
  template <class T>
  static constexpr ScratchNeeded* scratch = sparse_scratch_bytes<T>;
};

// entmax and its derivative: alpha > 1.
struct AlphaEntry : SparseEntry {
  static constexpr bool accepts(const attncert_parameters& p) {
    return p.alpha_denominator != 0 && p.alpha_numerator > p.alpha_denominator;
  }
};

}  // namespace attncert

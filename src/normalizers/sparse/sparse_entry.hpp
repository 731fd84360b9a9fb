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

// entmax and its derivative: alpha > 1. An f32 row is uniform to the last digit where (alpha - 1) (max - min) / T is
// 2^-30 of (1 / L)^(alpha - 1), to which T's limit is no bound for alpha > 2: L = 995 and alpha = 46 take T = 2^600.
// Up to alpha = 9 and L = 2^31, T = 2^600 does; beyond, every T counts as it is.
struct AlphaEntry : SparseEntry {
  template <class T>
  static Batch<T> with_far_temperature(Batch<T> batch) {
    const attncert_parameters& p = batch.parameters;
    const double slope =  // alpha - 1
        static_cast<double>(p.alpha_numerator - p.alpha_denominator) / static_cast<double>(p.alpha_denominator);
    if (sizeof(T) == 4 && slope > 1 && batch.temperature > limit<T>)
      batch.scale.given = slope <= 8 ? std::min(batch.temperature, 0x1p600) : batch.temperature;
    return batch;
  }
  static constexpr bool accepts(const attncert_parameters& p) {
    return p.alpha_denominator != 0 && p.alpha_numerator > p.alpha_denominator;
  }
};

}  // namespace attncert

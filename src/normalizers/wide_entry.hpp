// What the kernels share that keep, in f32, a row of doubles between two passes (separable-inl.h): f64 needs no
// scratch.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"
#include "src/normalizers/entry.hpp"

namespace attncert {

inline std::size_t wide_scratch(const attncert_arguments* arguments) {  // not null: run_kernel looks before it asks
  return arguments->length * sizeof(double);
}

struct WideEntry : PlainEntry {
  template <class T>
  static constexpr ScratchNeeded* scratch = dtype_of<T> == ATTNCERT_F32 ? wide_scratch : nullptr;
};

}  // namespace attncert

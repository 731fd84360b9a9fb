// Scratch of the f32 kernels that keep a row of doubles between two passes (separable-inl.h): f64 needs none.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"

namespace attncert {

inline std::size_t wide_scratch(const attncert_arguments* arguments) noexcept {
  return arguments->length * sizeof(double);
}

template <class T>
std::size_t wide_scratch_of(const attncert_arguments* arguments) noexcept {
  return sizeof(T) == 4 && arguments != nullptr ? wide_scratch(arguments) : 0;
}

}  // namespace attncert

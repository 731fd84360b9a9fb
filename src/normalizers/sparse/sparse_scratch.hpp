// What the sparse kernels ask of their caller: one row of candidates, two vectors of the widest instruction set, for
// compressed stores run over, and one number for each block of the row that holds candidates (8 lanes at least).
#pragma once

#include <cstddef>
#include <cstdint>

#include "attncert/kernel.h"

namespace attncert {

template <class T>
constexpr std::size_t sparse_room(std::size_t length) noexcept {
  return length + 2 * 64 / sizeof(T);
}

template <class T>
std::size_t sparse_scratch_bytes(const attncert_arguments* arguments) {  // not null: run_kernel looks before it asks
  return sparse_room<T>(arguments->length) * sizeof(T) + (arguments->length / 8 + 1) * sizeof(std::uint32_t);
}

}  // namespace attncert

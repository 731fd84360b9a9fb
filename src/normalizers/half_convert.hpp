// f16 and bf16 to f32 and back, vectorised. Widening is exact; narrowing rounds to nearest, ties to even, keeps
// subnormals and NaN, and what lies beyond the largest finite half becomes infinite: dtype.hpp's rules, from float.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attncert/kernel.h"

namespace attncert {

// `half` is ATTNCERT_F16 or ATTNCERT_BF16.
void widen(attncert_dtype half, const std::uint16_t* x, float* y, std::size_t count) noexcept;
void narrow(attncert_dtype half, const float* x, std::uint16_t* y, std::size_t count) noexcept;

}  // namespace attncert

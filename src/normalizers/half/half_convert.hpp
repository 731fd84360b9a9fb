// f16 and bf16 to f32 and back, vectorised. Widening is exact; narrowing rounds to nearest, ties to even, keeps
// subnormals and NaN, and what lies beyond the largest finite half becomes infinite: dtype.hpp's rules, from float.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attncert/kernel.h"

namespace attncert {

// `half` is a type of 16 bits. Where `next` is given, as many halves from there on are brought into cache.
void widen(attncert_dtype half, const std::uint16_t* x, float* y, std::size_t count,
           const std::uint16_t* next = nullptr) noexcept;

// past_caches: y is not read soon; whoever asks for it calls end_of_stores_past_caches before others read y.
void narrow(attncert_dtype half, const float* x, std::uint16_t* y, std::size_t count,
            bool past_caches = false) noexcept;
void end_of_stores_past_caches() noexcept;

}  // namespace attncert

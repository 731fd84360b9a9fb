// softmax of f16 and bf16 rows without the adapter of half.hpp: bits are the adapter's, time is not.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"

namespace attncert {

// The rows it takes: such that the f32 kernel sums them in one order.
bool takes_softmax_half(const attncert_arguments& arguments) noexcept;
std::size_t softmax_half_scratch(const attncert_arguments& arguments) noexcept;

// False, and nothing done: the instruction set in use has no vectors, or rows of at most four of them come at a
// temperature near the ends of f32 (Scale::near of scale.hpp). Arguments are checked, scratch is there.
bool softmax_half(attncert_dtype half, const attncert_arguments& arguments) noexcept;

}  // namespace attncert

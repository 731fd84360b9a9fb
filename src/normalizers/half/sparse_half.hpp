// sparsemax and entmax-1.5 of f16 and bf16 rows without the adapter of half.hpp: bits are the adapter's, time is not.
#pragma once

#include <cstddef>

#include "attncert/kernel.h"

namespace attncert {

std::size_t sparse_half_scratch(const attncert_arguments& arguments) noexcept;

// False, and nothing done: the instruction set in use has no vectors. Arguments are checked, scratch is there.
bool sparsemax_half(attncert_dtype half, const attncert_arguments& arguments) noexcept;
bool entmax15_half(attncert_dtype half, const attncert_arguments& arguments) noexcept;

}  // namespace attncert

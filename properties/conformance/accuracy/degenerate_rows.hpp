// Rows in one situation of a contract and in no other, so that an answer says which choice it is. Rows of the regimes
// mix them.
#pragma once

#include <cstdint>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/contract.hpp"
#include "reference/row.hpp"

namespace attncert {

// Logits N(0, 3^2) at T = 1 or 0.7, masked in part every other time (always where the situation is about masks), with
// the situation put in: at one entry, at many, in front or at the end.
LogitRow degenerate_row(Situation situation, std::uint64_t seed, std::uint64_t number, attncert_dtype dtype);

}  // namespace attncert

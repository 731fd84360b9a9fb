// Sigmoid weights, sigma(z_i / T + b): every entry by itself.
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// A row with +inf in which the largest double stands for it, so large that sigma(z / T + b) is 1 to 2^-2885; where T or
// b is too large for that, z and T are divided by one power of two first (what subnormal logits lose then changes z / T
// by less than 2^-1070).
LogitRow saturate(const LogitRow& row, double bias);

// z_i / T + b with the digits that exp of it, and the two terms cancelling, lose: its precision is above the one asked
// for.
Interval sigmoid_argument(const LogitRow& row, std::size_t i, Precision precision);

extern const Normalizer sigmoid_normalizer;

}  // namespace attncert::reference

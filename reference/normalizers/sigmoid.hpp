// Sigmoid weights, sigma(z_i / T + b), and their derivative: every entry by itself.
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// A row with +inf in which the largest double stands for it, so large that sigma(z / T + b) is 1 to 2^-2885; where T or b
// is too large for that, z and T are divided by one power of two first (what subnormal logits lose then changes z / T by
// less than 2^-1070).
LogitRow saturate(const LogitRow& row, double bias);

extern const Normalizer sigmoid_normalizer;

}  // namespace attncert::reference

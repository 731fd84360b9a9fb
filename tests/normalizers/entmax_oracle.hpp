// Independent truth for 1.5-entmax: exact rationals decide the support, GMP floats of thousands of bits give the weights.
#pragma once

#include <span>

#include "tests/normalizers/oracle.hpp"

namespace attncert::oracle {

// Finite logits (or -inf) of one row, at least one finite.
template <class T>
Worst entmax15(std::span<const T> logits, std::span<const T> weights, double temperature);
extern template Worst entmax15<float>(std::span<const float>, std::span<const float>, double);
extern template Worst entmax15<double>(std::span<const double>, std::span<const double>, double);

}  // namespace attncert::oracle

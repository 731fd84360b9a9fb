// Independent truth for alpha-entmax. 1.5: exact rationals decide the support, GMP floats of thousands of bits give the
// weights.
#pragma once

#include <span>

#include "tests/normalizers/oracle.hpp"

namespace attncert::oracle {

// Finite logits (or -inf) of one row, at least one finite.
template <class T>
Worst entmax15(std::span<const T> logits, std::span<const T> weights, double temperature);
extern template Worst entmax15<float>(std::span<const float>, std::span<const float>, double);
extern template Worst entmax15<double>(std::span<const double>, std::span<const double>, double);

// Any rational alpha > 1, in Arb at so many bits; the support by certain comparisons, the root by Newton until its
// steps are below 2^-150 of it (else ulp is infinite). Short rows.
template <class T>
Worst entmax(std::span<const T> logits, std::span<const T> weights, double temperature, unsigned long numerator,
             unsigned long denominator, long bits = 640);
extern template Worst entmax<float>(std::span<const float>, std::span<const float>, double, unsigned long,
                                    unsigned long, long);
extern template Worst entmax<double>(std::span<const double>, std::span<const double>, double, unsigned long,
                                     unsigned long, long);

}  // namespace attncert::oracle

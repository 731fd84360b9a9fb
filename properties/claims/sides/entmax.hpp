// alpha-entmax of rational logits for 1 < alpha <= 2, p_i = max((alpha-1) z_i/T - tau, 0)^(1/(alpha-1)), and the constant of
// its Jacobian at alpha = 3/2 (claims.md section 13, W7).
#pragma once

#include "properties/claims/sides/lipschitz.hpp"

namespace attncert::sides {

Values entmax(const Rational& alpha, const Logits& logits, const Rational& temperature, Precision precision);
Values entmax_three_halves(const Instance& instance, const Logits& logits, Precision precision);

// K_L = max_{2 <= k <= L} two(k) for L >= 2, two(k) = (1 - v + v^2) / sqrt(1 + v) with v = (k-1)^(-1/3): ||J||_2 T at one
// token m/(m+1), m = 1/v, and k-1 equal ones. log two has the slope 3 (v^2 + v - 1) / (2 (1+v) (1 - v + v^2)) in v, so two
// falls and then rises with k: the maximum is at k = 2 or k = L.
Interval three_halves_constant(std::size_t length, Precision precision);

}  // namespace attncert::sides

// The budget that derivatives share (docs/budgets.md, derivatives): half an ulp of the result for the last rounding,
// and for all before it 1.5 2^24 (4 2^-43 + 19 2^-53) < 2^-15 ulp of the magnitude in f32, computed in double, and 1.5
// 2^53 (16 + 19) 2^-64 < 0.026 in f64, computed in long double. `more` is what one derivative adds: those of
// near_vjp-inl.h 1.5 2^24 (4 2^-39.58 + 3 2^-41) in f32.
#pragma once

#include "src/kernel/budget.hpp"

namespace attncert {

constexpr double kNearVjp = 0x1.6p-13;

template <class T>
constexpr Budget vjp_budget(double more = 0) {
  const double bound = (sizeof(T) == 4 ? 0x1p-15 : 0.026) + more;
  return {.unit = bound, .other = bound, .last = 0.5};
}

}  // namespace attncert

// Sums of two long doubles, u = 2^-p for their p bits: sums and products of Knuth and Dekker; relative errors 3 u^2 and
// 7 u^2 (wide-inl.h). No fused operation: x86 has none for this type, and the C library's works by changing the
// rounding mode.
#pragma once

#include <limits>

#include "src/normalizers/pair.hpp"

namespace attncert {

using LongPair = PairOf<long double>;

// a + b exactly, |a| >= |b|.
inline LongPair fast_sum(long double a, long double b) noexcept {
  const long double high = a + b;
  return {high, b - (high - a)};
}

// a + b exactly.
inline LongPair exact_sum(long double a, long double b) noexcept {
  const long double high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

// a b exactly, where neither is within 2^64 of the largest number nor the product within 2^128 of the smallest.
inline LongPair exact_product(long double a, long double b) noexcept {
  constexpr int half = (std::numeric_limits<long double>::digits + 1) / 2;
  const auto upper = [](long double v) {
    const long double moved = v * static_cast<long double>((1ull << half) + 1);
    return moved - (moved - v);
  };
  const long double high = a * b, a1 = upper(a), a2 = a - a1, b1 = upper(b), b2 = b - b1;
  return {high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

inline LongPair add(const LongPair& a, const LongPair& b) noexcept {
  const LongPair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const LongPair sum = fast_sum(high.high, high.low + low.high);
  return fast_sum(sum.high, low.low + sum.low);
}

inline LongPair multiply(const LongPair& a, const LongPair& b) noexcept {
  const LongPair product = exact_product(a.high, b.high);
  return fast_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline LongPair over(const LongPair& a, long double b) noexcept {
  const long double high = a.high / b;
  const LongPair product = exact_product(high, b);
  return fast_sum(high, (((a.high - product.high) - product.low) + a.low) / b);
}

inline LongPair quotient(long double a, long double b) noexcept { return over({a, 0}, b); }

}  // namespace attncert

// Sums and products of two numbers without an error, as pairs: Knuth's TwoSum (TAOCP 2, 4.2.2), Dekker's FastTwoSum and
// product (Numer. Math. 18, 1971). Of scalars and of vectors, lane by lane; long_pair.hpp has those of long double, for
// code that is compiled once and not for each instruction set.
#if defined(ATTNCERT_NORMALIZERS_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_PAIRS_INL_H
#undef ATTNCERT_NORMALIZERS_PAIRS_INL_H
#else
#define ATTNCERT_NORMALIZERS_PAIRS_INL_H
#endif

#include <cmath>

#include "hwy/highway.h"
#include "src/normalizers/pair.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Number>
HWY_INLINE PairOf<Number> two_sum(Number a, Number b) {
  const Number high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

// Exact where |a| >= |b| or a = 0; else off by an ulp of the low part at most.
template <class Number>
HWY_INLINE PairOf<Number> fast_two_sum(Number a, Number b) {
  const Number high = a + b;
  return {high, b - (high - a)};
}

HWY_INLINE PairOf<double> two_product(double a, double b) {
  const double high = a * b;
  return {high, std::fma(a, b, -high)};
}

// Doubles, without a fused multiply-add from halves (Veltkamp's splitting). Exact for factors below 2^996 and products
// that are 0 or above 2^-960.
template <class Vector>
HWY_INLINE PairOf<Vector> two_product(Vector a, Vector b) {
  const Vector high = a * b;
#if HWY_NATIVE_FMA
  return {high, hn::MulSub(a, b, high)};
#else
  const auto upper = [](Vector v) HWY_ATTR {
    const Vector moved = v * hn::Set(hn::DFromV<Vector>(), 0x1.0000002p27);
    return moved - (moved - v);
  };
  const Vector a1 = upper(a), a2 = a - a1, b1 = upper(b), b2 = b - b1;
  return {high, (((a1 * b1 - high) + a1 * b2) + a2 * b1) + a2 * b2};
#endif
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

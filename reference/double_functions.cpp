#include "reference/double_functions.hpp"

#include <array>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/double_functions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef ATTNCERT_REFERENCE_DOUBLE_FUNCTIONS
#define ATTNCERT_REFERENCE_DOUBLE_FUNCTIONS
namespace attncert::double_functions {

// 1 / 1!, 1 / 2!, ...: the coefficients of (e^r - 1) / r.
constexpr std::size_t kTerms = 13;
constexpr std::array<double, kTerms> inverse_factorials() {
  std::array<double, kTerms> values{};
  double factorial = 1;
  for (std::size_t n = 0; n < kTerms; ++n) {
    factorial *= static_cast<double>(n + 1);  // exact: 13! < 2^53
    values[n] = 1 / factorial;
  }
  return values;
}
constexpr auto kCoefficients = inverse_factorials();

}  // namespace attncert::double_functions
#endif

HWY_BEFORE_NAMESPACE();
namespace attncert::double_functions::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Of vectors of D, in plain sums and products, never fused: the same bits on every instruction set.
template <class D>
struct Functions {
  using V = hn::Vec<D>;

  static HWY_INLINE V set(double value) { return hn::Set(D(), value); }
  static HWY_INLINE V plus(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE V times(V a, V b) { return hn::Mul(a, b); }

  // As DoubleInterval::up.
  static HWY_INLINE V up(V rounded) {
    return plus(rounded, plus(times(hn::Abs(rounded), set(std::numeric_limits<double>::epsilon())),
                              set(std::numeric_limits<double>::min())));
  }

  // The end of an interval around `value`, which errs by at most 2^-46 of itself. `signs` are -0 in the lanes of lower
  // ends: one is kept negated, so that outward is upward for both.
  static HWY_INLINE V end_around(V value, V signs) {
    return up(plus(hn::Xor(value, signs), up(times(hn::Abs(value), set(0x1p-46)))));
  }

  // Six terms from `first` on, in pairs: none waits for all others.
  static HWY_INLINE V six_terms(std::size_t first, V r, V r2) {
    const auto pair = [&](std::size_t n) HWY_ATTR {
      return plus(set(kCoefficients[first + n]), times(set(kCoefficients[first + n + 1]), r));
    };
    return plus(pair(0), times(r2, plus(pair(2), times(r2, pair(4)))));
  }

  // (e^r - 1) / r for |r| <= 0.35, with a relative error below 2^-47 (docs/reference.md).
  static HWY_INLINE V series(V r) {
    const V r2 = times(r, r), r6 = times(times(r2, r2), r2);
    return plus(six_terms(0, r, r2), times(r6, plus(six_terms(6, r, r2), times(r6, set(kCoefficients[12])))));
  }

  // Ends of e^x - 1 for |x| <= 0.35.
  static HWY_INLINE V near_zero(V x, V signs) { return end_around(times(x, series(x)), signs); }

  // Ends of e^x, x = k ln 2 + r, |r| < 0.35. The first product and difference are exact: ln 2 is cut after 32 bits.
  static HWY_INLINE V reduced(V x, V signs) {
    const hn::RebindToUnsigned<D> bits;
    const V whole = set(0x1.8p52);  // what is added to it and taken away again is rounded to a whole number
    const V shifted = plus(times(x, set(0x1.71547652b82fep+0)), whole), k = hn::Sub(shifted, whole);
    const V r = hn::Sub(hn::Sub(x, times(k, set(0x1.62e42feep-1))), times(k, set(0x1.a39ef35793c76p-33)));
    const auto exponent = hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, std::uint64_t{1023}));  // its last bits
    const V scale = hn::BitCast(D(), hn::ShiftLeft<52>(exponent));                                  // 2^k
    return times(end_around(plus(set(1), times(r, series(r))), signs), scale);
  }

  static HWY_INLINE V exp(V end, V signs) {
    const V x = hn::Xor(end, signs), one = hn::Xor(set(1), signs),
            infinity = set(std::numeric_limits<double>::infinity());
    const auto upper = hn::Eq(one, set(1));
    const V small = up(plus(one, near_zero(x, signs)));
    V result = hn::IfThenElse(hn::Le(hn::Abs(x), set(0x1p-10)), small, reduced(x, signs));
    result = hn::IfThenElse(hn::Eq(x, hn::Zero(D())), one, result);
    const V above = hn::IfThenElse(upper, infinity, hn::IfThenElse(hn::Eq(x, infinity), end, set(-0x1p1022)));
    result = hn::IfThenElse(hn::Lt(x, set(709)), result, above);  // e^709 > 2^1022
    const V below = hn::IfThenElseZero(upper, set(0x1p-1021));    // e^-708 < 2^-1021
    return hn::IfThenElse(hn::Lt(x, set(-708)), below, result);
  }

  static HWY_INLINE V expm1(V end, V signs) {
    const V x = hn::Xor(end, signs), one = hn::Xor(set(1), signs), far = up(hn::Sub(exp(end, signs), one));
    const V result = hn::IfThenElse(hn::Le(hn::Abs(x), set(0.35)), near_zero(x, signs), far);
    return hn::IfThenElseZero(hn::Ne(x, hn::Zero(D())), hn::IfThenElse(hn::IsNaN(result), end, result));
  }
};

// function(d, end, signs) with every vector of ends from the k-th on that is whole; returns where the rest begins.
template <class D, class Function>
HWY_INLINE std::size_t each_vector(D d, double* ends, std::size_t k, std::size_t count, Function function) {
  const std::size_t lanes = hn::Lanes(d);
  const auto both = hn::OddEven(hn::Zero(d), hn::Set(d, -0.0));
  for (; k + lanes <= count; k += lanes) {
    const auto signs = lanes > 1 ? both : hn::Set(d, k % 2 == 0 ? -0.0 : 0.0);
    hn::StoreU(function(d, hn::LoadU(d, ends + k), signs), d, ends + k);
  }
  return k;
}

template <class Function>
HWY_INLINE void each_end(double* ends, std::size_t pairs, Function function) {
  const std::size_t left = each_vector(hn::CappedTag<double, 8>(), ends, 0, 2 * pairs, function);
  each_vector(hn::CappedTag<double, 2>(), ends, left, 2 * pairs, function);
}

void exp(double* ends, std::size_t pairs) {
  each_end(ends, pairs, [](auto d, auto end, auto signs) HWY_ATTR { return Functions<decltype(d)>::exp(end, signs); });
}
void expm1(double* ends, std::size_t pairs) {
  each_end(ends, pairs,
           [](auto d, auto end, auto signs) HWY_ATTR { return Functions<decltype(d)>::expm1(end, signs); });
}

}  // namespace attncert::double_functions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_functions {

HWY_EXPORT(exp);
HWY_EXPORT(expm1);

void exp(double* ends, std::size_t pairs) { HWY_DYNAMIC_DISPATCH(exp)(ends, pairs); }
void expm1(double* ends, std::size_t pairs) { HWY_DYNAMIC_DISPATCH(expm1)(ends, pairs); }

}  // namespace attncert::double_functions
#endif

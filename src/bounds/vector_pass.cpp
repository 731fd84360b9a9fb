#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/vector_pass.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/bounds/vector_pass.hpp"
#include "src/kernel/dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

HWY_INLINE V component(D d, const double* x) { return hn::LoadU(d, x); }
HWY_INLINE V component(D d, const float* x) {
  const hn::Rebind<float, D> narrow;
  return hn::PromoteTo(d, hn::LoadU(narrow, x));
}
template <class T>
HWY_INLINE V scaled(D d, const T* x, PowerOfTwo scale) {
  return hn::Mul(hn::Mul(component(d, x), hn::Set(d, scale.first)), hn::Set(d, scale.second));
}
template <class T>
HWY_INLINE double scaled(const T* x, PowerOfTwo scale) {
  return static_cast<double>(*x) * scale.first * scale.second;
}

// Sum over k of a term, two vectors at a time; what is left over one by one.
template <class Vector, class Scalar>
HWY_INLINE double sum(D d, std::size_t dimension, Vector term, Scalar last) {
  const std::size_t lanes = hn::Lanes(d);
  auto even = hn::Zero(d), odd = hn::Zero(d);
  std::size_t k = 0;
  for (; k + 2 * lanes <= dimension; k += 2 * lanes) {
    even = term(k, even);
    odd = term(k + lanes, odd);
  }
  for (; k + lanes <= dimension; k += lanes) even = term(k, even);
  double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; k < dimension; ++k) total += last(k);
  return total;
}

// Eight tokens at a time, so that s is read and written once for all of them.
template <class T>
void add(double* HWY_RESTRICT s, const WeightedTokens<T>& tokens, PowerOfTwo scale, std::size_t dimension) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + lanes <= dimension; k += lanes) {
    auto sum = hn::LoadU(d, s + k);
    for (std::size_t j = 0; j < tokens.count; ++j)
      sum = hn::MulAdd(hn::Set(d, tokens.w[j]), scaled(d, tokens.x[j] + k, scale), sum);
    hn::StoreU(sum, d, s + k);
  }
  for (; k < dimension; ++k)
    for (std::size_t j = 0; j < tokens.count; ++j) s[k] += tokens.w[j] * scaled(tokens.x[j] + k, scale);
}
ATTNCERT_FORMS(add)

double length(const double* s, std::size_t dimension) {
  const D d;
  return sum(
      d, dimension,
      [=](std::size_t k, V total) {
        const auto v = hn::LoadU(d, s + k);
        return hn::MulAdd(v, v, total);
      },
      [=](std::size_t k) { return s[k] * s[k]; });
}

template <class T>
double apart(const double* HWY_RESTRICT s, const T* HWY_RESTRICT x, double w, PowerOfTwo scale, std::size_t dimension) {
  const D d;
  return sum(
      d, dimension,
      [=](std::size_t k, V total) {
        const auto v = hn::MulSub(hn::Set(d, w), scaled(d, x + k, scale), hn::LoadU(d, s + k));
        return hn::MulAdd(v, v, total);
      },
      [=](std::size_t k) {
        const double v = w * scaled(x + k, scale) - s[k];
        return v * v;
      });
}
ATTNCERT_FORMS(apart)

template <class T>
double product(const double* HWY_RESTRICT s, const T* HWY_RESTRICT x, PowerOfTwo scale, std::size_t dimension) {
  const D d;
  return sum(
      d, dimension,
      [=](std::size_t k, V total) { return hn::MulAdd(scaled(d, x + k, scale), hn::LoadU(d, s + k), total); },
      [=](std::size_t k) { return scaled(x + k, scale) * s[k]; });
}
ATTNCERT_FORMS(product)

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bounds {
namespace {

ATTNCERT_DISPATCH(add)
HWY_EXPORT(length);
ATTNCERT_DISPATCH(apart)
ATTNCERT_DISPATCH(product)

}  // namespace

template <class T>
void add_tokens(double* s, const WeightedTokens<T>& tokens, PowerOfTwo scale, std::size_t dimension) {
  dispatch_add<T>(s, tokens, scale, dimension);
}
double squared_length(const double* s, std::size_t dimension) { return HWY_DYNAMIC_DISPATCH(length)(s, dimension); }
template <class T>
double squared_apart(const double* s, const T* x, double w, PowerOfTwo scale, std::size_t dimension) {
  return dispatch_apart<T>(s, x, w, scale, dimension);
}
template <class T>
double inner_product(const double* s, const T* x, PowerOfTwo scale, std::size_t dimension) {
  return dispatch_product<T>(s, x, scale, dimension);
}

#define ATTNCERT_PASSES_OF(T)                                                              \
  template void add_tokens(double*, const WeightedTokens<T>&, PowerOfTwo, std::size_t);    \
  template double squared_apart(const double*, const T*, double, PowerOfTwo, std::size_t); \
  template double inner_product(const double*, const T*, PowerOfTwo, std::size_t);
ATTNCERT_PASSES_OF(float)
ATTNCERT_PASSES_OF(double)
#undef ATTNCERT_PASSES_OF

}  // namespace attncert::bounds
#endif  // HWY_ONCE

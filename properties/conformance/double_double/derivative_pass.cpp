#include "properties/conformance/double_double/derivative_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/derivative_pass.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "properties/conformance/double_double/row-inl.h"
#include "properties/conformance/double_double/sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

constexpr double scale = 0x1p256;

// Numbers from `array` on, 0 beyond the row.
template <class T>
HWY_INLINE V loaded(const T* array, std::size_t left) {
  return left < hn::Lanes(D()) ? widened_part(D(), array, left, T{0}) : widened(D(), array);
}

template <class T>
class Products {
 public:
  HWY_INLINE Products(const double* high, const double* low, const T* upstream, std::size_t length, bool magnitude)
      : high_(high), low_(low), upstream_(upstream), length_(length), magnitude_(magnitude) {}

  HWY_INLINE VectorPair<V> operator()(std::size_t i) const {
    const V high = loaded(high_ + i, length_ - i), low = loaded(low_ + i, length_ - i);
    V g = hn::Mul(loaded(upstream_ + i, length_ - i), hn::Set(D(), scale));
    if (magnitude_) g = hn::Abs(g);
    const auto present = hn::Eq(high, high);
    VectorPair<V> p = two_product(D(), high, g);
    p.low = hn::MulAdd(low, g, p.low);
    return {hn::IfThenElseZero(present, p.high), hn::IfThenElseZero(present, p.low)};
  }

 private:
  const double *high_, *low_;
  const T* upstream_;
  std::size_t length_;
  bool magnitude_;
};

struct Sizes {
  double largest;
  bool refused;
};

template <class T>
HWY_INLINE Sizes sizes_present(const double* high, const T* upstream, std::size_t length) {
  const V zero = hn::Zero(D());
  V bad = zero, largest = zero;
  for (std::size_t i = 0; i < length; i += hn::Lanes(D())) {
    const V e = loaded(high + i, length - i);
    const V g = hn::IfThenElseZero(hn::Eq(e, e), hn::Abs(loaded(upstream + i, length - i)));
    const auto good = hn::Or(hn::Eq(g, zero), hn::And(hn::Ge(g, hn::Set(D(), smallest_upstream)),
                                                      hn::Le(g, hn::Set(D(), largest_upstream))));
    bad = hn::Or(bad, hn::IfThenZeroElse(good, hn::Set(D(), 1.0)));
    largest = hn::Max(largest, hn::IfThenElseZero(good, g));
  }
  return {hn::GetLane(hn::MaxOfLanes(D(), largest)), !hn::AllTrue(D(), hn::Eq(bad, zero))};
}

template <class T>
HWY_INLINE Weighted weighed(const double* high, const double* low, const T* upstream, std::size_t length) {
  const Sizes found = sizes_present(high, upstream, length);
  if (found.refused) return {{}, {}, 0, true};
  const Products<T> terms(high, low, upstream, length, false), sizes(high, low, upstream, length, true);
  return {sum_vectors(D(), length, terms, terms), sum_vectors(D(), length, sizes, sizes), found.largest, false};
}

// E (g - D), normalised, and m = (E_h + E_l)(|g| + sum of p |g|) times.
template <class T>
HWY_INLINE void written(const DerivativePass& pass, const T* upstream) {
  const V minus_high = hn::Set(D(), -pass.mean.high), minus_low = hn::Set(D(), -pass.mean.low);
  for (std::size_t i = 0; i < pass.length; i += hn::Lanes(D())) {
    const std::size_t left = pass.length - i;
    const VectorPair<V> e{loaded(pass.high + i, left), loaded(pass.low + i, left)};
    const V g = hn::Mul(loaded(upstream + i, left), hn::Set(D(), scale));
    VectorPair<V> difference = two_sum(g, minus_high);
    difference = two_sum(difference.high, hn::Add(difference.low, minus_low));
    VectorPair<V> product = multiply(D(), e, difference);
    product = fast_two_sum(product.high, product.low);
    const V size = hn::Mul(hn::Add(hn::Abs(g), hn::Set(D(), pass.mean_magnitude)), hn::Set(D(), pass.times));
    hn::StoreU(product.high, D(), pass.product_high + i);
    hn::StoreU(product.low, D(), pass.product_low + i);
    hn::StoreU(hn::Mul(hn::Add(e.high, e.low), size), D(), pass.magnitude + i);
  }
}

Weighted weigh_f32(const double* h, const double* l, const float* g, std::size_t n) { return weighed(h, l, g, n); }
Weighted weigh_f64(const double* h, const double* l, const double* g, std::size_t n) { return weighed(h, l, g, n); }
void write_f32(const DerivativePass& pass, const float* g) { written(pass, g); }
void write_f64(const DerivativePass& pass, const double* g) { written(pass, g); }

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_double {

HWY_EXPORT(weigh_f32);
HWY_EXPORT(weigh_f64);
HWY_EXPORT(write_f32);
HWY_EXPORT(write_f64);

Weighted weigh(const double* high, const double* low, const float* g, std::size_t length) {
  return HWY_DYNAMIC_DISPATCH(weigh_f32)(high, low, g, length);
}
Weighted weigh(const double* high, const double* low, const double* g, std::size_t length) {
  return HWY_DYNAMIC_DISPATCH(weigh_f64)(high, low, g, length);
}
void multiply_out(const DerivativePass& pass, const float* g) { HWY_DYNAMIC_DISPATCH(write_f32)(pass, g); }
void multiply_out(const DerivativePass& pass, const double* g) { HWY_DYNAMIC_DISPATCH(write_f64)(pass, g); }

}  // namespace attncert::double_double
#endif  // HWY_ONCE

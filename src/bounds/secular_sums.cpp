// The loops over a row that the secular equation needs, for each instruction set: sums run in `chains` vectors, so that
// a sum of n terms adds at most n / (chains lanes) + chains + lanes of them in a row.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/secular_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <limits>

#include "src/bounds/secular_sums.hpp"
#include "src/kernel/dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<double>;
using Vector = hn::Vec<Wide>;

HWY_INLINE Vector load(Wide d, const double* from) { return hn::LoadU(d, from); }
HWY_INLINE Vector load(Wide d, const float* from) {
  const hn::Rebind<float, Wide> narrow;
  return hn::PromoteTo(d, hn::LoadU(narrow, from));
}

HWY_INLINE void take(TopTwo& top, double value) {
  if (!(value >= 0 && value <= std::numeric_limits<double>::max())) top.valid = false;
  top.second = std::max(top.second, std::min(top.first, value));
  top.first = std::max(top.first, value);
}

template <class T>
TopTwo top_two_of(const T* weights, std::size_t length) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d), largest = hn::Set(d, std::numeric_limits<double>::max());
  auto first_a = zero, second_a = zero, first_b = zero, second_b = zero;
  auto valid = hn::Eq(zero, zero);
  std::size_t i = 0;
  for (; i + 2 * lanes <= length; i += 2 * lanes) {
    const auto a = load(d, weights + i), b = load(d, weights + i + lanes);
    valid = hn::And(
        valid, hn::And(hn::And(hn::Ge(a, zero), hn::Le(a, largest)), hn::And(hn::Ge(b, zero), hn::Le(b, largest))));
    second_a = hn::Max(second_a, hn::Min(first_a, a));
    second_b = hn::Max(second_b, hn::Min(first_b, b));
    first_a = hn::Max(first_a, a);
    first_b = hn::Max(first_b, b);
  }
  TopTwo top{0, 0, hn::AllTrue(d, valid)};
  if (!top.valid) return top;
  HWY_ALIGN double seen[4][HWY_MAX_BYTES / sizeof(double)];
  hn::Store(first_a, d, seen[0]);
  hn::Store(second_a, d, seen[1]);
  hn::Store(first_b, d, seen[2]);
  hn::Store(second_b, d, seen[3]);
  for (const auto& values : seen)
    for (std::size_t lane = 0; lane < lanes; ++lane) take(top, values[lane]);
  for (; i < length; ++i) take(top, static_cast<double>(weights[i]));
  return top;
}

template <class T>
void scale_row(const T* weights, std::size_t length, double low, double high, double* out) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto a = hn::Set(d, low), b = hn::Set(d, high);
  std::size_t i = 0;
  for (; i + lanes <= length; i += lanes) hn::StoreU(hn::Mul(hn::Mul(load(d, weights + i), a), b), d, out + i);
  for (; i < length; ++i) out[i] = static_cast<double>(weights[i]) * low * high;
}

HWY_INLINE double all(Wide d, Vector a, Vector b, Vector c, Vector e) {
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

PowerSums power_sums_of(const double* rest, std::size_t length) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  Vector s[chains], q[chains], c[chains];
  for (std::size_t k = 0; k < chains; ++k) s[k] = q[k] = c[k] = hn::Zero(d);
  for (std::size_t i = 0; i < length; i += chains * lanes)
    for (std::size_t k = 0; k < chains; ++k) {
      const auto r = hn::LoadU(d, rest + i + k * lanes), square = hn::Mul(r, r);
      s[k] = hn::Add(s[k], r);
      q[k] = hn::Add(q[k], square);
      c[k] = hn::MulAdd(square, r, c[k]);
    }
  return {all(d, s[0], s[1], s[2], s[3]), all(d, q[0], q[1], q[2], q[3]), all(d, c[0], c[1], c[2], c[3])};
}

PoleSums pole_sums_of(const double* rest, std::size_t length, double x) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto at = hn::Set(d, x);
  Vector s[chains], q[chains];
  for (std::size_t k = 0; k < chains; ++k) s[k] = q[k] = hn::Zero(d);
  for (std::size_t i = 0; i < length; i += chains * lanes)
    for (std::size_t k = 0; k < chains; ++k) {
      const auto r = hn::LoadU(d, rest + i + k * lanes), term = hn::Div(r, hn::Sub(at, r));
      s[k] = hn::Add(s[k], term);
      q[k] = hn::MulAdd(term, term, q[k]);
    }
  return {all(d, s[0], s[1], s[2], s[3]), all(d, q[0], q[1], q[2], q[3])};
}

ATTNCERT_FORMS(top_two_of)
ATTNCERT_FORMS(scale_row)
std::size_t lanes_of() { return hn::Lanes(Wide()); }

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bounds {

ATTNCERT_DISPATCH(top_two_of)
ATTNCERT_DISPATCH(scale_row)
HWY_EXPORT(power_sums_of);
HWY_EXPORT(pole_sums_of);
HWY_EXPORT(lanes_of);

TopTwo top_two(std::span<const float> weights) { return dispatch_top_two_of<float>(weights.data(), weights.size()); }
TopTwo top_two(std::span<const double> weights) { return dispatch_top_two_of<double>(weights.data(), weights.size()); }
void scale_into(std::span<const float> weights, double low, double high, double* out) {
  dispatch_scale_row<float>(weights.data(), weights.size(), low, high, out);
}
void scale_into(std::span<const double> weights, double low, double high, double* out) {
  dispatch_scale_row<double>(weights.data(), weights.size(), low, high, out);
}
PowerSums power_sums(std::span<const double> rest) {
  return HWY_DYNAMIC_DISPATCH(power_sums_of)(rest.data(), rest.size());
}
PoleSums pole_sums(std::span<const double> rest, double x) {
  return HWY_DYNAMIC_DISPATCH(pole_sums_of)(rest.data(), rest.size(), x);
}
double sum_error(std::size_t length) {
  const std::size_t lanes = HWY_DYNAMIC_DISPATCH(lanes_of)();
  return static_cast<double>(length / (chains * lanes) + chains + lanes + 4) * 0x1p-53;
}

}  // namespace attncert::bounds
#endif  // HWY_ONCE

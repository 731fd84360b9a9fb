// Derivatives that are 0 off the support, the logits from some value on: walks that pass over vectors without one.
#if defined(ATTNCERT_NORMALIZERS_VJP_SUPPORT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_VJP_SUPPORT_INL_H
#undef ATTNCERT_NORMALIZERS_VJP_SUPPORT_INL_H
#else
#define ATTNCERT_NORMALIZERS_VJP_SUPPORT_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "src/normalizers/derivatives/vjp_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace vjp {

// The logits from `lowest` on, of which a row may have few: visit as walk has it, with `inside` for present;
// none(i, count) for a vector of T that holds no such logit.
template <class T, class Visit, class None>
HWY_INLINE void walk_support(const Row<T>& row, T lowest, Visit visit, None none) {
  using N = Numbers<T>;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto least = hn::Set(d, lowest);
  const auto below = N::set(std::nextafter(lowest, -std::numeric_limits<T>::infinity()));
  for (std::size_t i = 0; i < row.length; i += lanes) {
    const std::size_t end = std::min(i + lanes, row.length);
    const auto some = end == i + lanes ? hn::LoadU(d, row.logits + i) : load_tail(d, row.logits + i, end - i);
    if (hn::AllFalse(d, hn::Ge(some, least))) {
      none(i, end - i);
      continue;
    }
    for (std::size_t j = i; j < end; j += N::lanes()) {
      const std::size_t count = row.length - j;
      const auto x = N::load(row.logits + j, count);
      const auto inside = N::above(x, below);
      visit(x, N::where(inside, N::load(row.upstream + j, count)), inside, j, count);
    }
  }
}

// Of the support, gradient(x, g) to its place, 0 elsewhere.
template <class T, class Gradient>
HWY_INLINE void write_support(const Row<T>& row, T lowest, Gradient gradient) {
  using N = Numbers<T>;
  walk_support(
      row, lowest,
      [&](auto x, auto g, auto inside, std::size_t i, std::size_t count)
          HWY_ATTR { N::store(N::where(inside, gradient(x, g)), row.gradient + i, count); },
      [&](std::size_t i, std::size_t count) HWY_ATTR {
        const hn::ScalableTag<T> d;
        const auto none = hn::Zero(d);
        count == hn::Lanes(d) ? hn::StoreU(none, d, row.gradient + i) : store_tail(d, none, row.gradient + i, count);
      });
}

struct NoneLeft {
  HWY_INLINE void operator()(std::size_t, std::size_t) const {}
};

// The derivative of what is a power of v = a (z - tau) and has sum 1: with s = slope(x) on the support, s (g - sum s g
// / sum s) rho there, 0 elsewhere.
template <class T, class Slope>
HWY_INLINE void write_by_slopes(const Row<T>& row, T lowest, const Times<T>& times, const Slope& slope) {
  using N = Numbers<T>;
  typename N::Sum slopes, products;
  const auto add = [&](auto x, auto g, auto inside, std::size_t, std::size_t) HWY_ATTR {
    const auto s = N::where(inside, slope(x));
    slopes.add(s);
    products.add(s * g);
  };
  walk_support(row, lowest, add, NoneLeft());
  const auto mean = N::set(products.total() / slopes.total());
  write_support(row, lowest, [&](auto x, auto g) HWY_ATTR { return times(slope(x) * (g - mean)); });
}

}  // namespace vjp
}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

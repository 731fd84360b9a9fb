// The sums of inertia_sums.hpp for each instruction set, in `chains` chains of vectors and with one division a token.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/bounds/inertia_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/bounds/inertia_sums.hpp"
#include "src/bounds/secular_sums.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::bounds::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::ScalableTag<double>;
using Vector = hn::Vec<Wide>;

struct Chain {
  Vector slopes, weights, squares, shifted, sizes, shifted_squares;

  explicit Chain(Vector zero)
      : slopes(zero), weights(zero), squares(zero), shifted(zero), sizes(zero), shifted_squares(zero) {}

  HWY_INLINE void add(Vector one, Vector x, Vector c, Vector w, Vector d) {
    const auto tau = hn::Div(d, hn::Sub(x, d)), e = hn::Sub(w, c);
    const auto lifted = hn::Mul(w, hn::Add(one, tau)), moved = hn::Mul(tau, e);
    slopes = hn::Add(slopes, tau);
    weights = hn::Add(weights, lifted);
    squares = hn::Add(squares, hn::Mul(w, lifted));
    shifted = hn::Add(shifted, moved);
    sizes = hn::Add(sizes, hn::Abs(moved));
    shifted_squares = hn::Add(shifted_squares, hn::Mul(moved, e));
  }
};

InertiaSums inertia_sums_of(const double* weights, const double* slopes, std::size_t length, double x, double shift) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1.0), at = hn::Set(d, x), c = hn::Set(d, shift);
  Chain chain[chains] = {Chain(hn::Zero(d)), Chain(hn::Zero(d)), Chain(hn::Zero(d)), Chain(hn::Zero(d))};
  for (std::size_t i = 0; i < length; i += chains * lanes)
    for (std::size_t k = 0; k < chains; ++k)
      chain[k].add(one, at, c, hn::LoadU(d, weights + i + k * lanes), hn::LoadU(d, slopes + i + k * lanes));
  const auto all = [&](Vector Chain::*sum) {
    const auto low = hn::Add(chain[0].*sum, chain[1].*sum), high = hn::Add(chain[2].*sum, chain[3].*sum);
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
  };
  return {all(&Chain::slopes),  all(&Chain::weights), all(&Chain::squares),
          all(&Chain::shifted), all(&Chain::sizes),   all(&Chain::shifted_squares)};
}

}  // namespace attncert::bounds::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::bounds {

HWY_EXPORT(inertia_sums_of);

InertiaSums inertia_sums(std::span<const double> weights, std::span<const double> squared_slopes, double x,
                         double shift) {
  return HWY_DYNAMIC_DISPATCH(inertia_sums_of)(weights.data(), squared_slopes.data(), weights.size(), x, shift);
}

}  // namespace attncert::bounds
#endif  // HWY_ONCE

// softmax in f32 rounded almost correctly: exponentials, sum and product in f64, one rounding to f32 at the end. Exponentials are
// computed twice, which is cheaper than to keep them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/softmax_half_ulp.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <limits>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;

constexpr std::size_t kSummed =
    4096;  // elements added plainly, at most 2^12 roundings of 2^-53; blocks are compensated

template <class Exp>
HWY_INLINE DoubleSum wide_sum(const Exp& exp, const float* x, std::size_t length) {
  const Wide w;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(w);
  DoubleSum total;
  for (std::size_t first = 0; first < length; first += kSummed) {
    const std::size_t last = std::min(first + kSummed, length);
    auto a = hn::Zero(w), b = a;
    std::size_t i = first;
    for (; i + 2 * lanes <= last; i += 2 * lanes) {
      a = hn::Add(a, exp(hn::PromoteTo(w, hn::LoadU(d, x + i))));
      b = hn::Add(b, exp(hn::PromoteTo(w, hn::LoadU(d, x + i + lanes))));
    }
    for (; i < last; i += lanes) {
      const std::size_t count = std::min(lanes, last - i);
      a = hn::Add(a, exp(hn::PromoteTo(w, count == lanes ? hn::LoadU(d, x + i) : load_tail(d, x + i, count))));
    }
    total.add(hn::GetLane(hn::SumOfLanes(w, hn::Add(a, b))));
  }
  return total;
}

template <class Exp>
HWY_INLINE void wide_weights(const Exp& exp, double inverse, const float* x, float* y, std::size_t length) {
  const Wide w;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(w);
  const auto by = hn::Set(w, inverse);
  const auto weights = [&](hn::Vec<Narrow> v)
                           HWY_ATTR { return hn::DemoteTo(d, hn::Mul(exp(hn::PromoteTo(w, v)), by)); };
  std::size_t i = 0;
  for (; i + 2 * lanes <= length; i += 2 * lanes) {
    hn::StoreU(weights(hn::LoadU(d, x + i)), d, y + i);
    hn::StoreU(weights(hn::LoadU(d, x + i + lanes)), d, y + i + lanes);
  }
  for (; i < length; i += lanes) {
    const std::size_t count = std::min(lanes, length - i);
    if (count == lanes) hn::StoreU(weights(hn::LoadU(d, x + i)), d, y + i);
    else store_tail(d, weights(load_tail(d, x + i, count)), y + i, count);
  }
}

void softmax_half_ulp(const Batch<float>& batch) {
  const Scale<double> scale = make_scale<double>(batch.temperature, FormatLimits<double>::temperature_limit);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    const float* x = row_logits(batch, row);
    float* y = batch.output + row * batch.output_stride;
    const float largest = row_largest(hn::ScalableTag<float>(), x, batch.length);
    if (HWY_UNLIKELY(!is_finite(largest))) {
      write_degenerate_row(
          x, y, batch.length, 0.0f, +[](double count) { return 1 / count; });
      continue;
    }
    with_exp(Wide(), scale, row_shift(scale, static_cast<double>(largest)), [&](const auto& exp) HWY_ATTR {
      const DoubleSum sum = wide_sum(exp, x, batch.length);
      if (sum.high != sum.high) return fill(y, batch.length, std::numeric_limits<float>::quiet_NaN());
      wide_weights(exp, 1 / (sum.high + sum.low), x, y, batch.length);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_half_ulp);

struct SoftmaxHalfUlp : PlainEntry {
  static constexpr const char* normalizer = "softmax";
  static void run(const Batch<float>& batch) { HWY_DYNAMIC_DISPATCH(softmax_half_ulp)(batch); }
};

}  // namespace

// Budget: half an ulp for the last rounding and less than 2^-15 ulp before it: docs/budgets.md.
const BuiltIn softmax_half_ulp_f32_kernel = entry<SoftmaxHalfUlp, float>({0.5001, 0.5001}, "softmax-half-ulp.f32");

}  // namespace attncert
#endif  // HWY_ONCE

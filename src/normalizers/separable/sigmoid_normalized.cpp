// sigmoid-normalized: w_i = sigma(z_i / T) / sum_j sigma(z_j / T). Each sigma is a number times 2^n, and the n of the
// largest logit is taken off, so the sum is never 0 / 0; far to the left it becomes the softmax, as it should.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/separable/sigmoid_normalized.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/separable/separable-inl.h"
#include "src/normalizers/separable/sigmoid-inl.h"
#include "src/normalizers/wide_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

class RowSigmoid {
 public:
  static constexpr wide::AtInfinity kAtInfinity = wide::AtInfinity::ordinary;

  template <class T>
  explicit RowSigmoid(const Batch<T>& batch) : scale_(make_scale<double>(batch.temperature, 0)), exp_(scale_) {}

  // A positive logit stands at its own value, cut at the reach, where sigma is 1. If all are below minus the reach, the
  // largest is subtracted and sigma is the exponential, within e^-1900 of itself.
  HWY_INLINE bool prepare(const wide::Census& row) {
    const double ceiling = wide::kReach * scale_.temperature;
    const wide::RowPlace place = wide::row_place(scale_, std::min(row.largest, std::numeric_limits<double>::max()));
    const bool left = row.largest < 0 && place.subtract != 0;
    const double peak = row.largest * scale_.down * scale_.up;
    const double kept = left ? 0 : std::min(peak, 0.0);
    subtract_ = wide::set(left ? place.subtract : 0);
    one_ = wide::set(left ? 0 : 1);
    floor_ = wide::set(kept - wide::kDepth * scale_.temperature);
    ceiling_ = wide::set(left ? 0 : ceiling);
    n_ = wide::set(std::rint(kept * scale_.rate) - wide::kHeadroom);
    return true;
  }

  HWY_INLINE wide::Term operator()(wide::V z) const {
    const wide::V a = hn::Mul(hn::Sub(hn::Mul(z, down_), subtract_), up_);
    const auto below = hn::Lt(a, floor_);
    const wide::V kept = hn::Min(hn::IfThenElse(below, floor_, a), ceiling_);
    // The exponential of 0 comes from the side of 1 / (1 + e), where `one` = 0 makes it 1 / 1: the same.
    const wide::Scaled s = wide::sigmoid(exp_, kept, hn::Zero(wide::D()), one_);
    const wide::V power = hn::IfThenZeroElse(below, wide::power_of_two(hn::Sub(s.n, n_)));
    return wide::term({hn::Mul(s.value.high, power), hn::Mul(s.value.low, power)});
  }

  double divisor(const DoubleSum& sum) const { return sum.high + sum.low; }

 private:
  Scale<double> scale_;
  wide::PairExp exp_;
  wide::V down_ = wide::set(scale_.down), up_ = wide::set(scale_.up), subtract_ = wide::set(0), one_ = wide::set(1);
  wide::V floor_ = wide::set(0), ceiling_ = wide::set(0), n_ = wide::set(0);
};

void sigmoid_normalized_f32(const Batch<float>& batch) { wide::separable_rows<RowSigmoid>(batch); }
void sigmoid_normalized_f64(const Batch<double>& batch) { wide::separable_rows<RowSigmoid>(batch); }

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budgets: docs/budgets.md, sigmoid-normalized.
ATTNCERT_KERNEL(sigmoid_normalized, "sigmoid-normalized", WideEntry, (Budget{0.501, 0.501}), (Budget{3.4, 3.4}))
#endif  // HWY_ONCE

// ssmax(z / T) = softmax(s log(n) z / T), n the number of logits that take part (K. M. Nakanishi, "Scalable-Softmax Is
// Superior for Attention", 2025): softmax at the temperature T / (s log n), which f64 carries with the digits of long
// double, for its rounding would be multiplied by the depth of a logit. s < 0 reverses the row: it works on -z.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/exponential/ssmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/entry.hpp"
#include "src/normalizers/exponential/softmax.hpp"
#include "src/normalizers/exponential/softmax_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
class ScalableFamily {
  using Wide = WideTemperature<T>;

  // Infinite for s = 0, at which all weights are equal: IEEE's division is meant.
  __attribute__((no_sanitize("float-divide-by-zero"))) static Wide quotient(Wide temperature, Wide s) {
    return temperature / s;
  }

 public:
  static constexpr bool kOneScale = false;
  static constexpr bool zero = false;

  explicit ScalableFamily(const Batch<T>& batch)
      : s_(batch.parameters.scale), at_log_one_(quotient(batch.temperature, std::abs(batch.parameters.scale))) {}
  ScalableFamily(const ScalableFamily&) = delete;  // it points into itself
  ScalableFamily& operator=(const ScalableFamily&) = delete;

  const T* logits(const Batch<T>& batch, std::size_t row) const {
    const T* x = batch.input + row * batch.input_stride;
    if (!(s_ < 0)) return x;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    T* y = batch.output + row * batch.output_stride;
    for (std::size_t i = 0; i < batch.length; ++i) {  // +inf would be -inf: it takes part, but has no weight to take
      y[i] = x[i] == -infinity ? x[i] : (x[i] == infinity ? std::numeric_limits<T>::quiet_NaN() : -x[i]);
    }
    return y;
  }

  // Finds the scale of the row too.
  template <class D>
  HWY_INLINE void range(D d, const T* x, std::size_t length, T& largest, T& smallest) {
    row_range(d, x, length, largest, smallest);
    const bool some = smallest == -std::numeric_limits<T>::infinity();
    const std::size_t count = some ? length - count_absent(d, x, length) : length;
    if (count > 0) now_ = &of_count(count);
  }
  const Scale<T>& scale() const { return *now_; }
  const Scale<T>& scale_of_whole(std::size_t length) { return of_count(length); }
  // The scale of short rows; null where no scale serves the logits as they are. Scales of kHeld counts keep their
  // addresses.
  const Scale<T>* near_scale(std::size_t count) {
    if (count == 0) return nullptr;
    const Scale<T>& scale = of_count(count);
    return scale.near ? &scale : nullptr;
  }

  void degenerate(const T* x, T* y, std::size_t length) const {
    if (s_ != 0) {
      return write_degenerate_row(
          x, y, length, T(0), +[](double count) { return 1 / count; });
    }
    std::size_t present = 0;
    bool nan = false;
    for (std::size_t i = 0; i < length; ++i) {
      present += x[i] == -std::numeric_limits<T>::infinity() ? 0 : 1;
      nan |= x[i] != x[i];
    }
    const T share = nan || present == 0 ? std::numeric_limits<T>::quiet_NaN() : T(1) / static_cast<T>(present);
    for (std::size_t i = 0; i < length; ++i) {
      y[i] = !nan && x[i] == -std::numeric_limits<T>::infinity() ? T(0) : share;
    }
  }

 private:
  // Every row of a causal mask has another count, but heads have the same ones.
  const Scale<T>& of_count(std::size_t count) {
    const std::size_t place = count % kHeld;
    if (count == 0 || counts_[place] != count) {
      counts_[place] = static_cast<std::uint32_t>(count);
      scales_[place] = make_scale<T>(temperature_of(count), FormatLimits<T>::temperature_limit);
    }
    return scales_[place];
  }

  // One logit has weight 1 at any temperature: the largest at which blocks of short rows serve, where its exponential
  // is 1 before it is divided by itself, but for logits that are nearly as large.
  Wide temperature_of(std::size_t count) const {
    if (count < 2) return std::ldexp(Wide(1), FormatLimits<T>::near);
    return at_log_one_ / std::log(static_cast<Wide>(count));
  }

  static constexpr std::size_t kHeld = 64;
  static_assert(sizeof(T) != 4 || 4 * hn::MaxLanes(hn::ScalableTag<float>()) <= kHeld,
                "a block of short rows, of four vectors at most, finds all of its scales here");
  double s_;
  // T / |s|. Where this leaves the range of double, the quotient is beyond every f32 temperature too.
  Wide at_log_one_;
  std::uint32_t counts_[kHeld] = {};  // of the scales beside; 0: none yet
  Scale<T> scales_[kHeld];
  const Scale<T>* now_ = scales_;
};

template <class T>
void ssmax(const Batch<T>& batch) {
  softmax_batch(hn::ScalableTag<T>(), batch, ScalableFamily<T>(batch));
}
ATTNCERT_FORMS(ssmax)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Budget and campaign tolerance: docs/budgets.md.
ATTNCERT_KERNEL(ssmax, "ssmax", WithScale<SoftmaxEntry>,
                (Budget{.unit = 8.5, .other = 8.5, .tolerance_unit = 6, .tolerance_other = 6}),
                (Budget{.unit = 10, .other = 10, .tolerance_unit = 6, .tolerance_other = 6}))
#endif  // HWY_ONCE

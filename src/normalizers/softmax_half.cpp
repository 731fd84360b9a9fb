// Batches of half rows: always a pipeline, past the caches where the batch exceeds them.
#include "src/normalizers/softmax_half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/softmax_half.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/half_convert.hpp"
#include "src/normalizers/softmax_half-inl.h"
#include "src/normalizers/softmax_sizes.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

template <class Format, class Beside>
HWY_INLINE DoubleSum half_row_sum(const Scale<float>& scale, const RowShift<float>& shift, const std::uint16_t* x,
                                  float* e, std::size_t length, Beside& beside) {
  return with_exp(Singles(), scale, shift, [&](const auto& exp) HWY_ATTR {
    DoubleSum sum;
    for (std::size_t from = 0; from < length; from += block_of(Singles())) {
      sum.add(half_exponentials<Format>(exp, x, e, from, std::min(from + block_of(Singles()), length), beside));
    }
    return sum;
  });
}

template <class Format, bool kPastCaches>
HWY_INLINE void half_pipeline(attncert_dtype half, const attncert_arguments& a) {
  const Scale<float> scale = make_scale<float>(a.temperature, FormatLimits<float>::temperature_limit);
  const std::size_t length = a.length;
  const std::uint16_t* input = static_cast<const std::uint16_t*>(a.input);
  std::uint16_t* output = static_cast<std::uint16_t*>(a.output);
  float *e = static_cast<float*>(a.scratch), *pending_e = e + held<float>(length);
  std::uint16_t* pending_y = nullptr;
  Reciprocal<float> by{0, 0};
  for (std::size_t r = 0; r < a.rows; ++r) {
    const std::uint16_t* x = input + r * a.input_stride;
    std::uint16_t* y = output + r * a.output_stride;
    const float largest = largest_half<Format>(x, length);
    if (HWY_UNLIKELY(!is_finite(largest))) {
      widen(half, x, e, length);
      write_degenerate_row(
          e, e, length, 0.0f, +[](double count) { return 1 / count; });
      narrow(half, e, y, length);
      continue;
    }
    const std::uint16_t* next = r + 1 < a.rows ? x + a.input_stride : x;
    HalfDrain<Format, kPastCaches> drain(pending_y == nullptr ? nullptr : pending_e, pending_y, by, next, length);
    const DoubleSum sum = half_row_sum<Format>(scale, row_shift(scale, largest), x, e, length, drain);
    drain.finish();
    pending_y = nullptr;
    if (HWY_UNLIKELY(sum.high != sum.high)) {
      fill(e, length, std::numeric_limits<float>::quiet_NaN());
      narrow(half, e, y, length);
      continue;
    }
    by = reciprocal(sum, 0.0f);
    pending_y = y;
    std::swap(e, pending_e);
  }
  if (pending_y != nullptr) multiply_narrow<Format>(pending_e, pending_y, 0, length, Times<Singles>(Singles(), by));
  if (kPastCaches) hwy::FlushStream();
}

template <class Format>
HWY_INLINE void half_batch(attncert_dtype half, const attncert_arguments& a) {
  if (beyond_caches<std::uint16_t>(a.rows, a.length)) return half_pipeline<Format, true>(half, a);
  half_pipeline<Format, false>(half, a);
}

#endif

bool softmax_halves(attncert_dtype half, const attncert_arguments& a) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  half == ATTNCERT_F16 ? half_batch<F16>(half, a) : half_batch<Bf16>(half, a);
  return true;
#else
  (void)half;
  (void)a;
  return false;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(softmax_halves);

}  // namespace

bool takes_softmax_half(const attncert_arguments& arguments) noexcept {
  return arguments.mask == nullptr && arguments.length >= kShortestPipelined && !is_long<float>(arguments.length);
}

std::size_t softmax_half_scratch(const attncert_arguments& arguments) noexcept {
  return takes_softmax_half(arguments) ? 2 * held<float>(arguments.length) * sizeof(float) : 0;
}

bool softmax_half(attncert_dtype half, const attncert_arguments& arguments) noexcept {
  return HWY_DYNAMIC_DISPATCH(softmax_halves)(half, arguments);
}

}  // namespace attncert
#endif  // HWY_ONCE

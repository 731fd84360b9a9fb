// Batches of half rows for sparsemax and entmax-1.5: the scan widens logits in registers, candidates are floats, and
// from there to a weight every step is the f32 kernel's (entmax_weights-inl.h); weights are narrowed on their way out.
#include "src/normalizers/half/sparse_half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/half/sparse_half.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cstdint>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "src/normalizers/half/half_convert.hpp"
#include "src/normalizers/half/half_row-inl.h"
#include "src/normalizers/sparse/entmax_rows-inl.h"
#include "src/normalizers/sparse/sparse_scratch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// What no arithmetic reaches, by way of f32.
template <class Format>
HWY_NOINLINE void write_degenerate(HalfLogits<Format> x, HalfWeights<Format> y, std::size_t length, float* scratch) {
  widen(Format::kType, x.x, scratch, length);
  write_degenerate_row(
      scratch, scratch, length, 0.0f, +[](double count) { return 1 / count; });
  narrow(Format::kType, scratch, y.y, length);
}

template <class Format, class Power>
HWY_INLINE void half_rows(const attncert_arguments& a) {
  const Scale<float> scale = make_scale<float>(a.temperature, FormatLimits<float>::sparse_limit);
  const Power raise(units(scale).temperature);
  const auto* x = static_cast<const std::uint16_t*>(a.input);
  auto* y = static_cast<std::uint16_t*>(a.output);
  entmax_rows(
      raise, SparseRows<float>{scale, static_cast<float*>(a.scratch), a.rows, a.length, a.input_stride},
      beyond_caches<std::uint16_t>(a.rows, a.length) && reinterpret_cast<std::uintptr_t>(y) % sizeof *y == 0,
      [&](std::size_t row) HWY_ATTR { return HalfLogits<Format>{x + row * a.input_stride}; },
      [&](std::size_t row) HWY_ATTR { return HalfWeights<Format>{y + row * a.output_stride}; });
}

#endif

template <class Power>
HWY_INLINE bool half_batch(attncert_dtype half, const attncert_arguments& a) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  with_half_format(half, [&](auto format) HWY_ATTR { half_rows<decltype(format), Power>(a); });
  return true;
#else
  (void)half;
  (void)a;
  return false;
#endif
}

bool sparsemax_halves(attncert_dtype half, const attncert_arguments& a) { return half_batch<LinearPower>(half, a); }
bool entmax15_halves(attncert_dtype half, const attncert_arguments& a) { return half_batch<SquarePower>(half, a); }

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(sparsemax_halves);
HWY_EXPORT(entmax15_halves);

bool counted(bool done, SparseFamily family, const attncert_arguments& arguments) {
  if (done) add_counts(family, {arguments.rows, 0, 0, 0});
  return done;
}

}  // namespace

std::size_t sparse_half_scratch(const attncert_arguments& arguments) noexcept {
  return sparse_scratch_bytes<float>(&arguments);
}

bool sparsemax_half(attncert_dtype half, const attncert_arguments& arguments) noexcept {
  return counted(HWY_DYNAMIC_DISPATCH(sparsemax_halves)(half, arguments), SparseFamily::sparsemax, arguments);
}

bool entmax15_half(attncert_dtype half, const attncert_arguments& arguments) noexcept {
  return counted(HWY_DYNAMIC_DISPATCH(entmax15_halves)(half, arguments), SparseFamily::entmax15, arguments);
}

}  // namespace attncert
#endif  // HWY_ONCE

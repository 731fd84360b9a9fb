// sparsemax(z / T)_i = max((z_i - theta) / T, 0) with sum 1 (Martins, Astudillo, ICML 2016). theta >= max - T, so one pass
// with a running threshold keeps the few candidates; Michelot's iteration (1986) runs on these in double with a bound on
// its error, every doubt is settled exactly (sparsemax_exact.cpp); theta = max - delta leaves as a sum of two terms.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/sparsemax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>

#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"
#include "src/normalizers/row-inl.h"
#include "src/normalizers/sparsemax_exact.hpp"
#include "src/normalizers/sparsemax_solve-inl.h"
#include "src/normalizers/sparsemax_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class D, class T = Lane<D>>
HWY_INLINE void sparsemax_row(D d, const Scale<T>& scale, const T* x, T* y, std::size_t length, T* scratch) {
  const Candidates<T> candidates = find_candidates(d, x, length, scale.given, scratch);
  if (candidates.maybe_nan || !(std::abs(candidates.largest) <= std::numeric_limits<T>::max())) {
    if (!(std::abs(candidates.largest) <= std::numeric_limits<T>::max()) || has_nan(x, length)) {
      return write_degenerate_row(
          x, y, length, T(0), +[](double count) { return 1 / count; });
    }
  }
  const Threshold<T> threshold = solve(scale, candidates);
  write_weights(d, scale, candidates.largest, threshold, x, y, length, candidates);
}

template <class T>
void sparsemax_rows(const Batch<T>& batch) {
  const hn::ScalableTag<T> d;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    T* y = batch.output + row * batch.output_stride;
    sparsemax_row(d, batch.scale, row_logits(batch, row), y, batch.length, static_cast<T*>(batch.scratch));
  }
}

void sparsemax_f32(const Batch<float>& batch) { sparsemax_rows(batch); }
void sparsemax_f64(const Batch<double>& batch) { sparsemax_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(sparsemax_f32);
HWY_EXPORT(sparsemax_f64);

// One row of candidates and two vectors of the widest instruction set: compressed stores run over.
template <class T>
std::size_t scratch_bytes(const attncert_arguments* arguments) {
  return (arguments->length + 2 * 64 / sizeof(T)) * sizeof(T);
}

template <class T>
attncert_status run_sparsemax(const attncert_arguments* arguments) {
  Batch<T> batch;
  const std::size_t needed = arguments != nullptr ? scratch_bytes<T>(arguments) : 0;
  const attncert_status status = read_arguments(arguments, FormatLimits<T>::sparse_limit, needed, batch);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(sparsemax_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(sparsemax_f64)(batch);
  }
  count_sparsemax_rows(batch.rows);
  return ATTNCERT_OK;
}

}  // namespace

// Budget: z - theta rounds once (its two terms and the difference's own error are gathered first) and so does the
// quotient: 2 u, at most 2 ulp at any T. The support is exact.
const BuiltIn sparsemax_f32_kernel =
    built_in("sparsemax.f32", "sparsemax", ATTNCERT_F32, run_sparsemax<float>, scratch_bytes<float>, {2, 2});
const BuiltIn sparsemax_f64_kernel =
    built_in("sparsemax.f64", "sparsemax", ATTNCERT_F64, run_sparsemax<double>, scratch_bytes<double>, {2, 2});

}  // namespace attncert
#endif  // HWY_ONCE

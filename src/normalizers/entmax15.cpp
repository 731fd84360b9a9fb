// 1.5-entmax(z / T)_i = max((z_i - tau) / (2 T), 0)^2 with sum 1 (Peters, Niculae, Martins, ACL 2019), in the same steps
// as sparsemax.cpp: the sum of squares has a closed form on a known support, and the support is exact.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/entmax15.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"
#include "src/normalizers/entmax_weights-inl.h"
#include "src/normalizers/sparse_scratch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

void entmax15_f32(const Batch<float>& batch) { entmax_rows(SquarePower(units(batch.scale).temperature), batch); }
void entmax15_f64(const Batch<double>& batch) { entmax_rows(SquarePower(units(batch.scale).temperature), batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(entmax15_f32);
HWY_EXPORT(entmax15_f64);

template <class T>
attncert_status run_entmax15(const attncert_arguments* arguments) {
  Batch<T> batch;
  const std::size_t needed = arguments != nullptr ? sparse_scratch_bytes<T>(arguments) : 0;
  const attncert_status status = read_arguments(arguments, FormatLimits<T>::sparse_limit, needed, batch);
  if (status != ATTNCERT_OK) return status;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(entmax15_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(entmax15_f64)(batch);
  }
  add_counts(SparseFamily::entmax15, {batch.rows, 0, 0, 0});
  return ATTNCERT_OK;
}

}  // namespace

// Budget: one rounding of a weight computed in double (f32) or in pairs (f64); docs/budgets.md. The support is exact.
const BuiltIn entmax15_f32_kernel = built_in("entmax-1.5.f32", "entmax-1.5", ATTNCERT_F32, run_entmax15<float>,
                                             sparse_scratch_bytes<float>, {0.52, 0.52});
const BuiltIn entmax15_f64_kernel = built_in("entmax-1.5.f64", "entmax-1.5", ATTNCERT_F64, run_entmax15<double>,
                                             sparse_scratch_bytes<double>, {0.78, 0.78});

}  // namespace attncert
#endif  // HWY_ONCE

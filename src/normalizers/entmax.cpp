// alpha-entmax(z / T)_i = max((alpha - 1) z_i / T - tau, 0)^(1 / (alpha - 1)) with sum 1 (Peters, Niculae, Martins, ACL
// 2019) for any rational alpha > 1; 3/2 and 2 go to the closed forms of entmax15.cpp and sparsemax.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/entmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/batch.hpp"
#include "src/normalizers/built_in.hpp"
#include "src/normalizers/entmax_any-inl.h"
#include "src/normalizers/sparse_scratch.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert {
namespace HWY_NAMESPACE {

template <class T>
void general_rows(const Batch<T>& batch) {
  const attncert_parameters& p = batch.parameters;
  const double temperature = units(batch.scale).temperature;
  const std::uint64_t above = p.alpha_numerator - p.alpha_denominator;
  if (above == p.alpha_denominator) return entmax_rows(LinearPower(temperature), batch);
  if (above <= p.alpha_denominator && p.alpha_denominator - above == above) {
    return entmax_rows(SquarePower(temperature), batch);
  }
  entmax_rows(AnyPower(p, temperature), batch);
}

void entmax_f32(const Batch<float>& batch) { general_rows(batch); }
void entmax_f64(const Batch<double>& batch) { general_rows(batch); }

}  // namespace HWY_NAMESPACE
}  // namespace attncert
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(entmax_f32);
HWY_EXPORT(entmax_f64);

template <class T>
attncert_status run_entmax(const attncert_arguments* arguments) {
  Batch<T> batch;
  const std::size_t needed = arguments != nullptr ? sparse_scratch_bytes<T>(arguments) : 0;
  const attncert_status status = read_arguments(arguments, FormatLimits<T>::sparse_limit, needed, batch);
  if (status != ATTNCERT_OK) return status;
  const attncert_parameters& p = batch.parameters;
  if (p.alpha_denominator == 0 || p.alpha_numerator <= p.alpha_denominator) return ATTNCERT_BAD_PARAMETER;
  if constexpr (sizeof(T) == 4) {
    HWY_DYNAMIC_DISPATCH(entmax_f32)(batch);
  } else {
    HWY_DYNAMIC_DISPATCH(entmax_f64)(batch);
  }
  add_counts(SparseFamily::entmax, {batch.rows, 0, 0, 0});
  return ATTNCERT_OK;
}

}  // namespace

// Budget: one rounding of a weight computed in double (f32) or in pairs (f64), for alpha >= 1 + 2^-18; docs/budgets.md.
const BuiltIn entmax_f32_kernel =
    built_in("entmax.f32", "entmax", ATTNCERT_F32, run_entmax<float>, sparse_scratch_bytes<float>, {0.54, 0.54});
const BuiltIn entmax_f64_kernel =
    built_in("entmax.f64", "entmax", ATTNCERT_F64, run_entmax<double>, sparse_scratch_bytes<double>, {0.78, 0.78});

}  // namespace attncert
#endif  // HWY_ONCE

// alpha-entmax(z / T)_i = max((alpha - 1) z_i / T - tau, 0)^(1 / (alpha - 1)) with sum 1 (Peters, Niculae, Martins, ACL
// 2019) for any rational alpha > 1; 3/2 and 2 go to the closed forms of entmax15.cpp and sparsemax.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/sparse/entmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/batch.hpp"
#include "src/normalizers/sparse/entmax_any_weights-inl.h"
#include "src/normalizers/sparse/entmax_rows-inl.h"
#include "src/normalizers/sparse/sparse_entry.hpp"
#include "src/normalizers/sparse/sparse_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

template <class T>
void entmax(const Batch<T>& batch) {
  AnyPower raise(batch.parameters, units(batch.scale).temperature);
  raise.digits = kDigits<T> * raise.exponent;
  entmax_rows(raise, batch);
}
ATTNCERT_FORMS(entmax)

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(entmax)

namespace attncert {
namespace {

template <class T>
void run_entmax(const Batch<T>& batch) {
  const std::uint64_t denominator = batch.parameters.alpha_denominator;
  const std::uint64_t above = batch.parameters.alpha_numerator - denominator;
  if (above == denominator) {
    run_sparsemax(batch);
  } else if (above <= denominator && denominator - above == above) {
    run_entmax15(batch);
  } else {
    dispatch_entmax<T>(AlphaEntry::with_far_temperature(batch));
  }
  add_counts(SparseFamily::entmax, {batch.rows, 0, 0, 0});
}

}  // namespace
}  // namespace attncert

// Budget: one rounding of a weight computed in double (f32) or in pairs (f64), for alpha >= 1 + 2^-18; docs/budgets.md.
ATTNCERT_KERNEL_RUN(entmax, "entmax", AlphaEntry, run_entmax(batch), (Budget{0.54, 0.54}), (Budget{0.78, 0.78}))
#endif  // HWY_ONCE

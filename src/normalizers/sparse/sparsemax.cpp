// sparsemax(z / T)_i = max((z_i - tau) / T, 0) with sum 1 (Martins, Astudillo, ICML 2016): one pass keeps the
// candidates (entmax_candidates-inl.h), Newton on these finds the support, exactly (entmax_support-inl.h), the smallest
// logit of the support and its distance from tau (entmax_gap-inl.h) give every weight (entmax_weights-inl.h).
#include "src/normalizers/sparse/sparse_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/sparse/sparsemax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/batch.hpp"
#include "src/normalizers/sparse/entmax_rows-inl.h"
#include "src/normalizers/sparse/sparse_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

void sparsemax_f32(const Batch<float>& batch) { entmax_rows(LinearPower(units(batch.scale).temperature), batch); }
void sparsemax_f64(const Batch<double>& batch) { entmax_rows(LinearPower(units(batch.scale).temperature), batch); }

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(sparsemax)

namespace attncert {

void run_sparsemax(const Batch<float>& batch) { dispatch_sparsemax<float>(batch); }
void run_sparsemax(const Batch<double>& batch) { dispatch_sparsemax<double>(batch); }

}  // namespace attncert

// Budget: one rounding of a weight computed in double (f32) or in pairs (f64); docs/budgets.md. The support is exact.
ATTNCERT_KERNEL_RUN(sparsemax, "sparsemax", SparseEntry,
                    (run_sparsemax(batch), add_counts(SparseFamily::sparsemax, {batch.rows, 0, 0, 0})),
                    (Budget{0.52, 0.52}), (Budget{0.78, 0.78}))
#endif  // HWY_ONCE

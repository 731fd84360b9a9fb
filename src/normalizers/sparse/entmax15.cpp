// 1.5-entmax(z / T)_i = max((z_i - tau) / (2 T), 0)^2 with sum 1 (Peters, Niculae, Martins, ACL 2019), in the same
// steps as sparsemax.cpp: the sum of squares has a closed form on a known support, and the support is exact.
#include "src/normalizers/sparse/sparse_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/normalizers/sparse/entmax15.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "src/normalizers/batch.hpp"
#include "src/normalizers/sparse/entmax_rows-inl.h"
#include "src/normalizers/sparse/sparse_entry.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

void entmax15_f32(const Batch<float>& batch) { entmax_rows(SquarePower(units(batch.scale).temperature), batch); }
void entmax15_f64(const Batch<double>& batch) { entmax_rows(SquarePower(units(batch.scale).temperature), batch); }

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
ATTNCERT_KERNEL_DISPATCH(entmax15)

namespace attncert {

void run_entmax15(const Batch<float>& batch) { dispatch_entmax15<float>(batch); }
void run_entmax15(const Batch<double>& batch) { dispatch_entmax15<double>(batch); }

}  // namespace attncert

// Budget: one rounding of a weight computed in double (f32) or in pairs (f64); docs/budgets.md. The support is exact.
ATTNCERT_KERNEL_RUN(entmax15, "entmax-1.5", SparseEntry,
                    (run_entmax15(batch), add_counts(SparseFamily::entmax15, {batch.rows, 0, 0, 0})),
                    (Budget{0.52, 0.52}), (Budget{0.78, 0.78}))
#endif  // HWY_ONCE

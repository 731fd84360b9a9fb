// Sparsemax f32 from the exact projection (reference/normalizers), rounded to f32, with one flaw at a time. The oracle
// and this kernel share their mathematics on purpose: what is tested here is that the judge tells right from wrong.
#pragma once

#include "attncert/kernel.h"

namespace attncert::flaws {

enum class SparsemaxFlaw { none, support_one_short, support_one_too_many, small_weights_dropped, masked_value_leaks };

template <SparsemaxFlaw flaw>
attncert_kernel sparsemax_descriptor(const char* name);
extern template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::none>(const char*);
extern template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::support_one_short>(const char*);
extern template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::support_one_too_many>(const char*);
extern template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::small_weights_dropped>(const char*);
extern template attncert_kernel sparsemax_descriptor<SparsemaxFlaw::masked_value_leaks>(const char*);

}  // namespace attncert::flaws

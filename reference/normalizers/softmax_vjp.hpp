// Derivatives of the exponential family: J^T g of softmax, SSMax, softmax1, top-k softmax (on its cell), log-softmax
// and self-adjusted softmax (v0 in log_softmax_vjp.cpp, the others in sa_softmax_vjp.cpp).
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

extern const Normalizer softmax_vjp_normalizer, ssmax_vjp_normalizer, softmax1_vjp_normalizer,
    top_k_softmax_vjp_normalizer, log_softmax_vjp_normalizer, sa_softmax_v0_vjp_normalizer,
    sa_softmax_v1_vjp_normalizer, sa_softmax_v2_vjp_normalizer, sa_softmax_v3_vjp_normalizer;

}  // namespace attncert::reference

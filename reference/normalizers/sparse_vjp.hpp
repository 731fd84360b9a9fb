// Derivatives of the sparse normalizers on their support: J^T g of sparsemax, 1.5-entmax and alpha-entmax.
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

extern const Normalizer sparsemax_vjp_normalizer, entmax15_vjp_normalizer, entmax_vjp_normalizer;

}  // namespace attncert::reference

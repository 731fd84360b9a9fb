// Top-k softmax: softmax over the k largest present logits (ties to the lowest index), 0 elsewhere.
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// The row with every entry outside the cell made absent (-inf).
LogitRow top_k_cell(const LogitRow& row);

extern const Normalizer top_k_softmax_normalizer;

}  // namespace attncert::reference

// Softmax1 (off by one): softmax of the row with one more logit 0, whose own weight is left out.
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

extern const Normalizer softmax1_normalizer;

}  // namespace attncert::reference

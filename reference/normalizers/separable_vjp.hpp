// Derivatives of sigmoid, sigmoid-normalized, ReLU-normalized (0 at z <= 0) and Taylor softmax: J^T g.
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

extern const Normalizer sigmoid_vjp_normalizer, sigmoid_normalized_vjp_normalizer, relu_normalized_vjp_normalizer,
    taylor_softmax_vjp_normalizer;

}  // namespace attncert::reference

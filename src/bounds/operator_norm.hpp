// The exact l_2 operator norm of the Jacobian of any normalizer that has a formula (catalogue of normalizers, section
// "sharp Lipschitz"), at given logits, in O(L): softmax and its relatives by the secular equation; separable F by the
// largest eigenvalue of diag(g^2) plus a rank-two term, counted by inertia, so that ties of g^2 need no special case.
#pragma once

#include <span>
#include <string_view>

#include "attncert/kernel.h"
#include "src/bounds/certified.hpp"

namespace attncert::bounds {

struct OperatorNorm {
  Certified spectral, frobenius;
};

// J = (I - a 1^T) diag(g): weights a_i = F_i / S, slopes g_j = F'_j / S (any sign). sum a = 1 is not assumed to the
// last digit: a is divided by its sum, exactly.
template <class T>
OperatorNorm separable_jacobian(std::span<const T> weights, std::span<const T> slopes);

// normalizer: as `attncert list --normalizers` names it (no "-vjp"). logits: finite. parameters null = defaults.
// `unknown` where there is no formula (the self-adjusted ones), where the map is not differentiable (a tie at top-k's
// edge), or where logits or T are refused. Logits are taken as given; the weights computed on the way carry their
// kernels' proved error.
template <class T>
OperatorNorm operator_norm(std::string_view normalizer, std::span<const T> logits, double temperature,
                           const attncert_parameters* parameters = nullptr);
std::span<const std::string_view> normalizers_with_operator_norm();

}  // namespace attncert::bounds

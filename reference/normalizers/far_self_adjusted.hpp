// The derivative of self-adjusted softmax v0 where a row lies far from 0: x_j = z_j / T cancel in p_i (g_i + x_i
// g_i - sum_j x_j p_j g_j) / T so much that the size of the terms says nothing about the result. With the largest x m,
// d_j = m - x_j >= 0, the upstream g_0 of a largest logit and c_i = (g_i - g_0) - sum_j p_j (g_j - g_0), the
// parenthesis is
//   g_i + m c_i - d_i g_i + sum_j d_j p_j g_j,
// and its magnitude |g_i| + |m| (|c_i| + sum_j p_j |c_j|) + d_i |g_i| + sum_j d_j p_j |g_j| (docs/budgets.md, "far
// rows").
#pragma once

#include <memory>

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

// |m| >= 2^13, decided exactly: every weight that counts has |x_j| > |m| / 2 then, so that the terms of this form are
// not above about three times those of the other.
bool is_far_self_adjusted(const LogitRow& row);  // an ordinary one

std::unique_ptr<RowTruth> far_self_adjusted_truth(const LogitRow& row);

}  // namespace attncert::reference

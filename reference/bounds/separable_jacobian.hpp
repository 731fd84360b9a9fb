// The spectral norm of the Jacobian J = (I - a 1^T) diag(g) of a_i = F_i / S, g_j = F'_j / S, S = sum F
// (docs/specification.md#lemma2), on rows of any length with few different tokens. A class of n_c >= 2 tokens with the
// same a and g: J maps its vectors of sum 0 to g_c times themselves, and so does J^T. What is left are the vectors that
// are constant on every class; on 1_c / sqrt(n_c) J is g_d ([c = d] - a_c sqrt(n_c n_d)). So ||J||_2 is the largest of
// those |g_c| and of the norm of that matrix.
#pragma once

#include <vector>

#include "reference/bounds/spectral_norm.hpp"

namespace attncert::reference {

struct AlikeTokens {
  Rational a, g;
  unsigned long count = 0;
};
std::vector<AlikeTokens> alike_tokens(const std::vector<Rational>& F, const std::vector<Rational>& dF);

Interval separable_jacobian_norm(const std::vector<Rational>& F, const std::vector<Rational>& dF, Precision precision);

}  // namespace attncert::reference

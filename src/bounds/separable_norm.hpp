// Norms of J = (I - a 1^T) diag(g), a = w / sum w: what separable_jacobian and the separable normalizers share.
#pragma once

#include <span>

#include "src/bounds/secular.hpp"

namespace attncert::bounds {

struct SeparableNorm {
  bool known = false;
  Scaled spectral, frobenius;
  double floor = 0;   // absolute: where slopes are so small that their squares underflow
  double growth = 1;  // sqrt(L) ||a||: by how much relative errors of the weights may grow
};

// weights >= 0 and finite, one > 0; slopes finite.
SeparableNorm separable_norm(std::span<const double> weights, std::span<const double> slopes);

// Relative change of both norms when every weight is off by at most `weight`, every slope by at most `slope`
// (relative).
double separable_input_error(const SeparableNorm& norm, double weight, double slope);

}  // namespace attncert::bounds

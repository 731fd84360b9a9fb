// F_n and its derivative F_(n-1), F_n(t) = sum of t^k / k! for k <= n, at the logits of a row, with bounds of their
// errors.
#pragma once

#include <cstddef>
#include <vector>

namespace attncert::bounds {

struct TaylorTerms {
  std::vector<double> weights, slopes;  // F_n and F_(n-1), in units of the largest F_n of the row
  double weight_error = 0;              // relative
  double slope_error = 0;               // relative, of the slopes that are not near a root of F_(n-1)
  double slope_floor = 0;               // absolute, of those that are
};

// logits finite, one at least; temperature > 0; order even, 2 to 48.
TaylorTerms taylor_terms(const std::vector<double>& logits, double temperature, std::size_t order);

}  // namespace attncert::bounds

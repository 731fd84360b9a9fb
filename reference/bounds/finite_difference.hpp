// || softmax((l + eps u) / T) - softmax(l / T) ||_2 / eps for u = direction / ||direction||, by
//   p'_i - p_i = p_i (e^{h_i} - E) / E,   h = eps u / T,   E = sum p_j e^{h_j},
// with e^h - 1 in place of e^h, which cancels only where the difference does. Softmax does not see a constant added to
// h, so that u_i - u_0 serves for u_i, and a constant direction gives the exact 0.
#pragma once

#include <span>

#include "reference/interval.hpp"

namespace attncert::reference {

// direction: not all 0; eps, temperature > 0; everything finite.
Interval difference_quotient(std::span<const double> logits, std::span<const double> direction, double eps,
                             double temperature, Precision precision);

}  // namespace attncert::reference

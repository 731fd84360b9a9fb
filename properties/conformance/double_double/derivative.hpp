// The truth of softmax's vector-Jacobian product, v_i = p_i (g_i - sum_j p_j g_j) c, with the magnitudes that its terms
// have before they cancel, m_i = p_i (|g_i| + sum_j p_j |g_j|) |c|: docs/double-double.md, 4. SSMax and temperatures by
// the factor c.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "properties/conformance/double_double/exponentials.hpp"
#include "properties/conformance/double_double/judge.hpp"

namespace attncert::double_double {

class SoftmaxDerivative {
 public:
  // Empty where the tier has no proof to offer: |c| above 2^100, or at a present position an upstream gradient that is
  // not finite or whose magnitude is neither 0 nor in 2^-250 .. 2^150. What stands at absent positions is ignored. The
  // result refers to the exponentials and to this object.
  template <class T>  // float or double
  std::optional<Truth> truth(const Exponentials& exponentials, std::span<const T> upstream);

 private:
  std::vector<double> high_, low_, magnitude_;
};
extern template std::optional<Truth> SoftmaxDerivative::truth<float>(const Exponentials&, std::span<const float>);
extern template std::optional<Truth> SoftmaxDerivative::truth<double>(const Exponentials&, std::span<const double>);

}  // namespace attncert::double_double

// The truth of sparsemax from a threshold computed elsewhere: p_i = max(z_i - t, 0) c, t in units of the logits (T
// tau). The difference cancels, so an entry is known only where it is large beside the threshold's own error; the few
// next to the threshold are Interval's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "properties/conformance/double_double/exponentials.hpp"
#include "properties/conformance/double_double/judge.hpp"

namespace attncert::double_double {

struct Threshold {
  DoubleDouble value;
  double error = 0;  // absolute; at least that of the two doubles themselves
};

class Sparsemax {
 public:
  // Empty where c > 0 is out of 2^-200 .. 2^200, a present logit is NaN, +inf or beyond 2^200, or the threshold is.
  template <class T>  // float or double
  std::optional<Truth> truth(std::span<const T> logits, std::span<const std::uint8_t> mask, const Factor& factor,
                             const Threshold& threshold);

 private:
  std::vector<double> high_, low_;
};
extern template std::optional<Truth> Sparsemax::truth<float>(std::span<const float>, std::span<const std::uint8_t>,
                                                             const Factor&, const Threshold&);
extern template std::optional<Truth> Sparsemax::truth<double>(std::span<const double>, std::span<const std::uint8_t>,
                                                              const Factor&, const Threshold&);

}  // namespace attncert::double_double

// The passes over a row behind derivative.hpp, as the instruction sets do them (derivative_pass.cpp). Upstream
// gradients g count times 2^upstream_scale throughout, so that their mean keeps its digits however small it is.
#pragma once

#include <cstddef>

#include "properties/conformance/double_double/double_double.hpp"

namespace attncert::double_double {

inline constexpr int upstream_scale = 256;
inline constexpr double smallest_upstream = 0x1p-250, largest_upstream = 0x1p150;

struct Weighted {
  DoubleDouble sum, magnitude;  // sum of E_j g_j and of E_j |g_j|
  double largest;               // of the |g_j| themselves where E is present
  bool refused;                 // a g out of range there
};
Weighted weigh(const double* high, const double* low, const float* upstream, std::size_t length);
Weighted weigh(const double* high, const double* low, const double* upstream, std::size_t length);

struct DerivativePass {
  std::size_t length;
  const double *high, *low;  // E
  DoubleDouble mean;         // D 2^256
  double mean_magnitude;     // sum of p_j |g_j| 2^256
  double times;              // that E (g - D) is still to be multiplied by; for the magnitudes
  double *product_high, *product_low, *magnitude;
};
void multiply_out(const DerivativePass& pass, const float* upstream);
void multiply_out(const DerivativePass& pass, const double* upstream);

}  // namespace attncert::double_double

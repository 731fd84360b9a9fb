// Numbers of either sign, in the arithmetic of wide_numbers.hpp.
#pragma once

#include <span>
#include <vector>

#include "tests/device/wide_numbers.hpp"

namespace attncert::wide {

struct Signed {
  Number size;
  bool negative = false;
};

Number size_of(float x);
Signed signed_of(float x);
Signed times(Signed a, Number b);
Signed difference(Signed a, Signed b);  // what is below 2^-63 of the larger cut off
float nearest(Signed s);
// The sum of terms, or of factor_i g_i, each cut off to units of 2^-fraction of the largest one's power of two.
Signed sum(const std::vector<Signed>& terms, int fraction = 176);
Signed sum_of_products(const std::vector<Number>& factors, std::span<const float> gradients, int fraction = 176);

}  // namespace attncert::wide

// tanh and its slope, which a softcap needs.
#pragma once

#include "reference/interval.hpp"

namespace attncert::reference {

Interval tanh(const Interval& y);
Interval tanh_slope(const Interval& y);  // 1 / cosh(y)^2; y >= 0

}  // namespace attncert::reference

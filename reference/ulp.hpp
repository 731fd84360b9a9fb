// The one definition of error in ulp. The unit of a value v of a type with p bits and smallest normal exponent emin is
// ulp(v) = 2^(max(floor(log2 |v|), emin) - p + 1): below the smallest normal it stays the smallest subnormal.
#pragma once

#include "reference/interval.hpp"

namespace attncert {

struct UlpError {
  double lower = 0;  // the error |computed - exact| / ulp(exact) is certainly at least this,
  double upper = 0;  // and at most this; +inf when computed is NaN, or is infinite where the exact value is not
};

// Error of a computed value against an enclosure of the exact one; the enclosure must be finite. ulp is taken of the
// exact value (of the enclosure's ends, outward).
template <class T>  // float or double
UlpError ulp_error(T computed, const Interval& exact);
extern template UlpError ulp_error<float>(float, const Interval&);
extern template UlpError ulp_error<double>(double, const Interval&);

}  // namespace attncert

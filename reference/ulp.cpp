// |computed - exact| / ulp with both ends rounded outward: the enclosure of the difference, divided by the largest
// (smallest) unit that an element of the enclosure can have. Powers of two divide exactly.
#include "reference/ulp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/interval_engine.hpp"

namespace attncert {
namespace {

// MPFR's significand lies in [1/2, 1), hence floor(log2 |v|) = exponent - 1.
long unit_exponent(mpfr_srcptr v, const UlpFormat& format) {
  const long smallest = format.min_exponent - 1;
  const long binade = mpfr_zero_p(v) ? smallest : std::max<long>(mpfr_get_exp(v) - 1, smallest);
  return binade - format.digits + 1;
}

}  // namespace

UlpError ulp_error(double computed, const UlpFormat& format, const Interval& exact, long double magnitude) {
  ATTNCERT_ASSERT(exact.is_finite() && magnitude >= 0);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(computed)) return {infinity, infinity};
  Interval error(computed, Precision{std::max(exact.precision().bits, 53)});  // a point
  error = abs(error -= exact);
  const Representation& e = exact.engine();
  const long least = ulp_exponent(magnitude, format);
  const bool right_larger = mpfr_cmpabs(e.right(), e.left()) > 0;
  const long largest = unit_exponent(right_larger ? e.right() : e.left(), format);
  const bool around_zero = mpfr_sgn(e.left()) * mpfr_sgn(e.right()) <= 0;
  const long smallest =
      around_zero ? ulp_exponent(0, format) : unit_exponent(right_larger ? e.left() : e.right(), format);
  mpfr_div_2si(error.engine().left(), error.engine().left(), std::max(largest, least), MPFR_RNDD);
  mpfr_div_2si(error.engine().right(), error.engine().right(), std::max(smallest, least), MPFR_RNDU);
  return {error.lower(), error.upper()};
}

}  // namespace attncert

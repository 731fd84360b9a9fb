// |computed - exact| / ulp(exact) with both ends rounded outward: the enclosure of the difference, divided by the
// largest (smallest) unit that an element of the enclosure can have. Powers of two divide exactly.
#include "reference/ulp.hpp"

#include <cmath>
#include <limits>

#include "reference/interval_engine.hpp"

namespace attncert {
namespace {

// log2 of ulp(v). MPFR's significand lies in [1/2, 1), hence floor(log2 |v|) = exponent - 1.
template <class T>
long unit_exponent(mpfr_srcptr v) {
  constexpr long bits = std::numeric_limits<T>::digits, smallest = std::numeric_limits<T>::min_exponent - 1;
  const long binade = mpfr_zero_p(v) ? smallest : std::max<long>(mpfr_get_exp(v) - 1, smallest);
  return binade - bits + 1;
}

}  // namespace

template <class T>
UlpError ulp_error(T computed, const Interval& exact) {
  ATTNCERT_ASSERT(exact.is_finite());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(computed)) return {infinity, infinity};
  Interval error(static_cast<double>(computed), Precision{std::max(exact.precision().bits, 53)});  // a point
  error = abs(error -= exact);
  const Representation& e = exact.engine();
  const bool right_larger = mpfr_cmpabs(e.right(), e.left()) > 0;
  const long largest = unit_exponent<T>(right_larger ? e.right() : e.left());
  const long smallest = mpfr_sgn(e.left()) * mpfr_sgn(e.right()) <= 0
                            ? std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits
                            : unit_exponent<T>(right_larger ? e.left() : e.right());
  mpfr_div_2si(error.engine().left(), error.engine().left(), largest, MPFR_RNDD);
  mpfr_div_2si(error.engine().right(), error.engine().right(), smallest, MPFR_RNDU);
  return {error.lower(), error.upper()};
}

template UlpError ulp_error<float>(float, const Interval&);
template UlpError ulp_error<double>(double, const Interval&);

}  // namespace attncert

// What a derivative takes from a call: the factor rho of z' = rho z (1 / T; for ssmax s log(n) / T), which stands in
// the exponent and before J^T g. In long double, whose range (2^16384) holds every product of doubles that can occur
// here.
#pragma once

#include "src/normalizers/long_pair.hpp"

namespace attncert {

struct Rate {
  long double head, tail;  // rho = head + tail, within 2^-117 for 1 / T
};

// numerator / temperature; the numerator's own error is its caller's.
inline Rate make_rate(long double numerator, double temperature) noexcept {
  const LongPair rate = quotient(numerator, static_cast<long double>(temperature));
  return {rate.high, rate.low};
}

}  // namespace attncert

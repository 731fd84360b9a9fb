#include "tests/device/wide_signed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert::wide {
namespace {

// In units of 2^unit, cut off.
Whole in_units_of(const Signed& s, int unit) {
  const int up = s.size.power - unit;
  if (s.size.bits == 0) return 0;
  const Whole size = up >= 0 ? Whole(Whole(s.size.bits) << up) : Whole(Whole(s.size.bits) >> -up);
  return s.negative ? Whole(-size) : size;
}

}  // namespace

Number size_of(float x) {
  int power = 0;
  const double fraction = std::frexp(std::abs(static_cast<double>(x)), &power);
  return leading(Whole(static_cast<long long>(std::ldexp(fraction, 53))), power - 53);
}
Signed signed_of(float x) { return {size_of(x), x < 0}; }
Signed times(Signed a, Number b) { return {times(a.size, b), a.negative}; }

Signed difference(Signed a, Signed b) {
  if (b.size.bits == 0) return a;
  const int unit = a.size.bits == 0 ? b.size.power : std::max(a.size.power, b.size.power);
  const Whole d = in_units_of(a, unit) - in_units_of(b, unit);
  return {leading(abs(d), unit), d < 0};
}

float nearest(Signed s) {
  const float size = nearest(s.size);
  return s.negative && s.size.bits != 0 ? -size : size;
}

Signed sum(const std::vector<Signed>& terms, int fraction) {
  int unit = std::numeric_limits<int>::min();
  for (const Signed& term : terms)
    if (term.size.bits != 0) unit = std::max(unit, term.size.power);
  if (unit == std::numeric_limits<int>::min()) return {};
  unit += 63 - fraction;
  Whole sum = 0;
  for (const Signed& term : terms) sum += in_units_of(term, unit);
  return {leading(abs(sum), unit), sum < 0};
}

Signed sum_of_products(const std::vector<Number>& factors, std::span<const float> gradients, int fraction) {
  std::vector<Signed> products;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (factors[i].bits != 0 && gradients[i] != 0) products.push_back(times(signed_of(gradients[i]), factors[i]));
  return sum(products, fraction);
}

}  // namespace attncert::wide

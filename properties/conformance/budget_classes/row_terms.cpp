#include "properties/conformance/budget_classes/row_terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert::classes {

Row::Row(const LogitRow& row, const Arithmetic& by)
    : given(row),
      arithmetic(by),
      largest(-std::numeric_limits<Real>::infinity()),
      smallest(std::numeric_limits<Real>::infinity()) {
  for (std::size_t i = 0; i < length(); ++i) {
    if (!given.present(i)) continue;
    ++present;
    largest = std::max(largest, z(i));
    smallest = std::min(smallest, z(i));
  }
}

Reals at_present(const Row& row, const std::function<Real(std::size_t)>& f) {
  Reals values(row.length(), 0);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.given.present(i)) values[i] = f(i);
  return values;
}

Total sum_of(const Row& row, const Terms& terms) {
  Total total{0, 0};
  for (std::size_t i = 0; i < terms.value.size(); ++i) {
    if (terms.value[i] == 0) continue;
    total.value += terms.value[i];
    total.error += terms.value[i] * terms.error[i];
  }
  if (total.value > 0) total.error = total.error / total.value + row.additions();
  return total;
}

Terms shares(const Row& row, Terms terms) {
  const Total total = sum_of(row, terms);
  for (std::size_t i = 0; i < terms.value.size() && total.value > 0; ++i) {
    terms.value[i] /= total.value;
    terms.error[i] += total.error + 2;
  }
  return terms;
}

Real grown(Real error, Real u) {
  constexpr Real most = 8000;  // e^8000 is a long double still, times any of the sizes here
  const Real sum = error * u;
  return sum < 0x1p-10L ? sum * (1 + sum) : std::expm1(std::min(sum * (1 + std::min<Real>(sum, 1)), most));
}

Reals absolute(const Row& row, const Terms& terms, const std::function<Real(std::size_t)>& floor) {
  return at_present(row, [&](std::size_t i) {
    const Real size = std::abs(terms.value[i]);
    return (size == 0 ? 0 : grown(terms.error[i], row.arithmetic.u) * size) + floor(i);
  });
}

}  // namespace attncert::classes

#include "reference/exact_rows.hpp"

#include <algorithm>

#include "src/core/assert.hpp"

namespace attncert {

Rational sum(std::span<const Rational> items) {
  Rational total = 0;
  for (const Rational& item : items) total += item;
  return total;
}

Rational sum_of_squares(std::span<const Rational> items) {
  Rational total = 0;
  for (const Rational& item : items) total += item * item;
  return total;
}

Rational squared_distance(std::span<const Rational> a, std::span<const Rational> b) {
  return sum_of_squares(difference(a, b));
}

Rational range(std::span<const Rational> items) {
  const auto [least, most] = std::minmax_element(items.begin(), items.end());
  return *most - *least;
}

std::vector<Rational> difference(std::span<const Rational> a, std::span<const Rational> b) {
  ATTNCERT_ASSERT(a.size() == b.size());
  std::vector<Rational> result;
  for (std::size_t k = 0; k < a.size(); ++k) result.emplace_back(a[k] - b[k]);
  return result;
}

std::vector<Rational> scaled(const Rational& factor, std::span<const Rational> items) {
  std::vector<Rational> result;
  for (const Rational& item : items) result.emplace_back(factor * item);
  return result;
}

}  // namespace attncert

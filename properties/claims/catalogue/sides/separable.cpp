#include "properties/claims/catalogue/sides/separable.hpp"

#include <algorithm>
#include <vector>

#include "properties/claims/instances/weights.hpp"
#include "reference/bounds/separable_jacobian.hpp"
#include "reference/exact_rows.hpp"

namespace attncert::sides {

WeightsAndSlopes::WeightsAndSlopes(const Instance& instance)
    : a(normalized(instance.F)), g(scaled(1 / sum(instance.F), instance.dF)) {}

Interval jacobian_norm(const Instance& instance, Precision precision) {
  return reference::separable_jacobian_norm(instance.F, instance.dF, precision);
}

Interval frobenius_norm(const Instance& instance, Precision precision) {
  const WeightsAndSlopes row(instance);
  const Rational squares = sum_of_squares(row.a);
  Rational total = 0;
  for (std::size_t j = 0; j < instance.length; ++j) {
    const Rational &a = row.a[j], &g = row.g[j];
    total += g * g * ((1 - a) * (1 - a) + squares - a * a);
  }
  return sqrt(Interval(total, precision));
}

Interval printed_first_term(const Instance& instance, Precision precision) {
  const auto norm = [precision](const std::vector<Rational>& values) {
    return sqrt(Interval(sum_of_squares(values), precision));
  };
  const Rational floor = *std::min_element(instance.F.begin(), instance.F.end()) * instance.length;
  const Interval slopes = norm(instance.dF);
  return slopes / Interval(floor, precision) + norm(instance.F) * slopes / Interval(Rational(floor * floor), precision);
}

namespace {

using reference::AlikeTokens;

// 1_c^T (x I - J^T J) 1_d for the classes c, d of alike tokens (reference/bounds/separable_jacobian.hpp): J 1_d is g_d
// (1_d - n_d a).
std::vector<std::vector<Rational>> reduced(const std::vector<AlikeTokens>& classes, const Rational& x) {
  Rational squares = 0;
  for (const AlikeTokens& c : classes) squares += c.count * c.a * c.a;
  std::vector<std::vector<Rational>> rest(classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i)
    for (std::size_t j = 0; j < classes.size(); ++j) {
      const AlikeTokens &c = classes[i], &d = classes[j];
      const Rational pairs = Rational(c.count) * d.count, own = i == j ? Rational(c.count) : Rational(0);
      rest[i].push_back(x * own - c.g * d.g * (own - pairs * (c.a + d.a) + pairs * squares));
    }
  return rest;
}

}  // namespace

// Symmetric elimination without row exchanges: a matrix is positive semidefinite iff every pivot is >= 0 and a zero
// pivot has a zero row; it is singular iff some pivot is zero. On the vectors of sum 0 within a class it is x - g^2.
bool squared_jacobian_norm_is(const Instance& instance, const Rational& x) {
  const std::vector<AlikeTokens> classes = reference::alike_tokens(instance.F, instance.dF);
  std::vector<std::vector<Rational>> rest = reduced(classes, x);
  const std::size_t n = classes.size();
  bool singular = false;
  for (const AlikeTokens& c : classes) {
    if (c.count < 2) continue;
    if (c.g * c.g > x) return false;
    singular = singular || c.g * c.g == x;
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (sgn(rest[k][k]) < 0) return false;
    if (sgn(rest[k][k]) == 0) {
      for (std::size_t j = k; j < n; ++j)
        if (sgn(rest[k][j]) != 0) return false;
      singular = true;
      continue;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const Rational factor = rest[i][k] / rest[k][k];
      for (std::size_t j = k; j < n; ++j) rest[i][j] -= factor * rest[k][j];
    }
  }
  return singular;
}

}  // namespace attncert::sides

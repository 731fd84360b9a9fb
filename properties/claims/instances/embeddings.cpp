#include "properties/claims/instances/embeddings.hpp"

#include <algorithm>
#include <cmath>

#include "properties/claims/instances/rationals.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

using Vector = std::vector<Rational>;

// An integer vector with its coordinates permuted and their signs changed: all of one norm.
Vector orbit_point(Choices& choices, const std::vector<long>& base) {
  std::vector<long> point = base;
  for (std::size_t k = 0; k + 1 < point.size(); ++k) std::swap(point[k], point[k + choices.below(point.size() - k)]);
  Vector result;
  for (const long x : point) result.emplace_back(choices.flip() ? -x : x);
  return result;
}

std::vector<long> orbit_base(Choices& choices, std::size_t dimension) {
  std::vector<long> base(dimension, 0);
  base[0] = 1 + static_cast<long>(choices.below(5));
  for (std::size_t k = 1; k < dimension; ++k) base[k] = static_cast<long>(choices.below(6));
  return base;
}

Vector sphere_point(Choices& choices, std::size_t dimension) {
  Vector t;
  for (std::size_t k = 0; k + 1 < dimension; ++k) t.push_back(small_rational(choices));
  return dimension == 1 ? Vector{choices.flip() ? Rational(-1) : Rational(1)} : stereographic(t);
}

Rational scale(Choices& choices) {
  switch (choices.below(4)) {
    default:
      return 1;
    case 2:
      return positive_rational(choices);
    case 3:
      return power_of_ten(static_cast<int>(choices.between(-7, 9)));
  }
}

void append(Vector& values, const Vector& token, const Rational& factor) {
  for (const Rational& x : token) values.push_back(x * factor);
}

}  // namespace

Vector stereographic(const Vector& t) {
  const Rational square = sum_of_squares(t);
  Vector point;
  for (const Rational& x : t) point.push_back(2 * x / (square + 1));
  point.push_back((square - 1) / (square + 1));
  return point;
}

std::shared_ptr<const TokenSet> generate_tokens(Choices& choices, std::size_t length, std::size_t dimension) {
  const auto kind = choices.below(6);
  const Rational factor = scale(choices);
  const std::vector<long> base = kind == 4 ? orbit_base(choices, dimension) : std::vector<long>{};
  Vector values, previous;
  for (std::size_t i = 0; i < length; ++i) {
    Vector token(dimension, Rational(0));
    if (i > 0 && kind == 1) {
      token = previous;  // all equal
    } else if (i > 0 && kind == 2) {
      const Rational t = small_rational(choices);  // one line through 0, both signs
      for (std::size_t k = 0; k < dimension; ++k) token[k] = t * previous[k];
    } else if (i > 0 && kind == 3) {
      token = previous;  // near the first
      const Rational power = power_of_ten(static_cast<int>(choices.between(0, 6)));
      const Rational step = small_rational(choices) / power;
      token[choices.below(dimension)] += step;
    } else if (kind == 4) {
      token = orbit_point(choices, base);
    } else if (kind == 5) {
      token = sphere_point(choices, dimension);
    } else {
      for (Rational& x : token) x = any_rational(choices);
    }
    if (i == 0) previous = token;
    append(values, token, factor);
  }
  return std::make_shared<TokenSet>(length, dimension, std::move(values));
}

std::shared_ptr<const TokenSet> generate_sphere(Choices& choices, std::size_t length, std::size_t dimension) {
  const bool integers = !choices.flip();
  const Rational factor = scale(choices);
  const std::vector<long> base = integers ? orbit_base(choices, dimension) : std::vector<long>{};
  std::vector<Vector> distinct;
  for (std::size_t i = 0; i < length; ++i) {
    Vector token = integers ? orbit_point(choices, base) : sphere_point(choices, dimension);
    if (std::find(distinct.begin(), distinct.end(), token) == distinct.end()) distinct.push_back(std::move(token));
  }
  Vector values;
  for (const Vector& token : distinct) append(values, token, factor);
  return std::make_shared<TokenSet>(distinct.size(), dimension, std::move(values));
}

std::shared_ptr<const TokenSet> generate_equiangular(Choices& choices, std::size_t length) {
  const Rational size = abs(small_rational(choices));
  const Rational t = choices.below(4) == 3 ? Rational(-size) : size;
  const Rational factor = scale(choices);
  Vector values(length * length, factor * t);
  for (std::size_t i = 0; i < length; ++i) values[i * length + i] += factor;
  return std::make_shared<TokenSet>(length, length, std::move(values));
}

// With n = length - 1, equal norms are n u^2 = n t^2 + 2 t + 1, or (n u - n t - 1)(n u + n t + 1) = n - 1: one rational
// parameter k = n u + n t + 1 gives them all.
std::shared_ptr<const TokenSet> generate_axial(Choices& choices, std::size_t length) {
  const std::size_t n = length - 1;
  const Rational size(static_cast<unsigned long>(n));
  const Rational magnitude = positive_rational(choices);
  const Rational k = choices.below(4) == 3 ? Rational(-magnitude) : magnitude, other = (size - 1) / k;
  const Rational factor = scale(choices), u = (k + other) / (2 * size), t = ((k - other) / 2 - 1) / size;
  Vector values(length * n, factor * t);
  for (std::size_t i = 0; i < n; ++i) {
    values[i * n + i] += factor;
    values[n * n + i] = -factor * u;
  }
  return std::make_shared<TokenSet>(length, n, std::move(values));
}

// With y = x/||x|| and the pole on the other side of its last coordinate, |t| <= 1, and the map t -> point is
// 2-Lipschitz: rounding each of d - 1 parameters by at most h moves the point by at most 2 h sqrt(d - 1). In double the
// parameters are off by less than 2^-48 for d <= 2^10, which the bound includes.
std::vector<Rational> nearest_unit_vector(const std::vector<double>& x, double& rounding) {
  const std::size_t d = x.size();
  double largest = 0, square = 0;
  for (const double v : x) largest = std::max(largest, std::abs(v));
  for (const double v : x) square += (v / largest) * (v / largest);
  const double norm = largest * std::sqrt(square);
  const bool south = x[d - 1] > 0;  // project from the pole that is farther away
  const double last = std::abs(x[d - 1]) / norm;
  int exponent = 33;
  while (std::ldexp(std::sqrt(static_cast<double>(d)), -exponent) > 0x1p-32) ++exponent;
  Vector t;
  for (std::size_t k = 0; k + 1 < d; ++k)
    t.push_back(exact(std::ldexp(std::nearbyint(std::ldexp(x[k] / norm / (1 + last), exponent)), -exponent)));
  rounding = std::sqrt(static_cast<double>(d)) * (std::ldexp(1.0, -exponent) + 0x1p-47);
  Vector point = stereographic(t);
  if (south) point[d - 1] = -point[d - 1];
  return point;
}

}  // namespace attncert

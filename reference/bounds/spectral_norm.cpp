#include "reference/bounds/spectral_norm.hpp"

#include <algorithm>
#include <cmath>

#include "reference/exact_rows.hpp"

namespace attncert::reference {
namespace {

using Vector = std::vector<Interval>;

Matrix gram(const Matrix& a, Precision precision) {
  Matrix g{a.columns, a.columns, {}};
  g.entries.assign(a.columns * a.columns, Interval(0.0, precision));
  for (std::size_t i = 0; i < a.columns; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      Interval entry(0.0, precision);
      for (std::size_t k = 0; k < a.rows; ++k) entry += a(k, i) * a(k, j);
      g.entries[i * a.columns + j] = g.entries[j * a.columns + i] = entry;
    }
  return g;
}

Vector times(const Matrix& g, const Vector& v, Precision precision) {
  Vector result;
  for (std::size_t i = 0; i < g.rows; ++i)
    result.push_back(dot(std::span(g.entries).subspan(i * g.columns, g.columns), v, precision));
  return result;
}

// A vector near the leading eigenvector, in double: repeated squaring of the scaled matrix, so that close eigenvalues
// separate in few steps. A guess: the error of its Rayleigh quotient is of second order, and is certified afterwards.
Vector leading_direction(const Matrix& g, Precision precision) {
  const std::size_t n = g.rows;
  std::vector<double> power(n * n), squared(n * n);
  Interval scale(0.0, precision);
  for (const Interval& entry : g.entries) scale = max(scale, abs(entry));
  for (std::size_t i = 0; i < n * n; ++i) power[i] = (g.entries[i] / scale).midpoint();
  constexpr int squarings = 24;  // 2^24 steps of the power method: a relative gap of 1e-6 is resolved
  for (int step = 0; step < squarings; ++step) {
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double entry = 0;
        for (std::size_t k = 0; k < n; ++k) entry += power[k * n + i] * power[k * n + j];
        squared[i * n + j] = entry;
        largest = std::max(largest, std::abs(entry));
      }
    if (!(largest > 0)) return Vector(n, Interval(1.0, precision));  // nothing but zeros, or no numbers
    for (std::size_t i = 0; i < n * n; ++i) power[i] = squared[i] / largest;
  }
  std::size_t best = 0;
  for (std::size_t j = 1; j < n; ++j)
    if (power[j * n + j] > power[best * n + best]) best = j;
  Vector v;
  for (std::size_t i = 0; i < n; ++i)
    v.emplace_back(std::isfinite(power[i * n + best]) ? power[i * n + best] : 1.0, precision);
  return v;
}

// w with (g - x I) w = v by elimination, largest entry 1, on middles: points, no enclosure. Empty when a pivot
// vanishes.
Vector solved(const Matrix& g, const Interval& x, Vector v) {
  const std::size_t n = g.rows;
  std::vector<Vector> rest(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) rest[i].push_back(middle(i == j ? g(i, j) - x : g(i, j)));
  const auto larger = [](const Interval& a, const Interval& b) { return less(abs(b), abs(a)) == Truth::yes; };
  const auto vanishes = [](const Interval& a) { return !a.is_finite() || a.contains(0); };
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (larger(rest[i][k], rest[pivot][k])) pivot = i;
    if (vanishes(rest[pivot][k])) return {};
    std::swap(rest[k], rest[pivot]);
    std::swap(v[k], v[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Interval factor = middle(rest[i][k] / rest[k][k]);
      for (std::size_t j = k + 1; j < n; ++j) rest[i][j] = middle(rest[i][j] - factor * rest[k][j]);
      v[i] = middle(v[i] - factor * v[k]);
    }
  }
  std::size_t widest = n - 1;
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) v[k] = middle(v[k] - rest[k][j] * v[j]);
    v[k] = middle(v[k] / rest[k][k]);
    if (larger(v[k], v[widest])) widest = k;
  }
  const Interval scale = v[widest];
  if (vanishes(scale)) return {};
  for (Interval& entry : v) entry = middle(entry / scale);
  return v;
}

// Rayleigh quotient iteration: each step triples the correct bits of a vector that is near an eigenvector, so that
// higher precision gives narrower enclosures. A vector from double is taken to be good to 20 bits.
Vector refined(const Matrix& g, Vector v, Precision precision) {
  for (int bits = 20; 2 * bits < precision.bits; bits *= 3) {
    const Interval length = sum_of_squares(v, precision);
    if (less(Interval(0.0, precision), length) != Truth::yes) break;
    Vector next = solved(g, middle(dot(v, times(g, v, precision), precision) / length), v);
    if (next.empty()) break;
    v = std::move(next);
  }
  return v;
}

// Yes when x I - g is certainly positive definite: every pivot of its LDL^T factorization is certainly positive.
Truth certainly_above_spectrum(const Matrix& g, const Interval& x, Precision precision) {
  const std::size_t n = g.rows;
  std::vector<Vector> rest(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) rest[i].push_back(i == j ? x - g(i, j) : -g(i, j));
  const Interval zero(0.0, precision);
  for (std::size_t k = 0; k < n; ++k) {
    if (less(zero, rest[k][k]) != Truth::yes) return Truth::unknown;
    for (std::size_t i = k + 1; i < n; ++i) {
      const Interval factor = rest[i][k] / rest[k][k];
      for (std::size_t j = k + 1; j <= i; ++j) rest[j][i] = rest[i][j] = rest[i][j] - factor * rest[j][k];
    }
  }
  return Truth::yes;
}

}  // namespace

Interval frobenius_norm(const Matrix& matrix, Precision precision) {
  return sqrt(sum_of_squares(matrix.entries, precision));
}

Interval spectral_norm(const Matrix& matrix, Precision precision) {
  const Interval zero(0.0, precision);
  const Interval ceiling = sum_of_squares(matrix.entries, precision);  // Frobenius
  if (less(zero, ceiling) != Truth::yes) return Interval::between(zero, sqrt(ceiling));
  const Matrix g = gram(matrix, precision);
  Vector v = leading_direction(g, precision);
  if (precision > Precision{}) v = refined(g, std::move(v), precision);
  const Interval length = sum_of_squares(v, precision);
  Interval low = zero, high = ceiling;
  if (less(zero, length) == Truth::yes) low = max(zero, dot(v, times(g, v, precision), precision) / length);
  const Interval one(1.0, precision);
  for (const int k : {precision.bits - 16, precision.bits - 24, precision.bits / 2, 20, 10, 5}) {
    const Interval x = low * (one + Interval(std::ldexp(1.0, -std::min(k, 1000)), precision));
    if (certainly_above_spectrum(g, x, precision) == Truth::yes) {
      high = min(high, x);
      break;
    }
  }
  return sqrt(Interval::between(low, high));
}

Matrix separable_jacobian(const std::vector<Rational>& F, const std::vector<Rational>& dF, Precision precision) {
  const std::size_t n = F.size();
  const Rational total = sum(F);
  Matrix jacobian{n, n, {}};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Rational projector = (i == j ? Rational(1) : Rational(0)) - F[i] / total;
      jacobian.entries.emplace_back(Rational(projector * dF[j] / total), precision);
    }
  return jacobian;
}

}  // namespace attncert::reference

#include "tests/bounds/direct.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace attncert::test {
namespace {

Real norm(const std::vector<Real>& v) {
  Real sum = 0;
  for (const Real component : v) sum += component * component;
  return std::sqrt(sum);
}
std::vector<Real> minus(const std::vector<Real>& v, const std::vector<Real>& w) {
  std::vector<Real> result(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) result[k] = v[k] - w[k];
  return result;
}
std::vector<Real> times(Real factor, const std::vector<Real>& v) {
  std::vector<Real> result(v);
  for (Real& component : result) component *= factor;
  return result;
}
void add(std::vector<Real>& sum, const std::vector<Real>& v) {
  for (std::size_t k = 0; k < v.size(); ++k) sum[k] += v[k];
}

struct Sphere {
  Real radius = 0, closest = std::numeric_limits<Real>::infinity(), farthest = 0;
};
Sphere sphere(const DirectRow& row) {
  Sphere result;
  for (std::size_t i = 0; i < row.x.size(); ++i) {
    result.radius = std::max(result.radius, norm(row.x[i]));
    for (std::size_t j = 0; j < i; ++j) {
      const Real apart = norm(minus(row.x[i], row.x[j]));
      result.closest = std::min(result.closest, apart);
      result.farthest = std::max(result.farthest, apart);
    }
  }
  if (row.x.size() < 2) result.closest = 0;
  return result;
}

// M^2 sum_{j != i} a_j^2 + (M^2 - apart^2 / 2) sum over pairs j != k, j != i (and k != i), as printed; at least 0.
Real radius(const DirectRow& row, std::size_t N, std::size_t i, const Sphere& s, Real apart, bool literal) {
  Real squares = 0, pairs = 0;
  for (std::size_t j = 0; j < N; ++j) {
    if (j == i) continue;
    squares += row.a[row.order[j]] * row.a[row.order[j]];
    for (std::size_t k = 0; k < N; ++k)
      if (k != j && (literal || k != i)) pairs += row.a[row.order[j]] * row.a[row.order[k]];
  }
  const Real m = s.radius * s.radius;
  return std::sqrt(std::max(Real{0}, m * squares + (m - apart * apart / 2) * pairs));
}

void separability(const DirectRow& row, std::size_t N, const std::vector<Real>& f, DirectPoint& point) {
  const Sphere s = sphere(row);
  const auto n = static_cast<Real>(N);
  for (std::size_t i = 0; i < N; ++i) {
    point.separable += f[row.order[i]] <= point.r;
    const Real xi[2] = {radius(row, N, i, s, s.closest, false), radius(row, N, i, s, s.closest, true)};
    point.surely += xi[0] <= point.r;
    point.possibly += radius(row, N, i, s, s.farthest, false) <= point.r;
    for (int reading = 0; reading < 2; ++reading) {
      const Real gap = point.r - xi[reading];
      point.lower[reading] += xi[reading];
      point.upper[reading] += std::exp(-gap * gap / (16 * s.radius * s.radius)) / n;
    }
    point.corrected_lower += std::min(Real{1}, xi[0] / point.r);
  }
  for (Real& lower : point.lower) lower = 1 - lower / (point.r * n);
  point.corrected_lower = 1 - point.corrected_lower / n;
}

}  // namespace

template <class T>
DirectRow direct_row(const std::vector<T>& weights, const std::vector<T>& tokens, std::size_t dimension, bool divided) {
  DirectRow row;
  row.dimension = dimension;
  Real sum = 0;
  for (const T weight : weights) sum += static_cast<Real>(weight);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    row.a.push_back(static_cast<Real>(weights[i]) / (divided ? sum : 1));
    row.x.emplace_back();
    for (std::size_t k = 0; k < dimension; ++k) row.x.back().push_back(static_cast<Real>(tokens[i * dimension + k]));
  }
  row.order.resize(weights.size());
  std::iota(row.order.begin(), row.order.end(), 0);
  std::stable_sort(row.order.begin(), row.order.end(),
                   [&](std::size_t i, std::size_t j) { return weights[i] > weights[j]; });
  return row;
}
template DirectRow direct_row(const std::vector<float>&, const std::vector<float>&, std::size_t, bool);
template DirectRow direct_row(const std::vector<double>&, const std::vector<double>&, std::size_t, bool);

namespace {

DirectPoint point_of(const DirectRow& row, std::size_t N, std::vector<Real>& f) {
  const std::size_t L = row.a.size();
  DirectPoint point;
  point.r = std::numeric_limits<Real>::infinity();
  std::vector<Real> s(row.dimension, 0);
  for (std::size_t k = 0; k < N; ++k) {
    const std::size_t j = row.order[k];
    add(s, times(row.a[j], row.x[j]));
    point.mass += row.a[j];
    point.largest = std::max(point.largest, norm(row.x[j]));
  }
  point.context = norm(s);
  f.resize(L);
  Real rest = 1 - point.mass;
  for (std::size_t i = 0; i < L; ++i) f[i] = norm(minus(times(row.a[i], row.x[i]), s));
  for (std::size_t k = N; k < L; ++k) {
    const std::size_t i = row.order[k];
    point.distance += f[i];
    point.r = std::min(point.r, f[i]);
    point.unselected += std::fabs(row.a[i]) * norm(row.x[i]);
    for (std::size_t j = 0; j < N; ++j)
      point.diameter = std::max(point.diameter, norm(minus(row.x[i], row.x[row.order[j]])));
  }
  const Real bracket = point.mass * static_cast<Real>(L - N) - rest;
  point.corrected = rest * point.diameter + point.largest * bracket;
  point.printed = rest * point.diameter + point.largest * point.largest * bracket;
  return point;
}

}  // namespace

DirectPoint direct_point(const DirectRow& row, std::size_t N) {
  std::vector<Real> f;
  return point_of(row, N, f);
}
DirectPoint direct_separability(const DirectRow& row, std::size_t N) {
  std::vector<Real> f;
  DirectPoint point = point_of(row, N, f);
  separability(row, N, f, point);
  return point;
}

Real mean_squared_distance(const DirectRow& row, std::size_t N) {
  const std::size_t L = row.a.size();
  Real total = 0;
  std::size_t sets = 0;
  for (std::size_t set = 0; set < std::size_t{1} << L; ++set) {
    if (static_cast<std::size_t>(std::popcount(set)) != N) continue;
    ++sets;
    std::vector<Real> s(row.dimension, 0);
    for (std::size_t i = 0; i < L; ++i)
      if ((set >> i) % 2 == 1) add(s, times(row.a[i], row.x[i]));
    for (std::size_t i = 0; i < L; ++i)
      if ((set >> i) % 2 == 0) total += std::pow(norm(minus(times(row.a[i], row.x[i]), s)), Real{2});
  }
  return total / static_cast<Real>(sets);
}

Real printed_expectation(const DirectRow& row, std::size_t N) {
  const std::size_t L = row.a.size();
  std::vector<Real> xbar(row.dimension, 0);
  for (std::size_t i = 0; i < L; ++i) add(xbar, times(row.a[i], row.x[i]));
  Real sum = 0;
  for (std::size_t i = 0; i < L; ++i)
    sum += std::pow(norm(minus(times(row.a[i] + static_cast<Real>(N) / static_cast<Real>(L - 1), row.x[i]), xbar)),
                    Real{2});
  return static_cast<Real>(L - N) / static_cast<Real>(L) * sum;
}

template <class T>
Drawn<T> drawn(std::size_t kind, std::uint64_t seed, std::size_t length, std::size_t dimension) {
  std::mt19937_64 random(seed * row_kinds + kind);
  std::normal_distribution<double> normal;
  Drawn<T> row{dimension, std::vector<T>(length), std::vector<T>(length * dimension)};
  const double mean = kind % 3 == 1 ? 1 : 0, scale = kind == 10 ? 1e-7 : kind == 11 ? 3e5 : 1;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<double> x(dimension);
    double squares = 0;
    for (double& component : x) {
      component = normal(random) + mean;
      squares += component * component;
    }
    const double unit = kind < 4 && squares > 0 ? 1 / std::sqrt(squares) : 1;  // on a sphere, nearly
    for (std::size_t k = 0; k < dimension; ++k) {
      double component = x[k] * unit * scale;
      if (kind == 4) component = k == i % dimension ? 1 : 0;                                              // orthonormal
      if (kind == 5) component = i % 2 == 0 ? 1 : -1;                                                     // antipodal
      if (kind == 6) component = 0.5;                                                                     // all equal
      if (kind == 7 && i % 2 == 1) component = static_cast<double>(row.tokens[(i - 1) * dimension + k]);  // in pairs
      if (kind == 8) component = 1 + 1e-4 * x[k];  // near duplicates
      row.tokens[i * dimension + k] = static_cast<T>(component);
    }
    double weight = std::exp((kind % 2 == 0 ? 1 : 4) * normal(random));
    if (kind == 9) weight = 1;                                                      // all tied
    if (kind == 3) weight = i == length / 2 ? 1 : 1e-9 * (1 + normal(random) / 9);  // nearly one-hot
    row.weights[i] = static_cast<T>(weight);
  }
  return row;
}
template Drawn<float> drawn(std::size_t, std::uint64_t, std::size_t, std::size_t);
template Drawn<double> drawn(std::size_t, std::uint64_t, std::size_t, std::size_t);

}  // namespace attncert::test

// Norms of softmax's Jacobian by the secular equation (docs/specification.md#largest-eigenvalue) with two bisections,
// one for each side of the root, and of (I - a 1^T) diag(g) by repeated squaring of J^T J (Gelfand's formula).
#include <algorithm>
#include <numeric>

#include "properties/conformance/bounds/plain.hpp"
#include "properties/conformance/bounds/tracked.hpp"

namespace attncert {
namespace {

using Flaw = JacobianFlaw;

struct Sorted {
  std::vector<Tracked> p, weights;  // descending
  bool tied = false;                // the two largest weights are equal as given
  Tracked rest, tail;               // 1 - p1 and 1 - p1 - p2, as sums
};

Sorted sorted(const BoundRow& row, Flaw flaw) {
  std::vector<double> w = row.weights;
  std::sort(w.begin(), w.end(), std::greater<>());
  Sorted result;
  Tracked total;
  // |w - exact| <= e exact, so |w - exact| <= w e / (1 - e).
  const long double e = flaw == Flaw::input_error_ignored ? 0 : row.relative_error / (1 - row.relative_error);
  for (const double weight : w) total += result.weights.emplace_back(weight, e * weight, 0);
  for (const Tracked& weight : result.weights) result.p.push_back(weight / total);
  for (std::size_t i = 1; i < w.size(); ++i) {
    result.rest += result.weights[i];
    if (i > 1) result.tail += result.weights[i];
  }
  result.rest = result.rest / total;
  result.tail = result.tail / total;
  if (flaw == Flaw::rest_by_subtraction) result.rest = {1 - static_cast<double>(result.p[0].value), 1e-18L};
  result.tied = w.size() > 1 && w[0] == w[1];
  return result;
}

// The sign of p1/(p1 - x) - sum p_j/(x - p_j): -1 left of the root, +1 right of it, 0 where rounding hides it.
int side(const Sorted& s, long double x) {
  Tracked left;
  for (std::size_t j = 1; j < s.p.size(); ++j) {
    const Tracked gap = Tracked(x) - s.p[j];
    if (gap.low() <= 0) return gap.high() <= 0 ? -1 : 0;
    left += s.p[j] / gap;
  }
  const Tracked gap = s.p[0] - Tracked(x);
  if (gap.low() <= 0) return gap.high() <= 0 ? 1 : 0;
  const Tracked difference = s.p[0] / gap - left;
  return difference.low() > 0 ? 1 : difference.high() < 0 ? -1 : 0;
}

Tracked largest_root(const Sorted& s, Flaw flaw) {
  const Tracked ceiling = s.p[0] * (s.rest + s.p[1]);
  if (flaw == Flaw::bound_for_norm) return ceiling;
  if (s.p[1].high() == 0) return 0;
  const long double low = s.p[1].low(), high = std::min(s.p[0].high(), ceiling.high());
  if (s.tied && flaw == Flaw::tie_as_ordinary) return {s.p[0].value * s.rest.value, 1e-18L};
  const int steps = flaw == Flaw::early_stop ? 20 : 90;
  const auto bisect = [&](int wanted) {  // the border of the points that are certainly on that side
    long double inside = wanted < 0 ? low : high, outside = wanted < 0 ? high : low;
    for (int step = 0; step < steps; ++step) {
      const long double middle = inside + (outside - inside) / 2;
      (side(s, middle) == wanted ? inside : outside) = middle;
    }
    return inside;
  };
  const long double left = bisect(-1), right = bisect(1);
  if (flaw == Flaw::early_stop) return {left, 1e-16L * left};
  return {left / 2 + right / 2, (right - left) / 2};
}

Tracked floor_of(const Sorted& s) {
  const Tracked &p1 = s.p[0], &p2 = s.p[1], &t = s.tail;
  const Tracked b = Tracked(2) * p1 * p2 + t * (p1 + p2);
  return (b + sqrt(b * b - Tracked(4) * p1 * p2 * t)) / 2;
}

Tracked one_minus(const Sorted& s, std::size_t j) { return j == 0 ? s.rest : Tracked(1) - s.p[j]; }

}  // namespace

std::vector<Reported> plain_softmax_jacobian(const BoundRow& row, JacobianFlaw flaw) {
  Sorted s = sorted(row, flaw);
  const Tracked T = flaw == Flaw::temperature_forgotten ? 1 : row.temperature;
  std::vector<Reported> list;
  if (row.weights.size() == 1) {
    for (const char* name : {"spectral", "frobenius", "entry", "row sum", "lower", "upper", "root bound"})
      list.push_back(reported(name, 0, 0));
    return list;
  }
  Tracked squares, others, frobenius, entry, variance;
  for (std::size_t j = 0; j < s.p.size(); ++j) {
    squares += s.p[j] * s.p[j];
    if (j > 0) others += s.p[j] * s.p[j];
    variance += s.p[j] * one_minus(s, j);
    entry = max(entry, s.p[j] * one_minus(s, j));
  }
  Tracked cubes;
  for (std::size_t j = 0; j < s.p.size(); ++j) {
    const Tracked rest = j == 0 ? others : squares - s.p[j] * s.p[j];
    frobenius += s.p[j] * s.p[j] * (one_minus(s, j) * one_minus(s, j) + rest);
    cubes += s.p[j] * s.p[j] * s.p[j];
  }
  if (flaw == Flaw::frobenius_cancels) {
    frobenius = squares - Tracked(2) * cubes + squares * squares;
    frobenius.error = 1e-18L * frobenius.value;
  }
  list.push_back(reported("spectral", 0, largest_root(s, flaw) / T));
  list.push_back(reported("frobenius", 0, sqrt(frobenius) / T));
  list.push_back(reported("entry", 0, entry / T));
  list.push_back(reported("row sum", 0, Tracked(2) * entry / T));
  list.push_back(reported("lower", 0, floor_of(s) / T));
  list.push_back(reported("upper", 0, s.p[0] * (s.rest + s.p[1]) / T));
  list.push_back(reported("root bound", 0, sqrt(squares * variance) / T));
  list.push_back(reported("quarter", 0, Tracked(0.25L) / T));
  list.push_back(reported("half", 0, Tracked(0.5L) / T));
  return list;
}

std::vector<Reported> plain_operator_norm(const BoundRow& row, OperatorFlaw flaw) {
  const std::size_t n = row.weights.size();
  Tracked total;
  for (const double weight : row.weights) total += weight;
  if (flaw == OperatorFlaw::weights_not_divided) total = 1;
  std::vector<Tracked> J(n * n);
  Tracked squares;
  long double column = 0;
  for (std::size_t j = 0; j < n; ++j) {
    Tracked sum;
    for (std::size_t i = 0; i < n; ++i) {
      Tracked projector = -(Tracked(row.weights[i]) / total);
      if (i == j) {  // 1 - a_j from the others
        projector = 0;
        for (std::size_t k = 0; k < n; ++k)
          if (k != j) projector += row.weights[k];
        projector = projector / total;
      }
      J[i * n + j] = projector * row.slopes[j];
      sum += J[i * n + j] * J[i * n + j];
    }
    squares += sum;
    column = std::max(column, sqrt(sum).value);
  }
  const Tracked frobenius = sqrt(squares);
  std::vector<long double> power(n * n, 0), square(n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    for (std::size_t k = 0; k < n; ++k) power[i] += J[k * n + i / n].value * J[k * n + i % n].value;
  // lambda = prod of the norms s_k^(2^-k): each squaring may be off by (n + 2) u of its norm, halved at every step.
  long double logarithm = 0, weight = 1;
  bool zero = false;
  for (int step = 0; step < 64 && !zero; ++step, weight /= 2) {
    long double norm = 0;
    for (const long double entry : power) norm += entry * entry;
    norm = std::sqrt(norm);
    zero = norm == 0;
    if (zero) break;
    logarithm += weight * std::log(norm);
    for (long double& entry : power) entry /= norm;
    for (std::size_t i = 0; i < n * n; ++i) {
      square[i] = 0;
      for (std::size_t k = 0; k < n; ++k) square[i] += power[i / n * n + k] * power[k * n + i % n];
    }
    power = square;
  }
  const long double spectral = zero ? 0 : std::exp(logarithm / 2);
  const long double steps = 8 * (static_cast<long double>(n) + 8) + std::fabs(logarithm);
  // Entries of J are off by their tracked errors, of which the norm is at most n times the largest.
  long double off = 0;
  for (const Tracked& entry : J) off = std::max(off, entry.error);
  const Tracked norm(spectral, steps * Tracked::u * frobenius.value + static_cast<long double>(n) * off);
  return {reported("spectral", 0, flaw == OperatorFlaw::largest_column ? Tracked(column) : norm),
          reported("frobenius", 0, frobenius)};
}

}  // namespace attncert

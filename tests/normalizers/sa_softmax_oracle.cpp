#include <algorithm>

#include "tests/normalizers/vjp_terms.hpp"

namespace attncert::oracle {
namespace {

// Where |max u| >= 2^13: about the largest u and the mean of g, in terms that do not cancel (docs/budgets.md, "far rows").
std::vector<Term> far_sa_softmax_gradient(const Reals& p, const Reals& u, const Reals& g, const Real& temperature) {
  const auto top = std::max_element(u.begin(), u.end());
  const Real origin = g[static_cast<std::size_t>(top - u.begin())];
  Real shift = 0, deviation = 0, depths = 0, depth_sizes = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    shift += p[i] * (g[i] - origin);
    depths += (*top - u[i]) * p[i] * g[i];
    depth_sizes += (*top - u[i]) * p[i] * abs(g[i]);
  }
  const auto centred_upstream = [&](std::size_t i) { return Real((g[i] - origin) - shift); };
  for (std::size_t i = 0; i < u.size(); ++i) deviation += p[i] * abs(centred_upstream(i));
  std::vector<Term> terms;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const Real depth = *top - u[i], c = centred_upstream(i);
    const Real value = g[i] + *top * c - depth * g[i] + depths;
    const Real size = abs(g[i]) + abs(*top) * (abs(c) + deviation) + depth * abs(g[i]) + depth_sizes;
    terms.push_back({p[i] * value / temperature, p[i] * size / temperature});
  }
  return terms;
}

struct Ends {
  Real low, high, unit;
  bool low_moves, high_moves;
};

Ends ends_of(int variant, const Reals& z, const Real& temperature) {
  const Real least = *std::min_element(z.begin(), z.end()), most = *std::max_element(z.begin(), z.end());
  if (variant == 1) return {least, most, temperature, true, false};
  if (variant == 2) return {least, most, most - least, true, true};
  const Real low = least < 0 ? least : Real(0), high = most > 0 ? most : Real(0);
  return {low, high, high - low, least<0, most> 0};
}

// 1 / n at the n logits equal to `end`.
Reals shares_of_end(const Reals& z, const Real& end, bool moves) {
  Reals out;
  for (const Real& x : z) out.emplace_back(moves && x == end ? 1 : 0);
  const long count = std::count(z.begin(), z.end(), end);
  return count > 0 ? divided(out, Real(count)) : out;
}

Real dot(const Reals& a, const Reals& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Reals adjustments(int variant, const Reals& z, const Real& temperature) {
  const Ends ends = ends_of(variant, z, temperature);
  Reals out;
  for (const Real& x : z) out.emplace_back(ends.unit == 0 ? Real(0) : Real((x - ends.low) / ends.unit));
  return out;
}

// d(f_i p_i) by the product rule, row by row of J^T: p_i df_i and f_i dp_i, the latter about the largest f and the mean of g.
std::vector<Term> adjusted_gradient(int variant, const Reals& p, const Reals& z, const Reals& g,
                                    const Real& temperature) {
  const Ends ends = ends_of(variant, z, temperature);
  std::vector<Term> terms(z.size());
  if (ends.unit == 0) return terms;
  const Reals at_low = shares_of_end(z, ends.low, ends.low_moves),
              at_high = shares_of_end(z, ends.high, ends.high_moves);
  const auto top = std::max_element(z.begin(), z.end());
  const Real origin = g[static_cast<std::size_t>(top - z.begin())], largest = (*top - ends.low) / ends.unit;
  Reals weighted, sizes, differences, depths, above = adjustments(variant, z, temperature), below;
  for (std::size_t i = 0; i < z.size(); ++i) {
    weighted.push_back(p[i] * g[i]);
    sizes.push_back(p[i] * abs(g[i]));
    differences.push_back(g[i] - origin);
    depths.push_back((*top - z[i]) / ends.unit);
    below.push_back(variant == 1 ? Real(1) : Real((ends.high - z[i]) / ends.unit));
  }
  const Real shift = dot(p, differences);
  Real deviation = 0;
  for (std::size_t i = 0; i < z.size(); ++i) deviation += p[i] * abs(Real(differences[i] - shift));
  const Real mean = dot(depths, weighted), mean_size = dot(depths, sizes);
  const Real low = dot(below, weighted), low_size = dot(below, sizes), high = dot(above, weighted),
             high_size = dot(above, sizes);
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Real c = differences[k] - shift;
    terms[k].value = p[k] * (largest * c - depths[k] * g[k] + mean) / temperature +
                     (weighted[k] - at_low[k] * low - at_high[k] * high) / ends.unit;
    terms[k].magnitude = p[k] * (largest * (abs(c) + deviation) + depths[k] * abs(g[k]) + mean_size) / temperature +
                         (sizes[k] + at_low[k] * low_size + at_high[k] * high_size) / ends.unit;
  }
  return terms;
}

std::vector<Term> sa_softmax_gradient(const Reals& p, const Reals& z, const Reals& g, const Real& temperature) {
  const Reals u = divided(z, temperature);
  if (abs(*std::max_element(u.begin(), u.end())) >= 0x1p13) return far_sa_softmax_gradient(p, u, g, temperature);
  Real mean = 0, mean_size = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    mean += u[i] * p[i] * g[i];
    mean_size += abs(u[i]) * p[i] * abs(g[i]);
  }
  std::vector<Term> terms;
  for (std::size_t i = 0; i < z.size(); ++i) {
    terms.push_back({p[i] * (g[i] + u[i] * g[i] - mean) / temperature,
                     p[i] * (abs(g[i]) + abs(u[i] * g[i]) + mean_size) / temperature});
  }
  return terms;
}

}  // namespace attncert::oracle

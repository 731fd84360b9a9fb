#include <algorithm>

#include "tests/normalizers/vjp_terms.hpp"

namespace attncert::oracle {
namespace {

// Where |max u| >= 2^13: about the largest u and the mean of g, in terms that do not cancel (docs/budgets.md, "Far
// rows").
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

Real dot(const Reals& a, const Reals& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// At the n logits that are `end`: p_k (g_k - the mean of g there) - 1 / n of the sum over the other logits of b_j p_j
// g_j, b = 1 at the end.
void end_at(const Real& end, const Reals& p, const Reals& z, const Reals& g, const Reals& b, std::vector<Term>& ended) {
  const Real count = std::count(z.begin(), z.end(), end);
  const Real origin = g[static_cast<std::size_t>(std::find(z.begin(), z.end(), end) - z.begin())];
  Real mean = 0, deviation = 0, others = 0, other_sizes = 0;
  const auto distance = [&](std::size_t j) { return Real((g[j] - origin) - mean); };
  for (std::size_t j = 0; j < z.size(); ++j) {
    if (z[j] == end) continue;
    others += b[j] * p[j] * g[j] / count;
    other_sizes += b[j] * p[j] * abs(g[j]) / count;
  }
  Real shift = 0;
  for (std::size_t j = 0; j < z.size(); ++j)
    if (z[j] == end) shift += distance(j) / count;
  mean = shift;
  for (std::size_t j = 0; j < z.size(); ++j)
    if (z[j] == end) deviation += abs(distance(j)) / count;
  for (std::size_t k = 0; k < z.size(); ++k)
    if (z[k] == end) ended[k] = {p[k] * distance(k) - others, p[k] * (abs(distance(k)) + deviation) + other_sizes};
}

}  // namespace

Reals adjustments(int variant, const Reals& z, const Real& temperature) {
  const Ends ends = ends_of(variant, z, temperature);
  Reals out;
  for (const Real& x : z) out.emplace_back(ends.unit == 0 ? Real(0) : Real((x - ends.low) / ends.unit));
  return out;
}

// d(f_i p_i) by the product rule, row by row of J^T: p_i df_i and f_i dp_i, the latter about the largest f and the mean
// of g.
std::vector<Term> adjusted_gradient(int variant, const Reals& p, const Reals& z, const Reals& g,
                                    const Real& temperature) {
  const Ends ends = ends_of(variant, z, temperature);
  std::vector<Term> terms(z.size());
  if (ends.unit == 0) return terms;
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
  std::vector<Term> ended;  // p_k g_k less p_j g_j times the derivative of f_j's end
  for (std::size_t k = 0; k < z.size(); ++k) ended.push_back({weighted[k], sizes[k]});
  if (ends.low_moves) end_at(ends.low, p, z, g, below, ended);
  if (ends.high_moves) end_at(ends.high, p, z, g, above, ended);
  const Real shift = dot(p, differences);
  Real deviation = 0;
  for (std::size_t i = 0; i < z.size(); ++i) deviation += p[i] * abs(Real(differences[i] - shift));
  const Real mean = dot(depths, weighted), mean_size = dot(depths, sizes);
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Real c = differences[k] - shift;
    terms[k].value = p[k] * (largest * c - depths[k] * g[k] + mean) / temperature + ended[k].value / ends.unit;
    terms[k].magnitude = p[k] * (largest * (abs(c) + deviation) + depths[k] * abs(g[k]) + mean_size) / temperature +
                         ended[k].magnitude / ends.unit;
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

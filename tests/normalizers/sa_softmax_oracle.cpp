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

}  // namespace

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

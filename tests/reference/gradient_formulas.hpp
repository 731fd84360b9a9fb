// The formulas of docs/attention-bounds.md for gradients once more, in Arb, straight from the page: the judge of
// reference/attention/gradient.cpp. Shares nothing with it but rows and class, which are inputs.
#pragma once

#include <span>

#include "reference/attention/gradient.hpp"
#include "tests/reference/attention_formulas.hpp"

namespace attncert {

struct GradientFormulas {
  using N = AttentionFormulas::N;
  using Numbers = AttentionFormulas::Numbers;

  GradientFormulas(std::span<const reference::GradientRow> rows, const reference::GradientRounding& declared)
      : b(declared), k(declared.common), u(k.single.relative), w(k.single.absolute) {
    const reference::AttentionRow& first = rows[0].row;
    dK.resize(first.keys.size()), dK_bound.resize(first.keys.size());
    dV.resize(first.values.size()), dV_bound.resize(first.values.size());
    visits.resize(first.key_count());
    for (const reference::GradientRow& row : rows) add_truth(row);
    for (const reference::GradientRow& row : rows) add_bound(row);
    const double d = static_cast<double>(first.query.size());
    for (std::size_t n = 0; n < dK.size(); ++n)
      dK_bound[n] = stored(dK_bound[n], dK[n], first.scale, visits[n / static_cast<std::size_t>(d)], true);
    for (std::size_t n = 0; n < dV.size(); ++n)
      dV_bound[n] = stored(dV_bound[n], dV[n], 1, visits[n / first.value_size], false);
    finish_sink();
  }

  std::vector<Numbers> dQ, dQ_bound;
  Numbers dK, dV, dK_bound, dV_bound;
  N dsink, dsink_bound;  // of the rows that have a sink, as if it were one for all

 private:
  struct Row {
    AttentionFormulas forward;
    Numbers p, dP, s;
    N D, sink;  // its weight
    Row(const reference::GradientRow& given, const reference::GradientRounding& b) : forward(given.row, b.common) {
      for (std::size_t n = 0; n < forward.keys.size(); ++n) {
        p.push_back(b.unfused ? forward.p[n] : exp(forward.x[n] - N(given.lse)));
        N sum;
        for (std::size_t c = 0; c < given.output_gradient.size(); ++c)
          sum += N(given.output_gradient[c]) * N(given.row.value(forward.keys[n], c));
        dP.push_back(sum);
        const N t = given.row.softcap == 0 ? N(0.0) : tanh(forward.r[n] / N(given.row.softcap));
        s.push_back(1.0 - t * t);
        if (b.unfused) D += p[n] * sum;
      }
      for (std::size_t c = 0; c < given.output_gradient.size() && !b.unfused; ++c)
        D += N(given.output_gradient[c]) * N(given.output[c]);
      if (given.row.sink) sink = b.unfused ? forward.p.back() : exp(N(*given.row.sink) - N(given.lse));
    }
  };

  N gamma(double n, const N& unit) const { return n * unit / (1.0 - n * unit); }

  void add_truth(const reference::GradientRow& given) {
    const Row row(given, b);
    const std::size_t d = given.row.query.size();
    dQ.emplace_back(d);
    for (std::size_t n = 0; n < row.p.size(); ++n) {
      const std::size_t j = row.forward.keys[n];
      const N dS = given.row.scale * row.p[n] * (row.dP[n] - row.D) * row.s[n];
      ++visits[j];
      for (std::size_t e = 0; e < d; ++e) dQ.back()[e] += dS * given.row.key(j)[e];
      for (std::size_t e = 0; e < d; ++e) dK[j * d + e] += dS * given.row.query[e];
      for (std::size_t c = 0; c < given.row.value_size; ++c)
        dV[j * given.row.value_size + c] += row.p[n] * given.output_gradient[c];
    }
  }

  // theta of one weight.
  N weight_error(const reference::GradientRow& given, const AttentionFormulas& f, std::size_t n, const N& p) const {
    const N& max_x = f.x[n];
    if (b.unfused) {
      N grown;
      for (std::size_t m = 0; m < f.x.size(); ++m) grown += f.p[m] * exp(f.eta[m]);
      const N G = (1.0 + f.mu) * exp(f.E0 * f.R), raw = f.bracket(G), L = f.least(raw), beta = 1.0 + raw / L;
      const N up = f.p[n] * exp(f.eta[n]) * (1.0 + gamma(4, u)) * beta / f.D_min;
      const N down = f.p[n] * exp(0.0 - f.eta[n]) * (1.0 - gamma(4, u)) / ((1.0 + f.mu) * grown * beta);
      const N error = AttentionFormulas::max(up - p, p - down) + G * f.f[n] / L + 4.0 * w / L;
      return error + k.weights.relative * (p + error) + AttentionFormulas::max(k.weights.absolute, w);
    }
    const N X = k.exponential.range, left = 1.0 - N(k.exponential.relative) - N(k.exponential.per_unit) * X;
    const N read = given.lse_error, lse = given.lse;
    const N moved = f.sigma[n] + f.constant[n] + read +
                    gamma(2, u) * (AttentionFormulas::max(abs(max_x), abs(lse) + read) + f.shift);
    const N phi = moved + (u / (1.0 - u) + k.exponential.per_unit / left) * (1.0 + u) * (abs(max_x - lse) + moved) +
                  k.exponential.relative / left;
    const N flush = certainly_less(X, lse - max_x + phi) ? 3.0 * exp(2.0 * phi - X) : N(0.0);
    return p * (exp(phi) - 1.0) + flush;
  }

  // more: with one term besides, of magnitude `start`.
  N dot_error(const reference::GradientRow& given, std::span<const double> other, double unit, bool more = false,
              const N& start = N(0.0)) const {
    N size = start, inputs;
    for (std::size_t c = 0; c < other.size(); ++c) {
      size += abs(N(given.output_gradient[c]) * N(other[c]));
      inputs += std::abs(given.output_gradient[c]) + std::abs(other[c]);
    }
    const double n = static_cast<double>(other.size());
    const N sums = gamma(n + (more ? 1 : 0), unit);
    return sums * size + 2.0 * w * (inputs + n) * (1.0 + sums);
  }

  void add_bound(const reference::GradientRow& given) {
    const Row row(given, b);
    const AttentionFormulas& f = row.forward;
    const std::size_t d = given.row.query.size(), count = row.p.size();
    const double K = static_cast<double>(count) + 1 + static_cast<double>(k.constants), n = static_cast<double>(count);
    Numbers theta, most, g;
    N h = b.unfused ? 2.0 * n * w * (1.0 + gamma(n, u)) : dot_error(given, given.output, k.single.relative);
    for (std::size_t m = 0; m < count; ++m) {
      theta.push_back(weight_error(given, f, m, row.p[m]));
      most.push_back(row.p[m] + theta[m]);
      const N raw = dot_error(given, given.row.values.subspan(f.keys[m] * given.row.value_size, given.row.value_size),
                              k.score_unit, !b.unfused, b.unfused ? N(0.0) : abs(row.D) + h);
      g.push_back(raw + b.dP.relative * (abs(row.dP[m]) + raw) + b.dP.absolute);
      if (!b.unfused) continue;
      const N product = most[m] * (abs(row.dP[m]) + g[m]), kept = b.products.relative * product + b.products.absolute;
      h += most[m] * g[m] + theta[m] * abs(row.dP[m]) + kept + gamma(n, u) * (product + kept);
    }
    if (given.row.sink) add_sink(weight_error(given, f, count, row.sink), row, h);
    dQ_bound.emplace_back(d);
    for (std::size_t m = 0; m < count; ++m) {
      const std::size_t j = f.keys[m];
      const N far = abs(row.dP[m] - row.D), dS = row.p[m] * far * row.s[m];
      const N a = std::abs(given.row.scale), early = AttentionFormulas::max(1.0, 1.0 / a), low = early * w;
      const N u_P = b.unfused ? 0.0 : k.weights.relative, w_P = b.unfused ? 0.0 : k.weights.absolute;
      const N theta_S = theta[m] + u_P * most[m] + w_P, most_S = row.p[m] + theta_S;
      N eps = most_S * (1.0 + 3.0 * u) * (g[m] + h + low) + far * (theta_S + 3.0 * u * most_S) + low;
      const N product = most_S * (abs(row.dP[m]) + g[m] + h);
      eps += 3.0 * u * (product + most_S * (abs(row.D) + g[m] + h)) +
             early * (b.products.relative * product + b.products.absolute) * (1.0 + 3.0 * u);
      if (given.row.softcap != 0) {
        const bool stored = k.scores_stored >= 1;
        const N f32_own = k.tanh.relative + 3.0 * u + k.tanh.absolute;
        const N own =
            stored ? f32_own + k.stored_scores.relative * (1.0 + f32_own) + k.stored_scores.absolute : f32_own;
        const N kappa = 2.0 * (f.Delta[m] + own) * (1.0 + own) + 4.0 * u;
        eps = (eps * (row.s[m] + kappa) + row.p[m] * far * kappa + u * dS) * (1.0 + u) + low;
        if (stored) {
          const N once = 1.0 + N(b.dS.relative), more = once * once * once * (1.0 + u) * (1.0 + u) - 1.0;
          const N w_S =
              early * b.dS.absolute * 2.0 * (1.0 + 2.0 * AttentionFormulas::max(1.0, 1.0 / N(given.row.softcap)));
          eps += more * (dS + eps) + w_S * (1.0 + more) * (1.0 + kappa);
        }
      }
      eps += b.dS.relative * (dS + eps) + (k.scores_stored >= 1 ? 1.0 + 1.0 / a : early) * b.dS.absolute + low;
      const N W = std::max(k.single.absolute, k.output_sum.absolute);
      const auto score_term = [&](double factor, double steps) {
        const N G = gamma(steps, k.output_sum.relative);
        return a * (eps + (G * (1.0 + N(b.factors)) + b.factors) * (dS + eps)) * std::abs(factor) +
               AttentionFormulas::max(a, 1.0) * 2.0 * W * (dS + eps) * (1.0 + G);
      };
      const double visited = static_cast<double>(visits[j]) + 1 + static_cast<double>(k.constants);
      for (std::size_t e = 0; e < d; ++e) dQ_bound.back()[e] += score_term(given.row.key(j)[e], K);
      for (std::size_t e = 0; e < d; ++e) dK_bound[j * d + e] += score_term(given.row.query[e], visited);
      const N G = gamma(visited, k.output_sum.relative), used = most[m] * (1.0 + u_P) + w_P;
      for (std::size_t c = 0; c < given.row.value_size; ++c)
        dV_bound[j * given.row.value_size + c] +=
            (theta[m] + u_P * most[m] + w_P + G * used) * std::abs(given.output_gradient[c]) +
            2.0 * W * used * (1.0 + G);
    }
    for (std::size_t e = 0; e < d; ++e)
      dQ_bound.back()[e] = stored(dQ_bound.back()[e], dQ[dQ_bound.size() - 1][e], given.row.scale, count, true);
  }

  void add_sink(const N& theta, const Row& row, const N& h) {
    const N most = row.sink + theta, D = abs(row.D), size = row.sink * D;
    N error = most * (h + w) + theta * D, largest = most * (D + h);
    if (b.unfused) {
      error += u * largest;
      error += b.dS.relative * (size + error) + b.dS.absolute;
      largest = size + error;
    }
    dsink += 0.0 - row.sink * row.D;
    ++sinks, sink_error += error, sink_most += largest;
  }

  void finish_sink() {
    const N gathered = gamma(static_cast<double>(sinks) + 2, std::max(k.single.relative, k.output_sum.relative));
    const N W = std::max(k.single.absolute, k.output_sum.absolute);
    const N total = sink_error + gathered * sink_most + 2.0 * (static_cast<double>(sinks) + 2) * W * (1.0 + gathered);
    dsink_bound = total + k.output.relative * (abs(dsink) + total) + k.output.absolute;
  }

  N stored(const N& error, const N& truth, double scale, std::size_t count, bool scaled) const {
    const double steps = static_cast<double>(count) + 1 + static_cast<double>(k.constants);
    const N W = std::max(k.single.absolute, k.output_sum.absolute), a = std::abs(scale), format = k.output.relative;
    const N total = error + 2.0 * steps * (a + 1.0) * W * (1.0 + gamma(steps, k.output_sum.relative));
    if (!scaled || !b.root_of_scale) return total + format * (abs(truth) + total) + k.output.absolute;
    const N twice = (1.0 + format) * (1.0 + format) * (1.0 + N(*b.root_of_scale));
    return total + (twice - 1.0) * (abs(truth) + total) +
           k.output.absolute * (1.0 + AttentionFormulas::max(1.0, a) * twice);
  }

  const reference::GradientRounding& b;
  const reference::RoundingClass& k;
  N u, w;
  std::vector<std::size_t> visits;
  std::size_t sinks = 0;
  N sink_error, sink_most;
};

}  // namespace attncert

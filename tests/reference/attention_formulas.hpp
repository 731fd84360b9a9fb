// The formulas of docs/attention-bounds.md once more, in Arb, straight from the page: the judge of reference/attention.
// Shares nothing with it but the row and the class, which are inputs.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "reference/attention/rounding_class.hpp"
#include "reference/attention/row.hpp"
#include "tests/arb.hpp"

namespace attncert {

inline double near(const ArbValue& value) { return arf_get_d(arb_midref(value.get()), ARF_RND_NEAR); }

struct AttentionFormulas {
  using N = ArbNumber<320>;
  using Numbers = std::vector<N>;

  static N max(const N& a, const N& b) { return certainly_less(a, b) ? b : a; }
  static N min(const N& a, const N& b) { return certainly_less(b, a) ? b : a; }
  N gamma(const N& n, const N& unit) const { return n * unit / (1.0 - n * unit); }
  N gamma(double n) const { return gamma(n, u); }

  // first: the specification's terms of pivots and of what is out of range, which the page has sharper.
  AttentionFormulas(const reference::AttentionRow& given, const reference::RoundingClass& declared, bool first = false)
      : row(given), k(declared), u(declared.single.relative), w(declared.single.absolute), as_first_stated(first) {
    truth();
    if (row.slope) {
      const double own = std::abs(static_cast<double>(row.position)) + std::abs(static_cast<double>(row.offset));
      const double length = static_cast<double>(row.values.size() / row.value_size);
      shift = std::abs(*row.slope) * N(as_first_stated ? own : std::max(own, length));
    }
    const bool moves = row.slope && !as_first_stated;
    for (std::size_t j : keys) scores(j);
    if (row.sink) {
      const double x_s = *row.sink;
      N error = gamma(static_cast<double>(k.products)) * abs(N(x_s));
      bias.emplace_back(0.0);
      if (moves) bias.back() = shift, error += gamma(3) * (shift + std::abs(x_s));
      if (k.scores_stored >= 1 && !as_first_stated)
        error = error + k.stored_scores.relative * (shift + std::abs(x_s) + error) + k.stored_scores.absolute;
      sigma.push_back((error + 4.0 * w) * (1.0 + gamma(r_c)));
      constant.push_back(gamma(r_c) * abs(N(x_s)));
    }
    weights();
    sums();
  }

  void truth() {
    const double diagonal = static_cast<double>(row.position + row.offset);
    for (std::size_t j = 0; j < row.values.size() / row.value_size; ++j) {
      const double at = static_cast<double>(j);
      if (row.causal && at > diagonal) continue;
      if (row.window && at <= diagonal - static_cast<double>(*row.window)) continue;
      if (row.window_after && at >= diagonal + static_cast<double>(*row.window_after)) continue;
      if (row.length && j >= *row.length) continue;
      if (!row.mask.empty() && row.mask[j] == 0) continue;
      if (!row.bias.empty() && row.bias[j] < -1e300) continue;
      keys.push_back(j);
      N t;
      for (std::size_t i = 0; i < row.query.size(); ++i) t += N(row.query[i]) * N(row.keys[j * row.query.size() + i]);
      r.push_back(row.scale * t);
      c.push_back(row.softcap == 0 ? r.back() : row.softcap * tanh(r.back() / row.softcap));
      N added = row.bias.empty() ? 0.0 : row.bias[j];
      if (row.slope) added += *row.slope * N(row.causal ? at - diagonal : -std::abs(at - diagonal));
      x.push_back(c.back() + added);
    }
    if (row.sink) x.emplace_back(*row.sink);
    M = x[0];
    for (const N& each : x) M = max(M, each);
    for (const N& each : x) Z += exp(each - M);
    for (const N& each : x) p.push_back(exp(each - M) / Z);
    lse = M + log(Z);
    o.resize(row.value_size);
    for (std::size_t channel = 0; channel < o.size(); ++channel)
      for (std::size_t n = 0; n < keys.size(); ++n)
        o[channel] += p[n] * N(row.values[keys[n] * row.value_size + channel]);
  }

  void scores(std::size_t j) {
    const std::size_t n = sigma.size(), d = row.query.size();
    N S, size;
    double m = 0, rho = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < d; ++i) {
      const double product = std::abs(row.query[i] * row.keys[j * d + i]);  // exact: 24 bits each
      S += product;
      size += std::abs(row.query[i]) + std::abs(row.keys[j * d + i]);
      if (product == 0) continue;
      ++m;
      double power = std::ldexp(1.0, std::ilogb(product));
      while (std::fmod(product, power) != 0) power /= 2;
      rho = std::min(rho, power);
    }
    const N a = std::abs(row.scale), u_q = k.operands.relative, r_p = static_cast<double>(k.products);
    const bool exact =
        k.operands.relative == 0 && m > 0 && rho >= 0x1p-126 && !certainly_less(rho / N(k.score_unit), S);
    const N g = exact ? N(0.0) : gamma(m, k.score_unit);
    const N tail = 1.0 + gamma(r_c + static_cast<double>(k.products) + 1);
    const N w_input = std::max(k.single.absolute, k.operands.absolute);
    const N underflows = 2.0 * (w_input * size + static_cast<double>(d) * w) * (1.0 + g);
    const N s = (a * S * (g * (1.0 + u_q) + u_q) + max(max(a, 1.0), row.softcap) * underflows) * tail;
    N error = s + gamma(static_cast<double>(k.products)) * abs(r[n]), delta;
    const N u_S = k.stored_scores.relative, w_S = k.stored_scores.absolute;
    if (row.softcap != 0) {
      const N C = row.softcap, y = abs(r[n]) / C, e_0 = k.tanh.relative + 3.0 * u;
      delta = (s + (tail - 1.0) * abs(r[n])) / C;
      if (k.scores_stored >= 1) {
        delta = delta + u_S * (y + delta) + max(a, 1.0) * w_S / C;
        delta = delta + u_S * (y + delta) + w_S;
      }
      delta = delta + w;
      const N e_c = k.scores_stored >= 1 ? e_0 + u_S * (1.0 + e_0) : e_0, w_c = k.scores_stored >= 1 ? w_S : N(0.0);
      const N flat = tanh(max(y - delta, 0.0));
      error = C * (1.0 - flat * flat) * delta * (1.0 + e_c) + e_c * C * tanh(y) +
              (k.tanh.absolute + w + w_c) * C * (1.0 + e_c);
    }
    Delta.push_back(delta);
    if (k.scores_stored >= 1)
      error = error + u_S * (abs(c[n]) + error) + (row.softcap == 0 ? max(a, 1.0) : N(1.0)) * w_S;
    bias.emplace_back(row.bias.empty() ? 0.0 : std::abs(row.bias[j]));
    if (row.slope) bias.back() += std::abs(*row.slope) * N(static_cast<double>(j)) + shift;
    if (!row.bias.empty() || row.slope)
      error = error * (1.0 + gamma(3)) + gamma(row.slope ? 7 : 3) * (bias.back() + abs(x[n]));
    if (k.scores_stored == 2) error = error + u_S * (abs(x[n]) + (as_first_stated ? N(0.0) : shift) + error) + w_S;
    sigma.push_back((error + 4.0 * w) * (1.0 + gamma(r_c)));
    constant.push_back(gamma(r_c) * abs(c[n]));
  }

  // R of the n-th kept key: blocks that come later and hold a possible record.
  double later(std::size_t n, std::size_t blocks) const {
    if (k.three_pass) return 0;
    const double s = row.sink ? 1 : 0;
    if (k.order == reference::BlockOrder::any || k.parts > 1) return static_cast<double>(blocks) - 1 + s;
    const bool up = k.order == reference::BlockOrder::ascending;
    const std::size_t own = keys[n] / k.block;
    const double all = static_cast<double>(up ? blocks - 1 - own : own);
    if (k.fma_rescale) return s + all;
    double count = k.lazy > 0 ? 1 : 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      bool record = false;
      for (std::size_t l = 0; l < keys.size(); ++l) {
        bool highest = keys[l] / k.block == b;
        for (std::size_t i = 0; i < keys.size(); ++i)
          if (up ? i < l : i > l)
            highest = highest && certainly_less(x[i] - sigma[i] - constant[i], x[l] + sigma[l] + constant[l]);
        record = record || highest;
      }
      if (record && (up ? b > own : b < own)) ++count;
    }
    return s + std::min(count, all);
  }

  void weights() {
    const std::size_t length = row.values.size() / row.value_size;
    const N X = k.exponential.range, left = 1.0 - N(k.exponential.relative) - N(k.exponential.per_unit) * X;
    const N E1 = k.exponential.per_unit / left, u_prime = u / (1.0 - u);
    E0 = k.exponential.relative / left;
    N X_max;
    for (std::size_t n = 0; n < x.size(); ++n) {
      X_max = max(X_max, abs(x[n]) + sigma[n] + constant[n] + (row.slope ? bias[n] : N(0.0)));
      star = max(star, sigma[n] + constant[n] - (M - x[n]));
    }
    const bool one_for_all = row.slope || as_first_stated;
    const N X_last = one_for_all ? X_max + k.lazy : abs(M) + star + k.lazy;
    pivot = u_prime * X_last;
    drift = k.fma_rescale ? u_prime * (X_max + k.lazy) : N(0.0);
    largest = exp((k.lazy + u_prime * (X_max + k.lazy)) * (1.0 + (u_prime + E1) * (1.0 + u)));
    const std::size_t blocks = std::max<std::size_t>(1, (length + k.block - 1) / k.block);
    R = row.sink && !k.three_pass ? 1 : 0;
    for (std::size_t n = 0; n < keys.size(); ++n) R = std::max(R, later(n, blocks));
    if (keys.empty()) R = k.three_pass || k.order != reference::BlockOrder::any ? R : static_cast<double>(blocks);
    const bool split = k.parts > 1;
    const double parts = static_cast<double>(k.parts);
    const N of_lse = E0 +
                     (k.logarithm.relative + 2.0 * u_prime) * (log(N(2.0 * static_cast<double>(x.size()))) + k.lazy) +
                     k.logarithm.absolute;
    lambda = of_lse + E0 + gamma(parts + 1) + 2.0 * (u_prime + E1) * (1.0 + u) * (log(N(parts)) + 1.0);
    for (std::size_t n = 0; n < x.size(); ++n) {
      const N sigma_l = sigma[n] + constant[n];
      const N own = u_prime * (one_for_all ? X_last : max(abs(x[n]) + sigma_l + k.lazy, X_last));
      const double factors = n < keys.size() ? later(n, blocks) : R;
      const N owns = k.fma_rescale ? own * (1.0 + factors) : own;
      N path = M - x[n] + sigma_l + star + 2.0 * k.lazy + owns + (split ? log(Z) : N(0.0)), merged;
      const N between = max(abs(x[n]), abs(lse)) + shift + sigma_l + star + k.lazy;
      of_part.push_back(4.0 * u_prime *
                        (as_first_stated ? max(abs(x[n]) + M - x[n] + log(Z) + sigma_l + star, abs(lse)) : between));
      if (split) merged = static_cast<double>(k.levels) * (of_lse + of_part.back());
      if (split && !as_first_stated) path += merged + lambda + of_part.back();
      const N psi = merged + owns + (u_prime + E1) * (1.0 + u) * path + E0 * (1.0 + factors);
      const N rounded = k.sum_of_rounded ? 0.0 - log(1.0 - N(k.weights.relative)) : N(0.0);
      const bool plain = row.bias.empty() && !row.slope && !row.sink;
      eta.push_back(sigma[n] + (plain ? gamma(r_c) * (M - x[n]) : constant[n]) + psi + rounded);
      eta_l.push_back(sigma_l + psi + rounded);
      const N computed = 2.0 * exp((k.lazy + own) * (1.0 + (u_prime + E1) * (1.0 + u)) + E0 - X);
      const N nominal = exp(sigma_l + star + 2.0 * k.lazy + psi - (M - x[n]));
      const N either = 3.0 * exp(2.0 * (sigma_l + star + 2.0 * k.lazy + psi) - X);
      f.push_back(!certainly_less(X, path) ? N(0.0) : as_first_stated ? either : computed + nominal);
    }
  }

  double depth(double m, std::size_t chunk) const {
    const std::size_t length = row.values.size() / row.value_size;
    if (chunk == 0) return m;
    double most = static_cast<double>(chunk + (length + chunk - 1) / chunk + 1);
    if (k.block % chunk != 0) most += static_cast<double>((length + k.block - 1) / k.block);
    return std::min(m, most);
  }

  void sums() {
    const double n = static_cast<double>(x.size()), levels = k.parts > 1 ? static_cast<double>(k.levels) : 0;
    const double parts = static_cast<double>(k.parts);
    mu = gamma(depth(n, k.sum_chunk) + R + levels * (parts + 1));
    N mean;
    for (std::size_t j = 0; j < x.size(); ++j) {
      D_min += (1.0 - mu) * p[j] * exp(0.0 - eta[j]);
      kept += p[j] * exp(0.0 - eta_l[j]);
      mean += p[j] * exp(eta_l[j]);
    }
    const bool moves = row.slope && !as_first_stated;
    const N b_lse = bracket((1.0 + mu) * exp((E0 + drift) * R)),
            Lambda = log(mean) - log(1.0 - mu) - log(1.0 - b_lse / least(b_lse)), u_prime = u / (1.0 - u);
    B_lse = Lambda + k.logarithm.relative * (log(Z) + k.lazy + star + Lambda) + k.logarithm.absolute +
            (moves ? 4.0 : 3.0) * u_prime * (abs(lse) + abs(M) + (moves ? 2.0 : 0.0) * shift + star + k.lazy + Lambda) +
            4.0 * w;
    const bool merges = levels > 0 && !as_first_stated;
    const N last = merges ? lambda + 4.0 * u_prime * (abs(lse) + shift + B_lse) : N(0.0);
    Numbers before;  // e^lambda - 1 of the other merges
    N most;
    for (std::size_t j = 0; j < x.size(); ++j) {
      before.push_back(merges && levels > 1 ? exp((levels - 1) * (lambda + of_part[j])) - 1.0 : N(0.0));
      most = max(most, before.back());
    }
    for (std::size_t channel = 0; channel < o.size(); ++channel) {
      double m = 0;
      N all, flushed, moved, far = row.sink ? abs(o[channel]) : N(0.0), high;
      for (std::size_t j = 0; j < keys.size(); ++j) m += row.values[keys[j] * row.value_size + channel] != 0;
      const double rescales = k.output_sum.relative > k.single.relative ? 2 * R : R;
      N nu = 1.0 + gamma(depth(m, k.output_chunk) + rescales + 4 + levels * (parts + 3), k.output_sum.relative);
      nu = nu * (1.0 + N(k.sum_of_rounded ? 0.0 : k.weights.relative)) * (1.0 + N(k.values.relative));
      for (double level = 0; level < levels; ++level) nu = nu * (1.0 + N(k.part_output.relative));
      nu = nu - 1.0;
      of_products.push_back(nu);
      for (std::size_t j = 0; j < x.size(); ++j) {
        const N v = j < keys.size() ? row.values[keys[j] * row.value_size + channel] : 0.0, T = exp(eta[j]) - 1.0;
        all += abs(v);
        flushed += f[j] * (1.0 + before[j]) * abs(v);
        moved += p[j] * (T * abs(v - o[channel]) +
                         (1.0 + T) * ((nu + (1.0 + nu) * before[j]) * abs(v) + mu * abs(o[channel])));
        far = max(far, abs(v - o[channel]));
        high = max(high, abs(v));
      }
      const N G = (1.0 + nu) * exp((E0 + drift) * R), b = bracket(G), L = least(b), beta = b / L;
      const N rounded = (k.normalised ? max(k.weights.absolute, w) : N(k.weights.absolute)) * G * all;
      N factors;
      if (k.output_sum.relative > k.single.relative) factors = R * N(k.output_sum.absolute) * largest * G * all;
      N alpha = 4.0 * (n + R + 2) * k.output_sum.absolute + factors + G * flushed;
      alpha = (alpha + (k.normalised ? N(0.0) : rounded)) / L;
      if (k.normalised) alpha += rounded;
      alpha += (k.values.absolute + levels * N(k.part_output.absolute)) * G * (1.0 + most) * (1.0 + beta) / (1.0 - mu);
      const N grown = nu + (1.0 + nu) * most;
      const N divided = min((1.0 + beta) * moved / D_min, (1.0 + beta) * (far + (grown + mu) / (1.0 - mu) * high)) +
                        alpha + beta * abs(o[channel]);
      const N core = divided + (exp(last) - 1.0) * (abs(o[channel]) + divided);
      B.push_back(core + k.output.relative * (abs(o[channel]) + core) + k.output.absolute);
    }
  }

  N bracket(const N& G) const {
    const double n = static_cast<double>(x.size());
    N total = 4.0 * (n + R + 2) * w + (k.sum_of_rounded ? n * G * k.weights.absolute : N(0.0));
    for (const N& each : f) total += G * each;
    return total;
  }
  N least(const N& b) const {
    N L = (1.0 - mu) * exp(0.0 - pivot - 2.0 * E0 - (k.fma_rescale ? R * (pivot + E0) : N(0.0)));
    if (k.sum_of_rounded) L = L * (1.0 - N(k.weights.relative));
    return k.parts > 1 ? L : max(L, (1.0 - mu) * Z * exp(0.0 - star) * kept - b);
  }

  const reference::AttentionRow& row;
  const reference::RoundingClass& k;
  N u, w;
  bool as_first_stated;
  const double r_c = static_cast<double>(k.constants);
  std::vector<std::size_t> keys;
  Numbers r, c, x, p, o, sigma, constant, Delta, bias, eta, eta_l, f, of_part, of_products, B;
  N M, Z, lse, shift, star, pivot, largest, E0, mu, D_min, kept, lambda, drift, B_lse;
  double R = 0;
};

}  // namespace attncert

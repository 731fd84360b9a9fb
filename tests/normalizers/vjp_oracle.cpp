#include "tests/normalizers/vjp_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "tests/normalizers/vjp_terms.hpp"

namespace attncert::oracle {
namespace {

// The forward functions on the present logits.
Reals softmax_of(const Reals& z, const Real& rate) {
  const auto further = [&](const Real& a, const Real& b) { return a * rate < b * rate; };
  const Real peak = *std::max_element(z.begin(), z.end(), further);
  Reals p;
  Real sum = 0;
  for (const Real& x : z) sum += p.emplace_back(exp((x - peak) * rate));
  for (Real& value : p) value /= sum;
  return p;
}

// Digits enough to hold sums of doubles of all sizes exactly, so that supports are decided exactly.
using Long =
    boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<720>, boost::multiprecision::et_off>;

// z - threshold.
Reals above_threshold(const Reals& z, const Real& temperature) {
  std::vector<Long> sorted(z.begin(), z.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  Long sum = -Long(temperature), threshold = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (k > 0 && sorted[k] <= threshold) break;
    sum += sorted[k];
    threshold = sum / static_cast<unsigned long>(k + 1);
  }
  Reals out;
  for (const Real& x : z) out.emplace_back(Long(x) - threshold);
  return out;
}

// (alpha - 1) (z - tau) / T of alpha-entmax, 0 off the support: b-th powers, b = 1 / (alpha - 1), sum to 1. A logit is
// in the support iff the powers of what stands above it sum to less than 1; the smallest height is Newton's, in itself
// where the sum is convex in it (b >= 1), else in its power.
template <class R>
struct Entmax {
  unsigned long above, denominator;  // alpha - 1
  R temperature;
  bool close = false;  // a decision within 1e-80: differences of doubles may need more digits than Real has

  R exponent() const { return R(denominator) / above; }
  R height(const R& difference) const { return difference * above / (temperature * denominator); }
  bool inside(const std::vector<R>& sorted, std::size_t k) {
    R sum = 0;
    for (std::size_t j = 0; j < k && sum < 2; ++j)
      if (sorted[j] > sorted[k]) sum += pow(height(sorted[j] - sorted[k]), exponent());
    close |= abs(sum - 1) < 1e-80;
    return sum < 1;
  }
  R smallest(const std::vector<R>& rises) const {
    const R b = exponent();
    R v = pow(R(1) / static_cast<unsigned long>(rises.size()), 1 / b);
    for (int step = 0; step < 3000; ++step) {
      R sum = -1, slope = 0;
      for (const R& rise : rises) {
        const R p = pow(v + rise, b);
        sum += p;
        slope += b * p / (v + rise);
      }
      const R before = v, y = pow(v, b);
      v = above <= denominator ? R(v - sum / slope) : R(y - sum * b * y / (slope * v));
      if (v <= 0) v = ldexp(above <= denominator ? before : y, -8);
      if (above > denominator) v = pow(v, 1 / b);
      if (abs(v - before) <= ldexp(before, -250)) break;
    }
    return v;
  }
  Reals heights(const Reals& z) {
    std::vector<R> sorted(z.begin(), z.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    std::size_t in = 0, out = sorted.size();
    while (out - in > 1) (inside(sorted, (in + out) / 2) ? in : out) = (in + out) / 2;
    const R last = sorted[out - 1];
    std::vector<R> rises;
    for (std::size_t j = 0; j < out; ++j) rises.push_back(height(sorted[j] - last));
    const R v = smallest(rises);
    Reals values;
    for (const Real& x : z) values.push_back(R(x) < last ? Real(0) : Real(v + height(R(x) - last)));
    return values;
  }
};

bool is_entmax(const std::string& name) {
  return name == "entmax-vjp" || name == "entmax-1.5-vjp";
}  // alpha is 3/2 there

template <class R>
Entmax<R> entmax_of(const Derivative& what) {
  const attncert_parameters& p = what.parameters;
  return {p.alpha_numerator - p.alpha_denominator, p.alpha_denominator, what.temperature};
}

Real entmax_exponent(const Derivative& what) { return entmax_of<Real>(what).exponent(); }

Reals entmax_heights_of(const Derivative& what, const Reals& z) {
  Entmax<Real> entmax = entmax_of<Real>(what);
  const Reals values = entmax.heights(z);
  return entmax.close ? entmax_of<Long>(what).heights(z) : values;
}

// Each row is asked for with several upstreams.
const Reals& entmax_heights(const Derivative& what, const Reals& z) {
  static std::map<std::tuple<std::uint64_t, std::uint64_t, double, Reals>, Reals> known;
  const attncert_parameters& p = what.parameters;
  auto& values = known[{p.alpha_numerator, p.alpha_denominator, what.temperature, z}];
  if (values.empty()) values = entmax_heights_of(what, z);
  return values;
}

Reals powers(const Reals& heights, const Real& exponent) {
  Reals out;
  for (const Real& v : heights) out.emplace_back(v > 0 ? Real(pow(v, exponent)) : Real(0));
  return out;
}

// sum of (z / T)^k / k! for k <= order.
Reals taylor(std::uint32_t order, const Reals& z, const Real& temperature) {
  Reals out;
  for (const Real& x : z) {
    const Real ratio = x / temperature;
    Real value = 1, term = 1;
    for (std::uint32_t k = 1; k <= order; ++k) value += term *= ratio / k;
    out.push_back(value);
  }
  return out;
}

Real logistic(const Real& u) { return 1 / (1 + exp(-u)); }

// How the logits of a softmax are scaled: z rate.
Real rate_of(const Derivative& what, std::size_t count) {
  const Real temperature = what.temperature;
  if (what.normalizer != "ssmax-vjp") return 1 / temperature;
  return Real(what.parameters.scale) * log(Real(static_cast<unsigned long>(count))) / temperature;
}

// softmax, softmax1, ssmax, and the weights inside top-k and self-adjusted softmax.
Reals shares(const Derivative& what, const Reals& z) {
  const Real rate = rate_of(what, z.size());
  if (what.normalizer == "softmax1-vjp") {
    Reals more = z;
    more.emplace_back(0);
    Reals p = softmax_of(more, rate);
    p.pop_back();
    return p;
  }
  if (what.normalizer != "top-k-softmax-vjp") return softmax_of(z, rate);
  std::vector<std::size_t> order(z.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return z[i] > z[j]; });
  order.resize(std::min<std::size_t>(order.size(), what.parameters.k));
  Reals chosen, p(z.size());
  for (const std::size_t i : order) chosen.push_back(z[i]);
  chosen = softmax_of(chosen, rate);
  for (std::size_t k = 0; k < order.size(); ++k) p[order[k]] = chosen[k];
  return p;
}

Real sum_of(const Reals& values) { return std::accumulate(values.begin(), values.end(), Real(0)); }

// V1, V2, V3; 0 for others.
int adjusted_variant(const std::string& name) {
  constexpr std::string_view family = "sa-softmax-v";
  return name.starts_with(family) ? name[family.size()] - '0' : 0;
}

Reals forward(const Derivative& what, const Reals& z) {
  const Real temperature = what.temperature;
  const std::string& name = what.normalizer;
  Reals out = z;
  if (name == "sparsemax-vjp") {
    out = above_threshold(z, temperature);
    for (Real& x : out) x = x > 0 ? Real(x / temperature) : Real(0);
    return out;
  }
  if (is_entmax(name)) return powers(entmax_heights_of(what, z), entmax_exponent(what));
  if (name == "taylor-softmax-vjp") {
    out = taylor(what.parameters.order, z, temperature);
    return divided(out, sum_of(out));
  }
  if (name == "relu-normalized-vjp") {
    for (Real& x : out) x = x > 0 ? x : Real(0);
    const Real sum = sum_of(out);
    return sum > 0 ? divided(out, sum) : out;
  }
  if (name == "sigmoid-vjp") {
    for (Real& x : out) x = logistic(x / temperature + what.parameters.bias);
    return out;
  }
  if (name == "sigmoid-normalized-vjp") {
    for (Real& x : out) x = logistic(x / temperature);
    return divided(out, sum_of(out));
  }
  out = shares(what, z);
  const int variant = adjusted_variant(name);
  const Reals factors = variant == 0 ? Reals() : adjustments(variant, z, temperature);
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (variant != 0) out[i] *= factors[i];
    if (name == "log-softmax-vjp") out[i] = log(out[i]);
    if (name == "sa-softmax-v0-vjp") out[i] *= z[i] / temperature;
  }
  return out;
}

Term centred(const Real& factor, const Real& g, const Real& mean, const Real& mean_size) {
  return {factor * (g - mean), abs(factor) * (abs(g) + mean_size)};
}

// factor_i (g_i - sum_j w_j g_j) for weights of sum 1 (or less).
std::vector<Term> all_centred(const Reals& factors, const Reals& weights, const Reals& g) {
  Real mean = 0, mean_size = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    mean += weights[i] * g[i];
    mean_size += weights[i] * abs(g[i]);
  }
  std::vector<Term> terms(g.size());
  for (std::size_t i = 0; i < g.size(); ++i) terms[i] = centred(factors[i], g[i], mean, mean_size);
  return terms;
}

// 1 for what counts, 0 elsewhere: sparsemax's support, the positive logits.
Reals indicator(const Reals& values) {
  Reals out;
  for (const Real& value : values) out.emplace_back(value > 0 ? 1 : 0);
  return out;
}

std::vector<Term> sigmoid_normalized_gradient(const Reals& z, const Reals& g, const Real& temperature) {
  const Real peak = std::min(*std::max_element(z.begin(), z.end()), Real(0));
  Reals weights, factors;  // sigma relative to exp(peak): far below 0 it would underflow even here
  for (const Real& x : z) {
    const Real decay = 1 + exp(-abs(x) / temperature);
    weights.emplace_back(exp((std::min(x, Real(0)) - peak) / temperature) / decay);
    factors.emplace_back(weights.back() * exp(-std::max(x, Real(0)) / temperature) / decay / temperature);
  }
  const Real sum = sum_of(weights);
  return all_centred(divided(factors, sum), divided(weights, sum), g);
}

}  // namespace

std::vector<Term> gradient_of(const Derivative& what, const Reals& z, const Reals& g) {
  const Real temperature = what.temperature;
  const std::string& name = what.normalizer;
  if (name == "sparsemax-vjp") {
    const Reals support = indicator(above_threshold(z, temperature));
    return all_centred(divided(support, temperature), divided(support, sum_of(support)), g);
  }
  if (is_entmax(name)) {
    const Reals roots = powers(entmax_heights(what, z), entmax_exponent(what) - 1);
    return all_centred(divided(roots, temperature), divided(roots, sum_of(roots)), g);
  }
  if (name == "taylor-softmax-vjp") {
    const Reals weights = taylor(what.parameters.order, z, temperature);
    const Real sum = sum_of(weights);
    return all_centred(divided(taylor(what.parameters.order - 1, z, temperature), sum * temperature),
                       divided(weights, sum), g);
  }
  if (name == "relu-normalized-vjp") {
    const Reals positive = indicator(z);
    Reals weights = z;
    for (std::size_t i = 0; i < z.size(); ++i) weights[i] *= positive[i];
    const Real sum = sum_of(weights);
    if (!(sum > 0)) return std::vector<Term>(z.size());
    return all_centred(divided(positive, sum), divided(weights, sum), g);
  }
  if (name == "sigmoid-vjp") {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const Real decay = exp(-abs(Real(z[i] / temperature + what.parameters.bias)));
      const Real value = decay / ((1 + decay) * (1 + decay)) * g[i] / temperature;
      terms.push_back({value, abs(value)});
    }
    return terms;
  }
  if (name == "sigmoid-normalized-vjp") return sigmoid_normalized_gradient(z, g, temperature);
  const Reals p = shares(what, z);
  if (name == "sa-softmax-v0-vjp") return sa_softmax_gradient(p, z, g, temperature);
  if (const int variant = adjusted_variant(name)) return adjusted_gradient(variant, p, z, g, temperature);
  if (name == "log-softmax-vjp") {
    Real sum = 0, size = 0;
    for (const Real& value : g) sum += value, size += abs(value);
    std::vector<Term> terms(z.size());
    for (std::size_t i = 0; i < z.size(); ++i)
      terms[i] = {(g[i] - p[i] * sum) / temperature, (abs(g[i]) + p[i] * size) / temperature};
    return terms;
  }
  Reals factors = p;
  const Real rate = rate_of(what, z.size());
  for (Real& value : factors) value *= rate;
  return all_centred(factors, p, g);
}

double finite_difference_gap(const Derivative& what, const std::vector<double>& logits,
                             const std::vector<double>& upstream) {
  const Reals z(logits.begin(), logits.end()), g(upstream.begin(), upstream.end());
  const std::vector<Term> terms = gradient_of(what, z, g);
  const Real step = ldexp(Real(1), -100);
  double gap = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    Reals above = z, below = z;
    above[i] += step;
    below[i] -= step;
    const Reals up = forward(what, above), down = forward(what, below);
    Real slope = 0;
    for (std::size_t j = 0; j < z.size(); ++j) slope += g[j] * (up[j] - down[j]) / (2 * step);
    const Real size = terms[i].magnitude == 0 ? Real(1) : terms[i].magnitude;
    gap = std::max(gap, static_cast<double>(abs(slope - terms[i].value) / size));
  }
  return gap;
}

double taylor_slope_root(std::uint32_t order, double temperature) {
  Real below = -static_cast<int>(order), above = 0;
  for (int step = 0; step < 250; ++step) {
    const Real x = (below + above) / 2;
    (taylor(order - 1, {x}, 1)[0] < 0 ? below : above) = x;
  }
  return static_cast<double>(above * temperature);
}

}  // namespace attncert::oracle

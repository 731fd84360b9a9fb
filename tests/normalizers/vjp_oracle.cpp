#include "tests/normalizers/vjp_oracle.hpp"

#include <algorithm>
#include <boost/multiprecision/mpfr.hpp>
#include <cmath>
#include <functional>
#include <limits>

namespace attncert::oracle {
namespace {

using Real =
    boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<100>, boost::multiprecision::et_off>;
using Reals = std::vector<Real>;

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

// z - threshold, in digits enough to hold sums of doubles of all sizes exactly, so that support is decided exactly.
Reals above_threshold(const Reals& z, const Real& temperature) {
  using Long =
      boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<720>, boost::multiprecision::et_off>;
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

Reals forward(const Derivative& what, const Reals& z) {
  const Real temperature = what.temperature;
  if (what.normalizer == "sparsemax-vjp") {
    Reals out = above_threshold(z, temperature);
    for (Real& x : out) x = x > 0 ? Real(x / temperature) : Real(0);
    return out;
  }
  Reals out = softmax_of(z, 1 / temperature);
  if (what.normalizer == "log-softmax-vjp")
    for (Real& x : out) x = log(x);
  return out;
}

struct Term {
  Real value, magnitude;
};

Term centred(const Real& factor, const Real& g, const Real& mean, const Real& mean_size) {
  return {factor * (g - mean), abs(factor) * (abs(g) + mean_size)};
}

std::vector<Term> gradient_of(const Derivative& what, const Reals& z, const Reals& g) {
  const Real temperature = what.temperature;
  std::vector<Term> terms(z.size());
  if (what.normalizer == "sparsemax-vjp") {
    const Reals above = above_threshold(z, temperature);
    Real sum = 0, size = 0;
    unsigned long count = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (!(above[i] > 0)) continue;
      sum += g[i];
      size += abs(g[i]);
      ++count;
    }
    for (std::size_t i = 0; i < z.size(); ++i)
      if (above[i] > 0) terms[i] = centred(1 / temperature, g[i], sum / count, size / count);
    return terms;
  }
  const Reals p = softmax_of(z, 1 / temperature);
  Real mean = 0, mean_size = 0, sum = 0, size = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    mean += p[i] * g[i];
    mean_size += p[i] * abs(g[i]);
    sum += g[i];
    size += abs(g[i]);
  }
  for (std::size_t i = 0; i < z.size(); ++i) {
    terms[i] = what.normalizer == "log-softmax-vjp"
                   ? Term{(g[i] - p[i] * sum) / temperature, (abs(g[i]) + p[i] * size) / temperature}
                   : centred(p[i] / temperature, g[i], mean, mean_size);
  }
  return terms;
}

template <class T>
double error_in_ulp(T computed, const Term& term) {
  using Limits = std::numeric_limits<T>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(computed)) return infinity;
  long exponent = Limits::min_exponent - 1;
  if (term.magnitude != 0) exponent = std::max(exponent, static_cast<long>(ilogb(term.magnitude)));
  const Real ulp = ldexp(Real(1), static_cast<int>(exponent - Limits::digits + 1));
  if (std::isinf(computed)) {  // as far off as the nearest number that rounds to infinity
    const Real end = ldexp(Real(1), Limits::max_exponent) * (1 - ldexp(Real(1), -Limits::digits - 1));
    if ((term.value < 0) != std::signbit(computed)) return infinity;
    return std::max(0.0, static_cast<double>((end - abs(term.value)) / ulp));
  }
  return static_cast<double>(abs(Real(static_cast<double>(computed)) - term.value) / ulp);
}

}  // namespace

template <class T>
VjpWorst vjp(const Derivative& what, std::span<const T> logits, std::span<const T> upstream,
             std::span<const T> gradient) {
  Reals z, g;
  std::vector<std::size_t> places;
  VjpWorst worst;
  const auto note = [&](double error, std::size_t i) {
    if (!(error <= worst.ulp)) worst = {error, i};
  };
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isinf(logits[i])) {
      note(gradient[i] == 0 ? 0 : std::numeric_limits<double>::infinity(), i);
      continue;
    }
    z.emplace_back(static_cast<double>(logits[i]));
    g.emplace_back(static_cast<double>(upstream[i]));
    places.push_back(i);
  }
  const std::vector<Term> terms = gradient_of(what, z, g);
  for (std::size_t k = 0; k < places.size(); ++k) note(error_in_ulp(gradient[places[k]], terms[k]), places[k]);
  return worst;
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

template VjpWorst vjp<float>(const Derivative&, std::span<const float>, std::span<const float>, std::span<const float>);
template VjpWorst vjp<double>(const Derivative&, std::span<const double>, std::span<const double>,
                              std::span<const double>);

}  // namespace attncert::oracle

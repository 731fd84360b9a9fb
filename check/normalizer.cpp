// Claims about the weights a = F/S of a normalizer, S = sum F, and their Jacobian J = (I - a 1^T) diag(g), g = F'/S
// (claims.md, sections 1 and 8); softmax has a = p, g = p/T. A spectral norm enters as ||J v|| / ||v|| for a vector v
// that floating point proposes: whatever v is, balls make it a certified lower bound.
#include <algorithm>
#include <cmath>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

using Balls = std::vector<Ball>;
using Floats = std::vector<double>;

// Power iteration with J^T J, from about g. 300 rounds tell apart singular values that differ by 3%; where they do not
// suffice the bound is weaker, never wrong.
Floats power_iteration(const Floats& a, const Floats& g) {
  const std::size_t n = g.size();
  Floats v(n);
  for (std::size_t j = 0; j < n; ++j) v[j] = g[j] / static_cast<double>(j + 16);  // orthogonal to nothing likely
  for (int round = 0; round < 300; ++round) {
    double sum = 0, tail = 0, size = 0;
    Floats w(n);
    for (std::size_t j = 0; j < n; ++j) sum += g[j] * v[j];
    for (std::size_t i = 0; i < n; ++i) w[i] = g[i] * v[i] - a[i] * sum;
    for (std::size_t i = 0; i < n; ++i) tail += a[i] * w[i];
    for (std::size_t j = 0; j < n; ++j) w[j] = g[j] * (w[j] - tail);
    for (const double entry : w) size += std::abs(entry);
    if (!(size > 0) || !std::isfinite(size)) break;
    for (std::size_t j = 0; j < n; ++j) v[j] = w[j] / size;
  }
  return v;
}

Ball norm_at_least(const Balls& a, const Balls& g, slong bits) {
  Floats a_near, g_near;
  for (const Ball& entry : a) a_near.push_back(entry.middle());
  for (const Ball& entry : g) g_near.push_back(entry.middle());
  const Floats v = power_iteration(a_near, g_near);
  Ball sum(bits), image(bits), length(bits);
  for (std::size_t j = 0; j < v.size(); ++j) {
    const Ball entry(attncert::exact(v[j]), bits);
    length += entry * entry;
    sum += g[j] * entry;
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Ball entry = g[i] * Ball(attncert::exact(v[i]), bits) - a[i] * sum;
    image += entry * entry;
  }
  return sqrt(image / length);
}

// F > 0 and F' at the logits.
struct Separable {
  std::vector<Rational> a, slopes;  // slopes: F' divided by its largest absolute value, so that floats can hold it
  Rational scale = 0, S = 0;

  Ball norm(slong bits) const {
    Balls weights, g;
    for (const Rational& weight : a) weights.emplace_back(weight, bits);
    for (const Rational& slope : slopes) g.emplace_back(slope, bits);
    return norm_at_least(weights, g, bits) * Ball(Rational(scale / S), bits);
  }
};

Separable separable(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require(!instance.F.empty() && !instance.dF.empty(), "the claim speaks of F and F' and their values are missing");
  Separable rule;
  for (std::size_t j = 0; j < instance.L; ++j) {
    require(*instance.F[j] > 0, "a value of F is not positive");
    rule.S += *instance.F[j];
    rule.scale = std::max(rule.scale, Rational(abs(*instance.dF[j])));
  }
  require(rule.scale > 0, "F' is 0 at every logit, and so is J");
  for (const Rational* value : instance.F) rule.a.push_back(*value / rule.S);
  for (const Rational* slope : instance.dF) rule.slopes.push_back(*slope / rule.scale);
  return rule;
}

struct Softmax {
  std::vector<Rational> exponents;  // (l_i - max l) / T, exact
  Rational T;

  Balls weights(slong bits) const {
    Balls p;
    Ball sum(bits);
    for (const Rational& exponent : exponents) {
      p.push_back(exp(Ball(exponent, bits)));
      sum += p.back();
    }
    for (Ball& entry : p) entry = entry / sum;
    return p;
  }
  Ball norm(slong bits) const {
    const Balls p = weights(bits);
    return norm_at_least(p, p, bits) / Ball(T, bits);
  }
  Ball frobenius(slong bits) const {
    const Balls p = weights(bits);
    Ball sum(bits);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Ball diagonal = p[i] * (Ball(Rational(1), bits) - p[i]);
      sum += diagonal * diagonal;
      for (std::size_t j = 0; j < i; ++j) sum += Ball(Rational(2), bits) * p[i] * p[j] * p[i] * p[j];
    }
    return sqrt(sum) / Ball(T, bits);
  }
};

Softmax softmax(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require(!instance.l.empty(), "the claim speaks of logits and there are none");
  require(exact.temperature && *exact.temperature > 0, "T is missing or not positive");
  const Rational& largest = **std::max_element(instance.l.begin(), instance.l.end(),
                                               [](const Rational* p, const Rational* q) { return *p < *q; });
  Softmax rule{{}, *exact.temperature};
  for (const Rational* logit : instance.l) rule.exponents.push_back((*logit - largest) / rule.T);
  return rule;
}

}  // namespace

// ||J||_2 <= sqrt 2
SidesAt lemma2_sqrt2_cap(const ExactInstance& exact) {
  return [rule = separable(exact)](slong bits) { return Sides{rule.norm(bits), root(Rational(2), bits)}; };
}

// min{ 1/(4T), sqrt 2 } of ||J||_2, and of ||J||_F
SidesAt softmax_quarter_over_temperature(const ExactInstance& exact) {
  return [rule = softmax(exact)](slong bits) {
    return Sides{rule.norm(bits), min(Ball(Rational(1 / (4 * rule.T)), bits), root(Rational(2), bits))};
  };
}
SidesAt softmax_quarter_frobenius(const ExactInstance& exact) {
  require(exact.length <= 4096, "more than 4,096 logits are not judged; shrink the instance");  // L^2 / 2 products
  return [rule = softmax(exact)](slong bits) {
    return Sides{rule.frobenius(bits), min(Ball(Rational(1 / (4 * rule.T)), bits), root(Rational(2), bits))};
  };
}

}  // namespace attncert::check

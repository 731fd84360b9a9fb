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

constexpr std::size_t dense_length = 256;  // up to here a squaring, 2^24 products, is a matter of milliseconds
constexpr int squarings = 28;              // 2^28 10^-7 = 27: singular values 10^-7 apart end e^27 apart

// J, then J^T J, (J^T J)^2, (J^T J)^4, ...: each is the square M^T M of the one before, scaled to a largest entry of 1.
// The row (and column) of the largest diagonal entry of the last is near the leading right singular vector.
Floats row_of_power(const Floats& a, const Floats& g) {
  const std::size_t n = g.size();
  std::vector<Floats> power(n, Floats(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) power[i][j] = g[j] * ((i == j ? 1 : 0) - a[i]);
  for (int round = 0; round < squarings; ++round) {
    double size = 0;
    for (const Floats& row : power)
      for (const double entry : row) size = std::max(size, std::abs(entry));
    if (!(size > 0)) return Floats(n, 1.0);
    std::vector<Floats> square(n, Floats(n));
    for (Floats& row : power) {
      for (double& entry : row) entry /= size;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) square[i][j] += row[i] * row[j];
    }
    power.swap(square);
  }
  std::size_t widest = 0;
  for (std::size_t j = 1; j < n; ++j)
    if (power[j][j] > power[widest][widest]) widest = j;
  return power[widest];
}

// The same for long inputs, from about g. 300 rounds of J^T J tell apart singular values that differ by 3%; where they do
// not suffice the bound is weaker, never wrong.
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
  const Floats v = (g.size() <= dense_length ? row_of_power : power_iteration)(a_near, g_near);
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

// The hypotheses of Lemma 2: F > 0 and F' at the logits.
struct Separable {
  std::vector<Rational> a, slopes;  // slopes: F' divided by its largest absolute value, so that floats can hold it
  Rational scale = 0, S = 0, least, F_square, slope_square;

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
  rule.least = *instance.F[0];
  for (std::size_t j = 0; j < instance.L; ++j) {
    const Rational &value = *instance.F[j], &slope = *instance.dF[j];
    require(value > 0, "a value of F is not positive");
    rule.S += value;
    rule.least = std::min(rule.least, value);
    rule.scale = std::max(rule.scale, Rational(abs(slope)));
    rule.F_square += value * value;
    rule.slope_square += slope * slope;
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
  // max |J_ij|. |J_ij| = p_i p_j / T <= p_i (1 - p_i) / T for j != i: the largest entry is on the diagonal.
  Ball largest_entry(slong bits) const {
    Ball largest(bits);
    for (const Ball& p : weights(bits)) largest = max(largest, p * (Ball(Rational(1), bits) - p));
    return largest / Ball(T, bits);
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

// 1/(1 + (L-1) R) <= a_i <= R/(R + L - 1) with R = max F / min F (section 1), both as one relation: the largest of
// a_i (R + L - 1)/R and 1/(a_i (1 + (L-1) R)) is at most 1. All rational.
SidesAt weights_order_sharp(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require(!instance.F.empty(), "the claim speaks of F and there are no values");
  Rational sum = 0, least = *instance.F[0], most = least, worst = 0;
  for (const Rational* value : instance.F) {
    require(*value > 0, "a value of F is not positive");
    sum += *value;
    least = std::min(least, *value);
    most = std::max(most, *value);
  }
  const Rational R = most / least, others(instance.L - 1);
  for (const Rational* value : instance.F) {
    const Rational a = *value / sum;
    worst = std::max({worst, Rational(a * (R + others) / R), Rational(1 / (a * (1 + others * R)))});
  }
  return [worst](slong bits) { return Sides{Ball(worst, bits), Ball(Rational(1), bits)}; };
}

// ||J||_2 <= ||F'|| / (L min F) + ||F|| ||F'|| / (L^2 min F^2)
SidesAt lemma2_first_term(const ExactInstance& exact) {
  return [rule = separable(exact)](slong bits) {
    const Ball floor(Rational(rule.least * Rational(rule.a.size())), bits), slope = root(rule.slope_square, bits);
    return Sides{rule.norm(bits), slope / floor + root(rule.F_square, bits) * slope / (floor * floor)};
  };
}

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

// ||J||_p <= 1/(2T) for p in {1, 2, inf}. Row i of J, which is symmetric, has the absolute sum p_i (1 - p_i) / T twice,
// on the diagonal and off it: ||J||_1 = ||J||_inf = 2 max |J_ij|.
SidesAt softmax_half_over_temperature(const ExactInstance& exact) {
  return [rule = softmax(exact)](slong bits) {
    const Ball sum = Ball(Rational(2), bits) * rule.largest_entry(bits);
    return Sides{max(rule.norm(bits), sum), Ball(Rational(1 / (2 * rule.T)), bits)};
  };
}

// max |J_ij| <= 1/(4T)
SidesAt softmax_largest_entry(const ExactInstance& exact) {
  return [rule = softmax(exact)](slong bits) {
    return Sides{rule.largest_entry(bits), Ball(Rational(1 / (4 * rule.T)), bits)};
  };
}

}  // namespace attncert::check

// Claims about the Jacobian of the weights (claims.md, section 8). A spectral norm is replaced by ||J v|| / ||v|| for a
// vector v that a floating-point power iteration proposes: whatever v is, balls make it a certified lower bound.
#include <cmath>
#include <memory>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

using Floats = std::vector<double>;

// 300 rounds bring the quotient of a matrix with eigenvalue ratio 0.9 to 2^-53; a worse v is a weaker bound, no wrong one.
template <class Apply>
Floats power_iteration(Floats v, Apply apply) {
  for (int round = 0; round < 300; ++round) {
    Floats w = apply(v);
    double largest = 0;
    for (const double entry : w) largest = std::max(largest, std::abs(entry));
    if (!(largest > 0) || !std::isfinite(largest)) break;
    for (double& entry : w) entry /= largest;
    v = std::move(w);
  }
  return v;
}

// J = (I - a 1^T) diag(g) for a separable normalizer: a = F / S, g = F' / S, S = sum F.
struct Separable {
  std::vector<Rational> a, g;
  Rational least;                 // min F
  Rational F_square, slope_square;  // ||F||^2, ||F'||^2
  Floats v;                       // near the leading right singular vector
};

Floats leading_vector(const Separable& rule) {
  std::size_t steepest = 0;
  for (std::size_t j = 0; j < rule.g.size(); ++j)
    if (abs(rule.g[j]) > abs(rule.g[steepest])) steepest = j;
  const Rational scale = rule.g[steepest] == 0 ? Rational(1) : rule.g[steepest];
  Floats a, g, v(rule.g.size(), 0.0);
  for (const Rational& weight : rule.a) a.push_back(approximate(weight));
  for (const Rational& slope : rule.g) g.push_back(approximate(slope / scale));
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = 1.0 / static_cast<double>(j + 16);  // orthogonal to nothing likely
  v[steepest] = 1;
  return power_iteration(v, [&](const Floats& from) {  // J^T J
    double sum = 0, tail = 0;
    for (std::size_t j = 0; j < from.size(); ++j) sum += g[j] * from[j];
    Floats to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = g[i] * from[i] - a[i] * sum;
    for (std::size_t i = 0; i < from.size(); ++i) tail += a[i] * to[i];
    for (std::size_t j = 0; j < from.size(); ++j) to[j] = g[j] * (to[j] - tail);
    return to;
  });
}

std::shared_ptr<const Separable> separable(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require(!instance.F.empty() && !instance.dF.empty(), "the claim speaks of F and F' and their values are missing");
  const auto rule = std::make_shared<Separable>();
  Rational sum = 0;
  rule->least = *instance.F[0];
  for (std::size_t j = 0; j < instance.L; ++j) {
    const Rational &value = *instance.F[j], &slope = *instance.dF[j];
    require(value > 0, "a value of F is not positive");
    sum += value;
    rule->least = std::min(rule->least, value);
    rule->F_square += value * value;
    rule->slope_square += slope * slope;
  }
  for (std::size_t j = 0; j < instance.L; ++j) {
    rule->a.push_back(*instance.F[j] / sum);
    rule->g.push_back(*instance.dF[j] / sum);
  }
  rule->v = leading_vector(*rule);
  return rule;
}

Ball norm_at_least(const Separable& rule, slong bits) {
  std::vector<Ball> w;  // diag(g) v
  Ball sum(bits), image(bits), length(bits);
  for (std::size_t j = 0; j < rule.v.size(); ++j) {
    const Ball v(rule.v[j], bits);
    length += v * v;
    w.push_back(Ball(rule.g[j], bits) * v);
    sum += w.back();
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Ball entry = w[i] - Ball(rule.a[i], bits) * sum;
    image += entry * entry;
  }
  return sqrt(image / length);
}

// p = softmax(logits / T): exact shifted logits, so that the largest exponent is 0.
struct Softmax {
  std::vector<Rational> exponents;
  Rational T;

  std::vector<Ball> at(slong bits) const {
    std::vector<Ball> p;
    Ball sum(bits);
    for (const Rational& exponent : exponents) {
      p.push_back(exp(Ball(exponent, bits)));
      sum += p.back();
    }
    for (Ball& entry : p) entry = entry / sum;
    return p;
  }
};

std::shared_ptr<const Softmax> softmax(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require(!instance.l.empty(), "the claim speaks of logits and there are none");
  require(exact.temperature && *exact.temperature > 0, "T is missing or not positive");
  const auto rule = std::make_shared<Softmax>();
  rule->T = *exact.temperature;
  const Rational* largest = instance.l[0];
  for (const Rational* logit : instance.l)
    if (*logit > *largest) largest = logit;
  for (const Rational* logit : instance.l) rule->exponents.push_back((*logit - *largest) / rule->T);
  return rule;
}

Ball rayleigh(const std::vector<Ball>& p, const Floats& v, slong bits) {  // of diag p - p p^T
  Ball mean(bits), square(bits), length(bits);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Ball entry(v[i], bits);
    mean += p[i] * entry;
    square += p[i] * entry * entry;
    length += entry * entry;
  }
  return (square - mean * mean) / length;
}

// A lower bound of lambda_1(diag p - p p^T), from the difference of the two heaviest tokens and from what it iterates to.
Ball largest_eigenvalue_at_least(const std::vector<Ball>& p, slong bits) {
  if (p.size() < 2) return Ball(bits);
  Floats weights, start(p.size(), 0.0);
  std::size_t first = 0, second = 1;
  for (std::size_t i = 0; i < p.size(); ++i) {
    weights.push_back(p[i].middle());
    if (i > 0 && weights[i] > weights[first]) second = first, first = i;
    else if (i > 1 && weights[i] > weights[second]) second = i;
  }
  start[first] = 1;
  start[second] = -1;
  const Floats v = power_iteration(start, [&weights](const Floats& from) {
    double mean = 0;
    for (std::size_t i = 0; i < from.size(); ++i) mean += weights[i] * from[i];
    Floats to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = weights[i] * (from[i] - mean);
    return to;
  });
  return max(rayleigh(p, start, bits), rayleigh(p, v, bits));
}

}  // namespace

// ||J||_2 <= ||F'|| / (L min F) + ||F|| ||F'|| / (L^2 min F^2)
SidesAt lemma2_first_term(const ExactInstance& exact) {
  const auto rule = separable(exact);
  return [rule](slong bits) {
    const Ball floor(Rational(rule->a.size()) * rule->least, bits), slope = root(rule->slope_square, bits);
    return Sides{norm_at_least(*rule, bits), slope / floor + root(rule->F_square, bits) * slope / (floor * floor)};
  };
}

// ||J||_2 <= sqrt 2
SidesAt lemma2_sqrt2_cap(const ExactInstance& exact) {
  const auto rule = separable(exact);
  return [rule](slong bits) { return Sides{norm_at_least(*rule, bits), root(Rational(2), bits)}; };
}

// lambda_1(diag p - p p^T) / T <= min{ 1/(4T), sqrt 2 }
SidesAt softmax_quarter_over_temperature(const ExactInstance& exact) {
  const auto rule = softmax(exact);
  return [rule](slong bits) {
    return Sides{largest_eigenvalue_at_least(rule->at(bits), bits) / Ball(rule->T, bits),
                 min(Ball(Rational(1 / (4 * rule->T)), bits), root(Rational(2), bits))};
  };
}

// lambda_1(diag p - p p^T) / T <= 1/(2T)
SidesAt softmax_half_over_temperature(const ExactInstance& exact) {
  const auto rule = softmax(exact);
  return [rule](slong bits) {
    return Sides{largest_eigenvalue_at_least(rule->at(bits), bits) / Ball(rule->T, bits),
                 Ball(Rational(1 / (2 * rule->T)), bits)};
  };
}

// max |J_ij| <= 1/(4T). |J_ij| = p_i p_j / T <= p_i (1 - p_i) / T for j != i: the largest entry is on the diagonal.
SidesAt softmax_largest_entry(const ExactInstance& exact) {
  const auto rule = softmax(exact);
  return [rule](slong bits) {
    Ball largest(bits);
    for (const Ball& p : rule->at(bits)) largest = max(largest, p * (Ball(Rational(1), bits) - p));
    return Sides{largest / Ball(rule->T, bits), Ball(Rational(1 / (4 * rule->T)), bits)};
  };
}

}  // namespace attncert::check

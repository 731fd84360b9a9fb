// Claims about the weights a = F/S of a normalizer, S = sum F, and their Jacobian J = (I - a 1^T) diag(g), g = F'/S
// (docs/specification.md); softmax has a = p, g = p/T. A spectral norm enters as ||J v|| / ||v|| for a vector v
// that floating point proposes: whatever v is, balls make it a certified lower bound.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

using Balls = std::vector<Ball>;
using Floats = std::vector<double>;

Ball sum_of_squares(const Balls& v, slong bits) {
  Ball sum(bits);
  for (const Ball& entry : v) sum += entry * entry;
  return sum;
}

struct Jacobian {
  Balls a, g;
};

// Power iteration with J^T J, from about g, which is divided by its largest entry, so that floats can hold it. 300
// rounds tell apart singular values that differ by 3%; where they do not suffice the bound is weaker, never wrong.
// Entries stay finite, since they are divided by their sum.
Floats power_iteration(const Jacobian& J, const Ball& largest) {
  Floats a, g;
  for (const Ball& entry : J.a) a.push_back(entry.middle());
  for (const Ball& entry : J.g) g.push_back((entry / largest).middle());
  const std::size_t n = g.size();
  Floats v(n);
  for (std::size_t j = 0; j < n; ++j) v[j] = g[j] / static_cast<double>(j + 16);  // orthogonal to nothing likely
  for (int round = 0; round < 300; ++round) {
    Floats w(n);
    const double sum = std::inner_product(g.begin(), g.end(), v.begin(), 0.0);
    for (std::size_t i = 0; i < n; ++i) w[i] = g[i] * v[i] - a[i] * sum;
    const double tail = std::inner_product(a.begin(), a.end(), w.begin(), 0.0);
    for (std::size_t j = 0; j < n; ++j) w[j] = g[j] * (w[j] - tail);
    double size = 0;
    for (const double entry : w) size += std::abs(entry);
    if (!(size > 0) || !std::isfinite(size)) break;
    for (std::size_t j = 0; j < n; ++j) v[j] = w[j] / size;
  }
  return v;
}

// At most ||J||_2. Some g is not 0.
Ball spectral(const Jacobian& J, slong bits) {
  Ball largest(bits), sum(bits);
  for (const Ball& entry : J.g) largest = max(largest, abs(entry));
  Balls v, image;
  for (const double entry : power_iteration(J, largest)) {
    v.emplace_back(attncert::exact(entry), bits);
    sum += J.g[v.size() - 1] * v.back();
  }
  for (std::size_t i = 0; i < v.size(); ++i) image.push_back(J.g[i] * v[i] - J.a[i] * sum);
  return sqrt(sum_of_squares(image, bits) / sum_of_squares(v, bits));
}

// ||J||_F^2 = sum_j g_j^2 [(1 - a_j)^2 + sum_{i != j} a_i^2] = sum_j g_j^2 (1 - 2 a_j + ||a||^2), column by column
Ball frobenius(const Jacobian& J, slong bits) {
  const Ball one(Rational(1), bits), two(Rational(2), bits), squares = sum_of_squares(J.a, bits);
  Ball sum(bits);
  for (std::size_t j = 0; j < J.g.size(); ++j) sum += J.g[j] * J.g[j] * (one - two * J.a[j] + squares);
  return sqrt(sum);
}

// The logits divided by T.
Vector exponents(const ExactInstance& exact) {
  Vector x = listed(exact.logits, "logits");
  for (const Rational T = temperature(exact); Rational & logit : x) logit /= T;
  return x;
}

// exp(x_i) / sum_j exp(x_j), where the largest x is taken off first, exactly
Balls softmax(const Vector& x, slong bits) {
  const Rational largest = *std::max_element(x.begin(), x.end());
  Balls p;
  Ball sum(bits);
  for (const Rational& exponent : x) {
    p.push_back(exp(Ball(Rational(exponent - largest), bits)));
    sum += p.back();
  }
  for (Ball& entry : p) entry = entry / sum;
  return p;
}

// norm(J) <= min{ 1/(4T), sqrt 2 }
SidesAt softmax_quarter(const ExactInstance& exact, Ball norm(const Jacobian&, slong)) {
  return [x = exponents(exact), T = temperature(exact), norm](slong bits) {
    Jacobian J{softmax(x, bits), {}};
    for (const Ball& p : J.a) J.g.push_back(p / Ball(T, bits));
    return Sides{norm(J, bits), min(Ball(Rational(1 / (4 * T)), bits), root(Rational(2), bits))};
  };
}

}  // namespace

SidesAt softmax_quarter_over_temperature(const ExactInstance& exact) { return softmax_quarter(exact, spectral); }
SidesAt softmax_quarter_frobenius(const ExactInstance& exact) { return softmax_quarter(exact, frobenius); }

// ||J||_2 <= sqrt 2 for values F > 0 and F' at the logits
SidesAt lemma2_sqrt2_cap(const ExactInstance& exact) {
  const Vector F = listed(exact.F, "values of F"), dF = listed(exact.dF, "values of F'");
  require(*std::min_element(F.begin(), F.end()) > 0, "a value of F is not positive");
  const Rational S = sum_of(exact.F, "values of F");
  require(dF != Vector(dF.size()), "F' is 0 at every logit, and so is J");
  return [=](slong bits) {
    Jacobian J;
    for (const Rational& value : F) J.a.emplace_back(Rational(value / S), bits);
    for (const Rational& slope : dF) J.g.emplace_back(Rational(slope / S), bits);
    return Sides{spectral(J, bits), root(Rational(2), bits)};
  };
}

// softmax(l/T) and softmax(l'/T) differ by ~ sqrt 2 |e|/T for l = (0, .., 0, a, a+e), l' = (0, .., 0, a+2e, a), as
// printed (docs/specification.md#observation): to first order in e, ||J h|| = sqrt 2 |e|/T with J at (0, .., 0, a, a),
// h = (0, .., 0, 2e, -e). The witness holds l.
SidesAt perturbation_output_distance(const ExactInstance& exact) {
  Vector x = exponents(exact);
  const std::size_t n = x.size();
  require(n >= 2, "the claim speaks of two logits or more");
  require(x[n - 1] != x[n - 2], "the last two logits are equal");
  require(Vector(x.begin(), x.end() - 2) == Vector(n - 2), "a logit before the last two is not 0");
  const Rational e = x[n - 1] - x[n - 2];  // over T
  x[n - 1] = x[n - 2];
  Vector h(n);
  h[n - 2] = 2 * e;
  h[n - 1] = -e;
  return [=](slong bits) {
    Balls change = softmax(x, bits);  // p, and then T J h/T = p_i (h_i - sum p_j h_j)
    const Ball mean = change[n - 1] * Ball(e, bits);
    for (std::size_t i = 0; i < n; ++i) change[i] = change[i] * (Ball(h[i], bits) - mean);
    return Sides{sqrt(sum_of_squares(change, bits)), root(Rational(2), bits) * Ball(Rational(abs(e)), bits)};
  };
}

}  // namespace attncert::check

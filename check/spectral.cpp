// A spectral norm from below: ||J v|| / ||v|| for a vector v that a power iteration proposes. Whatever v is, balls make
// it a certified lower bound.
#include <algorithm>

#include "check/language.hpp"

namespace attncert::check {
namespace {

using Balls = std::vector<Ball>;

// J = (I - u 1^T) diag(g) takes vectors that are constant on each class of n equal tokens to such vectors.
struct Jacobian {
  Balls u, g, n;

  Ball product(const Balls& v, const Balls& w) const {
    Ball sum(v[0].bits());
    for (std::size_t c = 0; c < v.size(); ++c) sum = sum + n[c] * v[c] * w[c];
    return sum;
  }
  Balls image(const Balls& v, bool transposed) const {
    Balls result = v;
    const Ball sum = product(transposed ? u : g, v);
    for (std::size_t c = 0; c < v.size(); ++c) result[c] = transposed ? g[c] * (v[c] - sum) : g[c] * v[c] - u[c] * sum;
    return result;
  }
};

// v after up to 2^(bits/2) rounds of power iteration with J^T J, which is squared over and over.
Balls iterated(const Jacobian& J, const Balls& v) {
  const slong n = static_cast<slong>(v.size()), bits = v[0].bits();
  arb_mat_t matrix, vector;
  arb_mat_init(matrix, n, n);
  arb_mat_init(vector, n, 1);
  for (slong c = 0; c < n; ++c) {
    Balls unit(v.size(), Ball(bits));
    unit[static_cast<std::size_t>(c)] = Ball(Rational(1), bits);
    const Balls column = J.image(J.image(unit, false), true);
    for (slong r = 0; r < n; ++r) arb_set(arb_mat_entry(matrix, r, c), column[static_cast<std::size_t>(r)].get());
    arb_set(arb_mat_entry(vector, c, 0), v[static_cast<std::size_t>(c)].get());
  }
  Ball size(bits), before(bits);
  for (slong squaring = 0; squaring < bits / 2; ++squaring) {
    spend(static_cast<std::size_t>(n * n * n * bits));
    arb_mat_get_mid(matrix, matrix);
    arb_mat_frobenius_norm(size.get(), matrix, bits);
    // Nothing is left of it, or it has become a projection, whose square is itself.
    if (!certainly_greater(size, before) && !certainly_greater(before, size)) break;
    before = size;
    arb_mat_scalar_div_arb(matrix, matrix, size.get(), bits);
    arb_mat_approx_mul(matrix, matrix, matrix, bits);
  }
  arb_mat_approx_mul(vector, matrix, vector, bits);
  Balls result = v;
  for (slong c = 0; c < n; ++c) arb_get_mid_arb(result[static_cast<std::size_t>(c)].get(), arb_mat_entry(vector, c, 0));
  arb_mat_clear(matrix);
  arb_mat_clear(vector);
  return result;
}

}  // namespace

// Where few classes are, and else a hundred rounds, do not suffice the bound is weaker, never wrong.
Number spectral(Scope& scope, const Term& u, const Term& g) {
  constexpr std::size_t few = 32, rounds = 100;
  const Ball zero(scope.bits);
  Jacobian J;
  Ball alone = zero;  // where a class has two tokens, J v = g v for v in this class with sum 0
  for (std::size_t c = 0; c < scope.count.size(); ++c) {
    scope.index["i"] = c;
    J.u.push_back(scalar(u(scope)).ball(scope.bits));
    J.g.push_back(scalar(g(scope)).ball(scope.bits));
    J.n.push_back(scope.count[c].ball(scope.bits));
    if (sign(scope.count[c] - 1).positive) alone = max(alone, max(J.g[c], zero - J.g[c]));
  }
  scope.index.erase("i");
  Balls v = J.g;
  for (std::size_t c = 0; c < v.size(); ++c)
    v[c] = v[c] * Ball(Rational(16, c + 16), scope.bits);  // orthogonal to nothing likely
  if (v.size() <= few) v = iterated(J, v);
  for (std::size_t round = 0; v.size() > few && round < rounds; ++round) {
    spend(16 * v.size() * static_cast<std::size_t>(scope.bits));
    Balls next = J.image(J.image(v, false), true);
    const Ball size = sqrt(J.product(next, next));
    if (!certainly_greater(size, zero)) break;
    for (std::size_t c = 0; c < v.size(); ++c) v[c] = (next[c] / size).middle();
  }
  const Balls image = J.image(v, false);
  const Ball size = J.product(v, v);
  return certainly_greater(size, zero) ? max(alone, sqrt(J.product(image, image) / size)) : alone;
}

}  // namespace attncert::check

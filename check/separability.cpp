// Claims about N_s = #{ i in I : ||a_i x_i - s|| <= r }, r = min over j not in I of ||a_j x_j - s||, for distinct
// tokens on one sphere about 0 (claims.md, sections 6 and 7). N_s is counted on exact squares.
#include <algorithm>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

struct Separability {
  Rational share, sphere, radius;  // N_s / N, M^2, r^2
  Vector xi;                       // xi_i^2 for i in I

  // xi in the reading with j, k, i all different or, literally printed, with k = i allowed.
  explicit Separability(const ExactInstance& exact, bool literal = false) {
    const Selection tokens(exact);
    tokens.require_top();
    require(tokens.N < tokens.L, "N = L: there is no unselected token and no radius");
    const Rational separation = squares_of(tokens);
    Rational weights = 0;
    for (std::size_t i = 0; i < tokens.L; ++i)
      if (tokens.in[i]) weights += tokens.a[i] * tokens.a[i];
    // xi_i^2 = M^2 sum_j a_j^2 + (M^2 - delta^2/2) sum_{j != k} a_j a_k, both sums over I without i. With A and Q the sums
    // of a_j and of a_j^2 over I, the second is (A - a_i)^2 - (Q - a_i^2); literally printed, k may be i: a_i (A - a_i) more.
    for (std::size_t i = 0; i < tokens.L; ++i) {
      if (!tokens.in[i]) continue;
      const Rational &a = tokens.a[i], own = weights - a * a, others = tokens.mass - a;
      const Rational pairs = others * others - own + (literal ? a * others : Rational(0));
      xi.push_back(sphere * own + (sphere - separation / 2) * pairs);
      require(xi.back() >= 0, "some xi is not real");  // of different indices: xi^2 >= ||a_i x_i - s||^2 >= 0
    }
    const Vector inside = tokens.squared_gaps(true), outside = tokens.squared_gaps(false);
    radius = *std::min_element(outside.begin(), outside.end());
    share = ratio(std::count_if(inside.begin(), inside.end(), [&](const Rational& gap) { return gap <= radius; }),
                  tokens.N);
  }

 private:
  // Sets M^2, the same for all tokens, and gives delta^2, the least squared distance of two tokens.
  Rational squares_of(const Selection& tokens) {
    tokens.require_affordable(tokens.L * tokens.L / 2, tokens.token_bits);
    const Vector zero(tokens.d);
    sphere = squared_distance(*tokens.x[0], zero);
    require(sphere > 0, "the tokens are zero");
    Rational least = 4 * sphere;  // no two are farther apart
    for (std::size_t i = 0; i < tokens.L; ++i) {
      require(squared_distance(*tokens.x[i], zero) == sphere,
              "the tokens are not on one sphere about 0: their squared norms differ");
      for (std::size_t j = 0; j < i; ++j) least = std::min(least, squared_distance(*tokens.x[i], *tokens.x[j]));
    }
    require(least > 0, "two tokens are equal: the separation is 0");
    return least;
  }
};

}  // namespace

// 1 - (1 / (r N)) sum of xi_i <= N_s / N with k = i in xi, as printed
SidesAt theorem2_lower_literal(const ExactInstance& exact) {
  const Separability found(exact, true);
  require(found.radius > 0, "r is 0");
  return [found](slong bits) {
    const Ball all = root(found.radius, bits) * Ball(Rational(found.xi.size()), bits);
    return Sides{Ball(Rational(1), bits) - sum_of_roots(found.xi, bits) / all, Ball(found.share, bits)};
  };
}

// N_s / N <= (1 / N) sum of exp(-(r - xi_i)^2 / (16 M^2))
SidesAt theorem2_upper(const ExactInstance& exact) {
  const Separability found(exact);
  require(found.radius > 0, "r is 0");
  return [found](slong bits) {
    const Ball r = root(found.radius, bits), scale(Rational(-1 / (16 * found.sphere)), bits);
    Ball sum(bits);
    for (const Rational& square : found.xi) {
      const Ball difference = r - root(square, bits);
      sum += exp(difference * difference * scale);
    }
    return Sides{Ball(found.share, bits), sum / Ball(Rational(found.xi.size()), bits)};
  };
}

// N_s / N <= 4/5 for N >= 2
SidesAt theorem2_eighty_percent(const ExactInstance& exact) {
  require(exact.count >= 2, "N is below 2");
  return [found = Separability(exact)](slong bits) { return Sides{Ball(found.share, bits), Ball(ratio(4, 5), bits)}; };
}

// 1 / N <= N_s / N for N >= 2: one token at least
SidesAt separability_floor(const ExactInstance& exact) {
  require(exact.count >= 2, "N is below 2");
  return [found = Separability(exact)](slong bits) {
    return Sides{Ball(ratio(1, found.xi.size()), bits), Ball(found.share, bits)};
  };
}

}  // namespace attncert::check

// Claims about d-tilde = sum over i not in I of ||a_i x_i - s||, s = sum over I of a_i x_i: of the top N
// (docs/specification.md#theorem1), and its mean over uniformly random index sets of N (#expected-distance). All but
// the square roots is rational.
#include <algorithm>
#include <bit>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

// (1 - A) d1 + size [A (L - N) - (1 - A)] with d1 = max over i not in I, j in I of ||x_i - x_j|| and size = max over I
// of ||x_j||^2 as printed, or of ||x_j|| as corrected.
struct Upper {
  Rational farthest = 0, largest = 0, rest, bracket;  // the first two are squares

  explicit Upper(const Selection& tokens) {
    tokens.require_top();
    tokens.require_affordable(tokens.N * (tokens.L - tokens.N), tokens.token_bits);
    for (std::size_t j = 0; j < tokens.L; ++j) {
      if (!tokens.in[j]) continue;
      largest = std::max(largest, squared_distance(*tokens.x[j], Vector(tokens.d)));
      for (std::size_t i = 0; i < tokens.L; ++i)
        if (!tokens.in[i]) farthest = std::max(farthest, squared_distance(*tokens.x[i], *tokens.x[j]));
    }
    rest = 1 - tokens.mass;
    bracket = tokens.mass * Rational(tokens.L - tokens.N) - rest;
  }
  Ball with(const Ball& size, slong bits) const {
    return Ball(rest, bits) * root(farthest, bits) + size * Ball(bracket, bits);
  }
};

// N_s = #{ i in I : ||a_i x_i - s|| <= r }, r = min over j not in I of ||a_j x_j - s||, for distinct tokens on one
// sphere about 0 (docs/specification.md#theorem2). N_s is counted on exact squares.
struct Separability {
  Rational share, sphere, radius;  // N_s / N, M^2, r^2
  Vector xi;                       // xi_i^2 for i in I

  // xi in the reading with j, k, i all different or, literally printed, with k = i allowed.
  explicit Separability(const ExactInstance& exact, bool literal = false) {
    const Selection tokens(exact);
    tokens.require_top();
    require(tokens.N < tokens.L, "N = L: there is no unselected token and no radius");
    tokens.require_affordable(tokens.L * tokens.L / 2, tokens.token_bits);
    const Vector zero(tokens.d);
    sphere = squared_distance(*tokens.x[0], zero);
    require(sphere > 0, "the tokens are zero");
    Rational separation = 4 * sphere;  // delta^2, the least squared distance of two tokens: none are farther apart
    for (std::size_t i = 0; i < tokens.L; ++i) {
      require(squared_distance(*tokens.x[i], zero) == sphere,
              "the tokens are not on one sphere about 0: their squared norms differ");
      for (std::size_t j = 0; j < i; ++j)
        separation = std::min(separation, squared_distance(*tokens.x[i], *tokens.x[j]));
    }
    require(separation > 0, "two tokens are equal: the separation is 0");
    Rational weights = 0;
    for (std::size_t i = 0; i < tokens.L; ++i)
      if (tokens.in[i]) weights += tokens.a[i] * tokens.a[i];
    // xi_i^2 = M^2 sum_j a_j^2 + (M^2 - delta^2/2) sum_{j != k} a_j a_k, both sums over I without i. With A and Q the
    // sums of a_j and of a_j^2 over I, the second is (A - a_i)^2 - (Q - a_i^2); literally printed, k may be i: a_i (A -
    // a_i) more.
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
};

}  // namespace

// d-tilde <= the bound, with the square as printed
SidesAt theorem1_upper(const ExactInstance& exact) {
  const Selection tokens(exact);
  return [upper = Upper(tokens), squares = tokens.squared_gaps(false)](slong bits) {
    return Sides{sum_of_roots(squares, bits), upper.with(Ball(upper.largest, bits), bits)};
  };
}

// || (sum over i not in I of a_i x_i) - s || <= the bound without the square, N < L
SidesAt theorem1_upper_norm_of_weighted_sum(const ExactInstance& exact) {
  Selection tokens(exact);
  require(tokens.N < tokens.L, "N = L: there is no unselected token");
  const Upper upper(tokens);
  const Vector s = tokens.s;
  tokens.in.flip();
  tokens.sum_selected();
  return [upper, square = squared_distance(tokens.s, s)](slong bits) {
    return Sides{root(square, bits), upper.with(root(upper.largest, bits), bits)};
  };
}

// | E d-tilde - ((L - N)/L) sum_i || (a_i + N/(L-1)) x_i - xbar ||^2 | <= 0
SidesAt theorem1_expectation_main_term(const ExactInstance& exact) {
  require(exact.length >= 2 && exact.length <= 8, "L is not from 2 to 8, where all index sets are visited");
  Selection tokens(exact);
  const std::size_t L = tokens.L, N = tokens.N;
  tokens.require_affordable(L << L, tokens.bits);
  Vector squares;
  Rational sets = 0, main = 0;
  for (std::size_t set = 0; set < std::size_t{1} << L; ++set) {
    if (std::popcount(set) != static_cast<int>(N)) continue;
    for (std::size_t i = 0; i < L; ++i) tokens.in[i] = (set >> i) % 2 == 1;
    sets += 1;
    tokens.sum_selected();
    const Vector gaps = tokens.squared_gaps(false);
    squares.insert(squares.end(), gaps.begin(), gaps.end());
  }
  tokens.in.assign(L, true);
  tokens.sum_selected();  // s = xbar
  for (Rational& weight : tokens.a) weight += ratio(static_cast<long>(N), L - 1);
  for (const Rational& gap : tokens.squared_gaps(true)) main += gap * ratio(static_cast<long>(L - N), L);
  return [squares, sets, main](slong bits) {
    return Sides{abs(sum_of_roots(squares, bits) / Ball(sets, bits) - Ball(main, bits)), Ball(bits)};
  };
}

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

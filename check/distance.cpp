// Claims about d-tilde = sum over i not in I of ||a_i x_i - s||, s = sum over I of a_i x_i: of the top N (claims.md,
// section 2), and its mean over uniformly random index sets of N (section 3). All but the square roots is rational.
#include <algorithm>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

constexpr std::size_t most_length = 12;  // 2^12 index sets

// (1 - A) d1 + size [A (L - N) - (1 - A)] with d1 = max over i not in I, j in I of ||x_i - x_j|| and size = max over I of
// ||x_j||^2 as printed, or of ||x_j|| as corrected.
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
  tokens.select(tokens.in);
  return [upper, square = squared_distance(tokens.s, s)](slong bits) {
    return Sides{root(square, bits), upper.with(root(upper.largest, bits), bits)};
  };
}

// | E d-tilde - ((L - N)/L) sum_i || (a_i + N/(L-1)) x_i - xbar ||^2 | <= 0
SidesAt theorem1_expectation_main_term(const ExactInstance& exact) {
  require(exact.length >= 2 && exact.length <= most_length, "L is not from 2 to 12, where all index sets are visited");
  Selection tokens(exact);
  const std::size_t L = tokens.L, N = tokens.N;
  tokens.require_affordable(L << L, tokens.bits);
  Vector squares;
  Rational sets = 0, main = 0;
  for (std::size_t set = 0; set < std::size_t{1} << L; ++set) {
    std::vector<bool> in(L);
    for (std::size_t i = 0; i < L; ++i) in[i] = (set >> i) % 2 == 1;
    if (static_cast<std::size_t>(std::count(in.begin(), in.end(), true)) != N) continue;
    sets += 1;
    tokens.select(in);
    const Vector gaps = tokens.squared_gaps(false);
    squares.insert(squares.end(), gaps.begin(), gaps.end());
  }
  tokens.select(std::vector<bool>(L, true));  // s = xbar
  for (Rational& weight : tokens.a) weight += ratio(static_cast<long>(N), L - 1);
  for (std::size_t i = 0; i < L; ++i) main += tokens.squared_gap(i) * ratio(static_cast<long>(L - N), L);
  return [squares, sets, main](slong bits) {
    return Sides{abs(sum_of_roots(squares, bits) / Ball(sets, bits) - Ball(main, bits)), Ball(bits)};
  };
}

}  // namespace attncert::check

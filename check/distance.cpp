// Claims about d-tilde = sum over i not in I of ||a_i x_i - s||, s = sum over I of a_i x_i (claims.md, section 2).
// All but the square roots is rational.
#include <algorithm>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

// (1 - A) d1 + size [A (L - N) - (1 - A)] with d1 = max over i not in I, j in I of ||x_i - x_j|| and size = max over I of
// ||x_j||^2 as printed, or of ||x_j|| as corrected.
struct Upper {
  Rational farthest = 0, largest = 0, rest, bracket;  // the first two are squares

  explicit Upper(const Instance& instance) {
    require_selected_tokens(instance);
    require_top(instance);
    require_pairs(instance, instance.N * (instance.L - instance.N));
    for (std::size_t j = 0; j < instance.L; ++j) {
      if (!instance.selected[j]) continue;
      largest = std::max(largest, squared_norm(*instance.x[j]));
      for (std::size_t i = 0; i < instance.L; ++i)
        if (!instance.selected[i]) farthest = std::max(farthest, squared_distance(*instance.x[i], *instance.x[j]));
    }
    const Rational mass = selected_mass(instance);
    rest = 1 - mass;
    bracket = mass * Rational(instance.L - instance.N) - rest;
  }
  Ball with(const Ball& size, slong bits) const {
    return Ball(rest, bits) * root(farthest, bits) + size * Ball(bracket, bits);
  }
};

}  // namespace

// d-tilde <= the bound, with the square as printed
SidesAt theorem1_upper(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  return [upper = Upper(instance), squares = squared_gaps(instance, false)](slong bits) {
    return Sides{sum_of_roots(squares, bits), upper.with(Ball(upper.largest, bits), bits)};
  };
}

// || (sum over i not in I of a_i x_i) - s || <= the bound without the square, N < L
SidesAt theorem1_upper_norm_of_weighted_sum(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  const Upper upper(instance);
  require(instance.N < instance.L, "N = L: there is no unselected token");
  Vector rest(instance.d, Rational(0));
  for (std::size_t i = 0; i < instance.L; ++i)
    for (std::size_t c = 0; !instance.selected[i] && c < instance.d; ++c)
      rest[c] += *instance.a[i] * (*instance.x[i])[c];
  return [upper, square = squared_distance(rest, selected_sum(instance))](slong bits) {
    return Sides{root(square, bits), upper.with(root(upper.largest, bits), bits)};
  };
}

}  // namespace attncert::check

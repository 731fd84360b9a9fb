// Claims about d-tilde = sum over i not in I of ||a_i x_i - s||, s = sum over I of a_i x_i (claims.md, section 2).
// All but the square roots is rational.
#include <algorithm>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

// d-tilde <= (1 - A) d1 + size [A (L - N) - (1 - A)] with d1 = max over i not in I, j in I of ||x_i - x_j|| and
// size = max over I of ||x_j||^2 as printed, or of ||x_j|| as corrected.
SidesAt upper(const ExactInstance& exact, bool squared) {
  const Instance instance = expand(exact);
  require_selected_tokens(instance);
  require_top(instance);
  require_pairs(instance, instance.N * (instance.L - instance.N));
  Rational farthest = 0, largest = 0;  // squares
  for (std::size_t j = 0; j < instance.L; ++j) {
    if (!instance.selected[j]) continue;
    largest = std::max(largest, squared_norm(*instance.x[j]));
    for (std::size_t i = 0; i < instance.L; ++i)
      if (!instance.selected[i]) farthest = std::max(farthest, squared_distance(*instance.x[i], *instance.x[j]));
  }
  const Rational mass = selected_mass(instance), rest = 1 - mass;
  const Rational bracket = mass * Rational(instance.L - instance.N) - rest;
  return [squares = squared_gaps(instance, false), farthest, largest, rest, bracket, squared](slong bits) {
    const Ball size = squared ? Ball(largest, bits) : root(largest, bits);
    return Sides{sum_of_roots(squares, bits), Ball(rest, bits) * root(farthest, bits) + size * Ball(bracket, bits)};
  };
}

}  // namespace

SidesAt theorem1_upper(const ExactInstance& exact) { return upper(exact, true); }

SidesAt distance_upper(const ExactInstance& exact) { return upper(exact, false); }

// | d-tilde - (L - N) ||s|| | <= sum over i not in I of |a_i| ||x_i||, for any index set.
SidesAt distance_two_sided(const ExactInstance& exact) {
  const Instance instance = expand(exact);
  require_selected_tokens(instance);
  std::vector<Rational> norms;  // squares of a_i x_i
  for (std::size_t i = 0; i < instance.L; ++i)
    if (!instance.selected[i]) norms.push_back(*instance.a[i] * *instance.a[i] * squared_norm(*instance.x[i]));
  const Rational s = squared_norm(selected_sum(instance)), others(instance.L - instance.N);
  return [squares = squared_gaps(instance, false), norms, s, others](slong bits) {
    return Sides{abs(sum_of_roots(squares, bits) - Ball(others, bits) * root(s, bits)), sum_of_roots(norms, bits)};
  };
}

}  // namespace attncert::check

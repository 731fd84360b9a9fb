// The claim about E d-tilde over uniformly random index sets I of N out of L tokens (claims.md, section 3): every set is
// visited, and all but the square roots is rational.
#include "check/instance.hpp"

namespace attncert::check {
namespace {

constexpr std::size_t most_length = 12;  // 2^12 sets

}  // namespace

// | E d-tilde - ((L - N)/L) sum_i || (a_i + N/(L-1)) x_i - xbar ||^2 | <= 0
SidesAt theorem1_expectation_main_term(const ExactInstance& exact) {
  require(exact.length >= 2 && exact.length <= most_length, "L is not from 2 to 12, where all index sets are visited");
  Instance instance = expand(exact);
  require_selected_tokens(instance);
  const std::size_t L = instance.L, N = instance.N;
  std::vector<Rational> squares;
  Rational sets = 0, main = 0;
  for (std::size_t set = 0; set < std::size_t{1} << L; ++set) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < L; ++i) size += (instance.selected[i] = (set >> i) % 2 == 1);
    if (size != N) continue;
    sets += 1;
    const std::vector<Rational> gaps = squared_gaps(instance, false);
    squares.insert(squares.end(), gaps.begin(), gaps.end());
  }
  instance.selected.assign(L, true);
  const Vector mean = selected_sum(instance);
  for (std::size_t i = 0; i < L; ++i) {
    Vector scaled = *instance.x[i];
    for (Rational& coordinate : scaled) coordinate *= *instance.a[i] + ratio(static_cast<long>(N), L - 1);
    main += squared_distance(scaled, mean) * ratio(static_cast<long>(L - N), L);
  }
  return [squares, sets, main](slong bits) {
    return Sides{abs(sum_of_roots(squares, bits) / Ball(sets, bits) - Ball(main, bits)), Ball(bits)};
  };
}

}  // namespace attncert::check

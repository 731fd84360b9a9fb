// 1.5-entmax: ||f(l) - f(l')||_2 <= K_L ||l - l'||_2 / T (docs/specification.md#entmax): K_L = 2^(-1/2) for 2 <= L <=
// 47, then two(L), which rises to 1. That it is an upper bound is proved in sides/entmax.hpp.
#include "properties/claims/catalogue/sides/entmax.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/instances/instances.hpp"
#include "properties/claims/instances/rationals.hpp"

namespace attncert {
namespace {

Interval constant(const Instance& instance, Precision precision) {
  return sides::three_halves_constant(instance.length, precision) / Interval(*instance.temperature, precision);
}

Part part() {
  Part part = sides::lipschitz_part<sides::entmax_three_halves>(sides::Exponent::two,
                                                                {"K_L/T", constant, "K_L = max_{2 <= k <= L} two(k)"});
  part.name = {};
  return part;
}

// Two tokens next to equal ones, and one above n = 4^3 and 15^3 equal ones with weights of 1 : n^(-4/3), rounded.
known::Instances one_above_many() {
  const auto above = [](std::size_t n, const Rational& gap) {
    const Rational down(-1, static_cast<unsigned long>(n));
    return known::around(known::repeated(gap, 0, n + 1), known::repeated(1, down, n + 1), power_of_two(-30));
  };
  return {known::around({0, 0}, {1, -1}, known::small), above(64, ratio(1677050983, 1000000000)),
          above(3375, ratio(1927885043, 1000000000))};
}

}  // namespace

Claim lipschitz_entmax_three_halves() {
  return {
      .statement = {.source = "corrected Lipschitz constants",
                    .section = "13",
                    .text = "1.5-entmax of L tokens at temperature T is K_L/T-Lipschitz in l_2; up to 47 tokens K_L is "
                            "2^(-1/2).",
                    .proof = "1.5-entmax is continuous, and smooth on the finitely many cells of logits with a fixed "
                             "support, where its Jacobian has norm at most K_L/T (entmax-lipschitz-length). The "
                             "segment from l to l' crosses finitely many cells; add up the differences along it.",
                    .domain = "pairs of rational rows, 2 <= L <= 24, T from 10^-30 to 10^30",
                    .kind = Sided{.parts = {part()},
                                  .hypotheses = sides::pair_hypotheses({hypotheses::at_least_two_tokens}),
                                  .generate = logit_pair,
                                  .known = one_above_many}},
      .expected = Expected::supported};
}

}  // namespace attncert

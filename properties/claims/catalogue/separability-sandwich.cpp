// eta_i <= ||a_i x_i - s|| <= xi_i <= A M for every selected i, hence #{xi_i <= r} <= N_s <= #{eta_i <= r}
// (docs/specification.md#theorem2; eta_i is xi_i with the largest distance in place of the smallest). In one line, on
// squares and in units of (A M)^2: 1 plus the largest of f_i^2 - xi_i^2, eta_i^2 - f_i^2, xi_i^2 - (A M)^2 is at most
// 1; a count out of order makes it 2. Attained by equiangular tokens, and by N <= 2, where all three are one number. (1
// - (1/N) sum min(1, (xi_i/r)^t) is at most #{xi_i <= r}/N term by term.) Short rows are evaluated in rationals, so
// that equality is seen as such.
#include <algorithm>
#include <numeric>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/separability.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

constexpr std::size_t longest_exact = 32;  // as in Instance::separable

Rational squared_diameter(const Instance& instance) {
  std::vector<std::size_t> all(instance.length);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return instance.tokens->largest_squared_distance(all, all);
}

Rational squared_cap(const Instance& instance) {  // (A M)^2
  const Rational mass = instance.selected_mass();
  return mass * mass * instance.tokens->squared_norm(0);
}

Rational exact_lhs(const Instance& instance) {
  const auto reading = sides::Reading::distinct;
  Rational worst = -1;
  const auto upper = sides::exact_squared_radii(instance, reading, sides::exact_squared_separation(instance));
  const auto lower = sides::exact_squared_radii(instance, reading, squared_diameter(instance));
  const Rational cap = squared_cap(instance), r = exact_squared_threshold(instance);
  std::size_t surely = 0, separable = 0, at_most = 0;
  for (std::size_t k = 0; k < instance.count; ++k) {
    const Rational f = exact_squared_distance_to_context(instance, instance.selected[k]);
    const Rational xi = std::max(upper[k], Rational(0)), eta = std::max(lower[k], Rational(0));
    worst = std::max({worst, Rational((f - xi) / cap), Rational((eta - f) / cap), Rational((xi - cap) / cap)});
    surely += xi <= r ? 1 : 0;
    separable += f <= r ? 1 : 0;
    at_most += eta <= r ? 1 : 0;
  }
  return surely <= separable && separable <= at_most ? Rational(1 + worst) : Rational(2);
}

// Certain violations only: what is not certain of the counts follows from the distances.
bool counts_out_of_order(const Instance& instance, const std::vector<Interval>& upper,
                         const std::vector<Interval>& lower, Precision precision) {
  const Interval r = square(sides::threshold(instance, precision));
  const auto separable = instance.separable(precision);
  std::size_t surely = 0, at_most = 0;
  for (std::size_t k = 0; k < instance.count; ++k) {
    surely += less_equal(upper[k], r) == Truth::yes ? 1 : 0;
    at_most += less_equal(lower[k], r) == Truth::no ? 0 : 1;
  }
  return surely > separable.possible || separable.certain > at_most;
}

Interval lhs(const Instance& instance, Precision precision) {
  if (instance.length <= longest_exact) return {exact_lhs(instance), precision};
  const auto reading = sides::Reading::distinct;
  const auto weights = instance.selected_weights();
  const Interval sphere(instance.tokens->squared_norm(0), precision), cap(squared_cap(instance), precision);
  const Interval diameter(squared_diameter(instance), precision);
  const auto upper =
      reference::squared_radii(weights, reading, sphere, instance.squared_separation(precision), precision);
  const auto lower = reference::squared_radii(weights, reading, sphere, diameter, precision);
  if (counts_out_of_order(instance, upper, lower, precision)) return {2.0, precision};
  Interval worst(instance.count <= 2 ? 0.0 : -1.0, precision);  // N <= 2: no pair j != k is left
  for (std::size_t k = 0; k < instance.count; ++k) {
    worst = max(worst, (upper[k] - cap) / cap);
    if (instance.count <= 2) continue;
    const Interval f = square(instance.selection(precision).f[instance.selected[k]]);
    worst = max(worst, max(f - upper[k], lower[k] - f) / cap);
  }
  return Interval(1.0, precision) + worst;
}

bool attained(const Instance& instance) { return instance.length <= longest_exact && exact_lhs(instance) == 1; }

}  // namespace

Claim separability_sandwich() {
  return {
      .statement =
          {.source = "corrected Theorem 2",
           .section = "6",
           .text = "The distance of a selected token from s lies between eta_i and xi_i <= A M, and N_s "
                   "between the numbers of xi_i and of eta_i that are at most r.",
           .proof = "Over the selected tokens other than i, f_i^2 = M^2 sum a_j^2 + sum over j != k of a_j "
                    "a_k x_j.x_k, and x_j.x_k = M^2 - ||x_j - x_k||^2/2 lies between M^2 - Delta^2/2 and M^2 "
                    "- delta^2/2, Delta and delta being the largest and the smallest distance of two tokens: "
                    "eta_i <= f_i <= xi_i. Leaving out delta^2/2, xi_i^2 <= M^2 (sum a_j)^2 = M^2 (A - a_i)^2 "
                    "<= (A M)^2. Where xi_i <= r also f_i <= r, and where f_i <= r also eta_i <= r; counting "
                    "gives the bounds on N_s. Since 1 - min(1, (xi_i/r)^t) <= 1, and is 0 where xi_i > r, the "
                    "family 1 - (1/N) sum min(1, (xi_i/r)^t), t > 0, lies below the first count. Equality: "
                    "equiangular tokens, where Delta = delta.",
           .domain = "distinct tokens on a sphere, L <= 25, d <= 8; captured rows with unit tokens",
           .kind = Sided{.left = "1 + max over i in I of {f_i^2 - xi_i^2, eta_i^2 - f_i^2, xi_i^2 - (A M)^2} / (A M)^2",
                         .right = "1",
                         .hypotheses = sides::sphere_hypotheses(),
                         .lhs = lhs,
                         .rhs = sides::constant<1>,
                         .attained = attained,
                         .generate = axial_selection,
                         .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert

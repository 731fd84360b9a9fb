// eta_i <= ||a_i x_i - s|| <= xi_i <= A M for every selected i, hence #{xi_i <= r} <= N_s <= #{eta_i <= r}
// (docs/specification.md#theorem2; eta_i is xi_i with the largest distance in place of the smallest). A part for each;
// over the selected tokens the first two are the largest f_i^2/xi_i^2 and eta_i^2/f_i^2, 0/0 left out. Attained by
// equiangular tokens, and by N <= 2, where all three are one number. (1 - (1/N) sum min(1, (xi_i/r)^t) is at most
// #{xi_i <= r}/N term by term.) Short rows are evaluated in rationals, so that equality is seen as such.
#include <algorithm>
#include <numeric>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/known.hpp"
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

// Squares over the selected tokens, in rationals.
struct Squares {
  std::vector<Rational> xi, eta, f;
  Rational cap, r;
};
Squares squares(const Instance& instance) {
  const auto reading = sides::Reading::distinct;
  Squares all{sides::exact_squared_radii(instance, reading, sides::exact_squared_separation(instance)),
              sides::exact_squared_radii(instance, reading, squared_diameter(instance)),
              {},
              squared_cap(instance),
              exact_squared_threshold(instance)};
  for (std::size_t k = 0; k < instance.count; ++k) {
    all.f.push_back(exact_squared_distance_to_context(instance, instance.selected[k]));
    for (auto* squares : {&all.xi, &all.eta}) (*squares)[k] = std::max(Rational((*squares)[k]), Rational(0));
  }
  return all;
}

// The same in enclosures.
struct EnclosedSquares {
  std::vector<Interval> xi, eta, f;
  Interval cap, r;
};
EnclosedSquares enclosed_squares(const Instance& instance, Precision precision) {
  if (instance.length <= longest_exact) {
    const Squares& exact = instance.once<squares>();
    return {enclosures(exact.xi, precision), enclosures(exact.eta, precision), enclosures(exact.f, precision),
            Interval(exact.cap, precision), Interval(exact.r, precision)};
  }
  const auto reading = sides::Reading::distinct;
  const auto weights = instance.selected_weights();
  const Interval sphere(instance.tokens->squared_norm(0), precision), diameter(squared_diameter(instance), precision);
  EnclosedSquares all{
      reference::squared_radii(weights, reading, sphere, instance.squared_separation(precision), precision),
      reference::squared_radii(weights, reading, sphere, diameter, precision),
      {},
      Interval(squared_cap(instance), precision),
      square(sides::threshold(instance, precision))};
  for (const std::size_t i : instance.selected) all.f.push_back(square(instance.selection(precision).f[i]));
  return all;
}

// The largest quotient of two squares, term by term: an upper one of 0 holds what is not negative.
Rational largest_quotient(const std::vector<Rational>& lower, const std::vector<Rational>& upper) {
  Rational largest = 0;
  for (std::size_t k = 0; k < lower.size(); ++k) {
    if (sgn(lower[k]) == 0) continue;
    if (sgn(upper[k]) == 0) return 2;  // a violation
    largest = std::max<Rational>(largest, lower[k] / upper[k]);
  }
  return largest;
}
Interval largest_quotient(const std::vector<Interval>& lower, const std::vector<Interval>& upper, Precision precision) {
  Interval largest(0.0, precision);
  for (std::size_t k = 0; k < lower.size(); ++k)
    if (!lower[k].is_point() || !lower[k].contains(0)) largest = max(largest, lower[k] / upper[k]);
  return largest;
}

template <auto lower, auto upper>
Rational exact_quotient(const Instance& instance) {
  const Squares& all = instance.once<squares>();
  return largest_quotient(all.*lower, all.*upper);
}
template <auto lower, auto upper, auto exact>
Interval quotient(const Instance& instance, Precision precision) {
  if (instance.length <= longest_exact) return {instance.once<exact>(), precision};
  if (instance.count <= 2) return {instance.count == 2 ? 1.0 : 0.0, precision};  // no pair j != k is left
  const EnclosedSquares& all = instance.once<enclosed_squares>(precision);
  return largest_quotient(all.*lower, all.*upper, precision);
}
template <auto exact>
bool is_one(const Instance& instance) {
  return instance.length <= longest_exact && instance.once<exact>() == 1;
}

Interval largest_radius(const Instance& instance, Precision precision) {
  Interval largest(0.0, precision);
  for (const Interval& xi : instance.once<enclosed_squares>(precision).xi) largest = max(largest, xi);
  return sqrt(largest);
}
Interval cap(const Instance& instance, Precision precision) {
  return sqrt(instance.once<enclosed_squares>(precision).cap);
}
bool cap_is_attained(const Instance& instance) {
  if (instance.length > longest_exact) return false;
  const Squares& all = instance.once<squares>();
  return *std::max_element(all.xi.begin(), all.xi.end()) == all.cap;
}

// How many squares are at most r^2: enclosures where the rationals are not there.
template <auto row, auto exact_row>
Interval count(const Instance& instance, Precision precision) {
  long certain = 0, possible = 0;
  if (instance.length <= longest_exact) {
    const Squares& all = instance.once<squares>();
    for (const Rational& square : all.*exact_row) certain += square <= all.r ? 1 : 0;
    possible = certain;
  } else {
    const EnclosedSquares& all = instance.once<enclosed_squares>(precision);
    for (const Interval& square : all.*row) {
      const Truth within = less_equal(square, all.r);
      certain += within == Truth::yes ? 1 : 0;
      possible += within == Truth::no ? 0 : 1;
    }
  }
  return Interval::between(Interval(Rational(certain), precision), Interval(Rational(possible), precision));
}
Interval separable(const Instance& instance, Precision precision) {
  const auto found = instance.separable(precision);
  return Interval::between(Interval(Rational(found.certain), precision), Interval(Rational(found.possible), precision));
}

constexpr auto exact_above = exact_quotient<&Squares::f, &Squares::xi>;
constexpr auto exact_below = exact_quotient<&Squares::eta, &Squares::f>;

std::vector<Part> parts() {
  using E = EnclosedSquares;
  return {{.name = "xi",
           .left = "max over i in I of f_i^2/xi_i^2, f_i = ||a_i x_i - s||",
           .right = "1",
           .lhs = quotient<&E::f, &E::xi, exact_above>,
           .rhs = sides::constant<1>,
           .attained = is_one<exact_above>},
          {.name = "eta",
           .left = "max over i in I of eta_i^2/f_i^2",
           .right = "1",
           .lhs = quotient<&E::eta, &E::f, exact_below>,
           .rhs = sides::constant<1>,
           .attained = is_one<exact_below>},
          {.name = "A M",
           .left = "max over i in I of xi_i",
           .right = "A M",
           .lhs = largest_radius,
           .rhs = cap,
           .attained = cap_is_attained},
          {.name = "count from below",
           .left = "#{xi_i <= r}",
           .right = "N_s",
           .lhs = count<&E::xi, &Squares::xi>,
           .rhs = separable},
          {.name = "count from above",
           .left = "N_s",
           .right = "#{eta_i <= r}",
           .lhs = separable,
           .rhs = count<&E::eta, &Squares::eta>}};
}

}  // namespace

Claim separability_sandwich() {
  return {
      .statement = {.source = "corrected Theorem 2",
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
                    .kind = Sided{.parts = parts(),
                                  .hypotheses = sides::sphere_hypotheses(),
                                  .generate = axial_selection,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::selection({ratio(8, 25), ratio(8, 25), ratio(8, 25), ratio(1, 25)},
                                                             3, {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}, 3),
                                            known::selection(
                                                {ratio(7, 20), ratio(7, 20), ratio(6, 20)}, 2,
                                                {ratio(3, 5), ratio(4, 5), ratio(3, 5), ratio(-4, 5), 1, 0}, 2),
                                            known::orthonormal({1, 0, 0}, 2),
                                            known::on_a_circle({1 - known::small, known::small},
                                                               {ratio(3, 5), ratio(4, 5), ratio(4, 5), ratio(-3, 5)}, 2,
                                                               48)};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert

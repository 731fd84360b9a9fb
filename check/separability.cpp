// Claims about N_s = #{ i in I : ||a_i x_i - s|| <= r }, r = min over j not in I of ||a_j x_j - s||, for distinct
// tokens on one sphere about 0 (claims.md, sections 6 and 7). N_s is counted on exact squares.
#include <algorithm>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

struct Separability {
  Rational share, sphere, radius;  // N_s / N, M^2, r^2
  std::vector<Rational> xi;        // xi_i^2 for i in I, in the reading with j, k, i all different
};

Rational sphere_of(const Instance& instance) {
  const Rational square = squared_norm(*instance.x[0]);
  require(square > 0, "the tokens are zero");
  for (const Vector* token : instance.x)
    require(squared_norm(*token) == square, "the tokens are not on one sphere about 0: their squared norms differ");
  return square;
}

Rational squared_separation(const Instance& instance) {
  require_pairs(instance, instance.L * instance.L / 2);
  Rational least = -1;
  for (std::size_t i = 0; i < instance.L; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Rational square = squared_distance(*instance.x[i], *instance.x[j]);
      if (least < 0 || square < least) least = square;
    }
  }
  require(least > 0, "two tokens are equal: the separation is 0");
  return least;
}

// xi_i^2 = M^2 sum_j a_j^2 + (M^2 - delta^2/2) sum_{j != k} a_j a_k, both sums over I without i. With A and Q the sums
// of a_j and of a_j^2 over I, the second is (A - a_i)^2 - (Q - a_i^2); literally printed, k may be i: a_i (A - a_i) more.
std::vector<Rational> squared_xi(const Instance& instance, const Rational& sphere, const Rational& separation,
                                 bool literal) {
  Rational mass = selected_mass(instance), squares = 0;
  for (std::size_t i = 0; i < instance.L; ++i)
    if (instance.selected[i]) squares += *instance.a[i] * *instance.a[i];
  std::vector<Rational> xi;
  for (std::size_t i = 0; i < instance.L; ++i) {
    if (!instance.selected[i]) continue;
    const Rational &a = *instance.a[i], own = squares - a * a, rest = mass - a,
                   with_own = literal ? a * rest : Rational(0);
    xi.push_back(sphere * own + (sphere - separation / 2) * (rest * rest - own + with_own));
    require(xi.back() >= 0, "some xi is not real");  // of different indices: xi^2 >= ||a_i x_i - s||^2 >= 0
  }
  return xi;
}

Separability separability(const ExactInstance& exact, bool literal = false) {
  const Instance instance = expand(exact);
  require_selected_tokens(instance);
  require_top(instance);
  require(instance.N < instance.L, "N = L: there is no unselected token and no radius");
  Separability result;
  result.sphere = sphere_of(instance);
  result.xi = squared_xi(instance, result.sphere, squared_separation(instance), literal);
  const auto inside = squared_gaps(instance, true), outside = squared_gaps(instance, false);
  result.radius = *std::min_element(outside.begin(), outside.end());
  const auto separable =
      std::count_if(inside.begin(), inside.end(), [&result](const Rational& gap) { return gap <= result.radius; });
  result.share = ratio(separable, instance.N);
  return result;
}

}  // namespace

// 1 - (1 / (r N)) sum of xi_i <= N_s / N with k = i in xi, as printed
SidesAt theorem2_lower_literal(const ExactInstance& exact) {
  const Separability found = separability(exact, true);
  require(found.radius > 0, "r is 0");
  return [found](slong bits) {
    const Ball all = root(found.radius, bits) * Ball(Rational(found.xi.size()), bits);
    return Sides{Ball(Rational(1), bits) - sum_of_roots(found.xi, bits) / all, Ball(found.share, bits)};
  };
}

// N_s / N <= (1 / N) sum of exp(-(r - xi_i)^2 / (16 M^2))
SidesAt theorem2_upper(const ExactInstance& exact) {
  const Separability found = separability(exact);
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
  const Separability found = separability(exact);
  return [found](slong bits) { return Sides{Ball(found.share, bits), Ball(ratio(4, 5), bits)}; };
}

// 1 / N <= N_s / N for N >= 2: one token at least
SidesAt separability_floor(const ExactInstance& exact) {
  require(exact.count >= 2, "N is below 2");
  const Separability found = separability(exact);
  return [found](slong bits) { return Sides{Ball(ratio(1, found.xi.size()), bits), Ball(found.share, bits)}; };
}

}  // namespace attncert::check

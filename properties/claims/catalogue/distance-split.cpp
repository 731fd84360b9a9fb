// d-tilde <= sum a_i ||x_i - xhat|| + ||xhat|| sum |A - a_i| over i not in I, xhat = s/A
// (docs/specification.md#theorem1, (i)): the oblique split a_i x_i - s = a_i (x_i - xhat) - (A - a_i) xhat and the
// triangle inequality, for any index set. Attained: every unselected x_i on the ray from xhat through 0 and beyond.
#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

Rational total_deficit(const Instance& instance) {  // sum |A - a_i|
  const Rational mass = instance.selected_mass();
  Rational total = 0;
  for (const std::size_t i : instance.unselected()) total += abs(mass - instance.weights[i]);
  return total;
}

Interval rhs(const Instance& instance, Precision precision) {
  const std::size_t d = instance.dimension();
  const auto tokens = instance.tokens->enclosures(precision);
  const Interval mass(instance.selected_mass(), precision);
  // a_i ||x_i - s/A|| = a_i ||A x_i - s|| / A, and likewise ||xhat||
  const auto& geometry = instance.selection(precision);
  Interval total = Interval(total_deficit(instance), precision) * geometry.norm_s;
  for (const std::size_t i : instance.unselected())
    total += Interval(instance.weights[i], precision) *
             sqrt(squared_distance_scaled(mass, tokens.subspan(i * d, d), geometry.s, precision));
  return total / mass;
}

bool attained(const Instance& instance) {
  const Rational mass = instance.selected_mass();
  SurdSum difference = sides::exact_distance(instance);
  const std::vector<Rational> xhat = scaled(1 / mass, instance.context());
  for (const std::size_t i : instance.unselected())
    difference.add(-instance.weights[i], squared_distance(instance.tokens->token(i), xhat));
  difference.add(-total_deficit(instance) / mass, sides::exact_squared_norm(instance, {1, 0}));
  return difference.is_zero();
}

}  // namespace

Claim distance_split() {
  return {
      .statement = {.source = "corrected Theorem 1, (i)",
                    .section = "2",
                    .text = "d-tilde is bounded by what separates the unselected tokens from xhat = s/A and by "
                            "what their weights lack of A, whatever N tokens are selected.",
                    .proof = "With xhat = s/A, a_i x_i - s = a_i (x_i - xhat) - (A - a_i) xhat: the multiples of xhat "
                             "add up to -A xhat = -s. The triangle inequality for each unselected token, summed over "
                             "them, is the statement. Nothing is asked of I, and of the weights only A > 0. Equality: "
                             "each unselected x_i is (1 - t_i) xhat with t_i (A - a_i) >= 0, so that the two parts "
                             "point one way.",
                    .domain = "any tokens, any N of them selected, L <= 24, d <= 4; captured rows",
                    .kind = Sided{.parts = {{.left = "d-tilde = sum over i not in I of ||a_i x_i - s||",
                                             .right = "sum over i not in I of a_i ||x_i - s/A|| + ||s/A|| |A - a_i|",
                                             .lhs = sides::distance,
                                             .rhs = rhs,
                                             .attained = attained}},
                                  .hypotheses = sides::any_selection_hypotheses({hypotheses::positive_mass}),
                                  .generate = any_selection,
                                  .known =
                                      [] {
                                        return known::Instances{
                                            known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, 1}, 1),
                                            known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1),
                                            known::selection({ratio(3, 8), ratio(3, 8), ratio(1, 8), ratio(1, 8)}, 1,
                                                             {1, 1, -1, -1}, 2)};
                                      },
                                  .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert

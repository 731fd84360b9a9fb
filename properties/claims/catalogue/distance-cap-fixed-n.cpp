// d-tilde <= M [1 + (L-N-1) N R / (N R + L - N)], R = max a / min a, M = max ||x_i|| (docs/specification.md#fixed-n):
// with weights of bounded ratio d-tilde stays below M (1 + N R) at every length. d-tilde <= M [A (L-N) + 1 - A] and A
// <= N R/(N R + L - N). The bound grows with R, so R is the row's own ratio. Attained: selected x_i = x of weight R
// times the rest, others -x.
#include <algorithm>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/selection.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

Rational factor(const Instance& instance) {
  const auto [least, most] = std::minmax_element(instance.weights.begin(), instance.weights.end());
  const Rational scaled = *most / *least * instance.count;
  const Rational outside = sides::outside(instance);
  return 1 + (outside - 1) * scaled / (scaled + outside);
}

Interval rhs(const Instance& instance, Precision precision) {
  return Interval(factor(instance), precision) * instance.selection(precision).largest;
}

bool attained(const Instance& instance) {
  return sides::exact_distance(instance) == SurdSum(factor(instance), sides::exact_largest_square(instance));
}

}  // namespace

Claim distance_cap_fixed_n() {
  return {
      .statement =
          {.source = "corrected growth of d-tilde at fixed N",
           .section = "5",
           .text = "With weights of ratio at most R, d-tilde is bounded by M (1 + N R) at every length.",
           .proof = "||a_i x_i - s|| <= a_i M + A M, and summing over the L-N unselected tokens gives d-tilde "
                    "<= M [1 - A + A (L-N)] = M [1 + A (L-N-1)]. N weights of ratio at most R have A <= N R / "
                    "(N R + L - N) by top-mass-cap, whatever N of them are selected; put that in (at N = L "
                    "both sides are 0). Because (L-N-1)/(N R + L - N) < 1, the bound stays below M (1 + N R): "
                    "with weights of bounded ratio d-tilde cannot grow linearly for ever at fixed N. Attained "
                    "where the selected x_i = x have R times the weight of the others, and these are -x.",
           .domain = "any tokens, any N of them selected, L <= 24, d <= 4; captured rows",
           .kind = Sided{.parts = {{.left = "d-tilde = sum over i not in I of ||a_i x_i - s||",
                                    .right = "M [1 + (L-N-1) N R / (N R + L - N)], R = max a / min a, M = max ||x_i||",
                                    .lhs = sides::distance,
                                    .rhs = rhs,
                                    .attained = attained}},
                         .hypotheses = sides::any_selection_hypotheses({hypotheses::positive_weights}),
                         .generate = any_selection,
                         .known =
                             [] {
                               return known::Instances{
                                   known::selection({ratio(3, 4), ratio(1, 4)}, 1, {1, -1}, 1),
                                   known::selection({ratio(3, 8), ratio(3, 8), ratio(1, 8), ratio(1, 8)}, 1,
                                                    {1, 1, -1, -1}, 2),
                                   known::selection(known::heavy(ratio(1, 2), 512), 1, known::repeated(1, -1, 512), 1)};
                             },
                         .real = RealRows::selections}},
      .expected = Expected::supported};
}

}  // namespace attncert

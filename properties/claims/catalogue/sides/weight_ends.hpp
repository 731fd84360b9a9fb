// Between which ends the weights of a separable positive F lie (docs/specification.md#lemma1).
#pragma once

#include <algorithm>
#include <string_view>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"

namespace attncert::sides {

inline Rational ratio_of_values(const Instance& instance) {  // R = max F / min F
  const auto [least, most] = std::minmax_element(instance.F.begin(), instance.F.end());
  return *most / *least;
}
inline Rational largest_weight(const Instance& instance) {
  return *std::max_element(instance.F.begin(), instance.F.end()) / sum(instance.F);
}
inline Rational smallest_weight(const Instance& instance) {
  return *std::min_element(instance.F.begin(), instance.F.end()) / sum(instance.F);
}

// lower <= a_i <= upper, the ends computed exactly, for rows of at least two tokens; proved by the checker.
template <auto lower, auto upper>
Sided weight_ends(std::string_view lower_text, std::string_view upper_text) {
  return {.parts = {{.name = "above",
                     .left = "max(i: a_i)",
                     .right = upper_text,
                     .lhs = enclosed<largest_weight>,
                     .rhs = enclosed<upper>,
                     .attained = equal<largest_weight, upper>},
                    {.name = "below",
                     .left = lower_text,
                     .right = "min(i: a_i)",
                     .lhs = enclosed<lower>,
                     .rhs = enclosed<smallest_weight>,
                     .attained = equal<lower, smallest_weight>}},
          .hypotheses = {hypotheses::positive_values, hypotheses::at_least_two_tokens},
          .generate = separable_row,
          .proved = Proved{"all L >= 2, all positive F of any R", "scaling, permutation"}};
}

}  // namespace attncert::sides

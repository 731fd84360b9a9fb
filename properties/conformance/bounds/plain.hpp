// Right bound kernels of the plainest kind, in long double from the definitions, with errors that a rounding analysis
// by hand gives; and the same with one deliberate mistake. They show that the judge passes what is right and notices
// what is wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/conformance/bounds/subject.hpp"

namespace attncert {

enum class DistanceFlaw : std::uint8_t {
  none,
  norm_outside,
  context_of_all,
  ties_by_higher,
  selected_included,
  square_in_corrected,
  diameter_of_all,
  cancellation_forgotten,
  single_sums,
  off_by_one,
  moment_factor,
  error_zero,
  mass_not_divided,
  unknown_at_half,
  error_useless
};
std::vector<Reported> plain_distance(const BoundRow& row, DistanceFlaw flaw = DistanceFlaw::none);

enum class SeparabilityFlaw : std::uint8_t {
  none,
  largest_r,
  strict_count,
  index_once_more,
  delta_of_selected,
  exponent_two,
  radius_of_selected,
  literal_swapped,
  counts_open
};
std::vector<Reported> plain_separability(const BoundRow& row, SeparabilityFlaw flaw = SeparabilityFlaw::none);

enum class JacobianFlaw : std::uint8_t {
  none,
  rest_by_subtraction,
  early_stop,
  bound_for_norm,
  temperature_forgotten,
  tie_as_ordinary,
  frobenius_cancels,
  input_error_ignored
};
std::vector<Reported> plain_softmax_jacobian(const BoundRow& row, JacobianFlaw flaw = JacobianFlaw::none);

enum class OperatorFlaw : std::uint8_t { none, weights_not_divided, largest_column };
std::vector<Reported> plain_operator_norm(const BoundRow& row, OperatorFlaw flaw = OperatorFlaw::none);

enum class HeadFlaw : std::uint8_t {
  none,
  binary_logarithm,
  margin_unsorted,
  support_by_threshold,
  top_mass_off_by_one
};
std::vector<Reported> plain_head_statistics(const BoundRow& row, HeadFlaw flaw = HeadFlaw::none);

enum class QuotientFlaw : std::uint8_t { none, eps_forgotten, direction_not_unit, cancellation_forgotten };
std::vector<Reported> plain_difference_quotient(const BoundRow& row, QuotientFlaw flaw = QuotientFlaw::none);

}  // namespace attncert

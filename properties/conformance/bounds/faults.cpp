#include "properties/conformance/bounds/faults.hpp"

#include "properties/conformance/bounds/plain.hpp"

namespace attncert {
namespace {

template <auto kernel, auto flaw>
std::vector<Reported> with(const BoundRow& row) {
  return kernel(row, flaw);
}

using D = DistanceFlaw;
using S = SeparabilityFlaw;
using J = JacobianFlaw;
using O = OperatorFlaw;
using H = HeadFlaw;
using Q = QuotientFlaw;

constexpr std::string_view paper = "a reading of arXiv 2508.17821", slip = "a slip of an index",
                           analysis = "a wrong rounding analysis", shortcut = "a shortcut",
                           definition = "another definition of the same name";

// clang-format off: one fault a line
constexpr Fault wrong(std::string_view name, std::string_view bound, std::string_view text, std::string_view imitates,
                      BoundKernel kernel) {
  return {name, text, imitates, nullptr, "", "", true, bound, kernel};
}

constexpr Fault right(std::string_view name, std::string_view bound, std::string_view text, BoundKernel kernel) {
  return {name, text, "", nullptr, "", "", false, bound, kernel};
}

// The list is made of constants: tests register themselves by it before main.
constexpr Fault list[] = {
    wrong("fault.norm-outside-the-sum", "distance", "the norm of the sum for the sum of norms",
          "one public review of arXiv 2508.17821", with<plain_distance, D::norm_outside>),
    wrong("fault.context-of-all", "distance", "s over all tokens", slip, with<plain_distance, D::context_of_all>),
    wrong("fault.ties-by-the-higher-index", "distance", "of equal weights the last is selected",
          "sorting upwards and reading backwards", with<plain_distance, D::ties_by_higher>),
    wrong("fault.selected-included", "distance", "the sum runs over the selected tokens too", slip,
          with<plain_distance, D::selected_included>),
    wrong("fault.square-in-corrected", "distance", "the corrected bound keeps the printed square", paper,
          with<plain_distance, D::square_in_corrected>),
    wrong("fault.diameter-of-all-pairs", "distance", "d_1 over all pairs of tokens",
          "the index typo of arXiv 2508.17821", with<plain_distance, D::diameter_of_all>),
    wrong("fault.cancellation-forgotten", "distance", "the error is the last rounding's, whatever cancelled before",
          analysis, with<plain_distance, D::cancellation_forgotten>),
    wrong("fault.single-sums", "distance", "sums in f32 under an error bound of f64", analysis,
          with<plain_distance, D::single_sums>),
    wrong("fault.one-more-selected", "distance", "N + 1 tokens are selected", slip,
          with<plain_distance, D::off_by_one>),
    wrong("fault.moment-factor", "distance", "N / (L-1) for N (N-3) / (L-1) in the second moment",
          "forgetting that inclusions are dependent", with<plain_distance, D::moment_factor>),
    wrong("fault.error-zero", "distance", "no error at all is stated", analysis, with<plain_distance, D::error_zero>),
    wrong("fault.mass-not-divided", "distance", "A is the sum of the weights as given", definition,
          with<plain_distance, D::mass_not_divided>),
    wrong("fault.unknown-at-half", "distance", "says nothing at N = L / 2", shortcut,
          with<plain_distance, D::unknown_at_half>),
    wrong("fault.error-of-a-hundredth", "distance", "true, and of no use: one part in a hundred", shortcut,
          with<plain_distance, D::error_useless>),
    wrong("fault.largest-r", "separability", "r is the largest distance of an unselected token", slip,
          with<plain_separability, S::largest_r>),
    wrong("fault.strict-count", "separability", "N_s with < for <=, and rounding ignored", slip,
          with<plain_separability, S::strict_count>),
    wrong("fault.k-may-be-i", "separability", "the double sum of the distinct reading allows k = i", paper,
          with<plain_separability, S::index_once_more>),
    wrong("fault.delta-of-selected", "separability", "delta over the selected tokens alone", definition,
          with<plain_separability, S::delta_of_selected>),
    wrong("fault.exponent-two", "separability", "2 M^2 for 16 M^2 in the upper bound",
          "Hoeffding's constant in place of the printed one", with<plain_separability, S::exponent_two>),
    wrong("fault.radius-of-selected", "separability", "M over the selected tokens alone", definition,
          with<plain_separability, S::radius_of_selected>),
    wrong("fault.literal-is-distinct", "separability", "the literal reading answered with the distinct one", paper,
          with<plain_separability, S::literal_swapped>),
    wrong("fault.counts-open", "separability", "every count is left open", shortcut,
          with<plain_separability, S::counts_open>),
    wrong("fault.rest-by-subtraction", "softmax-jacobian", "1 - p_1 by subtraction in f64",
          "every naive implementation", with<plain_softmax_jacobian, J::rest_by_subtraction>),
    wrong("fault.early-stop", "softmax-jacobian", "the iteration stops after 20 steps",
          "power iteration with a fixed count", with<plain_softmax_jacobian, J::early_stop>),
    wrong("fault.bound-for-norm", "softmax-jacobian", "p_1 (1 - p_1 + p_2) returned as the norm",
          "taking an upper bound for the value", with<plain_softmax_jacobian, J::bound_for_norm>),
    wrong("fault.temperature-forgotten", "softmax-jacobian", "T is left out", slip,
          with<plain_softmax_jacobian, J::temperature_forgotten>),
    wrong("fault.tie-as-ordinary", "softmax-jacobian", "p_1 = p_2 treated as if the secular equation had its root",
          "deflation forgotten", with<plain_softmax_jacobian, J::tie_as_ordinary>),
    wrong("fault.frobenius-cancels", "softmax-jacobian", "A - 2 sum p^3 + A^2 with the error of its last rounding",
          analysis, with<plain_softmax_jacobian, J::frobenius_cancels>),
    wrong("fault.input-error-ignored", "softmax-jacobian", "weights of a stated error taken as exact", analysis,
          with<plain_softmax_jacobian, J::input_error_ignored>),
    wrong("fault.weights-not-divided", "operator-norm", "a is not divided by its sum", definition,
          with<plain_operator_norm, O::weights_not_divided>),
    wrong("fault.largest-column", "operator-norm", "the largest column for the spectral norm",
          "taking a lower bound for the value", with<plain_operator_norm, O::largest_column>),
    wrong("fault.binary-logarithm", "head-statistics", "entropy in bits", definition,
          with<plain_head_statistics, H::binary_logarithm>),
    wrong("fault.margin-unsorted", "head-statistics", "p_1 minus the weight of token 1", slip,
          with<plain_head_statistics, H::margin_unsorted>),
    wrong("fault.support-by-threshold", "head-statistics", "weights below 1e-12 of the largest do not count", shortcut,
          with<plain_head_statistics, H::support_by_threshold>),
    wrong("fault.top-mass-of-one-more", "head-statistics", "mass of the k + 1 largest", slip,
          with<plain_head_statistics, H::top_mass_off_by_one>),
    wrong("fault.eps-forgotten", "difference-quotient", "the difference is not divided by eps", slip,
          with<plain_difference_quotient, Q::eps_forgotten>),
    wrong("fault.direction-not-unit", "difference-quotient", "the direction keeps its length", slip,
          with<plain_difference_quotient, Q::direction_not_unit>),
    wrong("fault.difference-in-f64", "difference-quotient",
          "two rows of weights in f64 subtracted, cancellation forgotten", analysis,
          with<plain_difference_quotient, Q::cancellation_forgotten>),
    right("right.distance", "distance", "from the definitions, long double", with<plain_distance, D::none>),
    right("right.separability", "separability", "from the definitions, long double", with<plain_separability, S::none>),
    right("right.softmax-jacobian", "softmax-jacobian", "two bisections of the secular equation",
          with<plain_softmax_jacobian, J::none>),
    right("right.operator-norm", "operator-norm", "repeated squaring of the dense Gram matrix",
          with<plain_operator_norm, O::none>),
    right("right.head-statistics", "head-statistics", "from the definitions, long double",
          with<plain_head_statistics, H::none>),
    right("right.difference-quotient", "difference-quotient", "from the definition, with expm1",
          with<plain_difference_quotient, Q::none>),
};
// clang-format on

}  // namespace

std::span<const Fault> bound_faults() { return list; }

}  // namespace attncert

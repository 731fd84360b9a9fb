#include "properties/faults/faults.hpp"

#include "properties/faults/softmax_flaws.hpp"
#include "properties/faults/sparsemax_flaws.hpp"

namespace attncert {
namespace {

using flaws::Flaw;
using flaws::SparsemaxFlaw;

template <Flaw flaw, bool logarithm = false, class T = float>
Fault fault(const char* name, std::string_view text, std::string_view case_name = "", std::string_view habit = "") {
  static const attncert_kernel kernel = flaws::descriptor<flaw, logarithm, T>(name);
  return {name, text, &kernel, case_name, habit};
}

template <SparsemaxFlaw flaw>
Fault sparsemax_fault(const char* name, std::string_view text) {
  static const attncert_kernel kernel = flaws::sparsemax_descriptor<flaw>(name);
  return {name, text, &kernel, "", ""};
}

constexpr std::string_view long_row = "bar:s=3:T=1:L=262147";

}  // namespace

std::span<const Fault> faults() {
  static const Fault list[] = {
      fault<Flaw::returns_zeros>("fault.zeros", "returns zeros"),
      fault<Flaw::returns_uniform>("fault.uniform", "returns 1/L everywhere"),
      fault<Flaw::no_max_subtraction>("fault.no-max", "does not subtract the largest logit"),
      fault<Flaw::max_starts_at_zero>("fault.max-from-zero", "the running maximum starts at 0"),
      fault<Flaw::max_of_absolute>("fault.max-of-absolute", "subtracts the largest magnitude"),
      fault<Flaw::last_lane_missing>("fault.last-lane", "the last entry is missing from the sum"),
      fault<Flaw::exp_zero_below_minus_10>("fault.exp-cut", "exp(t) = 0 below t = -10"),
      fault<Flaw::exp_three_percent>("fault.exp-3-percent", "exp with an error of up to 3%"),
      fault<Flaw::temperature_off>("fault.temperature-off", "temperature wrong by a thousandth"),
      fault<Flaw::rounded_difference>("fault.rounded-difference", "z - max rounded to f32, as three-pass kernels do"),
      fault<Flaw::f32_running_sum>("fault.f32-sum", "one f32 running sum", long_row),
      fault<Flaw::bf16_running_sum>("fault.bf16-sum", "one bf16 running sum"),
      fault<Flaw::flushes_below_1e7>("fault.flush-1e-7", "weights below 1e-7 become 0"),
      fault<Flaw::flushes_subnormals>("fault.flush-subnormal", "subnormal weights become 0"),
      fault<Flaw::lanes_reversed>("fault.lanes-reversed", "the last 8 lanes are stored in reverse"),
      fault<Flaw::nan_ignored>("fault.nan-ignored", "a NaN logit is treated as masked"),
      fault<Flaw::masked_value_leaks>("fault.masked-max", "masked logits take part in the maximum"),
      fault<Flaw::masked_counts_in_sum>("fault.masked-sum", "masked logits take part in the sum"),
      fault<Flaw::fully_masked_uniform>("fault.masked-row-uniform", "a fully masked row becomes uniform"),
      fault<Flaw::infinity_gives_nan>("fault.infinity-nan", "+inf gives NaN"),
      fault<Flaw::accepts_bad_temperature>("fault.bad-temperature", "T <= 0, NaN and infinite T are computed with"),
      fault<Flaw::writes_padding>("fault.padding", "writes one entry behind the row"),
      fault<Flaw::last_entry_unwritten>("fault.unwritten", "leaves the last entry as it was"),
      fault<Flaw::rounded_difference, false, double>("fault.f64-through-f32", "f64 softmax of f32 differences"),
      fault<Flaw::temperature_ignored>("fault.temperature-ignored", "computes at T = 1 whatever T is"),
      fault<Flaw::maximum_of_earlier_rows>("fault.earlier-rows", "the maximum of earlier rows of the batch is kept", "",
                                           "rows-independent"),
      fault<Flaw::second_call_differs>("fault.unrepeatable", "every other call differs by one ulp", "", "repeatable"),
      fault<Flaw::rounding_mode_left>("fault.rounding-mode", "leaves the rounding mode upward", "", "environment-kept"),
      fault<Flaw::last_lane_missing, true>("fault.log-last-lane", "log-softmax without the last entry in the sum"),
      fault<Flaw::log_of_softmax, true>("fault.log-of-softmax", "log-softmax as log(softmax)"),
      fault<Flaw::no_max_subtraction, true>("fault.log-no-max", "log-softmax without subtracting the largest logit"),
      fault<Flaw::exp_zero_below_minus_10, true>("fault.log-exp-cut", "log-softmax with exp(t) = 0 below t = -10"),
      sparsemax_fault<SparsemaxFlaw::support_one_short>("fault.support-short", "sparsemax: the support is one short"),
      sparsemax_fault<SparsemaxFlaw::support_one_too_many>("fault.support-long", "sparsemax: one entry too many"),
      sparsemax_fault<SparsemaxFlaw::small_weights_dropped>("fault.small-dropped", "sparsemax: weights below 1e-6 become 0"),
      sparsemax_fault<SparsemaxFlaw::masked_value_leaks>("fault.sparsemax-masked", "sparsemax: masked logits take part"),
  };
  return list;
}

std::span<const attncert_kernel* const> right_kernels() {
  static const attncert_kernel softmax = flaws::descriptor<Flaw::none, false, float>("right.softmax.f32");
  static const attncert_kernel log_softmax = flaws::descriptor<Flaw::none, true, float>("right.log-softmax.f32");
  static const attncert_kernel sparsemax = flaws::sparsemax_descriptor<SparsemaxFlaw::none>("right.sparsemax.f32");
  static const attncert_kernel* const list[] = {&softmax, &log_softmax, &sparsemax};
  return list;
}

}  // namespace attncert

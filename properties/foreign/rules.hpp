// The rules of one call that include/attncert/kernel.h states: a right call of two rows, bent in one place, and the status that
// it gets. Names are those of cases: "rule:null-input".
#pragma once

#include <cstdint>
#include <string_view>

#include "attncert/kernel.h"

namespace attncert::foreign {

enum class Rule : std::uint32_t {
  none,
  null_input,
  null_output,
  null_upstream,
  short_input_stride,
  short_output_stride,
  short_mask_stride,
  short_upstream_stride,
  strides_of_one_row,
  no_rows,
  no_rows_no_buffers,
  no_entries,
  no_entries_no_buffers,
  older_arguments,
  newer_arguments,
  older_parameters,
  newer_parameters,
  bad_parameter,
  no_scratch,
  short_scratch,
  zero_temperature,
  negative_temperature,
  infinite_temperature,
  nan_temperature
};

struct RuleOfCall {
  Rule rule;
  std::string_view name;
  attncert_status status;  // ATTNCERT_OK: and what the right call writes, or nothing where there is nothing to write
};

inline constexpr RuleOfCall rules_of_calls[] = {
    {Rule::null_input, "rule:null-input", ATTNCERT_BAD_ARGUMENT},
    {Rule::null_output, "rule:null-output", ATTNCERT_BAD_ARGUMENT},
    {Rule::null_upstream, "rule:null-upstream", ATTNCERT_BAD_ARGUMENT},
    {Rule::short_input_stride, "rule:short-input-stride", ATTNCERT_BAD_ARGUMENT},
    {Rule::short_output_stride, "rule:short-output-stride", ATTNCERT_BAD_ARGUMENT},
    {Rule::short_mask_stride, "rule:short-mask-stride", ATTNCERT_BAD_ARGUMENT},
    {Rule::short_upstream_stride, "rule:short-upstream-stride", ATTNCERT_BAD_ARGUMENT},
    {Rule::strides_of_one_row, "rule:strides-of-one-row", ATTNCERT_OK},
    {Rule::no_rows, "rule:no-rows", ATTNCERT_OK},
    {Rule::no_rows_no_buffers, "rule:no-rows-no-buffers", ATTNCERT_OK},
    {Rule::no_entries, "rule:no-entries", ATTNCERT_OK},
    {Rule::no_entries_no_buffers, "rule:no-entries-no-buffers", ATTNCERT_OK},
    {Rule::older_arguments, "rule:older-arguments", ATTNCERT_BAD_ARGUMENT},
    {Rule::newer_arguments, "rule:newer-arguments", ATTNCERT_OK},
    {Rule::older_parameters, "rule:older-parameters", ATTNCERT_OK},
    {Rule::newer_parameters, "rule:newer-parameters", ATTNCERT_OK},
    {Rule::bad_parameter, "rule:bad-parameter", ATTNCERT_BAD_PARAMETER},
    {Rule::no_scratch, "rule:no-scratch", ATTNCERT_SHORT_SCRATCH},
    {Rule::short_scratch, "rule:short-scratch", ATTNCERT_SHORT_SCRATCH},
    {Rule::zero_temperature, "rule:zero-temperature", ATTNCERT_BAD_TEMPERATURE},
    {Rule::negative_temperature, "rule:negative-temperature", ATTNCERT_BAD_TEMPERATURE},
    {Rule::infinite_temperature, "rule:infinite-temperature", ATTNCERT_BAD_TEMPERATURE},
    {Rule::nan_temperature, "rule:nan-temperature", ATTNCERT_BAD_TEMPERATURE},
};

constexpr const RuleOfCall& entry_of(Rule rule) {
  for (const RuleOfCall& entry : rules_of_calls)
    if (entry.rule == rule) return entry;
  return rules_of_calls[0];
}

constexpr bool writes_nothing(Rule rule) {
  return rule == Rule::no_rows || rule == Rule::no_rows_no_buffers || rule == Rule::no_entries ||
         rule == Rule::no_entries_no_buffers;
}

// What the normalizer of that name reads, as kernel.h says beside each parameter; null = nothing.
constexpr const char* parameter_of(std::string_view normalizer) {
  constexpr std::string_view derivative = "-vjp";
  if (normalizer.ends_with(derivative)) normalizer.remove_suffix(derivative.size());
  if (normalizer == "entmax") return "alpha";
  if (normalizer == "top-k-softmax") return "k";
  if (normalizer == "taylor-softmax") return "order";
  if (normalizer == "ssmax") return "scale";
  return normalizer == "sigmoid" ? "bias" : nullptr;
}

constexpr bool applies(Rule rule, std::string_view normalizer) {
  if (rule == Rule::bad_parameter) return parameter_of(normalizer) != nullptr;
  if (rule == Rule::null_upstream || rule == Rule::short_upstream_stride) return normalizer.ends_with("-vjp");
  return true;
}

}  // namespace attncert::foreign

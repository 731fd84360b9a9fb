// The rules of one call that include/attncert/kernel.h states: a right call of two rows, bent in one place, and the status that
// it gets; behind them those of a question for scratch, which has no status. Names are those of cases: "rule:null-input".
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
  nan_temperature,
  short_stride_of_no_mask,
  huge_stride_of_no_mask,
  short_stride_of_no_upstream,
  huge_stride_of_no_upstream,
  no_rows_no_scratch,
  no_entries_no_scratch,
  scratch_without_buffers,  // from here on: rules of scratch_needed
  scratch_of_no_rows,
  scratch_of_no_entries,
  scratch_of_short_strides,
  scratch_of_bad_temperature,
  scratch_of_bad_parameter,
  scratch_of_older_arguments
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
    {Rule::short_stride_of_no_mask, "rule:short-stride-of-no-mask", ATTNCERT_OK},
    {Rule::huge_stride_of_no_mask, "rule:huge-stride-of-no-mask", ATTNCERT_OK},
    {Rule::short_stride_of_no_upstream, "rule:short-stride-of-no-upstream", ATTNCERT_OK},
    {Rule::huge_stride_of_no_upstream, "rule:huge-stride-of-no-upstream", ATTNCERT_OK},
    {Rule::no_rows_no_scratch, "rule:no-rows-no-scratch", ATTNCERT_OK},
    {Rule::no_entries_no_scratch, "rule:no-entries-no-scratch", ATTNCERT_OK},
    {Rule::scratch_without_buffers, "rule:scratch-without-buffers", ATTNCERT_OK},
    {Rule::scratch_of_no_rows, "rule:scratch-of-no-rows", ATTNCERT_OK},
    {Rule::scratch_of_no_entries, "rule:scratch-of-no-entries", ATTNCERT_OK},
    {Rule::scratch_of_short_strides, "rule:scratch-of-short-strides", ATTNCERT_OK},
    {Rule::scratch_of_bad_temperature, "rule:scratch-of-bad-temperature", ATTNCERT_OK},
    {Rule::scratch_of_bad_parameter, "rule:scratch-of-bad-parameter", ATTNCERT_OK},
    {Rule::scratch_of_older_arguments, "rule:scratch-of-older-arguments", ATTNCERT_OK},
};

constexpr const RuleOfCall& entry_of(Rule rule) {
  for (const RuleOfCall& entry : rules_of_calls)
    if (entry.rule == rule) return entry;
  return rules_of_calls[0];
}

constexpr bool writes_nothing(Rule rule) {
  return rule == Rule::no_rows || rule == Rule::no_rows_no_buffers || rule == Rule::no_entries ||
         rule == Rule::no_entries_no_buffers || rule == Rule::no_rows_no_scratch || rule == Rule::no_entries_no_scratch;
}

constexpr bool takes_scratch_away(Rule rule) {
  return rule == Rule::no_scratch || rule == Rule::short_scratch || rule == Rule::no_rows_no_scratch ||
         rule == Rule::no_entries_no_scratch;
}

// A kernel that never needs scratch has no such function, and passes.
constexpr bool asks_for_scratch(Rule rule) { return rule >= Rule::scratch_without_buffers; }

// What of a normalizer decides which rules its kernels have.
struct Reads {
  bool upstream, parameter;
};

constexpr bool applies(Rule rule, Reads reads) {
  if (rule == Rule::bad_parameter) return reads.parameter;
  if (rule == Rule::null_upstream || rule == Rule::short_upstream_stride) return reads.upstream;
  if (rule == Rule::short_stride_of_no_upstream || rule == Rule::huge_stride_of_no_upstream) return !reads.upstream;
  return true;
}

}  // namespace attncert::foreign

// Cases of what a call says beside the numbers of q, k and v: values that tests elsewhere mostly hold fast, as a kernel
// that takes these for granted is right on all other groups.
#pragma once

#include <vector>

#include "properties/dumps/case_maker.hpp"

namespace attncert {

std::vector<CaseInputs> scale_cases(CaseMaker& maker);       // other than 1 / sqrt(size)
std::vector<CaseInputs> top_left_cases(CaseMaker& maker);    // a diagonal that begins there: causal_offset 0
std::vector<CaseInputs> bias_cases(CaseMaker& maker);        // of each head and batch, and of -inf
std::vector<CaseInputs> mask_cases(CaseMaker& maker);        // of each head and batch, with other bytes than 0 and 1
std::vector<CaseInputs> many_heads_cases(CaseMaker& maker);  // sinks and slopes of each, many KV heads and batches
std::vector<CaseInputs> long_cases(CaseMaker& maker);  // lengths, windows and queries that one byte does not count

// Of each feature that is not wanted, where such cases are: to be declined, or computed. Not of what the arguments hold
// behind causal_offset and window, which the author of an older kernel did not know.
std::vector<CaseInputs> undeclared_cases(CaseMaker& maker);

}  // namespace attncert

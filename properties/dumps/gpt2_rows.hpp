// Queries, keys and values of one head of a trained GPT-2 (data/tiny-gpt2), that a case needs no model.
#pragma once

#include <string_view>

#include "properties/dumps/case_maker.hpp"

namespace attncert {

inline constexpr std::size_t gpt2_tokens = 48, gpt2_head_size = 32;

// Row-major, a row a token; each entry the four hexadecimal digits of a bf16. gpt2_rows.cpp says of what.
extern const std::string_view gpt2_queries, gpt2_keys, gpt2_values;

// The head in a causal call, as the model makes it, where the wished heads have its size; else its entries are cut, or
// begin anew.
CaseInputs gpt2_case(CaseMaker& maker);

}  // namespace attncert

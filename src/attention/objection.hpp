// What is wrong with a call of attention: the name of the first field, as attncert/attention.h has it, that no valid
// call has so; "" where nothing is.
#pragma once

#include <string_view>

#include "attncert/attention.h"

namespace attncert {

std::string_view objection(const attncert_attention_arguments& arguments);
// To a backward pass, whose arguments have lse.
std::string_view objection(const attncert_attention_arguments& arguments,
                           const attncert_attention_gradients& gradients);

}  // namespace attncert

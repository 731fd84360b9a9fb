// The budget a kernel is judged by, in ulp: what stands beside the built-in kernel of the same normalizer and type.
// A kernel of one's own is held to the same bar.
#pragma once

#include <string_view>

#include "attncert/kernel.h"

namespace attncert {

double budget_ulp(std::string_view normalizer, attncert_dtype dtype, double temperature);
double budget_ulp(const attncert_kernel& kernel, double temperature);

}  // namespace attncert

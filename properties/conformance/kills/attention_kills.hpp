// Attention kernels of the fault list: our verdict on the cases that `attncert judge --library` gives a kernel, and
// what each acceptance rule in use says of the same outputs, and of those on inputs that are customary elsewhere.
#pragma once

#include <vector>

#include "properties/conformance/kills/kill_matrix.hpp"

namespace attncert {

// The verdict first; then, unless the plan wants the first catch only, two of each rule (Kill::rule_on).
std::vector<Kill> attention_kills(const Fault& fault, const KillPlan& plan);

}  // namespace attncert

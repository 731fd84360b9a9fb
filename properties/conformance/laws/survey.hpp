// The laws in an accuracy campaign. Every kernel on every instruction set is asked for each law that its normalizer
// declares, on the same tapes, numbered from 0. Built-in kernels also get the calling-convention checks; for kernels of
// an external library the host makes these (properties/conformance/external).
#pragma once

#include <string_view>
#include <vector>

#include "properties/conformance/accuracy/accuracy.hpp"

namespace attncert {

// Before the name of a case that asks for one law alone.
inline constexpr std::string_view law_case = "law:";
// Fills in the fields about laws in the rows of run_accuracy(plan). The case "law:NAME" asks for that law alone; any
// other case asks for none.
void judge_laws(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const AccuracyProgress& progress = {});

}  // namespace attncert

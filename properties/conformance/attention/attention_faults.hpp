// Deliberately wrong attention kernels, and right ones of unusual form beside them: rows of the one list of faults
// (properties/conformance/suite). Each descriptor names its rounding class.
#pragma once

#include <span>
#include <vector>

#include "properties/conformance/faults/faults.hpp"

namespace attncert {

// A fault's `case_name` is the group of cases that is made for it (properties/dumps/cases.hpp).
std::span<const Fault> attention_faults();

// Of them the right ones without a backward pass.
std::vector<Fault> right_attention();

// Of them those with a backward pass, behind a right forward one.
std::vector<Fault> backward_faults();

}  // namespace attncert

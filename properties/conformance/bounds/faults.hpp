// Deliberately wrong bound kernels, and right plain ones beside them: rows of the one list of faults
// (properties/conformance/suite).
#pragma once

#include <span>

#include "properties/conformance/faults/faults.hpp"

namespace attncert {

std::span<const Fault> bound_faults();

}  // namespace attncert

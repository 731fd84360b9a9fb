// The classes of inputs that a campaign draws, counted without calling a kernel: docs/input-classes.md and the test
// that no class is without a row.
#pragma once

#include <string>

#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/inputs/coverage.hpp"

namespace attncert {

// Of all rows that the effort draws for kernels of this normalizer and input type. `shared` keeps rows for the next
// call.
InputCoverage drawn_inputs(const Normalizer& normalizer, attncert_dtype dtype, Effort effort, std::uint64_t seed,
                           SharedRows& shared);

// Class by normalizer as a page: rows of quick effort, seed 1, the fewest over the four types.
std::string input_classes_page();

}  // namespace attncert

// e^x and e^x - 1 of ends of DoubleIntervals, in vectors: what takes most of an exponential's time is waiting, and
// between numbers that are side by side nobody waits. docs/reference.md has the proof; on every instruction set the
// same bits.
#pragma once

#include <cstddef>

namespace attncert::double_functions {

// `ends` holds `pairs` of ends, the lower one negated, as DoubleInterval keeps them: each becomes that of an interval
// around the function of the pair's. Nothing is allocated.
void exp(double* ends, std::size_t pairs);
void expm1(double* ends, std::size_t pairs);

}  // namespace attncert::double_functions

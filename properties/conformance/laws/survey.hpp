// The laws over the lanes of an accuracy campaign: every law that the normalizer declares and, of the built-in kernels, every
// habit (of kernels of one's own the host looks at these: properties/conformance/external), on tapes numbered from 0, the same for all lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/conformance/accuracy/accuracy.hpp"

namespace attncert {

// So many cases that say something a law is tried on: 3 at quick effort, which has 20 s for all, and where ctest has 300 tapes
// beside it (tests/properties/conformance/laws/laws_test.cpp); each costs all lanes about a second of processor time.
std::uint64_t law_cases(Effort effort);

// Fills in what the rows of run_accuracy(plan) say of laws. The case "law:NAME" is that law alone; of any other one case
// nothing is asked.
void judge_laws(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const AccuracyProgress& progress = {});

}  // namespace attncert

// The laws over the lanes of an accuracy campaign: every law that the normalizer declares and every habit, on tapes numbered
// from 0, the same for all lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/accuracy/accuracy.hpp"

namespace attncert {

// Tapes that a law is tried on: a handful at quick effort, where ctest has hundreds beside it (tests/properties/laws_test.cpp).
std::uint64_t law_tapes(Effort effort);

// Fills in what the rows of run_accuracy(plan) say of laws. The case "law:NAME" is that law alone; of any other one case
// nothing is asked.
void judge_laws(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const AccuracyProgress& progress = {});

}  // namespace attncert

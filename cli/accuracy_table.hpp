// The rows of an accuracy campaign for people.
#pragma once

#include <string>
#include <vector>

#include "properties/conformance/accuracy/accuracy.hpp"

namespace attncert::cli {

// The devices that judged these rows, as their records name them; "" where none did.
std::string judges_of(const std::vector<AccuracyRow>& rows);

// Prints a line for each kernel and what its rows were of, takes away rows that nothing was asked of, and returns the
// exit status. `more`: the options that repeat a row, beside its own.
int show_accuracy(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const std::string& more);

}  // namespace attncert::cli

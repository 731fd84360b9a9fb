// The bounds' campaign as part of the accuracy job: lines of the same table, one a subject, type and instruction set. An error
// that holds but is of no use counts as outside, and the witness says so.
#pragma once

#include <string_view>
#include <vector>

#include "properties/conformance/accuracy/accuracy.hpp"

namespace attncert {

// The plan's normalizers name subjects (empty = all); its case is a row ("row:17").
std::vector<AccuracyRow> run_bound_accuracy(const AccuracyPlan& plan, const AccuracyProgress& progress = {});
bool is_bound_row(std::string_view case_name);

}  // namespace attncert

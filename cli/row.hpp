// attncert accuracy --row: one row that somebody writes down, entry by entry: what a kernel says, what is exact, how
// far apart.
#pragma once

#include <span>

#include "attncert/kernel.h"
#include "cli/commands.hpp"

namespace attncert::cli {

// Prints, for each kernel among those that the options choose, the row and its judgement. Status 1 when one is beyond
// its budget or breaks the contract it declares, 3 when an entry stays undecided.
int judge_row_of(const AccuracyOptions& options, std::span<const attncert_kernel* const> kernels);

}  // namespace attncert::cli

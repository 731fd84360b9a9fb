// attncert accuracy --library: the library, and what is said about its kernels beside the table of errors.
#pragma once

#include <memory>

#include "properties/conformance/external/foreign_library.hpp"
#include "cli/commands.hpp"

namespace attncert::cli {

// An error when it cannot be loaded, or when none of its kernels is of a normalizer that the suite knows.
Result<std::unique_ptr<ForeignLibrary>> foreign_library(const AccuracyOptions& options);

// Calls that are right but for one thing (docs/kernels.md): for the kernels that the options name, unless one case is
// asked for. True when that case is one of these, and has been judged.
bool judge_rules(ForeignLibrary& library, const AccuracyOptions& options);

// Prints how the kernels behaved; true when one of them did what the door forbids.
bool print_conduct(const ForeignLibrary& library);

}  // namespace attncert::cli

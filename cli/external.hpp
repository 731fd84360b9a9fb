// attncert accuracy --library: opens the library, and prints what the table of errors does not show of its kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "properties/conformance/external/external_library.hpp"

namespace attncert::cli {

// An error when the library cannot be loaded, or when the suite knows the normalizer of none of its kernels.
Result<std::unique_ptr<ExternalLibrary>> open_external_library(const AccuracyOptions& options);

// The kernels of the library whose normalizer the suite knows: the others are not judged.
std::vector<const attncert_kernel*> known_kernels(const ExternalLibrary& library);

// Runs the conduct checks and the invalid-call tests (docs/kernels.md) of the kernels that the options name, unless the
// options ask for a case of another kind. True when they ask for one of these and a kernel got it.
bool run_calling_tests(ExternalLibrary& library, const AccuracyOptions& options);

// Prints the ABI violations of the kernels; true when there is one.
bool print_violations(const ExternalLibrary& library);

}  // namespace attncert::cli

// attncert accuracy --library: opens the library, and tests how its kernels take calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "properties/conformance/external/external_library.hpp"

namespace attncert::cli {

// An error when the library cannot be loaded, or when the suite knows the normalizer of none of its kernels.
Result<std::unique_ptr<ExternalLibrary>> open_external_library(const AccuracyOptions& options);

// The kernels of the library whose normalizer the suite knows: the others are not judged.
std::vector<const attncert_kernel*> known_kernels(const ExternalLibrary& library);

// Of conduct, or of an invalid call.
bool names_a_calling_test(std::string_view only_case);
// Runs the conduct checks and the invalid-call tests (docs/kernels.md) of a kernel, or the one that is named, unless a
// case of another kind is. True when one was named.
bool run_calling_tests(ExternalLibrary& library, const attncert_kernel& kernel, const std::string& only_case);

// The ABI violations of the kernels, or of one, a line each.
std::string violation_lines(const ExternalLibrary& library, const attncert_kernel* only = nullptr);
void print_violations(std::uint64_t calls, const std::string& lines);

}  // namespace attncert::cli

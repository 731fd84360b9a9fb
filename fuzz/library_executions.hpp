// Executions of the target `normalizer` on kernels of an external library. Their calls are made in its process
// (properties/conformance/external), those of many executions by one message.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fuzz/normalizer_execution.hpp"
#include "properties/conformance/external/external_library.hpp"

namespace attncert {

// What the library's own record shows of a kernel already (ExternalLibrary::shows) is no news and not objected to.
void make_calls(ExternalLibrary& library, std::span<Execution> executions);

// The library that this process is to search.
struct SearchedLibrary {
  std::unique_ptr<ExternalLibrary> library;
  std::vector<const attncert_kernel*> kernels;  // of known normalizers
  std::vector<const attncert_kernel*> kernels_for(const NormalizerCase& one) const;
};

// ATTNCERT_FUZZ_LIBRARY=<file> and, of its kernels, the one that ATTNCERT_FUZZ_KERNEL=<name> names, or all of them;
// ATTNCERT_FUZZ_BUDGET=<class> holds them to that class of budgets.
// Null where there is none; a library or a name that cannot be used ends the process with status 2.
const SearchedLibrary* searched_library();

}  // namespace attncert

// Loads a library of kernels into this process and validates its descriptors.
#pragma once

#include <string>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/external/protocol.hpp"
#include "src/core/result.hpp"

namespace attncert::external {

struct LoadedLibrary {
  std::vector<attncert_kernel> kernels;  // copies, in which fields that the author did not know are zero
  std::string version = {};              // of what they call, as the library says it
  bool environment_changed = false;      // by its constructors, or by startup code that -ffast-math links in
};

Result<LoadedLibrary> load_library(const char* file);
Descriptor described(const attncert_kernel& kernel);

}  // namespace attncert::external

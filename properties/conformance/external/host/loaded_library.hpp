// A library of kernels in this process: loaded, asked for its descriptors, and these looked at.
#pragma once

#include <string>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/external/protocol.hpp"
#include "src/core/result.hpp"

namespace attncert::foreign {

struct LoadedLibrary {
  std::vector<attncert_kernel> kernels;  // copies: fields that the author did not know are zero
  bool environment_changed = false;      // by its constructors, or by the runtime that its flags bring along
};

Result<LoadedLibrary> load_library(const char* file);
Descriptor described(const attncert_kernel& kernel);

}  // namespace attncert::foreign

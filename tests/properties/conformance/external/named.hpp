// The kernel of a library by its name.
#pragma once

#include <string_view>

#include "properties/conformance/external/external_library.hpp"

namespace attncert {

// Null when there is none.
inline const attncert_kernel* named(const ExternalLibrary& library, std::string_view name) {
  for (const attncert_kernel* kernel : library.kernels())
    if (kernel->name == name) return kernel;
  return nullptr;
}

}  // namespace attncert

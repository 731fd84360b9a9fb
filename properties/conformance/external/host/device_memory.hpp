// Calls of kernels whose rows lie in memory of their library's own (attncert/memory.h): what the host has laid out goes
// there, strides and all, between red zones of NaN, and comes back afterwards. What a guard page would tell, the red
// zones tell of writes; a read beyond a buffer meets NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attncert/memory.h"
#include "properties/conformance/external/protocol.hpp"

namespace attncert::external {

// What is wrong with a library's memory, or "": then calls go through it from now on.
std::string use_memory(const attncert_memory& memory);

// A buffer of a call as it lies in this process. Not written: the kernel may not change it.
struct HostBuffer {
  Buffer what;
  std::byte* data;
  std::size_t bytes;
  bool written;
};

struct DeviceRun {
  std::int32_t status;
  std::vector<Finding> found{};  // what was changed without permission; the caller knows which run it was
};

// Calls the kernel with those of the buffers that the arguments point to, or as it is where no memory is in use.
DeviceRun call_kernel(const attncert_kernel& kernel, const attncert_arguments* given,
                      std::span<const HostBuffer> buffers);

}  // namespace attncert::external

// A kernel of src/device/kernels as a batch asks for it, and its launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "attncert/kernel.h"
#include "src/device/device.hpp"
#include "src/device/shapes.hpp"

namespace attncert {

struct DeviceProgram {
  std::string_view text;       // of kernel_texts.hpp, with one kernel in it
  std::string kernel;          // its name
  std::string options;         // beside those of the shape and of the storage
  device::Argument constants;  // its last argument: what a call has for all rows
};

// Rows on a device, in elements; no mask: all kept; an upstream gradient for derivatives alone. Rows begin at multiples
// of four elements.
struct DeviceBuffers {
  device::MemoryPointer input, output, mask;
  std::uint64_t length, input_stride, output_stride, mask_stride;
  device::MemoryPointer upstream = nullptr;
  std::uint64_t upstream_stride = 0;
};

device::Launch launch_of(const DeviceProgram& program, const device::Shape& shape, attncert_dtype storage,
                         std::size_t rows, const DeviceBuffers& buffers);

// Every kernel of a device, by its normalizer: the program of a call at T with these parameters.
struct DeviceKernel {
  const char* normalizer;
  DeviceProgram (*program)(double temperature, const attncert_parameters& parameters);
};
std::span<const DeviceKernel> device_programs();

}  // namespace attncert

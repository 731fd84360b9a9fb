// A launch of each kernel of bounds on drawn rows, and a hash of all that its buffers hold behind it. The numbers are
// made of integers by exact steps alone, so that one machine's hash is every machine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/bounds/device/tiles.hpp"
#include "src/device/device.hpp"

namespace attncert {

class DrawnLaunch;
struct BoundsKernel {
  std::string_view name, text;
  std::uint64_t (*hash)(DrawnLaunch& drawn);
};
std::span<const BoundsKernel> bounds_kernels();

// Three rows, the longest of `length`; built with `options` too. A failure of the device is one of the test.
std::uint64_t launched_hash(const device::Device& device, const BoundsKernel& kernel, std::size_t length,
                            bounds::TileShape shape = {}, const char* options = "");

}  // namespace attncert

// Rows through the bounds of a device, and the bits of all that comes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bounds/device/tiles.hpp"
#include "src/device/device.hpp"

namespace attncert {

// Over the first tokens of one set: steep, flat, tied, with weights of 0 and of either sign.
struct DrawnRows {
  std::size_t length, dimension;
  std::vector<double> tokens;
  std::vector<std::vector<double>> weights;
  std::vector<std::size_t> counts;

  DrawnRows(std::size_t length, std::size_t dimension);
};

// Curves, head statistics and norms of all rows, together or one by one. What the host adds is the same on one host:
// the same bits are the same answers of the device.
std::uint64_t bits_of(const device::Device& device, const DrawnRows& rows, bounds::TileShape shape = {},
                      bool one_by_one = false);

}  // namespace attncert

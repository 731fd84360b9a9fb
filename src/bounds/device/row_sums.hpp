// Head statistics and norms of softmax's Jacobian (src/bounds/head_statistics.hpp, jacobian.hpp) of many rows, their
// sums over the row added on a device, one with f64 (device::f64_device). The same bits on every device; errors proved
// in docs/bounds.md, "On a device".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/bounds/device/tiles.hpp"
#include "src/bounds/head_statistics.hpp"
#include "src/bounds/jacobian.hpp"
#include "src/device/device.hpp"

namespace attncert::bounds {

struct AskedWeights {
  std::span<const double> weights;
  double relative_error = 0;
  double temperature = 1;  // of a Jacobian
};

Result<std::vector<HeadStatistics>> device_head_statistics(const device::Device& device,
                                                           std::span<const AskedWeights> rows, std::size_t k,
                                                           TileShape shape = {});
Result<std::vector<SoftmaxJacobian>> device_softmax_jacobians(const device::Device& device,
                                                              std::span<const AskedWeights> rows, TileShape shape = {});

}  // namespace attncert::bounds

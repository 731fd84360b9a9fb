// Norms of any normalizer's Jacobian that has a formula (src/bounds/operator_norm.hpp) of many rows, the sums of their
// equations added on a device, one with f64 (device::f64_device). The weights come from the processor's kernels, and
// norms that are closed formulas (log-softmax, sparsemax, relu-normalized, sigmoid) ask a device for nothing.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/bounds/device/tiles.hpp"
#include "src/bounds/operator_norm.hpp"
#include "src/device/device.hpp"

namespace attncert::bounds {

struct AskedNorm {  // as operator_norm takes them
  std::string_view normalizer;
  std::span<const double> logits;
  double temperature = 1;
  const attncert_parameters* parameters = nullptr;
};
struct AskedSeparable {  // as separable_jacobian takes them
  std::span<const double> weights, slopes;
};

Result<std::vector<OperatorNorm>> device_operator_norms(const device::Device& device, std::span<const AskedNorm> rows,
                                                        TileShape shape = {});
Result<std::vector<OperatorNorm>> device_separable_jacobians(const device::Device& device,
                                                             std::span<const AskedSeparable> rows,
                                                             TileShape shape = {});

}  // namespace attncert::bounds

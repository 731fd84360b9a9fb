// Rows of bounds as src/bounds/device takes them, one at a time.
#pragma once

#include <vector>

#include "properties/conformance/bounds/curves.hpp"
#include "src/bounds/device/curves.hpp"
#include "src/core/assert.hpp"
#include "src/device/device.hpp"

namespace attncert::bound_subject {

// Whoever asks for answers of a device has looked whether there is one; that it fails is not foreseen.
inline const device::Device& device_of_bounds() {
  const auto& device = device::f64_device();
  ATTNCERT_ASSERT(device);
  return **device;
}

// take(distance, separability)
template <class Take>
void curves_on_device(const BoundRow& row, const Take& take) {
  const Inputs<double> inputs(row);
  const auto tokens = bounds::DeviceTokens::on(device_of_bounds(), inputs.view);
  ATTNCERT_ASSERT(tokens);
  const bounds::AskedRow asked{inputs.weights, inputs.points};
  const Result<Done> done = tokens->curves(
      {&asked, 1}, [&](std::size_t, const auto& distance, const auto& separability) { take(distance, separability); });
  ATTNCERT_ASSERT(done);
}

}  // namespace attncert::bound_subject

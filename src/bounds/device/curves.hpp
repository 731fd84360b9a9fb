// The curves of Theorems 1 and 2 (src/bounds/distance.hpp, separability.hpp) with everything that takes O(L^2 d) or
// O(L^2) computed on a device: inner products, the walk over the ranks, the sums and counts after each N. What is O(L)
// for a point stays on the host, by the formulas that the processor's own pass has. f64 throughout, the same bits on
// every device, errors proved in docs/bounds.md, "On a device".
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "src/bounds/device/tiles.hpp"
#include "src/bounds/distance.hpp"
#include "src/bounds/gram_rows.hpp"
#include "src/bounds/separability.hpp"
#include "src/device/device.hpp"

namespace attncert::bounds {

struct AskedRow {
  std::span<const double> weights;  // over the first tokens
  Points points;
  double token_error = 0;  // of the separability curves
};

class DeviceTokens {
 public:
  DeviceTokens(DeviceTokens&&) = default;
  DeviceTokens& operator=(DeviceTokens&&) = default;
  // Inner products of all pairs. An Error where the device has no memory for them, or fails. The tokens and the device,
  // one with f64 (device::f64_device), must outlive it.
  static Result<DeviceTokens> on(const device::Device& device, Tokens<double> tokens, TileShape shape = {});

  // Calls take(row, distance, separability) for every row in turn. As many rows go through the kernels at a time as
  // have about so many bytes of buffers, one at least.
  using Take = std::function<void(std::size_t row, const DistanceCurves&, const SeparabilityCurves&)>;
  Result<Done> curves(std::span<const AskedRow> rows, const Take& take,
                      std::size_t most_bytes = std::size_t{1} << 28) const;

 private:
  friend class DevicePass;
  DeviceTokens() = default;
  const device::Device* device_ = nullptr;
  TileShape shape_;
  std::vector<double> squared_norms_;
  GramFacts<double> facts_;
  PairDistances pairs_;
  std::size_t stride_ = 0;
  device::MemoryPointer products_, norms_;
};

}  // namespace attncert::bounds

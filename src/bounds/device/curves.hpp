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

// Bytes that a batch of rows may take beside the tokens, but for a batch of one row. 1024 tokens at every N take 0.6 MB
// of the host's and 0.24 MB of buffers: 2^28 are 470 such rows, 1880 groups, where an H100 has room for 1056 at a time
// (132 multiprocessors of 2048 threads).
struct BatchLimits {
  std::size_t host = std::size_t{1} << 28, device = std::size_t{1} << 28;
};

class DeviceTokens {
 public:
  DeviceTokens(DeviceTokens&&) = default;
  DeviceTokens& operator=(DeviceTokens&&) = default;
  // Inner products of all pairs. An Error where the device has no memory for them, or fails. The tokens and the device,
  // one with f64 (device::f64_device), must outlive it.
  static Result<DeviceTokens> on(const device::Device& device, Tokens<double> tokens, TileShape shape = {});

  // Calls take(row, distance, separability) for every row in turn, as many of which go through the kernels at a time as
  // `most` and the device's largest buffer hold. An Error where that is not even one row, before any is taken.
  using Take = std::function<void(std::size_t row, const DistanceCurves&, const SeparabilityCurves&)>;
  Result<Done> curves(std::span<const AskedRow> rows, const Take& take, BatchLimits most = {}) const;

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

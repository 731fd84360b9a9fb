// Equations over rows whose sums a device adds up: one launch for all rows that are not done, until all are
// (src/bounds/secular.hpp, separable_norm.hpp). Errors: docs/bounds.md, "On a device".
#pragma once

#include <span>
#include <vector>

#include "src/bounds/device/tiles.hpp"
#include "src/bounds/secular.hpp"
#include "src/bounds/separable_norm.hpp"
#include "src/device/device.hpp"

namespace attncert::bounds {

// With weights of their own, which outlive the thread's next spectrum.
class Spectra {
 public:
  void add(const Spectrum& spectrum) {
    rests_.emplace_back(spectrum.rest.begin(), spectrum.rest.end());
    list_.push_back(spectrum);
    list_.back().rest = rests_.back();
  }
  std::span<const Spectrum> list() const { return list_; }

 private:
  std::vector<std::vector<double>> rests_;
  std::vector<Spectrum> list_;
};

Result<std::vector<SecularRoot>> device_largest_roots(const device::Device& device, std::span<const Spectrum> spectra,
                                                      TileShape shape);
Result<std::vector<Scaled>> device_largest_singular_values(const device::Device& device,
                                                           std::span<const SeparableRow> rows, TileShape shape);

}  // namespace attncert::bounds

// A device of the host alone that runs the kernels of bounds (gram, own_products, rest, within, head, poles, inertia)
// and of the judge of rows (truths, judge) as a plain sequential program: their formulas, one place after the other,
// sums in the order that fold.cl and truths.cl state. What it gives is what every device must give, to the bit.
#pragma once

#include <cstddef>
#include <string>

#include "src/device/device.hpp"

namespace attncert {

class SequentialDevice final : public device::Device {
 public:
  // Buffers to so many bytes.
  explicit SequentialDevice(std::size_t most = static_cast<std::size_t>(-1)) : most_(most) {}
  std::string name() const override { return "the sequential program"; }
  bool interprets() const override { return false; }
  bool processor() const override { return true; }
  std::size_t most_allocated() const override { return most_; }
  Result<device::MemoryPointer> allocate(std::size_t bytes) const override;
  Result<Done> write(const device::Memory& to, const void* from, std::size_t bytes) const override;
  Result<Done> read(void* to, const device::Memory& from, std::size_t bytes) const override;
  Result<Done> launch(const device::Launch& launch) const override;
  std::size_t launches() const { return launches_; }

 private:
  std::size_t most_;
  mutable std::size_t launches_ = 0;
};

}  // namespace attncert

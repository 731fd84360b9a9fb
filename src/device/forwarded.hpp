// A device that does what another does, for those that differ from it in one thing: a mistake, a clock, a count.
#pragma once

#include <string>

#include "src/device/device.hpp"

namespace attncert::device {

class ForwardedDevice : public Device {
 public:
  explicit ForwardedDevice(const Device& to) : to_(to) {}
  std::string name() const override { return to_.name(); }
  bool interprets() const override { return to_.interprets(); }
  bool processor() const override { return to_.processor(); }
  std::size_t most_allocated() const override { return to_.most_allocated(); }
  Result<MemoryPointer> allocate(std::size_t bytes) const override { return to_.allocate(bytes); }
  Result<Done> write(const Memory& to, const void* from, std::size_t bytes) const override {
    return to_.write(to, from, bytes);
  }
  Result<Done> read(void* to, const Memory& from, std::size_t bytes) const override {
    return to_.read(to, from, bytes);
  }
  Result<Done> launch(const Launch& launch) const override { return to_.launch(launch); }

 protected:
  const Device& to_;
};

}  // namespace attncert::device

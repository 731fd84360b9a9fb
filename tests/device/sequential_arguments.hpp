// What the kernels of the sequential program (sequential_device.hpp) are called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "src/device/device.hpp"

namespace attncert {

class HostMemory final : public device::Memory {
 public:
  explicit HostMemory(std::size_t bytes) : words_((bytes + 7) / 8) {}
  char* data() const { return reinterpret_cast<char*>(words_.data()); }

 private:
  mutable std::vector<std::uint64_t> words_;
};

// A launch's arguments in the order in which a kernel takes them.
class Arguments {
 public:
  explicit Arguments(const device::Launch& launch) : launch_(launch) {}
  template <class T>
  T* buffer() {
    return reinterpret_cast<T*>(static_cast<const HostMemory*>(launch_.arguments[next_++].memory())->data());
  }
  template <class T>
  T value() {
    T value;
    std::memcpy(&value, launch_.arguments[next_++].bytes().data(), sizeof value);
    return value;
  }
  std::size_t groups() const { return launch_.groups; }

 private:
  const device::Launch& launch_;
  std::size_t next_ = 0;
};

// sequential_judge.cpp
void sequential_truths(Arguments arguments);
void sequential_judge(Arguments arguments);

}  // namespace attncert

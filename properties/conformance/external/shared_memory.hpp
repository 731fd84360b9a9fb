// Anonymous memory that a child process can map. It grows and never shrinks.
#pragma once

#include <cstddef>

#include "src/core/result.hpp"

namespace attncert::external {

class SharedMemory {
 public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  Result<Done> reserve(std::size_t bytes);
  std::byte* data() const { return data_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace attncert::external

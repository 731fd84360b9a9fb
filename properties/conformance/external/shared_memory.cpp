#include "properties/conformance/external/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace attncert::external {

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

Result<Done> SharedMemory::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return Done{};
  const auto failed = [] {
    return Error{std::string("shared memory: ") + std::strerror(errno) + "; give the program more memory"};
  };
  if (descriptor_ < 0) descriptor_ = memfd_create("attncert", MFD_CLOEXEC);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return failed();
  if (data_ != nullptr) munmap(data_, bytes_);
  bytes_ = 0;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  data_ = mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
  if (data_ == nullptr) return failed();
  bytes_ = bytes;
  return Done{};
}

}  // namespace attncert::external

// A buffer with an inaccessible page directly behind it or directly in front of it (and one on the other side of the page it
// shares), the bytes of its pages around it filled with a pattern that is looked at afterwards. The last fault handler asks which
// buffer an address belongs to, so every living buffer is on a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "properties/conformance/external/protocol.hpp"

namespace attncert::foreign {

enum class Side : std::uint8_t { front, back };  // which end touches the guard page

class GuardedBuffer {
 public:
  // `alignment`: of the first byte; with Side::back the end stays that many bytes less one from the guard page at most.
  // Exits the process when there is no memory: the limits of the host are the caller's.
  GuardedBuffer(Buffer what, std::size_t bytes, std::size_t alignment, Side side);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() { return data_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  void make_read_only();
  // Position of the first changed byte around the buffer: bytes behind its end, or negative before its start; 0 = none (the
  // first byte behind the end is 1).
  std::int64_t changed_margin() const;
  std::uint64_t hash() const;  // of the buffer and its margins

 private:
  friend bool locate(const void* address, Finding& finding);
  Buffer what_;
  std::size_t size_, inner_;  // inner: bytes of the accessible pages
  std::byte *base_, *data_;
  bool read_only_ = false;
  GuardedBuffer* next_;
};

// For the fault handler: whether the address lies in the pages of a living buffer; fills buffer, position and, for a write to
// a read-only one, the conduct. Async-signal-safe.
bool locate(const void* address, Finding& finding);

}  // namespace attncert::foreign

// A buffer between two inaccessible pages. One end of the buffer touches one of them. The bytes between its other end
// and the other page, the margin, are filled with a pattern and compared afterwards. Pages of buffers that ended serve
// again. The fault handler asks which buffer an address belongs to, so all living buffers are in a list. Threads may
// make and end their own: the handler takes no lock, so that of an access during that it may not find the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "properties/conformance/external/protocol.hpp"

namespace attncert::external {

enum class Side : std::uint8_t { front, back };  // which end touches the guard page

class GuardedBuffer {
 public:
  // `alignment` is that of the first byte. With Side::back it leaves up to alignment - 1 bytes between the end and the
  // guard page. Exits the process when there is no memory: the limits of the host are the caller's.
  GuardedBuffer(Buffer what, std::size_t bytes, std::size_t alignment, Side side);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() { return data_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  void make_read_only();
  void make_writable();
  // Where the margin was changed first: bytes behind the buffer's end (1 = the first) or before its start (< 0); 0 =
  // nowhere.
  std::int64_t changed_margin() const;
  std::uint64_t hash() const;  // of the buffer and its margins

 private:
  friend bool locate(const void* address, Finding& finding);
  Buffer what_;
  std::size_t size_, inner_;  // inner: bytes of the accessible pages
  std::byte *base_, *data_;
  bool read_only_ = false;
  GuardedBuffer* next_ = nullptr;
};

// For the fault handler: whether the address lies in the pages of a living buffer. Fills in the finding's buffer and
// position. Async-signal-safe.
bool locate(const void* address, Finding& finding);

}  // namespace attncert::external

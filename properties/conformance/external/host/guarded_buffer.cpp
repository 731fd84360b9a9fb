#include "properties/conformance/external/host/guarded_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "src/core/hash.hpp"

namespace attncert::external {
namespace {

constexpr std::byte margin_byte{0xA5};

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

GuardedBuffer* first_buffer = nullptr;
std::mutex list_mutex;

// Pages of buffers that ended, inaccessible again. The next buffer of as many bytes takes them: to map fresh ones and
// to touch each for the first time costs more than most kernels do.
struct Pages {
  std::byte* base;
  std::size_t inner;
};
constexpr std::size_t most_kept = 16, largest_kept = 1 << 20;  // at most 16 MiB
std::vector<Pages> kept;

std::byte* kept_pages(std::size_t inner) {
  const std::scoped_lock lock(list_mutex);
  const auto found = std::find_if(kept.rbegin(), kept.rend(), [&](const Pages& p) { return p.inner == inner; });
  if (found == kept.rend()) return nullptr;
  std::byte* const base = found->base;
  kept.erase(std::next(found).base());
  return base;
}

std::size_t bytes_of(std::size_t inner) { return inner + 2 * page(); }  // with the two that guard them

std::byte* fresh_pages(std::size_t inner) {
  const auto map = [inner] { return mmap(nullptr, bytes_of(inner), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); };
  void* mapped = map();
  if (mapped == MAP_FAILED) {
    const std::scoped_lock lock(list_mutex);
    for (const Pages& pages : kept) munmap(pages.base, bytes_of(pages.inner));
    kept.clear();
    mapped = map();
  }
  if (mapped == MAP_FAILED) _exit(out_of_memory);
  return static_cast<std::byte*>(mapped);
}

// The oldest pages give way to those that ended last. What a kernel opened or took away beside them is closed again, or
// noticed: then they do not serve.
void keep(const Pages& pages) {
  Pages done = pages;
  if (pages.inner <= largest_kept && mprotect(pages.base, bytes_of(pages.inner), PROT_NONE) == 0) {
    const std::scoped_lock lock(list_mutex);
    kept.push_back(pages);
    if (kept.size() < most_kept) return;
    done = kept.front();
    kept.erase(kept.begin());
  }
  munmap(done.base, bytes_of(done.inner));
}

}  // namespace

GuardedBuffer::GuardedBuffer(Buffer what, std::size_t bytes, std::size_t alignment, Side side)
    : what_(what), size_(bytes), inner_(rounded_up(bytes, page())), base_(kept_pages(inner_)) {
  if (base_ == nullptr) base_ = fresh_pages(inner_);
  std::byte* const inner = base_ + page();
  if (inner_ > 0 && mprotect(inner, inner_, PROT_READ | PROT_WRITE) != 0) _exit(out_of_memory);
  std::memset(inner, static_cast<int>(margin_byte), inner_);
  data_ = side == Side::front ? inner : inner + (inner_ - bytes) / alignment * alignment;
  const std::scoped_lock lock(list_mutex);
  next_ = first_buffer;
  first_buffer = this;
}

GuardedBuffer::~GuardedBuffer() {
  {
    const std::scoped_lock lock(list_mutex);
    GuardedBuffer** link = &first_buffer;
    while (*link != this) link = &(*link)->next_;
    *link = next_;
  }
  keep({base_, inner_});
}

void GuardedBuffer::make_read_only() {
  read_only_ = true;
  if (inner_ > 0) mprotect(base_ + page(), inner_, PROT_READ);
}

void GuardedBuffer::make_writable() {
  read_only_ = false;
  if (inner_ > 0) mprotect(base_ + page(), inner_, PROT_READ | PROT_WRITE);
}

std::int64_t GuardedBuffer::changed_margin() const {
  const std::byte* const inner = base_ + page();
  for (const std::byte* at = data_; at-- > inner;)
    if (*at != margin_byte) return at - data_;
  for (const std::byte* at = data_ + size_; at < inner + inner_; ++at)
    if (*at != margin_byte) return at - (data_ + size_) + 1;
  return 0;
}

std::uint64_t GuardedBuffer::hash() const {
  return fingerprint({reinterpret_cast<const char*>(base_ + page()), inner_});
}

bool locate(const void* address, Finding& finding) {
  const auto* at = static_cast<const std::byte*>(address);
  for (const GuardedBuffer* buffer = first_buffer; buffer != nullptr; buffer = buffer->next_) {
    if (at < buffer->base_ || at >= buffer->base_ + buffer->inner_ + 2 * page()) continue;
    finding.buffer = buffer->what_;
    const std::byte* const end = buffer->data_ + buffer->size_;
    finding.position = at < buffer->data_ ? at - buffer->data_ : at >= end ? at - end + 1 : 0;
    return true;
  }
  return false;
}

}  // namespace attncert::external

#include "properties/conformance/external/host/device_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "properties/conformance/external/host/channel.hpp"
#include "properties/conformance/external/host/guarded_buffer.hpp"
#include "properties/conformance/external/violation.hpp"

namespace attncert::external {
namespace {

const attncert_memory* in_use = nullptr;

constexpr std::size_t red_zone = 4096;  // a page: as far as a guard page tells
constexpr std::byte red{0xff};          // NaN in every format
constexpr std::size_t alignment = 256;  // of what allocate gives
static_assert(red_zone % alignment == 0);

Finding finding(Violation violation, Buffer buffer, std::int64_t position) {
  return {static_cast<std::uint32_t>(violation), Run::first, buffer, 0, position, 0, 0};
}

// A device that failed once may fail from then on, whoever calls it: the process ends with it.
enum class When : std::int64_t { before, after };
void demand(attncert_status status, When when) {
  if (status == ATTNCERT_OK) return;
  Finding failed = finding(Violation::device_failed, Buffer::none, static_cast<std::int64_t>(when));
  failed.detail = status;
  end_process(failed);
}

// A buffer of the host on the device, as far from a multiple of the alignment as on the host.
class Mirror {
 public:
  explicit Mirror(const HostBuffer& host)
      : host_(host),
        offset_(red_zone + reinterpret_cast<std::uintptr_t>(host.data) % alignment),
        base_(static_cast<std::byte*>(in_use->allocate(size()))) {
    if (base_ == nullptr) _exit(out_of_memory);
    demand(in_use->fill(base_, std::to_integer<int>(red), size()), When::before);
    if (host_.bytes > 0) demand(in_use->copy_in(address(), host_.data, host_.bytes), When::before);
  }
  ~Mirror() { in_use->release(base_); }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  void* address() const { return base_ + offset_; }

  void fetch(std::vector<Finding>& found) const {
    const std::unique_ptr<std::byte[]> all(new (std::nothrow) std::byte[size()]);
    if (all == nullptr) _exit(out_of_memory);
    demand(in_use->copy_out(all.get(), base_, size()), When::after);
    if (const std::int64_t at = changed_around(all.get()); at != 0)
      found.push_back(finding(Violation::wrote_outside, host_.what, at));
    const std::byte* const inside = all.get() + offset_;
    if (host_.written) std::memcpy(host_.data, inside, host_.bytes);
    else if (std::memcmp(host_.data, inside, host_.bytes) != 0)
      found.push_back(finding(Violation::changed_input, host_.what, 0));
  }

 private:
  std::size_t size() const { return offset_ + host_.bytes + red_zone; }

  // Bytes behind the buffer's end (1 = the first) or before its start (< 0); 0 = nowhere.
  std::int64_t changed_around(const std::byte* all) const {
    for (std::size_t at = offset_; at-- > 0;)
      if (all[at] != red) return static_cast<std::int64_t>(at) - static_cast<std::int64_t>(offset_);
    for (std::size_t at = offset_ + host_.bytes; at < size(); ++at)
      if (all[at] != red) return static_cast<std::int64_t>(at - offset_ - host_.bytes + 1);
    return 0;
  }

  const HostBuffer& host_;
  std::size_t offset_;
  std::byte* base_;
};

// The arguments, as many bytes as their size says and none behind, with addresses of the device; the kernel may not
// write to them.
class MovedArguments {
 public:
  explicit MovedArguments(const attncert_arguments& given)
      : bytes_(Buffer::none, given.size, alignof(attncert_arguments), Side::back) {
    std::memcpy(bytes_.data(), &given, given.size);
    std::memcpy(&moved_, &given, known());
  }

  // Where the arguments point to `from` they point to `to`. Whether they do.
  bool move(const void* from, void* to) {
    bool some = false;
    const auto one = [&](auto& field) {
      if (field != from) return;
      field = static_cast<std::remove_reference_t<decltype(field)>>(to);
      some = true;
    };
    one(moved_.input), one(moved_.output), one(moved_.mask), one(moved_.upstream), one(moved_.scratch);
    return some;
  }

  const attncert_arguments* sealed() {
    std::memcpy(bytes_.data(), &moved_, known());
    bytes_.make_read_only();
    return reinterpret_cast<const attncert_arguments*>(bytes_.data());
  }

 private:
  std::size_t known() const { return std::min(bytes_.bytes().size(), sizeof moved_); }

  attncert_arguments moved_{};
  GuardedBuffer bytes_;
};

attncert_status run_there(const attncert_kernel& kernel, const attncert_arguments& given,
                          std::span<const HostBuffer> buffers, std::vector<Finding>& found) {
  MovedArguments arguments(given);
  std::vector<std::unique_ptr<Mirror>> mirrors;
  for (const HostBuffer& buffer : buffers) {
    if (buffer.data == nullptr || !arguments.move(buffer.data, buffer.data)) continue;
    mirrors.push_back(std::make_unique<Mirror>(buffer));
    arguments.move(buffer.data, mirrors.back()->address());
  }
  demand(in_use->synchronize(), When::before);
  const attncert_status answer = kernel.run(arguments.sealed());
  demand(in_use->synchronize(), When::after);
  for (const auto& mirror : mirrors) mirror->fetch(found);
  return answer;
}

// What one allocation shows.
std::string objection_to_allocation(const attncert_memory& memory) {
  void* const some = memory.allocate(1);
  if (some == nullptr) return "gives no byte: the device, or its driver under --memory-limit, is not to be had";
  const bool aligned = reinterpret_cast<std::uintptr_t>(some) % alignment == 0;
  memory.release(some);
  return aligned ? "" : "is not aligned to 256 bytes";
}

}  // namespace

std::string use_memory(const attncert_memory& memory) {
  if (memory.abi != ATTNCERT_MEMORY_ABI)
    return "has abi " + std::to_string(memory.abi) + ", and this program speaks " + std::to_string(ATTNCERT_MEMORY_ABI);
  if (memory.size < sizeof memory) return "has size " + std::to_string(memory.size) + ", too small for its functions";
  if (memory.allocate == nullptr || memory.release == nullptr || memory.copy_in == nullptr ||
      memory.copy_out == nullptr || memory.fill == nullptr || memory.synchronize == nullptr)
    return "lacks one of its six functions";
  in_use = &memory;
  return objection_to_allocation(memory);
}

DeviceRun call_kernel(const attncert_kernel& kernel, const attncert_arguments* given,
                      std::span<const HostBuffer> buffers) {
  DeviceRun run{};
  run.status =
      static_cast<std::int32_t>(in_use == nullptr ? kernel.run(given) : run_there(kernel, *given, buffers, run.found));
  return run;
}

}  // namespace attncert::external

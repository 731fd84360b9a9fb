#include "properties/conformance/external/host/device_memory.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

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

// A buffer of the host on the device, as far from a multiple of the alignment as on the host.
class Mirror {
 public:
  explicit Mirror(const HostBuffer& host)
      : host_(host), offset_(red_zone + reinterpret_cast<std::uintptr_t>(host.data) % alignment) {}
  ~Mirror() {
    if (base_ != nullptr) in_use->release(base_);
  }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  void* address() const { return base_ + offset_; }

  attncert_status bring() {
    base_ = static_cast<std::byte*>(in_use->allocate(size()));
    if (base_ == nullptr) return ATTNCERT_NO_RESOURCES;
    const attncert_status filled = in_use->fill(base_, std::to_integer<int>(red), size());
    if (filled != ATTNCERT_OK || host_.bytes == 0) return filled;
    return in_use->copy_in(address(), host_.data, host_.bytes);
  }

  attncert_status fetch(std::vector<Finding>& found) const {
    std::vector<std::byte> all(size());
    const attncert_status status = in_use->copy_out(all.data(), base_, all.size());
    if (status != ATTNCERT_OK) return status;
    if (const std::int64_t at = changed_around(all); at != 0)
      found.push_back(finding(Violation::wrote_outside, host_.what, at));
    const std::byte* const inside = all.data() + offset_;
    if (host_.written) std::memcpy(host_.data, inside, host_.bytes);
    else if (std::memcmp(host_.data, inside, host_.bytes) != 0)
      found.push_back(finding(Violation::changed_input, host_.what, 0));
    return ATTNCERT_OK;
  }

 private:
  std::size_t size() const { return offset_ + host_.bytes + red_zone; }

  // Bytes behind the buffer's end (1 = the first) or before its start (< 0); 0 = nowhere.
  std::int64_t changed_around(const std::vector<std::byte>& all) const {
    for (std::size_t at = offset_; at-- > 0;)
      if (all[at] != red) return static_cast<std::int64_t>(at) - static_cast<std::int64_t>(offset_);
    for (std::size_t at = offset_ + host_.bytes; at < all.size(); ++at)
      if (all[at] != red) return static_cast<std::int64_t>(at - offset_ - host_.bytes + 1);
    return 0;
  }

  const HostBuffer& host_;
  std::size_t offset_;
  std::byte* base_ = nullptr;
};

// The arguments, as many bytes as their size says, with addresses of the device.
class MovedArguments {
 public:
  explicit MovedArguments(const attncert_arguments* given) : bytes_(std::max<std::size_t>(given->size, sizeof moved_)) {
    std::memcpy(bytes_.data(), given, given->size);
    std::memcpy(&moved_, given, std::min<std::size_t>(given->size, sizeof moved_));
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

  attncert_arguments* structure() {
    std::memcpy(bytes_.data(), &moved_, std::min<std::size_t>(moved_.size, sizeof moved_));
    before_ = bytes_;
    return reinterpret_cast<attncert_arguments*>(bytes_.data());
  }
  bool changed() const { return bytes_ != before_; }

 private:
  attncert_arguments moved_{};
  std::vector<std::byte> bytes_, before_{};
};

attncert_status run_there(const attncert_kernel& kernel, const attncert_arguments* given,
                          std::span<const HostBuffer> buffers, std::vector<Finding>& found) {
  MovedArguments arguments(given);
  std::vector<std::unique_ptr<Mirror>> mirrors;
  for (const HostBuffer& buffer : buffers) {
    if (buffer.data == nullptr || !arguments.move(buffer.data, buffer.data)) continue;
    mirrors.push_back(std::make_unique<Mirror>(buffer));
    if (const attncert_status status = mirrors.back()->bring(); status != ATTNCERT_OK) return status;
    arguments.move(buffer.data, mirrors.back()->address());
  }
  if (const attncert_status status = in_use->synchronize(); status != ATTNCERT_OK) return status;
  const attncert_status answer = kernel.run(arguments.structure());
  if (const attncert_status status = in_use->synchronize(); status != ATTNCERT_OK) return status;
  if (arguments.changed()) found.push_back(finding(Violation::changed_input, Buffer::none, 0));
  for (const auto& mirror : mirrors)
    if (const attncert_status status = mirror->fetch(found); status != ATTNCERT_OK) return status;
  return answer;
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
  return "";
}

DeviceRun call_kernel(const attncert_kernel& kernel, const attncert_arguments* given,
                      std::span<const HostBuffer> buffers) {
  DeviceRun run{};
  run.status =
      static_cast<std::int32_t>(in_use == nullptr ? kernel.run(given) : run_there(kernel, given, buffers, run.found));
  return run;
}

}  // namespace attncert::external

#include "src/device/device.hpp"

#include <cstdlib>

#include "src/device/facts.hpp"

namespace attncert::device {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

// Under an interpreter a triple costs a millisecond.
std::size_t triples_for(const Device& device) { return std::size_t{1} << (device.interprets() ? 11 : 20); }

// A GPU by either door, else what OpenCL has.
Result<std::unique_ptr<Device>> open_device(std::string_view wanted) {
  Result<std::unique_ptr<Device>> opencl = open_opencl(wanted);
  if (opencl && !(*opencl)->processor()) return opencl;
  Result<std::unique_ptr<Device>> cuda = open_cuda(wanted);
  if (cuda || opencl) return cuda ? std::move(cuda) : std::move(opencl);
  return Error{"none; by OpenCL: " + opencl.error().message + "; by CUDA: " + cuda.error().message};
}

Result<const Device*> believed() {
  const char* wanted = std::getenv("ATTNCERT_DEVICE");
  if (wanted != nullptr && std::string_view(wanted) == "none") return Error{"none is wanted (ATTNCERT_DEVICE)"};
  // A driver brings a compiler and threads of its own, whose memory a sanitizer would judge.
  if (sanitized) return Error{"none is used in a build with sanitizers"};
  Result<std::unique_ptr<Device>> opened = open_device(wanted == nullptr ? "" : wanted);
  if (!opened) return opened.error();
  const Result<Done> facts = check_facts(**opened, triples_for(**opened));
  if (!facts) return facts.error();
  return opened->release();  // kept to the end: drivers take themselves down before objects of the program end
}

}  // namespace

Result<MemoryPointer> Device::copied(const void* from, std::size_t bytes) const {
  Result<MemoryPointer> memory = allocate(bytes);
  if (!memory) return memory;
  const Result<Done> written = write(**memory, from, bytes);
  if (!written) return written.error();
  return memory;
}

const Result<const Device*>& device() {
  static const Result<const Device*> one = believed();
  return one;
}

const Result<const Device*>& f64_device() {
  static const Result<const Device*> one = [] {
    const Result<const Device*>& found = device();
    if (!found) return found;
    const Result<Done> facts = check_f64_facts(**found, triples_for(**found));
    return facts ? found : facts.error();
  }();
  return one;
}

std::string device_line() {
  const Result<const Device*>& one = device();
  if (!one) return one.error().message;
  return (*one)->name() + ((*one)->processor() ? "; a CPU: correctness, no speed" : "");
}

}  // namespace attncert::device

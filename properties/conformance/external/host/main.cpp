// attncert-kernel-host: the process that calls the kernels of an external library, so that a crash ends it and not
// attncert. attncert starts it as
//   attncert-kernel-host LIBRARY MEMORY_BYTES     with a socket as descriptor 3 and shared memory as 4
// It loads the library, sends its descriptors, and then answers requests until the socket closes.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "properties/conformance/external/host/channel.hpp"
#include "properties/conformance/external/host/loaded_library.hpp"
#include "properties/conformance/external/host/trial.hpp"

namespace {

using namespace attncert;
using namespace attncert::external;

constexpr bool address_sanitized =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
    __has_feature(address_sanitizer);
#else
    false;
#endif

void limit(int resource, rlim_t most) {
  const rlimit limits{most, most};
  setrlimit(resource, &limits);
}

// A mapping of the shared memory, removed at the end of its scope.
class Mapping {
 public:
  Mapping(int protection, std::size_t from, std::size_t bytes) : bytes_(bytes) {
    mapped_ = mmap(nullptr, bytes, protection, MAP_SHARED, memory_fd, static_cast<off_t>(from));
    if (mapped_ == MAP_FAILED) _exit(out_of_memory);
  }
  ~Mapping() { munmap(mapped_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(mapped_); }

 private:
  std::size_t bytes_;
  void* mapped_ = nullptr;
};

bool announce(const Result<LoadedLibrary>& library) {
  Loaded loaded{};
  if (library) {
    loaded.kernels = library->kernels.size();
    loaded.environment_changed = library->environment_changed;
  } else {
    std::snprintf(loaded.error, sizeof loaded.error, "%s", library.error().message.c_str());
  }
  if (!send(&loaded, sizeof loaded) || !library) return false;
  for (const attncert_kernel& kernel : library->kernels) {
    const Descriptor descriptor = described(kernel);
    if (!send(&descriptor, sizeof descriptor)) return false;
  }
  return true;
}

Outcome answered(const LoadedLibrary& library, std::size_t bytes) {
  const Mapping memory(PROT_READ, 0, bytes);
  Request request{};
  std::memcpy(&request, memory.data(), sizeof request);
  if (request.kernel >= library.kernels.size()) _exit(1);  // after a restart the library gave fewer kernels
  const auto at = [&](std::uint64_t offset) { return offset == 0 ? nullptr : memory.data() + offset; };
  const Rows rows{{request.rows, request.length}, at(request.input_at), at(request.mask_at), at(request.upstream_at)};
  Outcome outcome = Trial(library.kernels[request.kernel], request, rows).run();
  if (!outcome.output.empty()) {
    const Mapping output(PROT_READ | PROT_WRITE, request.output_at, outcome.output.size());
    std::memcpy(output.data(), outcome.output.data(), outcome.output.size());
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "attncert-kernel-host: started by attncert accuracy --library; start that\n");
    return 2;
  }
  limit(RLIMIT_CORE, 0);
  if (!address_sanitized)
    limit(RLIMIT_AS, std::strtoull(argv[2], nullptr, 10));  // the sanitizer reserves terabytes of shadow memory
  const Result<LoadedLibrary> library = load_library(argv[1]);
  catch_faults();  // after loading, so that they replace handlers of the library
  if (!announce(library)) return 1;
  for (std::uint64_t bytes = 0; receive(&bytes, sizeof bytes);) {
    const Outcome outcome = answered(*library, bytes);
    if (!send(&outcome.message, sizeof outcome.message)) return 1;
  }
  _exit(0);  // skips the library's destructors, which are not judged
}

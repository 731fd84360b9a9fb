// attncert-kernel-host: the process that calls the kernels of an external library, so that a crash ends it and not
// attncert. attncert starts it as
//   attncert-kernel-host LIBRARY MEMORY_BYTES [oclgrind]    with a socket as descriptor 3 and shared memory as 4,
// and under Oclgrind, as the last argument says, with its log as 5.
// It loads the library, sends its descriptors, and then answers requests until the socket closes.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "properties/conformance/external/host/address_sanitizer.hpp"
#include "properties/conformance/external/host/channel.hpp"
#include "properties/conformance/external/host/conduct_check.hpp"
#include "properties/conformance/external/host/loaded_library.hpp"
#include "properties/conformance/external/host/process_state.hpp"
#include "properties/conformance/external/host/trial.hpp"

namespace {

using namespace attncert;
using namespace attncert::external;

void limit(int resource, rlim_t most) {
  const rlimit limits{most, most};
  setrlimit(resource, &limits);
}

// The shared memory, mapped until the end of its scope.
class Mapping {
 public:
  explicit Mapping(std::size_t bytes) : bytes_(bytes) {
    mapped_ = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, memory_fd, 0);
    if (mapped_ == MAP_FAILED) _exit(out_of_memory);
  }
  ~Mapping() { munmap(mapped_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  const std::byte* data() const { return static_cast<const std::byte*>(mapped_); }

 private:
  std::size_t bytes_;
  void* mapped_ = nullptr;
};

bool announce(const Result<LoadedLibrary>& library) {
  Loaded loaded{};
  if (library) {
    loaded.kernels = library->kernels.size();
    loaded.environment_changed = library->environment_changed;
    std::snprintf(loaded.version, sizeof loaded.version, "%s", library->version.c_str());
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

// Through the descriptor: a mapping would be open to what other kernels write.
bool write_output(const Outcome& outcome, std::uint64_t at) {
  const std::size_t bytes = outcome.output.size();
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = pwrite(memory_fd, &outcome.output[done], bytes - done, static_cast<off_t>(at + done));
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Answers the request at that place of the memory; where the next one is, or 0 when the parent is gone.
std::uint64_t answer(const LoadedLibrary& library, const Mapping& memory, std::uint64_t place) {
  Request request{};
  std::memcpy(&request, memory.data() + place, sizeof request);
  if (request.kernel >= library.kernels.size()) _exit(1);  // after a restart the library gave fewer kernels
  const auto at = [&](std::uint64_t offset) { return offset == 0 ? nullptr : memory.data() + offset; };
  const Rows rows{{request.rows, request.length}, at(request.input_at), at(request.mask_at), at(request.upstream_at)};
  const attncert_kernel& kernel = library.kernels[request.kernel];
  const Outcome outcome =
      request.conduct != 0 ? Outcome{ConductCheck(kernel, request).run(), {}} : Trial(kernel, request, rows).run();
  const bool sent = write_output(outcome, request.output_at) && send(&outcome.message, sizeof outcome.message);
  return sent ? request.end : 0;
}

bool answer_all(const LoadedLibrary& library, const Ask& ask) {
  const Mapping memory(ask.bytes);
  std::uint64_t place = 0;
  for (std::uint64_t call = 0; call < ask.calls; ++call)
    if (place = answer(library, memory, place); place == 0) return false;
  end_runs();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "attncert-kernel-host: started by attncert accuracy --library; start that\n");
    return 2;
  }
  limit(RLIMIT_CORE, 0);
  if (const rlim_t memory = std::strtoull(argv[2], nullptr, 10); memory != 0 && !address_sanitized)
    limit(RLIMIT_AS, memory);
  const Result<LoadedLibrary> library = load_library(argv[1]);
  catch_faults();  // after loading, so that they replace handlers of the library
  watch_process(argc == 4);
  if (!announce(library)) return 1;
  for (Ask ask{}; receive(&ask, sizeof ask);)
    if (!answer_all(*library, ask)) return 1;
  _exit(0);  // skips the library's destructors, which are not judged
}

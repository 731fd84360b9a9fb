// POSIX mmap. An empty file cannot be mapped (EINVAL), so it is an empty text without a mapping.
#include "src/files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <utility>

namespace attncert {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

// A file that somebody shortens while it is mapped ends its reader by SIGBUS. These are the mappings that a line of
// its own speaks of; more than so many at once are told by the signal alone.
struct Mapping {
  std::atomic<std::uintptr_t> begin = 0, end = 0;
};
std::array<Mapping, 256> mappings;

void on_bus_error(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  static constexpr char line[] =
      "attncert: a file that is being read was shortened or cannot be read from its disk; name a copy of it\n";
  for (const Mapping& mapping : mappings)
    if (mapping.begin <= address && address < mapping.end) {
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line, sizeof line - 1);
      ::_exit(2);
    }
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGBUS, &plain, nullptr);
  ::raise(SIGBUS);  // ends the process as soon as this returns
}

void watch(const void* data, std::size_t size) {
  static const bool listening = [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    return ::sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  if (!listening) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  for (Mapping& mapping : mappings) {
    std::uintptr_t none = 0;
    if (!mapping.begin.compare_exchange_strong(none, begin)) continue;
    mapping.end = begin + size;
    return;
  }
}

void forget(const void* data) {
  for (Mapping& mapping : mappings)
    if (mapping.begin == reinterpret_cast<std::uintptr_t>(data)) {
      mapping.end = 0;
      mapping.begin = 0;
      return;
    }
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not block us
  if (descriptor < 0)
    return Error{
        fmt::format("{}: cannot be opened ({}); give a path to a file that can be read", file.string(), reason(errno))};
  struct stat status {};
  const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = regular ? static_cast<std::size_t>(status.st_size) : 0;
  void* data = nullptr;
  int failure = 0;
  if (size > 0) {
    data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) failure = errno;
  }
  ::close(descriptor);
  if (!regular) return Error{fmt::format("{}: is not a regular file; give a path to a file", file.string())};
  if (failure != 0)
    return Error{fmt::format("{}: cannot be mapped ({}); free memory or copy it to a local disk", file.string(),
                             reason(failure))};
  if (size > 0) watch(data, size);
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (size_ == 0) return;
  forget(data_);
  ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace attncert

// POSIX mmap. An empty file cannot be mapped (EINVAL), so it is an empty text without a mapping.
#include "src/files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace attncert {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

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
  if (size_ > 0) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace attncert

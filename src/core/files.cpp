#include "src/core/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace attncert {
namespace {

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int how) : number_(open(file.c_str(), how | O_CLOEXEC, 0666)) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // Some file systems tell only here that a write has failed.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

Error fault(const std::filesystem::path& file, const char* what, const char* mend) {
  return {file.string() + ": " + what + ": " + std::strerror(errno) + "; " + mend};
}

Error cannot_write(const std::filesystem::path& file) {
  return fault(file, "cannot be written", "make room or choose another place");
}

bool write_all(Descriptor& to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(to.number(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return to.close();
}

}  // namespace

Result<std::string> read_text(const std::filesystem::path& file, std::size_t most) {
  const Descriptor from(file, O_RDONLY);
  if (!from.is_open()) return fault(file, "cannot be read", "check the path");
  std::string text;
  std::error_code unknown;  // of a pipe, which has no size
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  if (!unknown) text.reserve(static_cast<std::size_t>(std::min<std::uintmax_t>(size, most)));
  std::vector<char> block(std::size_t{1} << 16);
  while (text.size() <= most) {
    const ssize_t n = ::read(from.number(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fault(file, "cannot be read", errno == EISDIR ? "name a file" : "check the disk");
    if (n == 0) break;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
  return text;
}

Result<Done> write_text(const std::filesystem::path& file, std::string_view text) {
  std::error_code error_code;
  const std::filesystem::file_status there = std::filesystem::status(file, error_code);
  if (exists(there) && !is_regular_file(there)) {  // a terminal, a pipe, /dev/null: a renamed file would replace it
    Descriptor to(file, O_WRONLY);
    if (!to.is_open() || !write_all(to, text)) return cannot_write(file);
    return Done{};
  }
  // A link stays one: what it points to is replaced.
  const std::filesystem::path target = exists(there) ? std::filesystem::canonical(file, error_code) : file;
  const std::filesystem::path partial = target.string() + ".partial";
  Descriptor to(partial, O_WRONLY | O_CREAT | O_TRUNC);
  if (!to.is_open()) return cannot_write(file);
  if (write_all(to, text) && std::rename(partial.c_str(), target.c_str()) == 0) return Done{};
  const Error error = cannot_write(file);
  unlink(partial.c_str());
  return error;
}

Result<Done> append_text(const std::filesystem::path& file, std::string_view text) {
  Descriptor to(file, O_WRONLY | O_APPEND | O_CREAT);
  if (!to.is_open()) return cannot_write(file);
  const off_t size = lseek(to.number(), 0, SEEK_END);
  if (write_all(to, text)) return Done{};
  const Error error = cannot_write(file);
  if (to.is_open() && size >= 0) static_cast<void>(ftruncate(to.number(), size) == 0);
  return error;
}

}  // namespace attncert

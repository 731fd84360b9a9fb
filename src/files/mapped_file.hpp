// MappedFile: a whole file as read-only bytes, through the page cache: a checkpoint of gigabytes is never read twice.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& file);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Valid while the object, or the one it was moved into, lives.
  std::string_view text() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, std::size_t size) : data_(data), size_(size) {}
  const char* data_;
  std::size_t size_;
};

}  // namespace attncert

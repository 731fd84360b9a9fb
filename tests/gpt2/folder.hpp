// A model folder of one's own under the system's temporary folder, removed at the end: the tiny model, then damaged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace attncert {

class Folder {
 public:
  Folder();  // a copy of data/tiny-gpt2
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  // Replaces the first occurrence; fails the test when there is none.
  void replace(const std::string& name, const std::string& from, const std::string& to) const;
  // Changes the header of model.safetensors and fits its length.
  void edit_header(const std::function<std::string(std::string)>& edit) const;

 private:
  std::filesystem::path path_;
};

std::string little_endian(std::uint64_t value);  // 8 bytes

}  // namespace attncert

#include "tests/gpt2/folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/gpt2/tiny.hpp"

namespace attncert {
namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
  std::string name = (fs::temp_directory_path() / "attncert-gpt2-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  return name;
}

}  // namespace

Folder::Folder() : path_(new_folder()) {
  for (const char* name : {"config.json", "model.safetensors", "vocab.json", "merges.txt"})
    fs::copy_file(data_path(std::string("tiny-gpt2/") + name), path_ / name);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::read(const std::string& name) const { return file_text((path_ / name).string()); }

void Folder::write(const std::string& name, const std::string& text) const {
  std::error_code ignored;
  fs::remove(path_ / name, ignored);  // some file systems flush a file that is cut to 0 and written anew: milliseconds
  std::ofstream(path_ / name, std::ios::binary) << text;
}

void Folder::replace(const std::string& name, const std::string& from, const std::string& to) const {
  std::string text = read(name);
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << name << " does not hold " << from;
  write(name, text.replace(at, from.size(), to));
}

void Folder::edit_header(const std::function<std::string(std::string)>& edit) const {
  const std::string text = read("model.safetensors");
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(text[i]);
  const std::string header = edit(text.substr(8, length));
  write("model.safetensors", little_endian(header.size()) + header + text.substr(8 + length));
}

std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

}  // namespace attncert

// Reads the arithmetic rule of src/device/kernels/dialect.cl in a text.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace attncert {

using Words = std::set<std::string>;

// Why the text, of a kernel's file with all that it includes but the dialect, breaks the rule; `words` may be called.
std::vector<std::string> objections(const std::string& text, Words words);
Words dialect_words();  // what the dialect defines, and what C has

struct DeviceFunction {
  std::string name, body;
  bool kernel, apart;  // apart: not inlined
};
std::vector<DeviceFunction> functions_of(const std::string& code);
std::string without_comments(const std::string& text);
// What `pattern` has in its first group, wherever it is found.
std::vector<std::string> all_of(const std::string& text, const std::string& pattern);

// The texts of all kernels, each once, without the dialect.
std::string kernels_without_dialect();
std::filesystem::path device_kernels_folder();
std::string text_of(const std::filesystem::path& file);

}  // namespace attncert

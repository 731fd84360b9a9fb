#include "tests/properties/dumps/written_dump.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/run.hpp"

namespace attncert {

std::string WrittenDump::file() const {
  nlohmann::json header;
  std::string data;
  if (!metadata.empty()) header["__metadata__"] = metadata;
  for (const auto& [name, tensor] : tensors) {
    const std::size_t begin = data.size();
    for (std::size_t n = 0; n < tensor.numbers.size() && tensor.half; ++n)
      data.append(reinterpret_cast<const char*>(&tensor.numbers[n]) + 2, 2);  // the upper half
    if (tensor.bytes.empty() && !tensor.half)
      data.append(reinterpret_cast<const char*>(tensor.numbers.data()), tensor.numbers.size() * sizeof(float));
    else data.append(tensor.bytes.begin(), tensor.bytes.end());
    header[name] = {{"dtype", !tensor.dtype.empty()  ? tensor.dtype
                              : tensor.half          ? "BF16"
                              : tensor.bytes.empty() ? "F32"
                                                     : "BOOL"},
                    {"shape", tensor.shape},
                    {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string result(sizeof length, '\0');
  std::memcpy(result.data(), &length, sizeof length);
  return result + text + data;
}

std::string WrittenDump::written(const std::string& name) const {
  // ctest runs tests beside each other, and a file that another test shortens ends a reader that has it mapped.
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string owner = std::string(test.test_suite_name()) + "." + test.name();
  std::replace(owner.begin(), owner.end(), '/', '.');
  const auto folder = std::filesystem::path(testing::TempDir()) / "attncert-dumps" / owner;
  std::filesystem::create_directories(folder);
  const auto path = folder / (name + ".safetensors");
  write(path, file());
  return path.string();
}

}  // namespace attncert

// Dumps as somebody else writes them: tensors of f32 or bf16 (and masks of bytes), and texts, in a safetensors file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace attncert {

struct WrittenTensor {
  std::vector<std::size_t> shape;
  std::vector<float> numbers;
  std::vector<std::uint8_t> bytes;  // in place of numbers: of type BOOL
  bool half = false;                // numbers, which bf16 holds, as BF16
  std::string dtype = {};           // of bytes that are no BOOL
};

struct WrittenDump {
  std::map<std::string, WrittenTensor> tensors;
  std::map<std::string, std::string> metadata;

  std::string file() const;                            // its bytes
  std::string written(const std::string& name) const;  // the path of a new file in a folder of the running test's own
};

}  // namespace attncert

// Tensor: numbers of somebody's file, as the file holds them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attncert {

struct Tensor {
  std::string dtype;               // as safetensors call it: "F32", "BF16", ...
  std::vector<std::size_t> shape;  // row-major
  std::string_view bytes;          // little-endian, not aligned
};

// Bytes of one number; nothing for a type that safetensors do not know.
std::optional<std::size_t> bytes_of(const std::string& dtype);

// The bytes that a tensor of this shape needs; nothing when the product does not fit.
std::optional<std::size_t> needed_bytes(const std::vector<std::size_t>& shape, std::size_t each);

}  // namespace attncert

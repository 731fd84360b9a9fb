// The tensors of a checkpoint as a test takes them apart and writes them anew: other names, other types, several files.
// The rounding to 16 bits is written here from its definition, apart from the conversion that is under test.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpt2/folder.hpp"

namespace attncert {

struct Stored {
  std::string dtype;
  std::vector<std::size_t> shape;
  std::string bytes;
};
using Tensors = std::vector<std::pair<std::string, Stored>>;

Tensors read_all(const Folder& folder);  // of model.safetensors
Stored& find(Tensors& tensors, const std::string& name);

// The file's text; `pad` bytes of white space behind the header shift the data away from any alignment.
std::string safetensors_text(const Tensors& tensors, std::size_t pad = 0);

// Round to nearest even; finite values within the range of the type.
std::uint16_t half_bits(float value);
double half_value(std::uint16_t bits);
std::uint16_t bfloat_bits(float value);
double bfloat_value(std::uint16_t bits);

// F32 tensors with every value rounded to "F16" or "BF16", stored so or, the same values, as F32.
enum class StoredAs { itself, f32 };
Tensors rounded(Tensors tensors, const std::string& dtype, StoredAs as);

}  // namespace attncert

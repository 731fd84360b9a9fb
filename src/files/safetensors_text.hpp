// A safetensors file to write: tensors row-major, and texts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attncert {

struct TensorToWrite {
  std::vector<std::size_t> shape;
  // As many as the shape says; rounded to nearest where the type is narrower, of eight bits to none beyond the largest.
  std::vector<double> numbers;
  std::string dtype;  // F64, F32, F16, BF16, F8_E4M3, F8_E5M2 or BOOL
};

std::string safetensors_text(const std::map<std::string, TensorToWrite>& tensors,
                             const std::map<std::string, std::string>& metadata);

// What the type makes of the number. Asserts that the type is one of those above.
double rounded_to(std::string_view dtype, double number);

}  // namespace attncert

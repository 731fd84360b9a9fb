// The numbers of a tensor as doubles, read where they lie: exact for every type but I64 and U64 beyond 2^53. NaN and
// infinities are numbers here.
#pragma once

#include <cstddef>
#include <string>

#include "src/core/result.hpp"
#include "src/files/safetensors.hpp"

namespace attncert {

class StoredNumbers {
 public:
  // Error: a dtype that is none of F64, F32, F16, BF16, F8_E4M3, F8_E5M2, BOOL, U8, I8, I16, U16, I32, U32, I64,
  // U64.
  static Result<StoredNumbers> of(const Tensor& tensor, const std::string& name, const std::string& where);

  double operator[](std::size_t i) const { return read_(bytes_ + i * each_); }  // i < the product of the shape

 private:
  using Read = double (*)(const char*);
  StoredNumbers(const char* bytes, std::size_t each, Read read) : bytes_(bytes), each_(each), read_(read) {}
  const char* bytes_;
  std::size_t each_;
  Read read_;
};

}  // namespace attncert

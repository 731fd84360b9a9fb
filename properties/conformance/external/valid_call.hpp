// The valid call that an invalid-call test changes: two short rows, or one, with a mask that keeps every entry where
// the test is about masks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "attncert/kernel.h"
#include "properties/conformance/external/invalid_calls.hpp"

namespace attncert::external {

class ValidCall {
 public:
  ValidCall(attncert_dtype dtype, Base base, bool with_upstream);
  ValidCall(const ValidCall&) = delete;
  ValidCall& operator=(const ValidCall&) = delete;
  const attncert_arguments& arguments() const { return arguments_; }

 private:
  static constexpr std::size_t rows = 2, length = 5, widest = sizeof(double);
  alignas(widest) std::array<std::byte, rows * length * widest> input_{}, output_{}, upstream_{};
  std::array<std::uint8_t, rows * length> mask_{};
  attncert_arguments arguments_{};
};

}  // namespace attncert::external

// The fingerprint of rows by which their bits are compared with stored ones; any NaN is as good as another.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "src/core/hash.hpp"

namespace attncert {

class RowHash {
 public:
  void add(std::span<const float> row) {
    std::vector<std::uint32_t> bits(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      bits[i] = std::isnan(row[i]) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(row[i]);
    value_ = fingerprint({reinterpret_cast<const char*>(bits.data()), bits.size() * sizeof bits[0]}, value_);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace attncert

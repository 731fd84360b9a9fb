// Rows of every kind for kernels on devices, the same on every machine: no function of a mathematical library makes
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "attncert/kernel.h"

namespace attncert {

struct DeviceRows {
  std::size_t rows, length;
  std::size_t input_stride, output_stride, mask_stride;  // in elements; the first two are multiples of four
  std::vector<float> logits;
  std::vector<std::uint8_t> mask;  // empty: none
  std::size_t upstream_stride;
  std::vector<float> upstream;  // for derivatives
};

// A gradient beside a logit that is absent is NaN.
DeviceRows device_rows(std::size_t length, bool masked);
DeviceRows rounded_rows(std::size_t length, bool masked, attncert_dtype dtype);  // as the format has them
std::vector<float> kept(const DeviceRows& rows, std::size_t r);                  // row r, -infinity where it is masked
std::span<const float> upstream_of(const DeviceRows& rows, std::size_t r);

}  // namespace attncert

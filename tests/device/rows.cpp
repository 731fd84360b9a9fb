#include "tests/device/rows.hpp"

#include <algorithm>
#include <limits>

#include "src/core/mixer.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Numbers of the counters before `n`.
double uniform(std::uint64_t n) { return static_cast<double>(mixed(n) >> 11) * 0x1p-53; }
double bell(std::uint64_t n) {  // of variance 1: twelve uniform ones (Irwin and Hall)
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += uniform(12 * n + i);
  return sum;
}

// Element i of a row of kind k: usual, deep, nearly equal, out of the exponent's reach, subnormal, tied, subnormal
// weights, only -infinity. Others are made of these.
float element(std::size_t kind, std::size_t i, std::size_t length) {
  const double g = bell(kind << 40 | i);
  switch (kind) {
    case 0:
      return static_cast<float>(3 * g);
    case 1:
      return static_cast<float>(20 * g);
    case 2:
      return static_cast<float>(0.01 * g);
    case 3:
      return static_cast<float>(i == length / 2 ? 20.0 : -40 * uniform(i));
    case 4:
      return static_cast<float>(1e30 * g);
    case 5:
      return static_cast<float>(1e-41 * g);
    case 6:
      return 5;
    case 7:
      return static_cast<float>(i == 0 ? 0.0 : -87 - 18 * uniform(i));
    case 8:
      return -infinity;
    default:
      return static_cast<float>(g);
  }
}

void mask(DeviceRows& made) {
  made.mask.assign(made.rows * made.mask_stride, 0);
  for (std::size_t i = 0; i < made.mask.size(); ++i) made.mask[i] = mixed(i) % 10 < 7;
  std::fill_n(made.mask.begin() + static_cast<std::ptrdiff_t>(3 * made.mask_stride), made.mask_stride, std::uint8_t{0});
}

// Gradients of every size; all one where the row is tied; infinite ones in a row under a mask.
void add_upstream(DeviceRows& made) {
  constexpr double sizes[] = {1, 1e30, 1e-41, 0, 1e-10, 1e5, 1, 1e37, 1, 1, 1, 1e-3};
  made.upstream.assign(made.rows * made.upstream_stride, nan);
  for (std::size_t k = 0; k < made.rows; ++k) {
    const std::vector<float> row = kept(made, k);
    for (std::size_t i = 0; i < made.length; ++i) {
      float& g = made.upstream[k * made.upstream_stride + i];
      if (row[i] != -infinity)
        g = static_cast<float>(k == 6 ? 1.0 : sizes[k] * bell(std::uint64_t{1} << 50 | k << 40 | i));
    }
    if (k == 5 && !made.mask.empty())
      for (std::size_t i = 0; i < made.length; i += 3) made.upstream[k * made.upstream_stride + i] = infinity;
  }
}

}  // namespace

DeviceRows device_rows(std::size_t length, bool masked) {
  DeviceRows made{
      12, length, (length + 7) / 4 * 4, (length + 11) / 4 * 4, masked ? length + 1 : 0, {}, {}, (length + 15) / 4 * 4,
      {}};
  made.logits.assign(made.rows * made.input_stride, nan);
  for (std::size_t k = 0; k < made.rows; ++k) {
    float* row = made.logits.data() + k * made.input_stride;
    for (std::size_t i = 0; i < length; ++i) row[i] = element(k, i, length);
    if (k == 9) row[length / 3] = row[length - 1] = infinity;
    if (k == 10) row[length / 2] = nan;
    if (k == 11 && length > 1) row[length / 2] = -infinity;
  }
  if (masked) mask(made);
  add_upstream(made);
  return made;
}

DeviceRows rounded_rows(std::size_t length, bool masked, attncert_dtype dtype) {
  DeviceRows rows = device_rows(length, masked);
  for (std::vector<float>* values : {&rows.logits, &rows.upstream})
    for (float& x : *values) x = static_cast<float>(rounded(dtype, static_cast<double>(x)));
  return rows;
}

std::vector<float> kept(const DeviceRows& rows, std::size_t r) {
  const auto begin = rows.logits.begin() + static_cast<std::ptrdiff_t>(r * rows.input_stride);
  std::vector<float> row(begin, begin + static_cast<std::ptrdiff_t>(rows.length));
  for (std::size_t i = 0; i < rows.length && !rows.mask.empty(); ++i)
    if (rows.mask[r * rows.mask_stride + i] == 0) row[i] = -infinity;
  return row;
}
std::span<const float> upstream_of(const DeviceRows& rows, std::size_t r) {
  return std::span(rows.upstream).subspan(r * rows.upstream_stride, rows.length);
}

}  // namespace attncert

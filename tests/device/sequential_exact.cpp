// sparsemax and relu-normalized: the steps of the kernels over the row as it stands, in an arithmetic of its own
// (wide_numbers.hpp).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "tests/device/sequential.hpp"
#include "tests/device/wide_numbers.hpp"

namespace attncert {
namespace {

using wide::Number;
using wide::Whole;

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

std::vector<float> sequential_sparsemax(std::span<const float> row, std::span<const float>,
                                        const DeviceProgram& program, bool) {
  const auto t = constants_of<wide::Temperature>(program);
  if (has_nan(row)) return std::vector<float>(row.size(), std::numeric_limits<float>::quiet_NaN());
  const float largest = *std::max_element(row.begin(), row.end()), top = largest == infinity ? 0 : largest;
  std::vector<std::optional<Whole>> distances;  // of those within reach
  for (const float x : row) {
    const float z = largest == infinity ? (x == infinity ? 0 : -infinity) : x;
    const bool within = z != -infinity && top - z <= t.reach;
    distances.push_back(within ? std::optional(wide::below(top, z, t.exponent)) : std::nullopt);
  }
  const Whole whole = Whole(t.mantissa) << (176 - 52);
  Whole delta = whole;
  for (std::size_t before = row.size() + 1;;) {
    Whole sum = whole;
    std::size_t count = 0;
    for (const auto& d : distances)
      if (d && *d < delta) sum += *d, ++count;
    if (count == 0 || count >= before) break;
    delta = sum / count;
    before = count;
  }
  std::vector<float> weights;
  for (const auto& d : distances) {
    const Number rest = d && *d < delta ? wide::leading(delta - *d, -176) : Number();
    weights.push_back(wide::nearest({wide::upper(rest.bits, t.inverse), rest.power + 1}));
  }
  return weights;
}

std::vector<float> sequential_relu_normalized(std::span<const float> row, std::span<const float>, const DeviceProgram&,
                                              bool) {
  if (has_nan(row)) return std::vector<float>(row.size(), std::numeric_limits<float>::quiet_NaN());
  const bool infinite = *std::max_element(row.begin(), row.end()) == infinity;
  std::vector<float> weights(row.begin(), row.end());
  for (float& x : weights) x = infinite ? (x == infinity ? 1.0f : 0.0f) : std::max(x, 0.0f);
  const float largest = *std::max_element(weights.begin(), weights.end());
  if (largest == 0) return std::vector<float>(row.size(), 0.0f);
  const int exponent = std::ilogb(largest);
  Whole sum = 0;
  for (const float x : weights) sum += wide::in_units(x, exponent);
  const Number divisor = wide::leading(sum, exponent - 176);
  const std::uint64_t inverse = wide::inverse_word(divisor.bits);
  for (float& x : weights) {  // a logit's 24 bits, subnormal ones fewer, before 40 zeros
    const int power = x > 0 ? std::max(std::ilogb(x), -126) - 23 : 0;
    const auto digits = static_cast<std::uint64_t>(std::ldexp(x, -power));
    x = wide::nearest({wide::upper(digits << 40, inverse), power - divisor.power - 102});
  }
  return weights;
}

}  // namespace attncert

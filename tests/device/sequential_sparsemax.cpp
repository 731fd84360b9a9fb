// sparsemax: Michelot's steps over the row as it stands.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/core/mixer.hpp"
#include "src/device/kernels/dialect.cl"
#include "tests/device/sequential.hpp"

namespace attncert {
namespace {

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "src/device/kernels/fixed.cl"
__extension__ using Wide = __int128;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

bool mean_is_right(std::uint64_t n) {
  const auto k = static_cast<i64>(mixed(7 * n) >> (33 + n % 31)) + 1;
  Fixed sum{};
  for (int j = 0; j < DIGITS; ++j) sum.digit[j] = static_cast<i64>(mixed(7 * n + 1 + static_cast<u64>(j)) & DIGIT_MASK);
  const i64 most = (i64{1} << 18) * k - 1;  // a sum below 2^178 k
  sum.digit[DIGITS - 1] = n % 3 == 0 ? most : sum.digit[DIGITS - 1] % most;
  const Fixed mean = mean_of(sum, static_cast<u32>(k));
  Wide rest = 0;
  for (int j = DIGITS - 1; j >= 0; --j) {
    rest = (rest << DIGIT_BITS) + sum.digit[j] - static_cast<Wide>(mean.digit[j]) * k;
    if (rest < 0 || rest >= k || mean.digit[j] < 0 || mean.digit[j] > static_cast<i64>(DIGIT_MASK)) return false;
  }
  return true;
}

std::vector<float> sequential_sparsemax(std::span<const float> row, const DeviceProgram& program, bool) {
  std::vector<float> weights(row.size(), 0.0f);
  if (std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) {
    std::fill(weights.begin(), weights.end(), std::numeric_limits<float>::quiet_NaN());
    return weights;
  }
  const auto t = constants_of<Temperature>(program);
  const float largest = *std::max_element(row.begin(), row.end());
  if (largest == -infinity) return weights;
  const auto counted = [&](float x) { return largest == infinity ? (x == infinity ? 0.0f : -infinity) : x; };
  const Fixed top = fixed_of(counted(largest), t.exponent), whole = fixed_temperature(t);
  const auto within = [&](float x) { return x != -infinity && counted(largest) - x <= t.reach; };
  Fixed delta = whole;
  for (std::size_t before = row.size() + 1;;) {
    Fixed sum = whole;
    std::size_t count = 0;
    for (const float z : row) {
      if (!within(counted(z))) continue;
      const Fixed d = below_top(top, counted(z), t.exponent);
      if (less(d, delta)) sum = carried(sum_of(sum, d)), ++count;
    }
    if (count >= before) break;
    delta = mean_of(sum, static_cast<u32>(count));
    before = count;
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const float z = counted(row[i]);
    if (!within(z)) continue;
    const Fixed d = below_top(top, z, t.exponent);
    if (less(d, delta)) weights[i] = share_of(delta, d, t);
  }
  return weights;
}

}  // namespace attncert

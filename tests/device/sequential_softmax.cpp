// softmax, softmax1 and top-k-softmax: the sum is of 128 bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/device/kernels/dialect.cl"
#include "tests/device/sequential.hpp"

namespace attncert {
namespace {

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "src/device/kernels/fixed.cl"
#include "src/device/kernels/reciprocal.cl"
namespace unit {
#define UNIT 1
#include "src/device/kernels/logarithm.cl"
#undef UNIT
}  // namespace unit
namespace other {
#define UNIT 0
#include "src/device/kernels/logarithm.cl"
#undef UNIT
}  // namespace other
using Wide = unsigned __int128;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

constexpr float infinity = std::numeric_limits<float>::infinity();

// 2^64 / (S 2^unit): the leading 64 bits of S, and their place.
Pair reciprocal_of(Wide S, int unit) {
  int place = unit;
  Wide top = S;
  for (; top >> 64 != 0; ++place) top >>= 1;
  for (; top >> 63 == 0; --place) top <<= 1;
  return reciprocal(static_cast<std::uint64_t>(top), power_of_two(64 - 63 - place));
}

float term(bool at_unit, const other::Scale& s, const other::Anchor& a, bool infinite, float x) {
  if (!at_unit) return other::term_of(s, a, infinite, x);
  return unit::term_of(std::bit_cast<unit::Scale>(s), std::bit_cast<unit::Anchor>(a), infinite, x);
}

}  // namespace

bool same_reciprocal(std::uint64_t coarse, std::int64_t fine, std::int64_t finest) {
  const auto together = (static_cast<Wide>(coarse) << 46) + (static_cast<Wide>(fine) << 23) + static_cast<Wide>(finest);
  const Pair right = reciprocal_of(together, -8), kernel = other::reciprocal_of_long(coarse, fine, finest);
  return kernel.head == right.head && kernel.tail == right.tail;
}

std::vector<float> sequential_softmax(std::span<const float> all, std::span<const float>, const DeviceProgram& program,
                                      bool held) {
  const bool zero = program.options.find("-DZERO=1") != std::string::npos;
  const bool at_unit = program.options.find("-DUNIT=1") != std::string::npos;
  std::vector<float> weights(all.size(), 0.0f);
  if (std::any_of(all.begin(), all.end(), [](float x) { return std::isnan(x); })) {
    std::fill(weights.begin(), weights.end(), std::numeric_limits<float>::quiet_NaN());
    return weights;
  }
  const auto call = constants_of<other::Softmax>(program);
  const bool top = program.options.find("-DTOP=1") != std::string::npos;
  const std::vector<float> row = largest_kept(all, top ? call.k : all.size());
  const float largest = std::max(*std::max_element(row.begin(), row.end()), zero ? 0.0f : -infinity);
  if (largest == -infinity) return weights;
  const bool infinite = largest == infinity;
  const other::Scale& scale = call.scale;
  const other::Anchor anchor = other::anchor_at(scale, infinite ? 0.0f : largest);
  Wide sum = 0;
  const auto term_in_sum = [&](float x) {
    const float e = term(at_unit, scale, anchor, infinite, x);
    other::Sum one{0, 0, 0};
    other::gather(&one, e);
    const std::int64_t upper = (static_cast<std::int64_t>(one.coarse) << 23) + one.fine;  // in units of 2^15
    sum += held ? static_cast<Wide>(upper) : (static_cast<Wide>(upper) << 23) + static_cast<Wide>(one.finest);
    return e;
  };
  if (zero) term_in_sum(0);
  for (std::size_t i = 0; i < row.size(); ++i) weights[i] = term_in_sum(row[i]);
  const Pair p = reciprocal_of(sum, held ? 15 : -8);
  for (float& weight : weights) weight = other::weight_of(weight, p);
  return weights;
}

namespace {

// log-softmax in the arithmetic of one of the namespaces above; the sum is of 128 bits, in units of 2^-8.
#define LOG_SOFTMAX(kernels)                                                                              \
  std::vector<float> kernels##_log_softmax(std::span<const float> row, const kernels::LogSoftmax& call,   \
                                           float largest) {                                               \
    const kernels::Scale& scale = call.softmax.scale;                                                     \
    const bool infinite = largest == infinity;                                                            \
    float next = -infinity;                                                                               \
    for (const float x : row) next = x < largest ? std::max(next, x) : next;                              \
    const float from = infinite ? 0 : largest;                                                            \
    const Pair nearest = kernels::below(scale, next, from);                                               \
    const bool alone = infinite || !(nearest.head > -256 * scale.temperature);                            \
    const kernels::Anchor anchor = kernels::anchor_within(scale, alone ? 0 : nearest.head);               \
    Wide sum = 0;                                                                                         \
    for (const float x : row)                                                                             \
      if (x < from && !alone) {                                                                           \
        kernels::Sum one{0, 0, 0};                                                                        \
        kernels::gather(&one, kernels::exponential_below(scale, anchor, kernels::below(scale, x, from))); \
        const std::int64_t upper = (static_cast<std::int64_t>(one.coarse) << 23) + one.fine;              \
        sum += (static_cast<Wide>(upper) << 23) + static_cast<Wide>(one.finest);                          \
      }                                                                                                   \
    int power = kernels::exponent_of(anchor) - 60 - 8;                                                    \
    for (; sum >> 64 != 0; ++power) sum >>= 1;                                                            \
    for (; sum != 0 && sum >> 63 == 0; --power) sum <<= 1;                                                \
    const auto count = static_cast<u32>(std::count(row.begin(), row.end(), largest));                     \
    const float log_sum = kernels::log_of(count, static_cast<u64>(sum), power);                           \
    std::vector<float> result;                                                                            \
    for (const float x : row) {                                                                           \
      const float depth = infinite ? 0 : kernels::depth_of(call, x, from);                                \
      result.push_back(x == -infinity || (infinite && x != infinity) ? -infinity : depth - log_sum);      \
    }                                                                                                     \
    return result;                                                                                        \
  }
LOG_SOFTMAX(unit)
LOG_SOFTMAX(other)

}  // namespace

std::vector<float> sequential_log_softmax(std::span<const float> row, std::span<const float>,
                                          const DeviceProgram& program, bool) {
  if (std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); }))
    return std::vector<float>(row.size(), std::numeric_limits<float>::quiet_NaN());
  const float largest = *std::max_element(row.begin(), row.end());
  if (largest == -infinity) return {row.begin(), row.end()};
  if (program.options.find("-DUNIT=1") != std::string::npos)
    return unit_log_softmax(row, constants_of<unit::LogSoftmax>(program), largest);
  return other_log_softmax(row, constants_of<other::LogSoftmax>(program), largest);
}

}  // namespace attncert

// 1.5-entmax: the steps of the kernel over the row as it stands, with its own integers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "src/core/mixer.hpp"
#include "src/device/kernels/dialect.cl"
#include "tests/device/sequential.hpp"

namespace attncert {
namespace {

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "src/device/kernels/squares.cl"
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

namespace {

// The row as the kernels see it: the distances from the largest logit of those within reach, none for others.
class Distances {
 public:
  Distances(std::span<const float> row, const Temperature& t) {
    bad_ = std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); });
    const float largest = bad_ ? -infinity : *std::max_element(row.begin(), row.end());
    const float top = largest == infinity ? 0 : largest;
    for (const float x : row) {
      const float z = largest == infinity ? (x == infinity ? 0 : -infinity) : x;
      const bool within = !bad_ && z != -infinity && top - z <= t.reach;
      all_.push_back(within ? std::optional(below_top(fixed_of(top, t.exponent), z, t.exponent)) : std::nullopt);
    }
  }
  bool none() const {
    return std::none_of(all_.begin(), all_.end(), [](const auto& d) { return d.has_value(); });
  }

  // Of those below delta.
  template <class Take>
  std::size_t take(const Fixed& delta, const Take& take) const {
    std::size_t count = 0;
    for (const std::optional<Fixed>& d : all_)
      if (d && less(*d, delta)) take(*d), ++count;
    return count;
  }
  template <class Weight>
  std::vector<float> weights(const Fixed& delta, const Weight& weight) const {
    std::vector<float> result(all_.size(), bad_ ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i] && less(*all_[i], delta)) result[i] = weight(*all_[i]);
    return result;
  }

 private:
  std::vector<std::optional<Fixed>> all_;
  bool bad_ = false;
};

}  // namespace

std::vector<float> sequential_entmax15(std::span<const float> row, std::span<const float>, const DeviceProgram& program,
                                       bool) {
  const auto t = constants_of<Temperature>(program);
  const Distances distances(row, t);
  Fixed delta = carried(sum_of(fixed_temperature(t), fixed_temperature(t)));
  const Fixed wanted = wanted_squares(t);
  for (bool farther = true; farther;) {
    Fixed sum = fixed_zero(), squares = fixed_zero();
    distances.take(delta, [&](const Fixed& d) {
      const Fixed w = difference_of(delta, d);
      sum = carried(sum_of(sum, w)), squares = carried(sum_of(squares, square_of(w)));
    });
    const Fixed step = newton_step(sum, squares, wanted);
    farther = less(fixed_zero(), step);
    delta = difference_of(delta, step);
  }
  return distances.weights(delta, [&](const Fixed& d) { return squared_share_of(delta, d, t); });
}

}  // namespace attncert

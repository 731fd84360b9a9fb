// The derivatives of self-adjusted softmax: the formulas of their kernel in an arithmetic of its own
// (wide_numbers.hpp).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/device/sequential.hpp"
#include "tests/device/wide_numbers.hpp"
#include "tests/device/wide_signed.hpp"
#include "tests/device/wide_terms.hpp"

namespace attncert {
namespace {

using wide::Number;
using wide::Signed;

constexpr float infinity = std::numeric_limits<float>::infinity();

struct SelfAdjustedVjp {
  wide::Temperature temperature;
  Number rate;
  std::int64_t variant;
  float far;
};

Signed negative(Signed s) { return {s.size, !s.negative}; }
Signed plus(Signed a, Signed b) { return wide::difference(a, negative(b)); }
Signed distance(float a, float b) { return wide::difference(wide::signed_of(a), wide::signed_of(b)); }

// How far gradients are above their mean, each counting as `counts` says: beside that of the largest of those at `end`.
struct Means {
  float origin = -infinity;
  Number inverse;
  Signed rough, rest;

  Means(std::span<const float> row, std::span<const float> upstream, float end, const std::vector<Number>& counts) {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] == end) origin = std::max(origin, upstream[i]);
    std::vector<Signed> ones;
    for (const Number& count : counts) ones.push_back({count, false});
    inverse = wide::inverse(wide::sum(ones).size);
    for (Signed* mean : {&rough, &rest}) {
      std::vector<Signed> products;
      for (std::size_t i = 0; i < row.size(); ++i)
        products.push_back(counts[i].bits == 0 ? Signed() : wide::times(above(upstream[i]), counts[i]));
      *mean = wide::times(wide::sum(products), inverse);
    }
  }
  Signed above(float g) const { return wide::difference(wide::difference(distance(g, origin), rough), rest); }
};

class Gradient {
 public:
  Gradient(std::span<const float> row, std::span<const float> upstream, const SelfAdjustedVjp& call)
      : row_(row), upstream_(upstream), rate_(call.rate), variant_(call.variant) {
    most_ = *std::max_element(row.begin(), row.end()), least_ = infinity;
    for (const float z : row) least_ = z == -infinity ? least_ : std::min(least_, z);
    low_ = variant_ == 3 ? std::min(least_, 0.0F) : least_, high_ = variant_ == 3 ? std::max(most_, 0.0F) : most_;
    const Number range = distance(high_, low_).size;
    flat_ = variant_ >= 2 && range.bits == 0;
    over_ = variant_ < 2 || flat_ ? rate_ : wide::inverse(range);
    from_ = variant_ == 0 && std::abs(most_) < call.far ? 0 : most_;
    exponentials_ = wide::exponentials(row, most_, call.temperature);
  }

  std::vector<float> row() const {
    std::vector<float> gradients(row_.size(), 0.0F);
    if (flat_) return gradients;
    const Means whole(row_, upstream_, most_, exponentials_);
    const Signed depths = wide::times(products(from_, infinity, false), whole.inverse);
    const Signed peak = wide::times(distance(from_, variant_ == 0 ? 0 : low_), over_);
    const bool low_moves = variant_ > 0 && (variant_ < 3 || least_ < 0);
    const bool high_moves = variant_ == 2 || (variant_ == 3 && most_ > 0);
    std::vector<Signed> at_low, at_high;
    if (low_moves) at_low = at_end(least_, high_, variant_ == 1, whole.inverse);
    if (high_moves) at_high = at_end(most_, low_, false, whole.inverse);
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (row_[i] == -infinity) continue;
      const Number p = wide::times(exponentials_[i], whole.inverse);
      Signed high = wide::times(whole.above(upstream_[i]), peak.size);
      high.negative = high.negative != peak.negative;
      const Signed inner = plus(high, wide::difference(depths, by_distance(i, from_, false, true)));
      Signed own = wide::times(wide::signed_of(upstream_[i]), p);
      if (low_moves && row_[i] == least_) own = at_low[i];
      if (high_moves && row_[i] == most_) own = at_high[i];
      gradients[i] = wide::nearest(plus(wide::times(wide::times(inner, p), rate_), wide::times(own, over_)));
    }
    return gradients;
  }

 private:
  // g_i by its logit's distance from `from`, over U; of its size alone for ends.
  Signed by_distance(std::size_t i, float from, bool even, bool with_sign) const {
    const Signed d = distance(from, row_[i]), g = wide::signed_of(upstream_[i]);
    Signed product = even ? g : wide::times(g, wide::times(d.size, over_));
    product.negative = product.negative != (with_sign && d.negative);
    return product;
  }
  // By the exponentials, of all but the logits at `end`.
  Signed products(float from, float end, bool even) const {
    std::vector<Signed> all;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const bool counts = row_[i] != -infinity && row_[i] != end;
      all.push_back(counts ? wide::times(by_distance(i, from, even, end == infinity), exponentials_[i]) : Signed());
    }
    return wide::sum(all);
  }
  std::vector<Signed> at_end(float end, float other, bool even, const Number& shares) const {
    std::vector<Number> counts;
    for (const float z : row_) counts.push_back(z == end ? wide::leading(1, 0) : Number());
    const Means means(row_, upstream_, end, counts);
    const Signed share = wide::times(wide::times(products(other, end, even), shares), means.inverse);
    std::vector<Signed> own(row_.size());
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (row_[i] == end)
        own[i] = wide::difference(wide::times(means.above(upstream_[i]), wide::times(exponentials_[i], shares)), share);
    return own;
  }

  std::span<const float> row_, upstream_;
  Number rate_, over_;
  std::int64_t variant_;
  float most_, least_, low_, high_, from_;
  bool flat_;
  std::vector<Number> exponentials_;
};

}  // namespace

std::vector<float> sequential_self_adjusted_vjp(std::span<const float> row, std::span<const float> upstream,
                                                const DeviceProgram& program, bool) {
  const auto call = constants_of<SelfAdjustedVjp>(program);
  if (is_bad(row, upstream)) return std::vector<float>(row.size(), std::numeric_limits<float>::quiet_NaN());
  if (*std::max_element(row.begin(), row.end()) == -infinity) return std::vector<float>(row.size(), 0.0F);
  return Gradient(row, upstream, call).row();
}

}  // namespace attncert

// The weighted mean of upstream gradients in long double, and what an upstream differs from it: sums compensated
// (TwoSum). A difference that roundings alone can leave is 0, for it meets factors (p^(2 - alpha), 1 / T) that would
// make it infinite where the exact gradient is small.
#pragma once

#include <cmath>

namespace attncert {

class UpstreamMean {
 public:
  void add(long double weight, long double upstream) noexcept {
    weights_.add(weight);
    products_.add(weight * upstream);
    sizes_.add(weight * std::abs(upstream));
  }
  long double total() const noexcept { return weights_.total(); }
  void close() noexcept {
    const long double sum = weights_.total();
    mean_ = products_.total() / sum;
    size_ = sizes_.total() / sum;
  }
  // upstream - mean: off by 2^-61 (|upstream| + mean of |.|) at most, the 0 included; the mean itself by 5 2^-64.
  long double centred(long double upstream) const noexcept {
    const long double difference = upstream - mean_;
    return std::abs(difference) > 0x1p-61L * (std::abs(upstream) + size_) ? difference : 0;
  }

 private:
  struct Sum {
    long double high = 0, low = 0;
    void add(long double v) noexcept {
      const long double sum = high + v, part = sum - high;
      low += (high - (sum - part)) + (v - part);
      high = sum;
    }
    long double total() const noexcept { return high + low; }
  };
  Sum weights_, products_, sizes_;
  long double mean_ = 0, size_ = 0;
};

}  // namespace attncert

// How much a verdict says: bounds as shares of the outputs that they are about.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace attncert {

class BoundShares {
 public:
  static constexpr double weak = 0.1;  // of a row with such a share little can be said

  void add(double share) { ++counts_[bin_of(share)], ++total_; }
  bool empty() const { return total_ == 0; }
  // At least the quantile, and at most 2^(1/8) of it, between 2^-64 and 2^32; 0 of nothing.
  double quantile(double q) const {
    const auto wanted = static_cast<std::size_t>(std::ceil(q * static_cast<double>(total_)));
    std::size_t seen = 0;
    for (std::size_t n = 0; n < bins && total_ > 0; ++n)
      if ((seen += counts_[n]) >= wanted && counts_[n] > 0)
        return std::exp2(lowest + static_cast<double>(n + 1) / fine);
    return 0;
  }
  std::size_t weak_rows = 0;  // with an element whose share is beyond `weak`

 private:
  static constexpr int lowest = -64, highest = 32, fine = 8;
  static constexpr std::size_t bins = (highest - lowest) * fine;
  static std::size_t bin_of(double share) {
    if (!(share > std::exp2(lowest))) return 0;
    const double n = std::floor((std::log2(share) - lowest) * fine);
    return static_cast<std::size_t>(std::min(n, static_cast<double>(bins - 1)));
  }
  std::array<std::size_t, bins> counts_{};
  std::size_t total_ = 0;
};

}  // namespace attncert

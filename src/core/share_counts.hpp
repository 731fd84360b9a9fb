// How the errors of entries are spread: counts by the eighth of an octave that an error's share of its budget is in.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace attncert {

// Of one entry of a row: certain upper bounds of its error in ulp, and of error / budget.
struct EntryError {
  std::size_t position;
  double ulp, share;
};

class ShareCounts {
 public:
  void add(double share) {
    ++counts_[bin(share)];
    ++all_;
  }
  // What `part` of the entries, 0 to 1, do not exceed: the upper end of a bin, an eighth above its lower end at most;
  // 0 of no entry, infinity beyond 2^8.
  double reach(double part) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(all_)));
    std::uint64_t seen = 0;
    for (std::size_t n = 0; n < counts_.size(); ++n)
      if ((seen += counts_[n]) >= wanted) return all_ == 0 ? 0 : upper_end(n);
    return 0;
  }

 private:
  // Shares of a right kernel are about 1; what is below 2^-16 of a budget is as good as exact.
  static constexpr int lowest = -16, highest = 8, steps = 8;
  static constexpr std::size_t bins = static_cast<std::size_t>((highest - lowest) * steps) + 1;

  static std::size_t bin(double share) {
    if (!(share < std::ldexp(1.0, highest))) return bins - 1;  // NaN too
    if (!(share > std::ldexp(1.0, lowest))) return 0;
    // The exponent and the first three bits behind the point, so 8 steps an octave.
    constexpr std::uint64_t first = std::uint64_t{1023 + lowest} * steps;
    return static_cast<std::size_t>((std::bit_cast<std::uint64_t>(share) >> 49) - first);
  }
  static double upper_end(std::size_t bin) {
    if (bin == bins - 1) return INFINITY;
    return std::ldexp(1 + static_cast<double>(bin % steps + 1) / steps, lowest + static_cast<int>(bin / steps));
  }

  std::array<std::uint32_t, bins> counts_{};
  std::uint64_t all_ = 0;
};

}  // namespace attncert

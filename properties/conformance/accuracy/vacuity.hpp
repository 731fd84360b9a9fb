// The vacuity meter: over the entries that a check passed, the smallest change of each that it would have flagged,
// relative to the entry or, where terms cancel, to the sum of their sizes. A check whose 99th percentile exceeds 10%
// says little: it is weak, and so is one of so few entries that they have none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace attncert {

class Vacuity {
 public:
  static constexpr double weak_above = 0.1;

  void add(double relative_change);  // >= 0; kept in bins of a quarter of an octave
  void merge(const Vacuity& other);
  std::uint64_t entries() const;
  double percentile99() const;  // upper end of the bin; 0 without entries
  bool weak() const { return percentile99() > weak_above; }
  bool few() const { return entries() < 100; }

 private:
  static constexpr int bins_per_octave = 4, octaves = 80, lowest = -64;  // 2^-64 .. 2^16
  std::array<std::uint32_t, std::size_t{bins_per_octave} * octaves> bins_{};
};

}  // namespace attncert

#include "properties/conformance/accuracy/vacuity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attncert {

void Vacuity::add(double relative_change) {
  const double place = (std::log2(relative_change) - lowest) * bins_per_octave;  // -inf for 0
  const double last = static_cast<double>(bins_.size() - 1);
  ++bins_[static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, last))];
}

void Vacuity::merge(const Vacuity& other) {
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
}

std::uint64_t Vacuity::entries() const { return std::accumulate(bins_.begin(), bins_.end(), std::uint64_t{0}); }

double Vacuity::percentile99() const {
  const std::uint64_t all = entries();
  std::uint64_t above = 0;  // entries in the bins above the one at hand
  for (std::size_t i = bins_.size(); i-- > 0;) {
    above += bins_[i];
    if (above * 100 > all) return std::exp2(lowest + (static_cast<double>(i) + 1) / bins_per_octave);
  }
  return 0;
}

}  // namespace attncert

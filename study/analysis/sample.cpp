#include "study/analysis/sample.hpp"

#include <cmath>
#include <limits>

#include "src/core/number_text.hpp"

namespace attncert::report {
std::string kept_text(std::size_t kept, std::uint64_t seen) {
  return kept == seen ? "all rows" : grouped(kept) + " of " + grouped(seen) + " rows kept";
}

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

}  // namespace attncert::report

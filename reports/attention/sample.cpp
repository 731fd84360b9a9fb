#include "reports/attention/sample.hpp"

#include <cmath>
#include <limits>

#include "reports/number_text.hpp"

namespace attncert::report {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, figure 15): a bijection of 64 bits that mixes them well.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

std::uint64_t hash(const RowKey& row) {
  constexpr std::uint64_t golden =
      0x9e3779b97f4a7c15;  // 2^64 / golden ratio, SplitMix64's increment: no fixed point at 0
  std::uint64_t bits = 0;
  for (const std::size_t part : {row.window, row.layer, row.head, row.query}) bits = mixed(bits + golden + part);
  return bits;
}

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

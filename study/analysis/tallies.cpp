#include "study/analysis/tallies.hpp"

#include <algorithm>

namespace attncert::report {

void ClaimTallies::add(const ClaimLine& line) {
  ClaimLine& sum = sums_[{line.claim, line.x}];
  sum.claim = line.claim, sum.x = line.x;
  sum.tried += line.tried, sum.admissible += line.admissible;
  sum.held += line.held, sum.violated += line.violated, sum.equality += line.equality;
  sum.undecided += line.undecided, sum.by_interval += line.by_interval;
}

std::vector<ClaimLine> ClaimTallies::sums() const {
  std::vector<ClaimLine> list;
  for (const auto& [key, sum] : sums_) list.push_back(sum);
  return list;
}

std::uint64_t ClaimTallies::undecided() const {
  std::uint64_t count = 0;
  for (const auto& [key, sum] : sums_) count += sum.undecided;
  return count;
}

std::uint64_t ClaimTallies::violated_except(const std::vector<std::string>& claims) const {
  std::uint64_t count = 0;
  for (const auto& [key, sum] : sums_)
    if (std::find(claims.begin(), claims.end(), sum.claim) == claims.end()) count += sum.violated;
  return count;
}

}  // namespace attncert::report

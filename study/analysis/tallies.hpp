// claims.csv over all windows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "study/attention_lines.hpp"

namespace attncert::report {

class ClaimTallies {
 public:
  void add(const ClaimLine& line);
  std::vector<ClaimLine> sums() const;  // one per claim and x, by name; `window` is 0
  std::uint64_t undecided() const;
  std::uint64_t violated_except(const std::vector<std::string>& claims) const;

 private:
  std::map<std::pair<std::string, std::string>, ClaimLine> sums_;
};

}  // namespace attncert::report

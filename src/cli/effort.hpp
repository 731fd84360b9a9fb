// What --effort means, in numbers of evaluations (never seconds: the same effort gives the same ledger everywhere).
#pragma once

#include <cstdint>
#include <string_view>

#include "properties/accuracy/cases.hpp"
#include "properties/certify/search.hpp"

namespace attncert::cli {

inline SearchPlan search_plan(std::string_view effort, std::uint64_t seed) {
  if (effort == "quick") return {seed, 300, 200, 3000};
  if (effort == "full") return {seed, 100'000, 50'000, 20'000};
  return {seed, 3000, 2000, 6000};
}

inline Effort accuracy_effort(std::string_view effort) {
  return effort == "quick" ? Effort::quick : effort == "full" ? Effort::full : Effort::normal;
}

}  // namespace attncert::cli

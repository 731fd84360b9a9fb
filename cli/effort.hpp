// What --effort means, in numbers of evaluations (never seconds: the same effort gives the same ledger everywhere).
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "properties/claims/certify/search.hpp"
#include "properties/conformance/accuracy/cases.hpp"

namespace attncert::cli {

// An effort in numbers: 10 is ten times the normal search. What is beyond a thousand would take days.
inline std::optional<double> effort_factor(std::string_view effort) {
  double factor = 0;
  const auto [end, error] = std::from_chars(effort.data(), effort.data() + effort.size(), factor);
  const bool whole = error == std::errc{} && end == effort.data() + effort.size();
  return whole && factor >= 0.01 && factor <= 1000 ? std::optional(factor) : std::nullopt;
}

inline SearchPlan search_plan(std::string_view effort, std::uint64_t seed) {
  if (effort == "quick") return {seed, 300, 200, 3000, 750};
  if (effort == "full") return {seed, 100'000, 50'000, 20'000, 75'000};
  SearchPlan plan;
  plan.seed = seed;
  const double factor = effort_factor(effort).value_or(1);
  for (std::size_t* cases : {&plan.random_cases, &plan.climb_cases, &plan.maximise_cases})
    *cases = static_cast<std::size_t>(std::llround(factor * static_cast<double>(*cases)));
  return plan;
}

inline Effort accuracy_effort(std::string_view effort) {
  return effort == "quick" ? Effort::quick : effort == "full" ? Effort::full : Effort::normal;
}

}  // namespace attncert::cli

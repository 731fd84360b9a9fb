// What --effort means, in numbers of evaluations (never seconds: the same effort gives the same ledger everywhere).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "properties/claims/certify/search.hpp"
#include "properties/conformance/accuracy/cases.hpp"
#include "src/core/number_in.hpp"

namespace attncert::cli {

// An effort in numbers: 10 is ten times the normal search. What is beyond a thousand would take days.
inline std::optional<double> effort_factor(std::string_view effort) {
  const std::optional<double> factor = number_in<double>(effort);
  return factor >= 0.01 && factor <= 1000 ? factor : std::nullopt;
}

// "quick, normal, full": what --effort takes.
inline std::string effort_names() {
  std::string names;
  for (const EffortLimits& effort : efforts) names += (names.empty() ? "" : ", ") + std::string(effort.name);
  return names;
}

inline SearchPlan search_plan(std::string_view effort, std::uint64_t seed) {
  SearchPlan plan;  // the normal one
  plan.seed = seed;
  const std::optional<Effort> named = effort_named(effort);
  if (named == Effort::quick) return {seed, 300, 200, 3000, 750};
  if (named == Effort::full) return {seed, 100'000, 50'000, 20'000, 75'000};
  const double factor = effort_factor(effort).value_or(1);
  for (std::size_t* cases : {&plan.random_cases, &plan.climb_cases, &plan.maximise_cases})
    *cases = static_cast<std::size_t>(std::llround(factor * static_cast<double>(*cases)));
  return plan;
}

}  // namespace attncert::cli

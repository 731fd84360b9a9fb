#include "properties/claims/certify/verdict.hpp"

#include <algorithm>
#include <iterator>

namespace attncert {

namespace {
constexpr std::string_view names[] = {"proved", "supported", "refuted", "vacuous", "undecided", "measured"};
}

std::string_view name(Verdict verdict) { return names[static_cast<int>(verdict)]; }

Verdict verdict_of(std::string_view name) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  ATTNCERT_ASSERT(found != std::end(names));
  return static_cast<Verdict>(found - std::begin(names));
}

Verdict verdict(const Statement& statement, const Counts& counts, std::optional<bool> refuted,
                std::optional<bool> proved) {
  if (statement.measured()) return Verdict::measured;
  if (refuted.has_value()) return *refuted && !proved.value_or(false) ? Verdict::refuted : Verdict::undecided;
  if (counts.admissible == 0) return Verdict::vacuous;
  if (counts.violated > 0 || counts.undecided > 0) return Verdict::undecided;
  // A family that was to refute and was not accepted leaves the statement open; so does a member that was not good.
  const bool whole = statement.families() == nullptr || counts.held == counts.admissible;
  if (!whole) return Verdict::undecided;
  if (!proved) return Verdict::supported;
  return *proved ? Verdict::proved : Verdict::undecided;
}

bool agrees(Expected expected, Verdict reached) { return name(expected) == name(reached); }

}  // namespace attncert

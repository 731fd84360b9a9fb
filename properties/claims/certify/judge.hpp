// Judging one instance of one statement: hypotheses, both sides as enclosures, precision doubled while undecided.
// This is the trusted part of the suite's own verdict; the independent one is attncert-check.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "properties/claims/claim.hpp"
#include "src/core/tally.hpp"

namespace attncert {

enum class Decision { discarded, held, violated, equality, undecided };
std::string_view name(Decision decision);

struct Ruling {
  Decision decision = Decision::discarded;
  std::string_view discarded_by;     // the first hypothesis that does not hold or is not decided
  std::optional<Interval> lhs, rhs;  // at the precision that decided
  int bits = 0;
  // lhs / rhs from below where rhs > 0 is certain (+inf where lhs > rhs = 0); none otherwise.
  std::optional<double> tightness() const;
};

// The statement is Sided. Asserts that `slack`, where a statement has one, overlaps rhs - lhs, and that an equality can
// be decided exactly.
Ruling judge(const Statement& statement, const Instance& instance, Precision limit = precision_limit);

// Counts the ruling and keeps the tightest instance.
void record(Tally& tally, const Ruling& ruling, const std::string& replay);

}  // namespace attncert

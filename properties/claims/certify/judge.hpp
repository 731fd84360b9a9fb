// Judging one instance of one statement: hypotheses, both sides of each part as enclosures, precision doubled while
// undecided. This is the trusted part of the suite's own verdict; the independent one is attncert-check.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/claims/claim.hpp"
#include "src/core/tally.hpp"

namespace attncert {

enum class Decision { discarded, held, equality, undecided, violated };  // the later ones decide for the whole
std::string_view name(Decision decision);

struct PartRuling {
  Decision decision = Decision::undecided;
  Interval lhs, rhs;  // at the precision that decided
  int bits = 0;
  // lhs / rhs from below where rhs > 0 is certain (+inf where lhs > rhs = 0); none otherwise.
  std::optional<double> tightness() const;
};

struct Ruling {
  Decision decision = Decision::discarded;  // the last in order of its parts'
  std::string_view discarded_by;            // the first hypothesis that does not hold or is not decided
  std::vector<PartRuling> parts;            // of an admissible instance, in the statement's order
  std::optional<double> tightness() const;  // the largest of its parts'
  // The part that a report shows: the first violated one, else the tightest.
  std::size_t telling() const;
};

// The statement is Sided. Asserts that `slack`, where a part has one, overlaps rhs - lhs, and that an equality can be
// decided exactly. An instance at which a right side is the whole line at every precision is discarded: whatever the
// left side is agrees. Equality of two zeros is held: it says nothing of how sharp the statement is.
Ruling judge(const Statement& statement, const Instance& instance, Precision limit = precision_limit);
PartRuling judge_part(const Statement& statement, std::size_t part, const Instance& instance,
                      Precision limit = precision_limit);  // of an admissible instance
bool admissible(const Statement& statement, const Instance& instance);
// Whether every hypothesis holds and the part does not.
bool violates(const Statement& statement, std::size_t part, const Instance& instance,
              Precision limit = precision_limit);

// Counts the ruling and keeps the tightest instance.
void record(Tally& tally, const Statement& statement, const Ruling& ruling, const std::string& replay);

}  // namespace attncert

// Where a dump differs from the truth: which known convention explains what its kernel computed.
#pragma once

#include <string>
#include <vector>

#include "properties/dumps/judged_rows.hpp"

namespace attncert {

struct Diagnosis {
  std::size_t rows = 0;  // that were looked at: failing ones and some that hold
  // Alternatives within the bound of each of these rows; several: they cannot be told apart here.
  std::vector<std::string> explain;
  // With none of them: the narrowest other class that says something of the rows and holds, as when the arithmetic is
  // narrower than declared; or empty.
  std::string wider;
  // With none of them: the one whose outputs lie nearest, where it is much nearer; its largest error, and that of what
  // was asked for.
  std::string nearest;
  double distance = 0, own = 0;
};

// Of o; asserts that the verdict has failing rows. jobs: threads, 0 for one a core; the result does not depend on them.
Diagnosis diagnosis_of_output(const AttentionDump& dump, const DumpVerdict& verdict,
                              const reference::RoundingClass& rounding, std::size_t jobs);
// Of o that holds in a wider class than the narrowest: which single conventions explain within the narrowest what is
// outside of it.
std::vector<std::string> explained_more_narrowly(const AttentionDump& dump, const DumpVerdict& verdict,
                                                 const reference::RoundingClass& narrowest, std::size_t jobs);
// Of lse, once o holds.
Diagnosis diagnosis_of_lse(const AttentionDump& dump, const DumpVerdict& verdict,
                           const reference::RoundingClass& rounding, std::size_t jobs);

}  // namespace attncert

// Settling a statement about all L along its families (docs/specification.md#families): at L = 2, 4, ..., 2^20 the
// exact value of every member equals the closed form, and the closed form grows and exceeds what is claimed (refuted),
// or keeps within it.
#pragma once

#include <optional>
#include <string>

#include "properties/claims/certify/search.hpp"

namespace attncert {

inline constexpr unsigned largest_family_exponent = 20;  // members are checked up to L = 2^20

struct FamilyResult {
  Tally tally;                                   // one instance per member
  std::optional<Counterexample> counterexample;  // when every required family refutes
  std::string why_not;                           // what failed first, of families of either kind
};

FamilyResult check_families(const Statement& statement);

// The same from a file: every family of the statement is there, each of its members has the value of the file's own
// closed form, and that form grows and exceeds what is claimed. "" when it refutes, else what failed first.
std::string check_family_witness(const Statement& statement, const Witness& witness);

}  // namespace attncert

// Settling a statement about all L along its families (docs/specification.md#families): the suite evaluates members at
// n = first and at powers of two up to L = 2^20, where the quantity has the value of the closed form and grows, or
// keeps within its bounds. That it does so for every n is for the checker to say.
#pragma once

#include <optional>
#include <string>

#include "properties/claims/certify/search.hpp"

namespace attncert {

// The tokens of one n, run-length coded; none where a count is not a whole number >= 0, or L is beyond 2^20.
std::optional<ExactInstance> member_of(const FormFamily& family, std::size_t n);

struct FamilyResult {
  Tally tally;           // one instance per member
  Witness evidence;      // the families, for the checker
  bool refutes = false;  // else they support
  std::string lhs;       // the quantity at the longest member
  std::string why_not;   // what failed first; "" when every member is good
};

FamilyResult check_families(const Statement& statement);

// The same for the families of a file. "" when their members are good, else what failed first.
std::string check_family_witness(const Statement& statement, const Witness& witness);

}  // namespace attncert
